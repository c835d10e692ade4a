/** The options with which a command takes what is known of samples. */
import type { CommandOption } from '../../../core/commands.js';
import { Fault } from '../../../core/plugin.js';
import { type FactWords, readFacts, type StatedFacts } from '../domain/facts.js';
import { sexes } from '../domain/sample.js';

export const factOptions: readonly CommandOption[] = [
  { flags: '--case <id>', description: 'the case (family) of the samples (default: the sample itself)' },
  { flags: '--sex <sex>', description: 'the sex of the person', choices: sexes },
  {
    flags: '--affected <answer>',
    description: 'whether the person has the disease of the case',
    choices: ['yes', 'no', 'unknown'],
  },
  { flags: '--assay <name>', description: 'label: the assay, such as WGS' },
  { flags: '--run <name>', description: 'label: the sequencing run' },
  { flags: '--kit <name>', description: 'label: the capture kit' },
  { flags: '--pipeline <name>', description: 'label: the pipeline and its version' },
  {
    flags: '--coverage-id <id>',
    description: 'the registered sample that knows the depth of the sample (default: that of the same id)',
  },
];

export interface FactOptions extends Omit<FactWords, 'case_id' | 'coverage_id'> {
  case?: string;
  coverageId?: string;
}

/** The facts among the options of a command; undefined if there are none. */
export function statedFacts({
  case: id,
  sex,
  affected,
  assay,
  run,
  kit,
  pipeline,
  coverageId,
}: FactOptions): StatedFacts | undefined {
  const words = Object.entries({ case_id: id, sex, affected, assay, run, kit, pipeline, coverage_id: coverageId });
  const given = words.filter(([, value]) => value !== undefined);
  if (given.length === 0) return undefined;
  const read = readFacts(Object.fromEntries(given));
  if ('facts' in read) return read.facts;
  throw new Fault(
    'invalid',
    read.wrong
      .map(({ reason }) => reason.replace('case_id', '--case').replace('coverage_id', '--coverage-id'))
      .join('. '),
  );
}
