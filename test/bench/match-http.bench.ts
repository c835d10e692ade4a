/**
 * `/match` over HTTP by a server in a separate process, against a naive scan of the same patients in the same run, whose
 * answers must match. With `--against=FOLDER`, a clone of another version with its build, that version runs in turns with
 * this one on a copy of the same database. Options: `--stored=10000`, `--queries=50` (compared with the scan),
 * `--asked=2000` (in the load), `--seconds=5`, `--connections=32`, `--rounds=2`, `--published` (published patients, again
 * and again without a term, instead of drawn ones). Needs ../shared/data/matchmaker, and Linux for the processor time of
 * the server.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import type { Patient } from '../../plugins/matchmaker/contract.js';
import { type Profile, Profiler } from '../../plugins/matchmaker/matching/profile.js';
import { compareProfiles, geneFirst, genePlaces, haveCommonGene } from '../../plugins/matchmaker/matching/score.js';
import { completeFiles, completeResources, shared } from '../plugins/matchmaker/resources/support/shared.js';
import { runSql } from '../support/sql.js';
import type { Print } from './run.js';
import { grouped, withFolder } from './support/machine.js';
import { annotatedDiseases, patients } from './support/patients.js';
import { answered, processorMs, run, stop } from './support/processes.js';
import { type Published, published, submission } from './support/retrieval/published.js';

const here = fileURLToPath(new URL('../..', import.meta.url));
const weights = { genotype: 0.75, phenotype: 0.25 };
const port = 5913;
/** Patients per import command. */
const portion = 10_000;
const token = 'a-token-of-the-bench';
const headers = { 'content-type': 'application/json', accept: 'application/json', 'x-auth-token': token };

export default async function matchHttp(print: Print, options: Readonly<Record<string, string>>): Promise<void> {
  const stored = Number(options.stored ?? 10_000);
  const count = Number(options.queries ?? 50);
  const asked = Number(options.asked ?? 2000);
  const seconds = Number(options.seconds ?? 5);
  const connections = Number(options.connections ?? 32);
  const rounds = Number(options.rounds ?? 2);
  const varied = Number(options.varied ?? 0);
  const most = Math.max(count, asked);
  const { all, queries } = await (options.published === undefined ? drawn(stored, most) : publishedOnes(stored, most));
  const bodies = queries.map((patient) => JSON.stringify({ patient }));

  await withFolder(async (folder) => {
    const versions = [here, ...(options.against === undefined ? [] : [options.against])];
    // The oldest version fills the database: a newer one opens it, and not the other way round.
    const filled = await fill(join(folder, 'filled'), versions.at(-1) ?? here, all);
    if (varied > stored) await vary(filled, stored, varied);
    const servers: Server[] = [];
    try {
      for (const [i, version] of versions.entries()) {
        const own = join(folder, `server-${i}`);
        await cp(filled, own, { recursive: true });
        servers.push(await started(version, own, port + i));
        print(
          `${version}: ${grouped(Math.max(stored, varied))} patients on SQLite, ready after ` +
            `${grouped(servers.at(-1)?.ready ?? 0)} ms, ${grouped(await residentMb(servers.at(-1)))} MB`,
        );
      }
      const [ours] = servers;
      if (ours === undefined) throw new Error('one server is this version');
      const perScan = varied > stored ? undefined : await checked(ours, all, queries.slice(0, count));
      // A server runs for weeks: what V8 compiles in its first seconds is not measured.
      for (const server of servers) await shoot(server, bodies, connections, 2 * seconds);
      const rates: number[] = [];
      for (let round = 0; round < rounds; round++) {
        for (const [i, server] of servers.entries()) {
          const name = i === 0 ? 'this version' : 'the other';
          const one = await shoot(server, bodies, 1, seconds);
          const many = await shoot(server, bodies, connections, seconds);
          rates[i] = (rates[i] ?? 0) + many.rate / rounds;
          print(`${name}, one at a time: ${lineOf(one)}`);
          print(`${name}, ${connections} connections: ${lineOf(many)}`);
        }
      }
      const [own = 0, other] = rates;
      if (perScan !== undefined)
        print(`a naive scan in process ${(1000 / perScan).toFixed(1)}/s: ratio ${((own * perScan) / 1000).toFixed(1)}`);
      if (other !== undefined) print(`throughput of this version / of the other: ${(own / other).toFixed(2)}`);
    } finally {
      for (const { process } of servers) await stop(process);
    }
  });
}

