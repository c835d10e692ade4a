/** Samples beside their cohorts as JSON: nothing rounded, and no names of other samples. */
import type { Comparison } from '../comparison/compare.js';
import type { GapFinding } from '../comparison/gap-finding.js';
import type { Statement } from '../comparison/statement.js';
import type { TargetComparison } from '../comparison/target-comparison.js';
import type { Measurement } from '../report/report-data.js';

/** One entry for each registered sample. */
export function cohortsData({ cohorts }: Comparison, samples: readonly Measurement[]) {
  return samples.flatMap(({ sample: { name } }) => {
    const cohort = cohorts.get(name);
    if (cohort === undefined) return [];
    const { state, assays, isPooled, sex, n, sameSex, shared, checksum } = cohort;
    const others = shared && { shared_samples: shared.n, shared_same_sex: shared.sameSex };
    const counts = { samples: n, same_sex: sameSex, ...others };
    return [{ sample: name, state, assays, pooled: isPooled, sex, ...counts, checksum: checksum ?? null }];
  });
}

/** The member `cohort` beside the figures of a sample; nothing if it is not compared there. */
export function comparedData(found: TargetComparison | undefined) {
  if (found === undefined) return {};
  const { n, isOfOneSex, depth, completeness } = found;
  return {
    cohort: {
      samples: n,
      of_one_sex: isOfOneSex,
      ...(depth === undefined
        ? {}
        : {
            normalised_depth: {
              own: depth.own,
              ratio: depth.ratio ?? null,
              z: depth.z ?? null,
              ...statementData(depth.statement),
            },
          }),
      ...(completeness === undefined
        ? {}
        : { completeness: { own: completeness.own, ...statementData(completeness.statement) } }),
    },
  };
}

function statementData(statement: Statement) {
  if ('values' in statement) return { values: statement.values };
  const { median, low, high, percentile } = statement;
  return { median, p5: low, p95: high, percentile: percentile ?? null };
}

export function findingData({ kind, isUsual, depth }: GapFinding) {
  return { kind, usually_poor: isUsual, ratio: depth?.ratio ?? null, z: depth?.z ?? null };
}
