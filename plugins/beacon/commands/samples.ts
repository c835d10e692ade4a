/** `list samples` and `update samples`, and the options by which commands take facts about samples. */
import {
  type Columns,
  type Command,
  type CommandOption,
  command,
  counted,
  type OptionValues,
  printTable,
  statedFields,
} from '../../../core/commands.js';
import { Fault } from '../../../core/plugin.js';
import { announcingCalls } from '../announced.js';
import { peopleIn, recordCommand } from '../audit.js';
import { beacon, type OntologyTerm, type Sample, sampleLabels } from '../contract.js';
import { datasetNamed } from '../domain/dataset.js';
import { changeOfFacts, type FactField, readFacts, type StatedFacts } from '../domain/facts.js';
import { sexes } from '../domain/sample.js';
import { readPed, readSampleSheet, sheetColumns } from '../loading/sheets/sample-sheet.js';
import type { BeaconSettings } from '../settings.js';
import { datasetOption } from './datasets.js';

// The options with which a command takes what is known of samples.

const optionsByFact = {
  case_id: { flags: '--case <id>', description: 'the case (family) of the samples (default: the sample itself)' },
  sex: { flags: '--sex <sex>', description: 'the sex of the person', choices: sexes },
  affected: {
    flags: '--affected <answer>',
    description: 'whether the person has the disease of the case',
    choices: ['yes', 'no', 'unknown'],
  },
  assay: { flags: '--assay <name>', description: 'label: the assay, such as WGS' },
  run: { flags: '--run <name>', description: 'label: the sequencing run' },
  kit: { flags: '--kit <name>', description: 'label: the capture kit' },
  pipeline: { flags: '--pipeline <name>', description: 'label: the pipeline and its version' },
  coverage_id: {
    flags: '--coverage-id <id>',
    description: 'the registered sample that knows the depth of the sample (default: that of the same id)',
  },
  phenotypes: {
    flags: '--phenotypes <terms>',
    description: 'phenotypes that the person has: HP:0001250=Seizure; HP:0001263 (labels are optional)',
  },
  diseases: {
    flags: '--diseases <terms>',
    description: 'diseases that the person has: OMIM:607208=Dravet syndrome',
  },
  run_date: {
    flags: '--run-date <day>',
    description: 'label: the day of the sequencing run, such as 2026-01-31',
  },
  analysis_date: { flags: '--analysis-date <day>', description: 'label: the day of the analysis' },
} as const satisfies Record<FactField, CommandOption>;

export const factOptions = Object.values(optionsByFact);

/** The facts among the options of a command; undefined if there are none. */
export function statedFacts(options: OptionValues<typeof factOptions>): StatedFacts | undefined {
  const words = statedFields(optionsByFact, options);
  if (Object.keys(words).length === 0) return undefined;
  const read = readFacts(words);
  if ('facts' in read) return read.facts;
  const reasons = read.wrong.map(({ field, reason }) => {
    const [flag = ''] = optionsByFact[field].flags.split(' ');
    return flag === `--${field}` ? reason : reason.replace(field, flag);
  });
  throw new Fault('invalid', reasons.join('. '));
}

export const listSamples: Command<BeaconSettings> = command({
  name: 'list samples',
  summary: 'List the samples of a dataset with what is known of them',
  examples: ['list samples --ds local_wgs', 'list samples --ds local_wgs --case F1 --json'],
  options: [datasetOption, { flags: '--case <id>', description: 'only samples of this case', repeatable: true }],
  async run(context, { options: { ds, case: cases } }) {
    const repository = await context.repository(beacon);
    await datasetNamed(repository, ds);
    const samples = await repository.sampleFacts(ds);
    const listed = cases ? samplesOfCases(samples, cases, ds) : samples;
    await recordCommand(context, 'samples', { id: ds }, peopleIn(listed));
    printTable(context.terminal, listed, columns, 'There are no samples');
    context.terminal.data(listed.map(sampleData));
    return 0;
  },
});

const factSources = [
  { flags: '--sample <name>', description: 'a sample of the dataset', repeatable: true },
  ...factOptions,
  { flags: '--ped <file>', description: 'PED file: case (family), sex and whether affected, of each individual' },
  {
    flags: '--sheet <file>',
    description: 'tab-separated file with a line for each sample, a phenopacket file, or a folder of such',
  },
] as const satisfies readonly CommandOption[];

export const updateSamples: Command<BeaconSettings> = command({
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
  options: [datasetOption, ...factSources],
  async run(context, { options }) {
    const repository = announcingCalls(await context.repository(beacon), context);
    await datasetNamed(repository, options.ds);
    const samples = await repository.sampleFacts(options.ds);
    const warn = (sentence: string) => context.terminal.note(`WARNING ${sentence}`);
    const stated = await statedIn(options, new Set(samples.map(({ name }) => name)), warn);
    const labels = new Map(samples.map((sample) => [sample.name, sample.labels]));
    const changes = new Map([...stated].map(([name, facts]) => [name, changeOfFacts(facts, labels.get(name))]));
    const described = samples.filter(({ name }) => changes.has(name));
    await recordCommand(context, 'describe', { id: options.ds }, peopleIn(described));
    const changed = await repository.describeSamples(options.ds, changes, context.now());
    context.terminal.print(`Changed ${counted(changed, 'sample')} of dataset '${options.ds}'`);
    context.terminal.data({ dataset: options.ds, changed });
    return 0;
  },
});

async function statedIn(
  options: OptionValues<typeof factSources> & { ds: string },
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

const columns: Columns<Sample> = {
  SAMPLE: 'name',
  CASE: 'case',
  SEX: 'sex',
  AFFECTED: ({ affected }) => (affected === undefined ? 'unknown' : affected ? 'yes' : 'no'),
  ...Object.fromEntries(sampleLabels.map((label) => [label.toUpperCase(), ({ labels }: Sample) => labels[label]])),
  COVERAGE_ID: ({ coverageId, name }) => (coverageId === name ? undefined : coverageId),
  PHENOTYPES: ({ phenotypes }) => idsOfTerms(phenotypes),
  DISEASES: ({ diseases }) => idsOfTerms(diseases),
  'SEARCHED FOR': ({ searched, unsearched }) => searchedText(searched, unsearched),
  ADDED: 'added',
};

function idsOfTerms(terms: readonly OntologyTerm[]): string | undefined {
  return terms.map(({ id }) => id).join(' ') || undefined;
}

/** A sample as JSON output. */
function sampleData({ affected, added, ...known }: Sample) {
  return { ...known, affected: affected ?? null, added: added ?? null };
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