interface Asked {
  all: Patient[];
  queries: Patient[];
}

async function drawn(stored: number, asked: number): Promise<Asked> {
  const diseases = await annotatedDiseases(shared('phenotype.hpoa.gz'));
  const some = (seed: number, many: number, noise: number) => {
    const found: Patient[] = [];
    for (const { patient } of patients(diseases, seed, { noise })) {
      found.push(patient);
      if (found.length === many) return found;
    }
    return found;
  };
  return {
    all: some(1, stored, 0),
    queries: some(2, asked, 0.2).map((patient, i) => ({ ...patient, id: `query-${i}` })),
  };
}

/** Queries lack every third term. */
async function publishedOnes(stored: number, asked: number): Promise<Asked> {
  const cases = await published();
  const at = (i: number, id: string, isKept: (term: number) => boolean) => {
    const { terms, genomic } = cases[i % cases.length] as Published;
    const kept = terms.filter((_, term) => isKept(term));
    return submission(id, kept.length === 0 ? terms : kept, genomic);
  };
  return {
    all: Array.from({ length: stored }, (_, i) =>
      at(i, `published-${i}`, (term) => i < cases.length || term !== Math.floor(i / cases.length)),
    ),
    queries: Array.from({ length: asked }, (_, i) => at(i * 7, `query-${i}`, (term) => term % 3 !== 2)),
  };
}

interface Server {
  process: ChildProcess;
  url: string;
  /** Milliseconds of its start. */
  ready: number;
}

/** A folder with the configuration and a database with the patients. */
async function fill(folder: string, version: string, all: readonly Patient[]): Promise<string> {
  await mkdir(folder);
  const plugins = 'plugins: { matchmaker: { retentionDays: 0 } }';
  const storage = 'storage: { adapter: sqlite, file: bench.sqlite }';
  await writeFile(join(folder, 'bench.yaml'), `demo: false\nmigrate: auto\n${storage}\n${plugins}\n`);
  const trefoil = join(version, 'core/bin/trefoil.mjs');
  const command = (...words: string[]) => run([trefoil, 'matchmaker', ...words, '--config', 'bench.yaml'], folder);
  await command('update', 'resources', ...completeFiles.flatMap((path) => ['--file', path]));
  for (let at = 0; at < all.length; at += portion) {
    await writeFile(join(folder, 'patients.json'), JSON.stringify(all.slice(at, at + portion)));
    await command('import', '--file', 'patients.json', '--owner', 'bench');
  }
  await command('add', 'client', '--id', 'bench', '--token', token);
  return folder;
}

async function started(version: string, folder: string, at: number): Promise<Server> {
  const words = [join(version, 'core/bin/trefoil.mjs'), 'serve', '--config', 'bench.yaml', '--port', `${at}`];
  const begin = performance.now();
  const server = {
    process: spawn(process.execPath, words, { cwd: folder, stdio: 'ignore' }),
    url: `http://127.0.0.1:${at}`,
  };
  await answered(`${server.url}/-/ready`);
  return { ...server, ready: performance.now() - begin };
}

