/** The samples that a request is about: those of the entry in its path, as far as its filters apply to them. */
import type { Allele, Sample } from '../../contract.js';
import type { DisclosedDataset } from '../../disclosure.js';
import type { FindPhenotypes } from '../../services.js';
import { type RequestedEntries, separateEffects, withEffects } from './effects.js';
import { applyFilters, type FilterResult } from './filters.js';
import { type EntryRequest, type EntrySelection, entryAbsent } from './framework/entry-type.js';
import { carriedBy, isPseudonym, type People, type Pseudonymous, peopleIn, pseudonym } from './individuals.js';
import { queryForVariantId, variantIdOf } from './variants/record.js';

export interface PeopleTools {
  phenotypes: FindPhenotypes;
  /** Largest number of carriers of an allele that a request reads. */
  limit: number;
}

/** Entries that are one sample each. */
const kinds: readonly Pseudonymous[] = ['individual', 'biosample', 'run', 'analysis'];

/** The sample that the path names as one of these kinds. */
interface NamedPerson {
  kind: Pseudonymous;
  id: string;
}

function personInPath(place: EntrySelection, entry: string): NamedPerson | undefined {
  if (place.kind === 'all') return undefined;
  const type = place.kind === 'entry' ? entry : place.type;
  const kind = kinds.find((one) => one === type);
  return kind && { kind, id: place.id };
}

/**
 * As `narrowed`, and only the person that the path names, if it names any. Throws a `not-found` fault if the path goes on below
 * a person, sample, run or analysis that does not exist or that the caller may not know.
 */
export async function whoIn(
  asked: EntryRequest,
  entry: string,
  { phenotypes }: PeopleTools,
): Promise<RequestedEntries> {
  const { request, place, view, datasets } = asked;
  const below = place.kind === 'below' && place.type === 'genomicVariant' ? place.type : entry;
  const data = {
    datasets,
    source: view.source,
    phenotypes: request.filters.length > 0 ? await phenotypes() : undefined,
  };
  const { effects, others } = await separateEffects(request.filters, view.annotations, entry);
  const who = withEffects(await applyFilters(others, data, below), effects);
  const named = personInPath(place, entry);
  if (!named) return who;
  const person = await personNamed(named, asked);
  if (!person && place.kind === 'below') throw entryAbsent(named.kind);
  return { ...who, ...onlyPerson(person, who) };
}

function onlyPerson(
  person: People | undefined,
  { datasets, samples }: FilterResult,
): Pick<FilterResult, 'datasets' | 'samples'> {
  const left = new Map(
    [...(person ?? [])].filter(([id, [sample]]) => {
      const isFiltered = samples?.get(id)?.every(({ name }) => name !== sample?.name) ?? samples !== undefined;
      return !isFiltered && datasets.some(({ dataset }) => dataset.id === id);
    }),
  );
  return { datasets: datasets.filter(({ dataset }) => left.has(dataset.id)), samples: left };
}

/** Computes the pseudonyms of all samples that the caller may know: as much work as reading what is stated of them. */
async function personNamed(
  { kind, id }: NamedPerson,
  { view: { source }, datasets }: EntryRequest,
): Promise<People | undefined> {
  if (!isPseudonym(id)) return undefined;
  for (const [dataset, samples] of await peopleIn(source, datasets)) {
    const salt = await source.salt(dataset);
    const sample = salt === undefined ? undefined : samples.find(({ name }) => pseudonym(salt, kind, name) === id);
    if (sample) return new Map([[dataset, [sample]]]);
  }
  return undefined;
}

export interface AlleleCarriers {
  /** By dataset whose cases the caller may know. */
  people: People;
  /** How many there are in each of the other datasets. */
  numbers: ReadonlyMap<string, number>;
}

/** Who among these carries the allele with that id. Throws a `not-found` fault if no dataset has it. */
export async function carriersOfVariant(
  id: string,
  asked: EntryRequest,
  { who, limit }: { who: FilterResult; limit: number },
): Promise<AlleleCarriers> {
  const { datasets, view: { source }, signal } = asked; // biome-ignore format: one line
  const query = queryForVariantId(id);
  const ids = datasets.map(({ dataset }) => dataset.id);
  const byId = new Map(datasets.map((one) => [one.dataset.id, one]));
  const left = new Set(who.datasets);
  const only = (allele: Allele) => query !== undefined && variantIdOf(query.assembly, allele) === id;
  const found = query ? await source.found(query, ids, { limit, carriers: true, only, signal }) : [];
  const people = new Map<string, readonly Sample[]>();
  const numbers = new Map<string, number>();
  let isThere = false;
  for (const one of found) {
    const open = byId.get(one.dataset);
    const alleles = one.alleles.filter((allele) => open && isNamed(allele, open, id));
    isThere ||= alleles.length > 0;
    if (!open || !left.has(open)) continue;
    if (!open.cases) {
      const [allele] = who.samples ? [] : alleles;
      if (allele) numbers.set(one.dataset, allele.samples);
      continue;
    }
    const samples = who.samples?.get(one.dataset) ?? (await source.sampleFacts(one.dataset));
    const { assembly } = open.dataset;
    const named = carriedBy({ alleles }, { samples, assembly, zygosity: who.zygosity }).flatMap(
      (each) => each.named ?? [],
    );
    const names = new Set(named.map(([name]) => name));
    if (names.size > 0)
      people.set(
        one.dataset,
        samples.filter(({ name }) => names.has(name)),
      );
  }
  if (!isThere) throw entryAbsent('genomicVariant');
  return { people, numbers };
}

function isNamed(allele: Allele, { dataset: { assembly } }: DisclosedDataset, id: string): boolean {
  return variantIdOf(assembly, allele) === id;
}
