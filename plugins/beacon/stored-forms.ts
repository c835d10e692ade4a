/** Another form for the alleles of a dataset, above tables (`rewriteAlleles`). */
import type { Tables } from '../../core/storage.js';
import { alleleKey } from './domain/allele.js';
import {
  type AlignedForm,
  addGreater,
  type MovedAllele,
  meetCarriers,
  movedBy,
  type Rewritten,
} from './domain/allele-form.js';
import { callsOf, copiesOfCall, fractionOfCall } from './domain/fractions.js';
import { callsOfAllele } from './moment.js';
import type { Portion } from './repository.js';
import { alleleOfRow, alleles, keyOfAllele, peopleOfRow, type StoredAlleleRow } from './stored-alleles.js';

/** The alleles of a dataset that do not have the form. */
export async function movesIn(tables: Tables, dataset: number, form: AlignedForm): Promise<MovedAllele[]> {
  const moves: MovedAllele[] = [];
  for await (const row of tables.table(alleles).each({ where: { dataset }, without: ['portions', 'uncalled'] })) {
    const from = alleleOfRow(row as StoredAlleleRow);
    const to = movedBy(from, form);
    if (to) moves.push({ from, to });
  }
  return moves;
}

/** None moves to where another was: that would not have the form. */
export async function moveAlleles(inside: Tables, dataset: number, moves: readonly MovedAllele[]): Promise<Rewritten> {
  const table = inside.table(alleles);
  const placeOf = (allele: MovedAllele['to']) => {
    const { kind: _, structural: __, reach: ___, trimmed: ____, ...place } = keyOfAllele(dataset, allele);
    return place;
  };
  const arrivals = new Map<string, { to: MovedAllele['to']; rows: StoredAlleleRow[] }>();
  for (const { from, to } of moves) {
    const row = await table.one(placeOf(from));
    if (row === undefined) continue;
    await table.remove(placeOf(from));
    const known = arrivals.get(alleleKey(to));
    if (known) known.rows.push(row);
    else arrivals.set(alleleKey(to), { to, rows: [row] });
  }
  const rewritten: Rewritten = { moved: 0, alleles: 0, calls: 0 };
  for (const { to, rows } of arrivals.values()) {
    const before = await table.one(placeOf(to));
    const row = before ?? { ...keyOfAllele(dataset, to), portions: [], uncalled: [], people: 0 };
    const after = { ...row, ...joined(row, rows) };
    await table.put({ ...after, people: peopleOfRow(after) });
    const moved = rows.filter(({ portions }) => portions.length > 0).length;
    const isNew = row.portions.length === 0 && after.portions.length > 0;
    rewritten.moved += moved;
    rewritten.alleles += moved - Number(isNew);
    rewritten.calls += [row, ...rows].reduce((sum, one) => sum + callsOfAllele(one), 0) - callsOfAllele(after);
  }
  return rewritten;
}

function portionOf(calls: ReadonlyMap<string, number>): Portion {
  const fractions = [...calls].flatMap(([name, call]) => {
    const percent = fractionOfCall(call);
    return percent === undefined ? [] : [[name, percent] as const];
  });
  const carriers = [...calls].map(([name, call]) => [name, copiesOfCall(call)] as const);
  return { carriers, ...(fractions.length > 0 && { fractions }) };
}

function joined(
  { portions, uncalled }: Pick<StoredAlleleRow, 'portions' | 'uncalled'>,
  rows: readonly StoredAlleleRow[],
): Pick<StoredAlleleRow, 'portions' | 'uncalled'> {
  const arriving = new Map<string, number>();
  for (const { carriers, fractions } of rows.flatMap((row) => row.portions)) {
    addGreater(arriving, callsOf(carriers, new Map(fractions)));
  }
  const kept = portions.map(({ carriers, fractions, ...stated }): Portion => {
    const own = new Map(callsOf(carriers, new Map(fractions)));
    meetCarriers(own, arriving);
    return { ...stated, ...portionOf(own) };
  });
  return {
    portions: [...kept, portionOf(arriving)].filter(({ carriers }) => carriers.length > 0),
    uncalled: [...new Set([...uncalled, ...rows.flatMap((row) => row.uncalled)])],
  };
}
