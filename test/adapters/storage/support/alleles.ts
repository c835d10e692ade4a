/** Alleles on every chromosome, in two datasets, and the beacon's tables beside its repository. */
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

/** The contract's tables; the repository is the database itself. */
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

interface Load {
  dataset: string;
  /** Copies of each allele of the load, by sample. */
  samples: Readonly<Record<string, number>>;
  has(allele: number): boolean;
}

const loads: readonly Load[] = [
  { dataset: 'one', samples: { first: 1 }, has: () => true },
  { dataset: 'one', samples: { second: 1, third: 2 }, has: (n) => n % 3 > 0 },
  { dataset: 'two', samples: { first: 2 }, has: (n) => n % 7 > 0 },
];
const datasets = (['one', 'two'] as const).map((id, i) => ({ id, assembly: assemblies[i] as Assembly }));

/** Imported through the contract. */
export async function importInto(repository: BeaconRepository): Promise<void> {
  for (const { id, assembly } of datasets) {
    await repository.addDataset({ id, name: id.toUpperCase(), assembly, access: 'PUBLIC', version: 1 }, now);
  }
  for (const { dataset, samples, has } of loads) {
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
