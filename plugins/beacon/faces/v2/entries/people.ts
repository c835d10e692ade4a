/** Entry types that are one sample each: individuals, biosamples, sequencing runs and analyses. */
import type { OntologyTerm, Sample } from '../../../contract.js';
import { type DisclosedDataset, type Granularity, least } from '../../../disclosure.js';
import {
  defaultSchema,
  type EntryMatches,
  type EntryPage,
  type EntryPageStart,
  type EntryRecord,
  type EntryRequest,
  type SetEntryType,
} from '../framework/entry-type.js';
import { type People, type Pseudonymous, peopleIn, pseudonym, sexTerms } from '../individuals.js';
import { type AlleleCarriers, carriersOfVariant, type PeopleTools, whoIn } from '../selection.js';

function plain({ id, label }: OntologyTerm): OntologyTerm {
  return { id, ...(label !== undefined && { label }) };
}

/** Of the tissue and the state of samples nothing is stated. */
const personTypes: readonly PersonType[] = [
  {
    id: 'individual',
    name: 'Individual',
    description: 'A person from whom a sample of a dataset is, with what is stated of them.',
    term: { id: 'NCIT:C25190', label: 'Person' },
    path: 'individuals',
    schema: defaultSchema('individual', 'individuals', 'an individual'),
    related: ['genomicVariant', 'biosample'],
    record: ({ sex, phenotypes, diseases }, idOf) => ({
      id: idOf('individual'),
      sex: sexTerms[sex],
      ...(phenotypes.length > 0 && { phenotypicFeatures: phenotypes.map((term) => ({ featureType: plain(term) })) }),
      ...(diseases.length > 0 && { diseases: diseases.map((term) => ({ diseaseCode: plain(term) })) }),
    }),
  },
  {
    id: 'biosample',
    name: 'Biological sample',
    description: 'A sample of a dataset.',
    term: { id: 'NCIT:C70699', label: 'Biospecimen' },
    path: 'biosamples',
    schema: defaultSchema('biosample', 'biosamples', 'a biological sample'),
    related: ['genomicVariant', 'run', 'analysis'],
    record: ({ labels: { assay } }, idOf) => ({
      id: idOf('biosample'),
      individualId: idOf('individual'),
      biosampleStatus: { id: 'NCIT:C17998', label: 'Unknown' },
      sampleOriginType: { id: 'OBI:0000747', label: 'material sample' },
      ...(assay !== undefined && { info: { assay } }),
    }),
  },
  {
    id: 'run',
    name: 'Sequencing run',
    description: 'The sequencing of a sample, if its day is stated.',
    term: { id: 'NCIT:C148088', label: 'Sequencing Run' },
    path: 'runs',
    schema: defaultSchema('run', 'runs', 'a sequencing run'),
    related: ['genomicVariant', 'analysis'],
    isKnown: ({ labels }) => labels.run_date !== undefined,
    record: ({ labels: { run_date, assay } }, idOf) => ({
      id: idOf('run'),
      biosampleId: idOf('biosample'),
      individualId: idOf('individual'),
      runDate: run_date,
      ...(assay !== undefined && { libraryStrategy: assay }),
    }),
  },
  {
    id: 'analysis',
    name: 'Bioinformatics analysis',
    description: 'The analysis of a sample, if its pipeline and its day are stated.',
    term: { id: 'edam:operation_2945', label: 'Analysis' },
    path: 'analyses',
    schema: defaultSchema('analysis', 'analyses', 'a bioinformatics analysis'),
    related: ['genomicVariant'],
    isKnown: ({ labels }) => labels.analysis_date !== undefined && labels.pipeline !== undefined,
    record: ({ labels: { analysis_date, pipeline, run_date } }, idOf) => ({
      id: idOf('analysis'),
      biosampleId: idOf('biosample'),
      individualId: idOf('individual'),
      ...(run_date !== undefined && { runId: idOf('run') }),
      analysisDate: analysis_date,
      pipelineName: pipeline,
    }),
  },
];

/** Entries that are one sample each: people, their samples, and how these were sequenced and analysed. */
export function personEntries(tools: PeopleTools): SetEntryType[] {
  return personTypes.map((type) => personEntry(type, tools));
}

/** The ids of a sample for callers. */
type IdOf = (kind: Pseudonymous) => string;

