/** `list samples` and `update samples`, and the options by which commands take facts about samples. */
import { type Command, type CommandOption, counted, table } from '../../../core/commands.js';
import { Fault } from '../../../core/plugin.js';
import { recordCommand } from '../audit.js';
import { beacon, type Sample, sampleLabels } from '../contract.js';
import { datasetNamed } from '../domain/dataset.js';
import {
  changeOfFacts,
  type FactField,
  type FactWords,
  factFields,
  readFacts,
  type StatedFacts,
} from '../domain/facts.js';
import { sexes } from '../domain/sample.js';
import { readPed, readSampleSheet, sheetColumns } from '../loading/sheets/sample-sheet.js';
import type { BeaconSettings } from '../settings.js';

// The options with which a command takes what is known of samples.

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

export const listSamples: Command<BeaconSettings> = {
  name: 'list samples',
  summary: 'List the samples of a dataset with what is known of them',
  examples: ['list samples --ds local_wgs', 'list samples --ds local_wgs --case F1 --json'],
  options: [
    { flags: '--ds <id>', description: 'id of the dataset', required: true },
    { flags: '--case <id>', description: 'only samples of this case', repeatable: true },
  ],
  async run(context, input) {
    const { ds, case: cases } = input.options as { ds: string; case?: string[] };
    const repository = await context.repository(beacon);
    await datasetNamed(repository, ds);
    const samples = await repository.sampleFacts(ds);
    const listed = cases ? samplesOfCases(samples, cases, ds) : samples;
    await recordCommand(context, 'samples', { id: ds }, listed);
    for (const line of sampleTable(listed)) context.terminal.print(line);
    context.terminal.data(listed.map(sampleData));
    return 0;
  },
};

interface UpdateSamplesOptions extends FactOptions {
  ds: string;
  sample?: string[];
  ped?: string;
  sheet?: string;
}

export const updateSamples: Command<BeaconSettings> = {
  name: 'update samples',
  summary: 'Correct what is known of samples: case, sex, phenotypes, labels, and where their depth is known',
  description:
    'What is not given stays as it is; an empty label (--kit "") is removed. A sheet is a tab-separated file whose first ' +
    `line names its columns: ${sheetColumns.join(', ')}, of which only sample is required; an empty cell changes nothing. ` +
    'Terms are separated by commas or semicolons: HP:0001250=Seizure; HP:0001263. Instead of a table it may be a phenopacket ' +
    '(JSON of version 1 or 2), a Family, a Cohort, a list of these, or a folder of such files, whose subjects are samples. ' +
    'Of a PED file, individuals that are not in the dataset are ignored. All of it is changed, or nothing.',
  examples: [
    'update samples --ds local_wgs --sample CHILD --case F1 --sex male --affected yes',
    'update samples --ds local_wgs --ped family.ped',
    'update samples --ds local_wgs --sheet samples.tsv',
    'update samples --ds local_wgs --sample CHILD --coverage-id CHILD-2024',
  ],
  options: [
    { flags: '--ds <id>', description: 'id of the dataset', required: true },
    { flags: '--sample <name>', description: 'a sample of the dataset', repeatable: true },
    ...factOptions,
    { flags: '--ped <file>', description: 'PED file: case (family), sex and whether affected, of each individual' },
    {
      flags: '--sheet <file>',
      description: 'tab-separated file with a line for each sample, a phenopacket file, or a folder of such',
    },
  ],
  async run(context, input) {
    const options = input.options as unknown as UpdateSamplesOptions;
    const repository = await context.repository(beacon);
    await datasetNamed(repository, options.ds);
    const samples = await repository.sampleFacts(options.ds);
    const warn = (sentence: string) => context.terminal.note(`WARNING ${sentence}`);
    const stated = await statedIn(options, new Set(samples.map(({ name }) => name)), warn);
    const labels = new Map(samples.map((sample) => [sample.name, sample.labels]));
    const changes = new Map([...stated].map(([name, facts]) => [name, changeOfFacts(facts, labels.get(name))]));
    const described = samples.filter(({ name }) => changes.has(name));
    await recordCommand(context, 'describe', { id: options.ds }, described);
    const changed = await repository.describeSamples(options.ds, changes, context.now());
    context.terminal.print(`Changed ${counted(changed, 'sample')} of dataset '${options.ds}'`);
    context.terminal.data({ dataset: options.ds, changed });
    return 0;
  },
};

