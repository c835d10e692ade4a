/** The options with which a command takes what is known of samples. */
import type { CommandOption } from '../../../core/commands.js';
import { Fault } from '../../../core/plugin.js';
import { type FactField, type FactWords, factFields, readFacts, type StatedFacts } from '../domain/facts.js';
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
  {
    flags: '--phenotypes <terms>',
    description: 'phenotypes that the person has: HP:0001250=Seizure; HP:0001263 (labels are optional)',
  },
  { flags: '--diseases <terms>', description: 'diseases that the person has: OMIM:607208=Dravet syndrome' },
  { flags: '--run-date <day>', description: 'label: the day of the sequencing run, such as 2026-01-31' },
  { flags: '--analysis-date <day>', description: 'label: the day of the analysis' },
];

/** The option of each field, as it is typed. */
const optionOf: Readonly<Record<FactField, keyof FactOptions>> = {
  case_id: 'case',
  sex: 'sex',
  affected: 'affected',
  assay: 'assay',
  run: 'run',
  kit: 'kit',
  pipeline: 'pipeline',
  coverage_id: 'coverageId',
  phenotypes: 'phenotypes',
  diseases: 'diseases',
  run_date: 'runDate',
  analysis_date: 'analysisDate',
};

export interface FactOptions extends Omit<FactWords, 'case_id' | 'coverage_id' | 'run_date' | 'analysis_date'> {
  case?: string;
  coverageId?: string;
  runDate?: string;
  analysisDate?: string;
}

/** The facts among the options of a command; undefined if there are none. */
export function statedFacts(options: FactOptions): StatedFacts | undefined {
  const given = factFields.flatMap((field) => {
    const typed = options[optionOf[field]];
    return typed === undefined ? [] : [[field, typed] as const];
  });
  if (given.length === 0) return undefined;
  const read = readFacts(Object.fromEntries(given));
  if ('facts' in read) return read.facts;
  const reasons = read.wrong.map(({ field, reason }) =>
    optionOf[field] === field ? reason : reason.replace(field, `--${flagOf(optionOf[field])}`),
  );
  throw new Fault('invalid', reasons.join('. '));
}

/** `coverageId` is typed as `coverage-id`. */
function flagOf(option: string): string {
  return option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
