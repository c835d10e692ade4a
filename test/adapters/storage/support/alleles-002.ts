/** A beacon's tables as the steps 001 and 002 left them, filled by SQL alone, and the same content for a repository. */
import { migrations } from '../../../../adapters/knex/beacon/migrations.js';
import { type Database, defineBinding } from '../../../../adapters/knex/binding.js';
import { type Contract, defineContract } from '../../../../core/storage.js';
import {
  type Allele,
  type Assembly,
  assemblies,
  type BeaconRepository,
  type CalledAllele,
  contigs,
} from '../../../../plugins/beacon/contract.js';
import type { OpenOptions } from '../../../support/storages.js';

/** The contract's tables without the later steps; the repository is the database itself. */
export const earlier: Contract<Database> = defineContract<Database>('beacon@1');

export function openAt(...steps: (keyof typeof migrations)[]): OpenOptions {
  const binding = defineBinding<Database>({
    contract: earlier,
    migrations: Object.fromEntries(steps.map((step) => [step, migrations[step]])),
    repository: (database) => database,
  });
  return { bindings: new Map([[earlier.id, async () => ({ default: binding })]]) };
}

const now = new Date('2026-01-15T08:00:00.123Z');

/** On every chromosome: a SNP, a deletion of 5 kb, a breakend to the next chromosome and one within it. */
export const alleles: readonly Allele[] = contigs.flatMap((contig, i): Allele[] => {
  const next = contigs[(i + 1) % contigs.length] ?? '1';
  const breakend = { contig, reference: 'G', kind: 'BND', structural: true };
  return [
    { contig, start: 1000 + i, end: 1001 + i, reference: 'A', alternate: 'T', kind: 'SNP', structural: false },
    {
      contig,
      start: 500,
      end: 5500,
      reference: 'C',
      alternate: '<DEL>',
      kind: 'DEL',
      structural: true,
      startRange: { min: 490, max: 510 },
    },
    { ...breakend, start: 2000, end: 3000 + i, alternate: `G]${next}:${3001 + i}]`, mate: next },
    { ...breakend, start: 4000, end: 9000, alternate: `G]${contig}:9001]`, mate: contig },
  ];
});

interface Segment {
  dataset: string;
  assembly: Assembly;
  state: 'published' | 'dropped' | 'staged';
  /** Copies of each allele in the segment, by sample. */
  samples: Readonly<Record<string, number>>;
  has(allele: number): boolean;
}

const segments: readonly Segment[] = [
  { dataset: 'one', assembly: 'GRCh37', state: 'published', samples: { first: 1 }, has: () => true },
  { dataset: 'one', assembly: 'GRCh37', state: 'published', samples: { second: 1, third: 2 }, has: (n) => n % 3 > 0 },
  { dataset: 'two', assembly: 'GRCh38', state: 'published', samples: { first: 2 }, has: (n) => n % 7 > 0 },
  { dataset: 'one', assembly: 'GRCh37', state: 'dropped', samples: { fourth: 1 }, has: (n) => n < 10 },
  { dataset: 'two', assembly: 'GRCh38', state: 'staged', samples: { fifth: 1 }, has: () => true },
];

const published = segments.filter(({ state }) => state === 'published');
const datasets = (['one', 'two'] as const).map((id, i) => ({ id, assembly: assemblies[i] as Assembly }));

