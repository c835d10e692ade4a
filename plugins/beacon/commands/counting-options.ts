/** The options for the counting rules of a dataset of observations. */
import type { CommandOption } from '../../../core/commands.js';
import type { CountingWords } from '../domain/counting.js';

export const countingOptions: readonly CommandOption[] = [
  {
    flags: '--observations',
    description:
      'the dataset is a record of local observations: how often, in whom and out of how many an allele was seen',
  },
  {
    flags: '--gq <number>',
    description: 'with --observations: load only genotypes with at least this GQ, or none for any (default: 20)',
  },
  { flags: '--pass', description: 'with --observations: load only records whose FILTER is PASS' },
  {
    flags: '--window <bases>',
    description:
      'with --observations: structural variants count as one if their ends differ by no more (default: 2000)',
  },
];

/** The rules among the options of a command; undefined if there are none. */
export function countingOf({ observations, gq, pass, window }: CountingWords): CountingWords | undefined {
  const words = { observations, gq, pass, window };
  return Object.values(words).some((value) => value !== undefined) ? words : undefined;
}