interface PersonType extends Omit<SetEntryType, 'find' | 'levelOf' | 'parameters'> {
  id: Pseudonymous;
  /** Whether enough is stated of the sample to say so; of every sample if omitted. */
  isKnown?: (sample: Sample) => boolean;
  record(sample: Sample, idOf: IdOf): EntryRecord;
}

function personEntry({ isKnown, record, ...type }: PersonType, tools: PeopleTools): SetEntryType {
  return {
    ...type,
    parameters: {},
    levelOf,
    async find(asked) {
      const found = await matchingPeople(asked, { entry: type.id, isKnown, tools });
      return new PersonMatches(found, { kind: type.id, record, salt: (dataset) => asked.view.source.salt(dataset) });
    },
  };
}

/** Who the people are, only callers may know who may know the cases; how many, only those who may know frequencies. */
function levelOf({ granularity, cases, frequencies }: DisclosedDataset): Granularity {
  if (cases) return granularity;
  return frequencies ? least(granularity, 'count') : 'boolean';
}

interface MatchingPeople extends AlleleCarriers {
  notes: readonly string[];
}

interface PeopleQuery {
  entry: Pseudonymous;
  isKnown: ((sample: Sample) => boolean) | undefined;
  tools: PeopleTools;
}

async function matchingPeople(asked: EntryRequest, { entry, isKnown, tools }: PeopleQuery): Promise<MatchingPeople> {
  const { place, view } = asked;
  const who = await whoIn(asked, entry, tools);
  const { notes } = who;
  const known = (people: People): People =>
    new Map(
      [...people].flatMap(([id, samples]) => {
        const some = isKnown ? samples.filter(isKnown) : samples;
        return some.length > 0 ? [[id, some] as const] : [];
      }),
    );
  if (place.kind === 'below' && place.type === 'genomicVariant') {
    const { people, numbers } = await carriersOfVariant(place.id, asked, { who, limit: tools.limit });
    return { people: known(people), numbers, notes };
  }
  if (who.samples) return { people: known(who.samples), numbers: new Map(), notes };
  const numbers = new Map<string, number>();
  for (const { dataset, cases } of who.datasets) {
    if (cases) continue;
    const number = isKnown ? (await view.source.sampleFacts(dataset.id)).filter(isKnown).length : dataset.sampleCount;
    if (number > 0) numbers.set(dataset.id, number);
  }
  return { people: known(await peopleIn(view.source, who.datasets)), numbers, notes };
}

interface PersonRecords {
  kind: Pseudonymous;
  record: PersonType['record'];
  salt: (dataset: string) => Promise<string | undefined>;
}

class PersonMatches implements EntryMatches {
  readonly #found: MatchingPeople;
  readonly #recording: PersonRecords;

  constructor(found: MatchingPeople, recording: PersonRecords) {
    this.#found = found;
    this.#recording = recording;
  }

  async exists(): Promise<boolean> {
    return this.#found.people.size > 0 || this.#found.numbers.size > 0;
  }

  async counts(): Promise<ReadonlyMap<string, number>> {
    const { people, numbers } = this.#found;
    return new Map([...numbers, ...[...people].map(([id, samples]) => [id, samples.length] as const)]);
  }

  info() {
    const { notes } = this.#found;
    return notes.length > 0 ? { warnings: notes } : undefined;
  }

  /** In the order of the ids, which is independent of that of the names. */
  async page(dataset: string, from: EntryPageStart, most: number): Promise<EntryPage> {
    const { kind, record, salt: saltOf } = this.#recording;
    const salt = await saltOf(dataset);
    if (salt === undefined) return { records: [] };
    const all = (this.#found.people.get(dataset) ?? [])
      .map((sample) => ({ id: pseudonym(salt, kind, sample.name), sample }))
      .sort((one, other) => (one.id < other.id ? -1 : 1));
    const start = 'skip' in from ? from.skip : all.findIndex(({ id }) => id > from.cursor);
    const shown = start < 0 ? [] : all.slice(start, start + most);
    const last = shown.at(-1);
    return {
      records: shown.map(({ sample }) => record(sample, (of) => pseudonym(salt, of, sample.name))),
      ...(last && last !== all.at(-1) && { next: last.id }),
    };
  }
}
