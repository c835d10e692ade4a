/** Entries that are one sample each: people, their samples, and how these were sequenced and analysed. */
import type { Sample } from '../../../../contract.js';
import { type Disclosed, type Granularity, least } from '../../../../disclosure.js';
import { type People, peopleIn } from '../../../../individuals/people.js';
import { type Pseudonymous, pseudonym } from '../../../../individuals/pseudonyms.js';
import type { Asked, EntryRecord, Matches, Page, PageStart, SetEntryType } from '../../framework/entry-type.js';
import { carriersOf, type PeopleTools, whoIn } from './who.js';

/** The ids of a sample for callers. */
export type IdOf = (kind: Pseudonymous) => string;

export interface PersonType extends Omit<SetEntryType, 'find' | 'levelOf' | 'parameters'> {
  id: Pseudonymous;
  /** Whether enough is stated of the sample to say so; of every sample if omitted. */
  isKnown?: (sample: Sample) => boolean;
  record(sample: Sample, idOf: IdOf): EntryRecord;
}

export function personEntry({ isKnown, record, ...type }: PersonType, tools: PeopleTools): SetEntryType {
  return {
    ...type,
    parameters: {},
    levelOf,
    async find(asked) {
      const found = await everyone(asked, { entry: type.id, isKnown, tools });
      return new PersonMatches(found, { kind: type.id, record, salt: (dataset) => asked.view.source.salt(dataset) });
    },
  };
}

/** Who the people are, only callers may know who may know the cases; how many, only those who may know frequencies. */
function levelOf({ granularity, cases, frequencies }: Disclosed): Granularity {
  if (cases) return granularity;
  return frequencies ? least(granularity, 'count') : 'boolean';
}

interface Everyone {
  /** By dataset whose cases the caller may know. */
  people: People;
  /** How many there are in each of the other datasets. */
  numbers: ReadonlyMap<string, number>;
  notes: readonly string[];
}

interface Wanted {
  entry: Pseudonymous;
  isKnown: ((sample: Sample) => boolean) | undefined;
  tools: PeopleTools;
}

async function everyone(asked: Asked, { entry, isKnown, tools }: Wanted): Promise<Everyone> {
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
    const { people, numbers } = await carriersOf(place.id, asked, { who, limit: tools.limit });
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

interface Recording {
  kind: Pseudonymous;
  record: PersonType['record'];
  salt: (dataset: string) => Promise<string | undefined>;
}

class PersonMatches implements Matches {
  readonly #found: Everyone;
  readonly #recording: Recording;

  constructor(found: Everyone, recording: Recording) {
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

  /** In the order of the ids, which tells nothing of that of the names. */
  async page(dataset: string, from: PageStart, most: number): Promise<Page> {
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