async function statedIn(
  options: UpdateSamplesOptions,
  there: ReadonlySet<string>,
  warn: (sentence: string) => void,
): Promise<Map<string, StatedFacts>> {
  const { sample, ped, sheet, ds } = options;
  const stated = statedFacts(options);
  if ([sample, ped, sheet].filter((source) => source !== undefined).length !== 1 || (stated && !sample)) {
    throw new Fault('invalid', 'Give --sample with what is to change, or --ped, or --sheet');
  }
  if (sheet !== undefined) return readSampleSheet(sheet, there, warn);
  if (ped !== undefined) {
    const individuals = (await readPed(ped)).factsOfAll(there);
    if (individuals.size > 0) return individuals;
    throw new Fault('unprocessable', `${ped}: none of its individuals is a sample of dataset '${ds}'`);
  }
  if (!stated) throw new Fault('invalid', 'Give what is to change, such as --case or --sex');
  const missing = (sample ?? []).filter((name) => !there.has(name));
  if (missing.length === 0) return new Map((sample ?? []).map((name) => [name, stated]));
  throw new Fault('unprocessable', `Dataset '${ds}' has no sample ${missing.join(', ')}`);
}

/** The samples of some cases; throws an `unprocessable` fault if one has none. */
export function samplesOfCases(samples: readonly Sample[], cases: readonly string[], dataset: string): Sample[] {
  const [wanted, there] = [new Set(cases), new Set(samples.map((sample) => sample.case))];
  const missing = cases.filter((id) => !there.has(id));
  if (missing.length === 0) return samples.filter((sample) => wanted.has(sample.case));
  throw new Fault('unprocessable', `Dataset '${dataset}' has no case ${missing.join(', ')}`);
}

function sampleTable(samples: readonly Sample[]): string[] {
  if (samples.length === 0) return ['There are no samples'];
  const labelled = sampleLabels.map((label) => label.toUpperCase());
  const headings = [
    'SAMPLE',
    'CASE',
    'SEX',
    'AFFECTED',
    ...labelled,
    'COVERAGE_ID',
    'PHENOTYPES',
    'DISEASES',
    'SEARCHED FOR',
    'ADDED',
  ];
  const rows = samples.map(
    ({ name, case: id, sex, affected, labels, coverageId, phenotypes, diseases, searched, unsearched, added }) => [
      name,
      id,
      sex,
      affected === undefined ? 'unknown' : affected ? 'yes' : 'no',
      ...sampleLabels.map((label) => labels[label] ?? '-'),
      coverageId === name ? '-' : coverageId,
      ...[phenotypes, diseases].map((terms) => terms.map(({ id }) => id).join(' ') || '-'),
      searchedText(searched, unsearched),
      added?.toISOString().slice(0, 10) ?? '-',
    ],
  );
  return table(headings, rows);
}

/** A sample as JSON output. */
function sampleData({ affected, added, ...known }: Sample) {
  return { ...known, affected: affected ?? null, added: added?.toISOString() ?? null };
}

/** `small (not MT), structural` */
function searchedText(searched: Sample['searched'], unsearched: Sample['unsearched']): string {
  const kinds = (['small', 'structural'] as const).filter((kind) => searched[kind]);
  const texts = kinds.map((kind) => {
    const chromosomes = unsearched?.[kind] ?? [];
    return chromosomes.length === 0 ? kind : `${kind} (not ${chromosomes.join(' ')})`;
  });
  return texts.join(', ') || '-';
}