/** Adds patients that are varied from the stored ones, up to so many in all. */
async function vary(folder: string, stored: number, all: number): Promise<void> {
  const now = Date.now();
  const terms = (of: string, condition: string) =>
    `select value from json_each(${of}.document, '$.features') where ${condition}`;
  const kept = `${terms('a', '(i * 7 + key * 13) % 4 <> 0')} union all ${terms('b', '(i * 5 + key * 11) % 7 = 0')}`;
  const features = `json((select json_group_array(json(value)) from (${kept})))`;
  await runSql({ file: join(folder, 'bench.sqlite') }, [
    'pragma synchronous = off',
    `insert into matchmaker_patients (id, version, owner, href, created, updated, document, facts)
     with recursive numbers(i) as (select ${stored + 1} union all select i + 1 from numbers where i < ${all})
     select 'varied-' || i, 1, 'bench', a.href, ${now}, ${now},
       json_set(a.document, '$.id', 'varied-' || i, '$.features', ${features}), a.facts
     from numbers cross join matchmaker_patients a on a.number = 1 + i % ${stored}
     cross join matchmaker_patients b on b.number = 1 + (i * 7919) % ${stored}`,
    `insert into matchmaker_feed (number, revision, facts)
     select number, number, facts from matchmaker_patients where number > ${stored}`,
    `update matchmaker_totals set revision = ${all}`,
  ]);
}

/** Resident memory of a server. */
async function residentMb(server: Server | undefined): Promise<number> {
  const status = await readFile(`/proc/${server?.process.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1000;
}

/** Throws if the server finds other patients than a scan; returns the milliseconds of one scan. */
async function checked({ url }: Server, all: readonly Patient[], queries: readonly Patient[]): Promise<number> {
  const profiler = new Profiler(await completeResources());
  const profiles = all.map((patient) => profiler.profile(patient));
  let spent = 0;
  for (const patient of queries) {
    const response = await fetch(`${url}/match`, { method: 'POST', headers, body: JSON.stringify({ patient }) });
    const { results } = (await response.json()) as { results: { patient: Patient; score: { patient: number } }[] };
    const before = performance.now();
    const expected = scan(profiler, profiler.profile(patient), profiles);
    spent += performance.now() - before;
    const got = results.map(({ patient, score }) => ({ id: patient.id, score: score.patient }));
    if (JSON.stringify(got) !== JSON.stringify(expected)) throw new Error('The scan finds other patients');
  }
  return spent / queries.length;
}

interface Shot {
  /** Answers per second. */
  rate: number;
  /** Milliseconds of processor time of the server per answer. */
  processor: number;
  latency: { p50: number; p97_5: number };
}

async function shoot(server: Server, bodies: readonly string[], connections: number, seconds: number): Promise<Shot> {
  const before = processorMs(server.process.pid);
  let client = 0;
  const result = await autocannon({
    url: server.url,
    connections,
    duration: seconds,
    requests: [{ method: 'POST', path: '/match', headers, body: bodies[0] ?? '' }],
    setupClient(one) {
      // Each begins elsewhere, so that no two ask the same at the same time.
      const first = Math.floor((client++ * bodies.length) / connections);
      const own = [...bodies.slice(first), ...bodies.slice(0, first)];
      one.setRequests(own.map((body) => ({ method: 'POST', path: '/match', headers, body })));
    },
  });
  if (result.non2xx > 0) throw new Error(`${result.non2xx} requests were refused`);
  const spent = processorMs(server.process.pid) - before;
  return { rate: result.requests.average, processor: spent / result.requests.total, latency: result.latency };
}

function lineOf({ rate, processor, latency: { p50, p97_5 } }: Shot): string {
  return `${grouped(rate)} queries/s, p50 ${p50} ms, p97.5 ${p97_5} ms, processor ${processor.toFixed(2)} ms per match, load ${loadavg()[0]?.toFixed(1)}`;
}

/** The answer of five, comparing all. */
function scan(profiler: Profiler, query: Profile, profiles: readonly Profile[]): { id: string; score: number }[] {
  const compared = profiles
    .map((profile) => ({
      id: profile.id,
      profile,
      score: compareProfiles(query, profile, profiler.information, weights),
    }))
    .filter(({ score }) => score.total > 0);
  const answer = geneFirst(compared, { limit: 5, places: genePlaces(5, 0.4) }, ({ profile }) => {
    return haveCommonGene(query, profile);
  });
  return answer.map(({ item, raised }) => ({ id: item.id, score: raised ?? item.score.total }));
}
