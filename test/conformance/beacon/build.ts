/** How the cases make datasets and alleles, load them and look at the result. */
import assert from 'node:assert/strict';
import {
  type Allele,
  type AlleleQuery,
  type BeaconRepository,
  byAllele,
  type CalledAllele,
  type Carrier,
  type Change,
  type Contig,
  type CountedAllele,
  type Counts,
  contigs,
  type DatasetAlleles,
  type DatasetDescription,
  type DatasetHit,
  type Import,
  type ListingOptions,
  type SampleChange,
  Tally,
} from '../../../plugins/beacon/contract.js';
import { at, type Case, type CaseContext, same } from '../core.js';

export { at };

export type BeaconContext = CaseContext<BeaconRepository>;

export function dataset(id: string, fields: Partial<DatasetDescription> = {}): DatasetDescription {
  return { id, name: `Dataset ${id}`, assembly: 'GRCh37', access: 'PUBLIC', version: 1, ...fields };
}

/** A sequence-resolved allele; its end and kind follow from the bases. */
export function small(contig: Contig, start: number, reference: string, alternate: string): Allele {
  const length = alternate.length - reference.length;
  const kind = length > 0 ? 'INS' : length < 0 ? 'DEL' : reference.length === 1 ? 'SNP' : 'MNP';
  return { contig, start, end: start + reference.length, reference, alternate, kind, structural: false };
}

export function structural(contig: Contig, start: number, end: number, kind: string, alternate = `<${kind}>`): Allele {
  return { contig, start, end, reference: 'N', alternate, kind, structural: true };
}

/** A breakend whose mate's zero-based position is `matePosition`. */
export function breakend(
  contig: Contig,
  start: number,
  alternate: string,
  mate: Contig,
  matePosition: number,
  reference = 'G',
): Allele {
  return { contig, start, end: matePosition, reference, alternate, kind: 'BND', structural: true, mate };
}

export function called(allele: Allele, ...carriers: Carrier[]): CalledAllele {
  return { ...allele, carriers };
}

/** The alleles, each with these carriers. */
export function carried(alleles: readonly Allele[], ...carriers: readonly Carrier[]): CalledAllele[] {
  return alleles.map((allele) => called(allele, ...carriers));
}

/** The query for precisely this allele. */
export function exactly(allele: Allele, fields: Partial<AlleleQuery> = {}): AlleleQuery {
  return {
    assembly: 'GRCh37',
    contig: allele.contig,
    start: { min: allele.start, max: allele.start },
    reference: allele.reference,
    alternate: allele.alternate,
    ...fields,
  };
}

/** An import's alleles, in batches of this size. */
export async function* batches(alleles: readonly CalledAllele[], size = 100): AsyncGenerator<CalledAllele[]> {
  for (let i = 0; i < alleles.length; i += size) {
    // Waits, as reading a file does.
    await new Promise((resolve) => setImmediate(resolve));
    yield alleles.slice(i, i + size);
  }
}

/** Imports a list of alleles into a dataset. */
export function load(
  repository: BeaconRepository,
  id: string,
  samples: readonly string[],
  alleles: readonly CalledAllele[],
  {
    size,
    now = at(1),
    ...more
  }: { size?: number; now?: Date } & Pick<Import, 'signal' | 'facts' | 'searched' | 'alignedTo'> = {},
): Promise<Change> {
  return repository.importAlleles({ dataset: id, samples, alleles: batches(alleles, size), ...more }, now);
}

/** Adds the dataset `ds`, and imports a list of alleles into it. */
export async function filled(repository: BeaconRepository, ...rest: Rest<Parameters<typeof load>>): Promise<Change> {
  await repository.addDataset(dataset('ds'), at(0));
  return load(repository, 'ds', ...rest);
}

type Rest<List> = List extends [unknown, unknown, ...infer Others] ? Others : never;

/** Facts by sample, for an import or a correction. */
export function facts(bySample: Readonly<Record<string, SampleChange>>): Map<string, SampleChange> {
  return new Map(Object.entries(bySample));
}

export const noChange: Change = { alleles: 0, calls: 0, samples: 0 };

export async function idsOf(repository: BeaconRepository): Promise<string[]> {
  return (await repository.datasets()).map(({ id }) => id);
}

/** All that `eachAllele` passes. */
export async function listed(
  repository: BeaconRepository,
  id: string,
  options?: ListingOptions,
): Promise<CountedAllele[]> {
  const found: CountedAllele[] = [];
  await repository.eachAllele(id, async (alleles) => void found.push(...alleles), options);
  return found;
}

/** A dataset with totals, samples, recount and what a query for each contig finds: all that can be queried. */
export async function stateOf(repository: BeaconRepository, id: string) {
  const described = await repository.dataset(id);
  const found: Record<string, Counts> = {};
  for (const contig of contigs) {
    const query: AlleleQuery = { assembly: described?.assembly ?? 'GRCh37', contig };
    const [hit] = await repository.search(query, [id]);
    if (hit) found[contig] = { alleles: hit.alleles, calls: hit.calls, samples: hit.samples };
  }
  return {
    dataset: described,
    samples: await repository.samples(id),
    facts: await repository.sampleFacts(id),
    recount: described && (await repository.recount(id)),
    found,
  };
}

