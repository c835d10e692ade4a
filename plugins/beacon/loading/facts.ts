/** Which facts a load gives to which of its samples. */
import { Fault } from '../../../core/plugin.js';
import type { StatedFacts } from '../domain/facts.js';

/** Facts that a caller states of all samples of a load. Throws an `unprocessable` fault if they can be those of one only. */
export function ofAll(stated: StatedFacts, samples: readonly string[]): Map<string, StatedFacts> {
  const { sex, coverageId, phenotypes, diseases } = stated;
  const personal = 'affected' in stated || [sex, coverageId, phenotypes, diseases].some((fact) => fact !== undefined);
  if (personal && samples.length > 1) {
    throw new Fault(
      'unprocessable',
      `sex, affected, coverage_id, phenotypes and diseases describe one sample, and the load has ${samples.length}: state them for each sample`,
    );
  }
  return new Map(samples.map((sample) => [sample, stated]));
}

/** The facts of several sources, by sample; those of `more` win. */
export function merged(
  facts: ReadonlyMap<string, StatedFacts>,
  more: ReadonlyMap<string, StatedFacts>,
): Map<string, StatedFacts> {
  const all = new Map(facts);
  for (const [sample, stated] of more) {
    const known = all.get(sample);
    const labels = known?.labels || stated.labels ? { labels: { ...known?.labels, ...stated.labels } } : {};
    all.set(sample, { ...known, ...stated, ...labels });
  }
  return all;
}
