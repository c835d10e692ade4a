/** An import above tables: gathered before anything of it is written, so that a failure half way leaves nothing to undo. */
import type { Tables } from '../../core/storage.js';
import { type Allele, alleleKey, type Contig, callsWithinBounds, statedOfCarriers, widened } from './domain/allele.js';
import { fractionsWithinBounds } from './domain/fractions.js';
import type { NamedCarrier } from './domain/hits.js';
import type { Sample, Search } from './domain/sample.js';
import { callsOfAllele } from './moment.js';
import type { Import, Portion } from './repository.js';
import { alleleOfRow, alleles, keyOfAllele, peopleOfRow, rowsAt, type StoredAlleleRow } from './stored-alleles.js';

/** An allele of an import. */
export interface GatheredAllele {
  /** Without ranges and length. */
  readonly allele: Allele;
  /** The widest of its ranges, and for each sample the first number of copies. */
  readonly portion: Portion;
  readonly uncalled: readonly string[];
}

/** What was gathered of an allele so far, by the index of the sample. */
interface GatheredCalls {
  whole: Allele;
  copies: Map<number, number>;
  percents: Map<number, number>;
  missed: Set<number>;
}

/** Each allele once. */
export async function gathered({ alleles, samples, signal }: Import): Promise<GatheredAllele[]> {
  const all = new Map<string, GatheredCalls>();
  signal?.throwIfAborted();
  for await (const batch of alleles) {
    signal?.throwIfAborted();
    for (const record of batch) {
      const { carriers, uncalled = [], fractions = [], ...allele } = statedOfCarriers(record);
      fractionsWithinBounds(allele.contig, fractions);
      const key = alleleKey(allele);
      const nothing = { whole: allele, copies: new Map(), percents: new Map(), missed: new Set<number>() };
      const { whole, copies, percents, missed } = all.get(key) ?? nothing;
      for (const [sample, percent] of fractions) if (!percents.has(sample)) percents.set(sample, percent);
      for (const sample of uncalled) missed.add(sample);
      for (const [sample, count] of carriers) if (!copies.has(sample)) copies.set(sample, count);
      callsWithinBounds(allele, copies);
      all.set(key, { whole: structuredClone(widened(whole, allele)), copies, percents, missed });
    }
  }
  signal?.throwIfAborted();
  const nameOf = (index: number): string => {
    const name = samples[index];
    if (name === undefined) throw new RangeError(`An allele names sample ${index} of ${samples.length}`);
    return name;
  };
  return [...all.values()].map(({ whole, copies, percents, missed }) => {
    const { startRange, endRange, length, ...allele } = whole;
    const carriers = [...copies].map(([sample, count]): NamedCarrier => [nameOf(sample), count]);
    const known = [...percents].filter(([sample]) => copies.has(sample));
    const fractions = known.map(([sample, percent]) => [nameOf(sample), percent] as const);
    const stated = {
      ...(startRange && { startRange }),
      ...(endRange && { endRange }),
      ...(length !== undefined && { length }),
    };
    const portion = { ...stated, carriers, ...(fractions.length > 0 && { fractions }) };
    return { allele, portion, uncalled: [...missed].map(nameOf) };
  });
}

/** The portion with the fractions of its carriers alone. */
function withFractions({ fractions = [], ...portion }: Portion): Portion {
  const has = new Set(fractions.length > 0 ? carriersOf(portion) : []);
  const own = fractions.filter(([name]) => has.has(name));
  return own.length > 0 ? { ...portion, fractions: own } : portion;
}

/** What was taken out of the alleles of a dataset. */
interface TakenOut {
  /** Keys of the alleles that no sample carries any more. */
  emptied: Set<string>;
  calls: number;
}

/**
 * Takes samples out of the alleles for which `isLost` says so: their calls, and that they were not called. Passes each call to
 * `onCall`.
 */
