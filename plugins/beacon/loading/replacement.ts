/** Which replacements of a sample's calls are refused unless they are forced: those that may be a mistake. */
import { Fault } from '../../../core/plugin.js';
import type { Dataset, ReplacedAlleles, ReplaceRules } from '../contract.js';
import type { Panel } from '../vcf/panel.js';
import type { ComparisonSummary } from './comparison.js';
import { comparisonWarnings } from './comparison-text.js';

/** Quotes keep names out of the log. */
const quoted = (name: string) => `"${name}"`;

/** `force` replaces all the same. */
export function replaceRules({ force }: { force: boolean }, panel: Panel | undefined): ReplaceRules {
  if (force) return {};
  return {
    judge: refuseLosses,
    ...(panel && {
      // As records are restricted to the panel when they are read.
      within: ({ contig, start, end, mate }) => panel.overlaps(contig, start, mate === undefined ? end : start + 1),
    }),
  };
}

/**
 * Throws an `unprocessable` fault if a sample would keep less than half of its alleles of the kinds that are replaced, or loses
 * some only since the load is restricted to a panel.
 */
function refuseLosses(replaced: ReadonlyMap<string, ReplacedAlleles>): void {
  const reasons: string[] = [];
  for (const [name, { before, kept, outside }] of replaced) {
    if (outside > 0)
      reasons.push(`${outside} of the ${before} alleles of sample ${quoted(name)} are outside of the panel`);
    else if (2 * kept < before) reasons.push(`sample ${quoted(name)} would keep ${kept} of its ${before} alleles`);
  }
  const [first] = reasons;
  if (first === undefined) return;
  const more = reasons.length > 1 ? `, and ${reasons.length - 1} more such samples` : '';
  throw new Fault('unprocessable', `Nothing was replaced: ${first}${more}; with force they are replaced all the same`);
}

/** Throws an `unprocessable` fault if a sample of the load is another person than the stored one of its name. */
export function refuseOtherPeople({ findings }: Pick<ComparisonSummary, 'findings'>): void {
  const others = findings.filter(({ kind }) => kind === 'another-person');
  if (others.length === 0) return;
  const [first] = comparisonWarnings({ findings: others, moreFindings: new Map() });
  throw new Fault('unprocessable', `Nothing was replaced: ${first}; with force it is replaced all the same`);
}

/** Calls that are added to those of a sample would be lost once the replacement takes the place of all that it has. */
export function refuseReplacing({ id }: Dataset, samples: readonly string[], replacing: readonly string[]): void {
  const waiting = new Set(replacing);
  const some = samples.filter((name) => waiting.has(name)).length;
  if (some === 0) return;
  const which = some === 1 ? 'a replacement of a sample waits' : `replacements of ${some} samples of the load wait`;
  throw new Fault(
    'unprocessable',
    `Nothing was added: ${which} for the next publication of the protected dataset '${id}': load after it (beacon publish ` +
      'dataset), or with --replace',
  );
}
