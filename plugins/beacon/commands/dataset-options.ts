/** What the commands that add and change datasets have in common. */
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
  {
    flags: '--threshold <reads>',
    description: 'with --observations: reads from which on a base of a sample counts as covered (default: 10)',
  },
];

/** The description of a dataset, as it was typed. */
export interface DatasetOptions extends CountingWords {
  did: string;
  name?: string;
  authlevel?: string;
  build?: string;
  desc?: string;
  version?: string;
  url?: string;
}

/** The typed description in the words of `describeDataset`. */
export function datasetWords<Typed extends DatasetOptions>(options: Typed) {
  return {
    id: options.did,
    name: options.name as Typed['name'],
    access: options.authlevel as Typed['authlevel'],
    assembly: options.build,
    version: options.version,
    description: options.desc,
    externalUrl: options.url,
    counting: countingOf(options),
  };
}

/** The rules among the options of a command; undefined if there are none. */
function countingOf({ observations, gq, pass, window, threshold }: CountingWords): CountingWords | undefined {
  const words = { observations, gq, pass, window, threshold };
  return Object.values(words).some((value) => value !== undefined) ? words : undefined;
}