/** As 002 stored rows: ids from the segment's number on, a class of span, ranges as text. */
export async function fill({ write, engine }: Database): Promise<void> {
  for (const { id, assembly } of datasets) {
    const own = published.filter(({ dataset }) => dataset === id);
    const counts = own.map(({ has, samples }) => ({
      alleles: alleles.filter((_, n) => has(n)).length,
      copies: Object.values(samples).reduce((sum, copies) => sum + copies, 0),
    }));
    await write('beacon_datasets').insert({
      id,
      name: id.toUpperCase(),
      assembly,
      access: 'PUBLIC',
      version: 1,
      created: engine.values.time(now),
      updated: engine.values.time(now),
      // The first segment of each dataset has all alleles of the other segments.
      allele_count: counts[0]?.alleles,
      call_count: counts.reduce((sum, { alleles, copies }) => sum + alleles * copies, 0),
      sample_count: own.flatMap(({ samples }) => Object.keys(samples)).length,
      revision: own.length,
    });
  }
  for (const { dataset, assembly, state, samples, has } of segments) {
    const names = Object.keys(samples);
    const [row] = await write('beacon_segments')
      .insert({ dataset, state, sole_sample: names.length === 1 ? names[0] : null, touched: now.getTime() })
      .returning('id');
    const segment = Number(row?.id);
    await write('beacon_samples').insert(names.map((name, ordinal) => ({ segment, ordinal, name })));
    const copies = Object.values(samples);
    const code = (contig: Allele['contig']) => (assembly === 'GRCh37' ? 101 : 201) + contigs.indexOf(contig);
    const rows = alleles
      .filter((_, n) => has(n))
      .map(({ contig, mate, end, startRange, structural, ...allele }, n) => ({
        id: segment * 2 ** 32 + n,
        contig: code(contig),
        span: mate ? 7 : end - allele.start > 1024 ? 2 : 0,
        stop: end,
        structural: structural ? 1 : 0,
        mate: mate ? code(mate) : null,
        calls: copies.reduce((sum, n) => sum + n, 0),
        carriers:
          names.length === 1 ? null : copies.map((n, ordinal) => (n === 1 ? ordinal : `${ordinal}:${n}`)).join(' '),
        ranges: startRange ? `${startRange.min}..${startRange.max}/` : null,
        ...allele,
      }));
    for (const some of [rows.slice(0, 50), rows.slice(50)]) {
      if (some.length > 0) await write('beacon_alleles').insert(some);
    }
  }
}

/** The published part of it, imported through the contract. */
export async function importInto(repository: BeaconRepository): Promise<void> {
  for (const { id, assembly } of datasets) {
    await repository.addDataset({ id, name: id.toUpperCase(), assembly, access: 'PUBLIC', version: 1 }, now);
  }
  for (const { dataset, samples, has } of published) {
    const carriers = Object.values(samples).map((copies, ordinal) => [ordinal, copies] as const);
    const called: CalledAllele[] = alleles.filter((_, n) => has(n)).map((allele) => ({ ...allele, carriers }));
    await repository.importAlleles({ dataset, samples: Object.keys(samples), alleles: once(called) }, now);
  }
}

export async function* once(called: readonly CalledAllele[]): AsyncGenerator<readonly CalledAllele[]> {
  yield called;
}

/** The answers to all queries of the two datasets, for comparison. */
export async function answers(repository: BeaconRepository): Promise<unknown> {
  const ids = datasets.map(({ id }) => id);
  const found: unknown[] = [await repository.datasets()];
  for (const { id, assembly } of datasets) {
    const all: unknown[] = [];
    await repository.eachAllele(id, async (some) => void all.push(...some));
    const examples = await Promise.all([false, true].map((structural) => repository.examples(id, structural, 1000)));
    found.push(all, await repository.recount(id), await repository.samples(id));
    found.push(
      examples.map((some) => some.map(({ contig, start, alternate }) => `${contig} ${start} ${alternate}`).sort()),
    );
    for (const contig of contigs) {
      for (const query of [
        { start: { min: 500, max: 1010 } },
        { start: { min: 0, max: 100_000_000 } },
        { start: { min: 1003, max: 1003 }, reference: 'A', alternate: 'T' },
        { start: { min: 3004, max: 3004 } },
        { end: { min: 5500, max: 5500 } },
        { overlaps: { start: 5000, end: 5001 } },
        { overlaps: { start: 9000, end: 9001 }, kinds: [{ kind: 'BND' }] },
        { mate: '2' as const, kinds: [{ kind: 'BND' }] },
      ]) {
        found.push(await repository.search({ assembly, contig, ...query }, ids));
      }
    }
  }
  return found;
}