/** As `stateOf`, without the time of the last change. */
export async function contentOf(repository: BeaconRepository, id: string) {
  const state = await stateOf(repository, id);
  return { ...state, dataset: state.dataset && { ...state.dataset, updated: undefined } };
}

/** Asserts a dataset's totals, and that a recount gives the same. */
export async function totals(repository: BeaconRepository, id: string, expected: Counts, message?: string) {
  const stored = await repository.dataset(id);
  assert.ok(stored, `dataset ${id} exists`);
  const { alleleCount: alleles, callCount: calls, sampleCount: samples } = stored;
  same({ alleles, calls, samples }, expected, message);
  same(await repository.recount(id), expected, `recount: ${message ?? 'equals the stored totals'}`);
  assert.equal((await repository.samples(id)).length, expected.samples, 'as many samples as sampleCount');
}

/** Asserts what a query finds among these datasets, with counts; `present` and `found` must say the same. */
export async function answers(
  repository: BeaconRepository,
  query: AlleleQuery,
  ids: readonly string[],
  expected: readonly ({ dataset: string } & Counts)[],
  message?: string,
): Promise<void> {
  same(await repository.search(query, ids), expected, message);
  same(
    await repository.present(query, ids),
    expected.map(({ dataset }) => dataset),
    `present names the datasets that search finds${message ? `: ${message}` : ''}`,
  );
  const found = await repository.found(query, ids, { limit: Number.POSITIVE_INFINITY, carriers: true });
  same(found.map(countsOf), expected, `the alleles and carriers found are those that search counts: ${message ?? ''}`);
}

function countsOf({ dataset, alleles }: DatasetAlleles): DatasetHit {
  const tally = new Tally();
  for (const { named = [], ...allele } of alleles) tally.add(allele, named);
  return { dataset, ...tally.counts() };
}

/**
 * Loads named alleles into a dataset of one sample, each with a number of copies of its own (1, 2, 4…), so that the
 * calls of a result tell which alleles were found. Returns a function that asserts which names a query finds.
 */
export async function stock<Name extends string>(repository: BeaconRepository, alleles: Record<Name, Allele>) {
  const names = Object.keys(alleles) as Name[];
  const loaded = names.map((name, i) => called(alleles[name], [0, 2 ** i]));
  await filled(repository, ['s'], loaded);
  return async (query: Omit<AlleleQuery, 'assembly'>, expected: readonly Name[]): Promise<void> => {
    const whole: AlleleQuery = { assembly: 'GRCh37', ...query };
    const [hit] = await repository.search(whole, ['ds']);
    const calls = hit?.calls ?? 0;
    same(names.filter((_, i) => Math.floor(calls / 2 ** i) % 2 === 1).sort(), expected.toSorted(), 'the alleles found');
    same(hit?.alleles ?? 0, expected.length, 'the number of alleles');
    same(await repository.present(whole, ['ds']), expected.length > 0 ? ['ds'] : [], 'present agrees with search');
    const found = await repository.found(whole, ['ds'], { limit: names.length });
    const alleles = loaded.flatMap(({ carriers, ...allele }, i) =>
      expected.includes(names[i] as Name) ? [{ ...allele, calls: 2 ** i, samples: 1 }] : [],
    );
    same(
      found,
      alleles.length > 0 ? [{ dataset: 'ds', alleles: alleles.sort(byAllele) }] : [],
      'found returns the same alleles, in order',
    );
  };
}

type Found<Name extends string> = readonly [query: Omit<AlleleQuery, 'assembly'>, expected: readonly NoInfer<Name>[]];

/** A case of `stock` with these alleles, then of queries, each with the names of what it finds. */
export function finding<Name extends string>(
  name: string,
  promise: string,
  [alleles, ...queries]: readonly [Record<Name, Allele>, ...Found<Name>[]],
): Case<BeaconRepository> {
  const run = async ({ repository }: BeaconContext) => {
    const finds = await stock(repository, alleles);
    for (const [query, expected] of queries) await finds(query, expected);
  };
  return { name, promise, run };
}

/** A case of a caller that had given up before it called, and so changes nothing in a dataset `ds`. */
export function givingUp(
  name: string,
  promise: string,
  work: (repository: BeaconRepository, signal: AbortSignal) => Promise<unknown>,
): Case<BeaconRepository> {
  const run = async ({ repository }: BeaconContext) => {
    await repository.addDataset(dataset('ds'), at(0));
    await load(repository, 'ds', ['s'], [called(small('1', 5, 'A', 'C'), [0, 1])]);
    const before = await stateOf(repository, 'ds');
    const reason = new Error('the caller has left');
    await throws(reason, work(repository, AbortSignal.abort(reason)));
    same(await stateOf(repository, 'ds'), before);
    await work(repository, new AbortController().signal);
  };
  return { name, promise, run };
}

/** Asserts that the work throws this very error. */
export async function throws(error: unknown, work: Promise<unknown>): Promise<void> {
  const [outcome] = await Promise.allSettled([work]);
  assert.equal(outcome.status === 'rejected' ? outcome.reason : 'a result', error);
}
