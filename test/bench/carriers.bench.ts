/**
 * Observations of 10,000 alleles in one batch, as of two new cases: 60 % of a case's alleles are shared by 1 to 90 % of all
 * cases, the others are its own. Options: `--cases=1000`, `--alleles=5000` of each, `--per=100` cases in each load,
 * `--engines=sqlite,postgres`. The yardstick is the time of the same questions in a dataset that holds none of them.
 */
import {
  type BeaconRepository,
  beacon,
  type CalledAllele,
  type Contig,
  contigs,
  type SequenceQuestion,
} from '../../plugins/beacon/contract.js';
import type { Print } from './run.js';
import { onEachEngine } from './support/engines.js';
import { grouped, seconds } from './support/machine.js';

const rounds = 5;

/** Shared alleles first, in order of the share of cases that carry them; spread over the autosomes. */
function place(n: number): Pick<SequenceQuestion, 'contig' | 'start'> {
  return { contig: contigs[n % 22] as Contig, start: 10_000 + 37 * Math.floor(n / 22) };
}

/** The same for the same numbers: at least 0, below 1. */
function mixed(a: number, b: number): number {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 1, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 15), 0x27d4eb2f);
  return ((h ^ (h >>> 13)) >>> 0) / 2 ** 32;
}

class Cases {
  readonly #shared: number;
  readonly #own: number;
  readonly #cases: number;

  constructor(cases: number, alleles: number) {
    this.#cases = cases;
    this.#own = Math.floor(alleles * 0.4);
    // The mean share is 0.01 + 0.89 / 3.
    this.#shared = Math.floor((alleles * 0.6) / (0.01 + 0.89 / 3));
  }

  /** Copies of a shared allele that a case has. */
  #copies(n: number, of: number): number {
    const share = 0.01 + 0.89 * (n / this.#shared) ** 2;
    const dice = mixed(n, of);
    return dice >= share ? 0 : dice < share / 4 ? 2 : 1;
  }

  *alleles(from: number, to: number): Generator<CalledAllele> {
    for (let n = 0; n < this.#shared; n++) {
      const carriers: [number, number][] = [];
      for (let of = from; of < to; of++) {
        const copies = this.#copies(n, of);
        if (copies > 0) carriers.push([of - from, copies]);
      }
      if (carriers.length > 0) yield allele(n, carriers);
    }
    for (let of = from; of < to; of++) for (const n of this.#ownOf(of)) yield allele(n, [[of - from, 1]]);
  }

  questions(of: number): SequenceQuestion[] {
    const shared = Array.from({ length: this.#shared }, (_, n) => n).filter((n) => this.#copies(n, of) > 0);
    return [...shared, ...this.#ownOf(of)].map((n) => ({
      type: 'sequence',
      ...place(n),
      reference: 'A',
      alternate: 'T',
    }));
  }

  *#ownOf(of: number): Generator<number> {
    if (of < this.#cases) for (let i = 0; i < this.#own; i++) yield this.#shared + of + i * this.#cases;
    else for (let i = 0; i < this.#own; i++) yield 2 * this.#shared + (this.#own + i) * this.#cases + of;
  }
}

function allele(n: number, carriers: [number, number][]): CalledAllele {
  const { contig, start } = place(n);
  return { contig, start, end: start + 1, reference: 'A', alternate: 'T', kind: 'SNP', structural: false, carriers };
}

export default async function carriers(print: Print, options: Readonly<Record<string, string>>): Promise<void> {
  const cases = Number(options.cases ?? 1000);
  const alleles = Number(options.alleles ?? 5000);
  const per = Number(options.per ?? 100);
  await onEachEngine(options, [beacon], async (storage, name) => {
    await measure(print, name, storage.repository(beacon), { cases, alleles, per });
  });
}

async function measure(
  print: Print,
  name: string,
  repository: BeaconRepository,
  { cases, alleles, per }: { cases: number; alleles: number; per: number },
): Promise<void> {
  const now = new Date();
  const all = new Cases(cases, alleles);
  for (const id of ['bench', 'empty']) {
    const counting = { quality: 20, passOnly: false, window: 2000 };
    await repository.addDataset({ id, name: id, assembly: 'GRCh38', access: 'CONTROLLED', version: 1, counting }, now);
  }
  const loading = await seconds(async () => {
    for (let from = 0; from < cases; from += per) {
      const samples = Array.from({ length: Math.min(per, cases - from) }, (_, i) => `case-${from + i}`);
      const batches = (async function* () {
        let batch: CalledAllele[] = [];
        for (const each of all.alleles(from, from + samples.length)) {
          if (batch.push(each) < 5000) continue;
          yield batch;
          batch = [];
        }
        yield batch;
      })();
      await repository.importAlleles({ dataset: 'bench', samples, alleles: batches }, now);
    }
  });
  const stored = await repository.dataset('bench');
  print(
    `${name}: ${cases} cases in loads of ${per}, ${grouped(stored?.alleleCount ?? 0)} alleles, ` +
      `${grouped(stored?.callCount ?? 0)} calls, loaded in ${loading.toFixed(1)} s`,
  );
  const questions = [...all.questions(cases), ...all.questions(cases + 1)].slice(0, 10_000);
  const times: Record<string, number[]> = { bench: [], empty: [] };
  let cpu = Number.POSITIVE_INFINITY;
  let carriers = 0;
  for (let round = 0; round < rounds; round++) {
    for (const id of ['empty', 'bench']) {
      times[id]?.push(
        await seconds(async () => {
          const before = process.cpuUsage();
          const found = await repository.observe('GRCh38', questions, [id]);
          if (id === 'empty') return;
          const { user, system } = process.cpuUsage(before);
          cpu = Math.min(cpu, (user + system) / 1e6);
          carriers = found.reduce((sum, [seen]) => sum + (seen?.carriers ?? 0), 0);
        }),
      );
    }
  }
  const least = (id: string) => Math.min(...(times[id] ?? []));
  const median = times.bench?.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN;
  print(
    `  ${grouped(questions.length)} questions, ${grouped(carriers)} carriers: best ${least('bench').toFixed(2)} s, ` +
      `median ${median.toFixed(2)} s, ${cpu.toFixed(2)} s of this process's CPU; ${(least('bench') / least('empty')).toFixed(1)} times the empty dataset's best`,
  );
}