export async function takeOut(
  inside: Tables,
  dataset: number,
  isLost: (row: StoredAlleleRow, name: string) => boolean,
  onCall?: (row: StoredAlleleRow, name: string) => void,
): Promise<TakenOut> {
  const taken: TakenOut = { emptied: new Set(), calls: 0 };
  for (const row of await inside.table(alleles).find({ where: { dataset } })) {
    const portions = row.portions
      .map((portion) => ({ ...portion, carriers: portion.carriers.filter(([name]) => !isLost(row, name)) }))
      .filter(({ carriers }) => carriers.length > 0)
      .map(withFractions);
    const after = { ...row, portions, uncalled: row.uncalled.filter((name) => !isLost(row, name)) };
    const people = peopleOfRow(after);
    if (people === row.people) continue;
    for (const name of onCall ? row.portions.flatMap(carriersOf) : []) if (isLost(row, name)) onCall?.(row, name);
    if (row.portions.length > 0 && portions.length === 0) taken.emptied.add(alleleKey(alleleOfRow(row)));
    taken.calls += callsOfAllele(row) - callsOfAllele(after);
    await inside.table(alleles).put({ ...after, people }, ['portions', 'uncalled', 'people']);
  }
  await inside.table(alleles).remove({ dataset, people: 0 });
  return taken;
}

/** An import, read, into a dataset that has some of its samples. */
export interface ReadImport {
  request: Import;
  searched: Search;
  known: ReadonlyMap<string, Sample>;
}

function carriersOf({ carriers }: Pick<Portion, 'carriers'>): string[] {
  return carriers.map(([name]) => name);
}

/** Takes out what an import replaces; what `judge` throws ends the transaction. */
export async function replace(
  inside: Tables,
  dataset: number,
  { request: { replaces = {} }, read, searched, known }: ReadImport & { read: readonly GatheredAllele[] },
): Promise<TakenOut> {
  const again = new Map(read.map(({ allele, portion }) => [alleleKey(allele), new Set(carriersOf(portion))]));
  const isLost = ({ structural }: StoredAlleleRow, name: string) =>
    known.has(name) && searched[structural ? 'structural' : 'small'];
  const replaced = new Map([...known.keys()].map((name) => [name, { before: 0, kept: 0, outside: 0 }]));
  const taken = await takeOut(inside, dataset, isLost, (row, name) => {
    const allele = alleleOfRow(row);
    const counts = replaced.get(name);
    if (counts === undefined) return;
    counts.before++;
    if (again.get(alleleKey(allele))?.has(name)) counts.kept++;
    if (replaces.within?.(allele) === false) counts.outside++;
  });
  replaces.judge?.(replaced);
  return taken;
}

/**
 * Adds the carriers that alleles do not have yet. Returns how many alleles, calls and uncalled samples are new; alleles of
 * `emptied` are not, and are removed from it.
 */
export async function addAlleles(
  inside: Tables,
  number: number,
  read: readonly GatheredAllele[],
  emptied = new Set<string>(),
) {
  const change = { alleles: 0, calls: 0, uncalled: 0 };
  const table = inside.table(alleles);
  const starts = new Map<Contig, Set<number>>();
  for (const { allele } of read) starts.set(allele.contig, (starts.get(allele.contig) ?? new Set()).add(allele.start));
  const found = starts.size > 0 ? await table.find({ where: rowsAt(number, starts) }) : [];
  const known = new Map(found.map((row) => [alleleKey(alleleOfRow(row)), row]));
  const fresh: StoredAlleleRow[] = [];
  for (const { allele, portion, uncalled } of read) {
    const before = known.get(alleleKey(allele));
    const row = before ?? { ...keyOfAllele(number, allele), portions: [], uncalled: [], people: 0 };
    const { carriers: given, ...stated } = portion;
    const has = new Set(row.portions.flatMap(({ carriers }) => carriers.map(([name]) => name)));
    const carriers = given.filter(([name]) => !has.has(name));
    const missed = uncalled.filter((name) => !row.uncalled.includes(name));
    if (carriers.length + missed.length === 0) continue;
    if (row.portions.length === 0 && carriers.length > 0 && !emptied.delete(alleleKey(allele))) change.alleles++;
    change.calls += carriers.reduce((sum, [, copies]) => sum + copies, 0);
    change.uncalled += missed.length;
    const portions = carriers.length > 0 ? [...row.portions, withFractions({ ...stated, carriers })] : row.portions;
    const after = { ...row, portions, uncalled: [...row.uncalled, ...missed] };
    const whole = { ...after, people: peopleOfRow(after) };
    if (before === undefined) fresh.push(whole);
    else await table.put(whole, ['portions', 'uncalled', 'people']);
  }
  if (fresh.length > 0) await table.append(fresh);
  return change;
}
