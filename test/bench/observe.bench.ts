/**
 * A batch of observations over HTTP, against the same questions asked of the repository alone: what reading the request and
 * writing the answer add. Options: `--cases=1000`, `--alleles=5000` for each case (60 % of them shared), `--imports=10`,
 * `--questions=10000`, `--engines=sqlite,postgres`.
 */
import { issueToken } from '../../core/auth/access.js';
import type { BeaconRepository, CalledAllele, Carrier, SequenceQuestion } from '../../plugins/beacon/contract.js';
import { dataset, serveBeacon } from '../plugins/beacon/support/serve.js';
import { storages } from '../support/storages.js';
import type { Print } from './run.js';
import { grouped } from './support/machine.js';

const rounds = 5;
/** Bases between two private alleles. */
const step = 100;
/** A shared allele after so many private ones; one case in seven carries it. */
const every = 100;
const carriedBy = 7;

export default async function observe(print: Print, options: Readonly<Record<string, string>>): Promise<void> {
  const cases = Number(options.cases ?? 1000);
  const alleles = Number(options.alleles ?? 5000);
  const imports = Number(options.imports ?? 10);
  const questions = Number(options.questions ?? 10_000);
  const engines = (options.engines ?? 'sqlite').split(',');
  for (const engine of storages) {
    if (!engines.includes(engine.adapter)) continue;
    const server = await serveBeacon(engine, { checkAnswers: false });
    try {
      const { repository } = server;
      await repository.addDataset(
        dataset('bench', { counting: { quality: 20, passOnly: false, window: 2000 } }),
        new Date(),
      );
      const begin = performance.now();
      for (let i = 0; i < imports; i++) await load(repository, i, { cases: cases / imports, alleles });
      print(
        `${engine.name}: ${cases} cases of ${grouped(alleles)} alleles in ${imports} imports, loaded in ${grouped(performance.now() - begin)} ms`,
      );
      const asked = Array.from({ length: questions }, (_, i) => question(i));
      const { token } = await issueToken(server.tokens, { owner: 'bench', scopes: ['beacon:observe'] }, new Date());
      const body = JSON.stringify({
        assembly: 'GRCh37',
        alleles: asked.map(({ start, reference, alternate }) => `1-${start + 1}-${reference}-${alternate}`),
      });
      const times: Record<'repository' | 'HTTP', number[]> = { repository: [], HTTP: [] };
      let seen = 0;
      for (let round = 0; round < rounds; round++) {
        const alone = cpu();
        const found = await repository.observe('GRCh37', asked, ['bench']);
        times.repository.push(cpu() - alone);
        const whole = cpu();
        const response = await fetch(`${server.url}/observations/batch`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-auth-token': token },
          body,
        });
        const answer = (await response.json()) as { observations: { carriers: number }[][] };
        times.HTTP.push(cpu() - whole);
        const carriers = (all: readonly (readonly { carriers: number }[])[]) =>
          all.flat().reduce((sum, one) => sum + one.carriers, 0);
        seen = carriers(found);
        if (carriers(answer.observations) !== seen) throw new Error('The two answers differ');
      }
      const [repositoryTime, http] = [median(times.repository), median(times.HTTP)];
      print(
        `${grouped(questions)} alleles with ${grouped(seen)} carriers: ${grouped(repositoryTime)} ms of CPU in the repository, ` +
          `${grouped(http)} ms over HTTP, client included`,
      );
    } finally {
      await server.close();
    }
  }
}

/** Milliseconds of this process: other work on the machine does not count. */
function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function median(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;
}

/** Shared, private and absent alleles in turns, spread over all that were loaded. */
function question(i: number): SequenceQuestion {
  const [reference, alternate] = i % 10 === 9 ? ['T', 'C'] : ['A', i % 10 < 6 ? 'G' : 'C'];
  const start = i % 10 < 6 ? i * every * step : i * 7 * step + 50;
  return { type: 'sequence', contig: '1', start, reference, alternate } as SequenceQuestion;
}

interface Load {
  cases: number;
  alleles: number;
}

async function load(repository: BeaconRepository, number: number, { cases, alleles }: Load): Promise<void> {
  const samples = Array.from({ length: cases }, (_, i) => `case-${number * cases + i}`);
  await repository.importAlleles(
    { dataset: 'bench', samples, alleles: batches(number, { cases, alleles }) },
    new Date(),
  );
}

async function* batches(number: number, { cases, alleles }: Load): AsyncGenerator<CalledAllele[]> {
  const own = Math.round(alleles * 0.4);
  const shared = Math.round(alleles * 0.6) * carriedBy;
  const length = Math.max(own * cases, shared * every);
  let batch: CalledAllele[] = [];
  for (let i = 0; i < length; i++) {
    if (i % every === 0 && i / every < shared) {
      const first = (i / every + number) % carriedBy;
      const carriers: Carrier[] = [];
      for (let sample = first; sample < cases; sample += carriedBy) carriers.push([sample, sample % 10 === 0 ? 2 : 1]);
      batch.push({ ...allele(i * step, 'G'), carriers });
    }
    // Each import has private alleles of its own.
    if (i < own * cases) batch.push({ ...allele(i * step + 50 + number, 'C'), carriers: [[i % cases, 1]] });
    if (batch.length < 2000) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function allele(start: number, alternate: string) {
  const place = { contig: '1', start, end: start + 1 } as const;
  return { ...place, reference: 'A', alternate, kind: 'SNP', structural: false };
}
