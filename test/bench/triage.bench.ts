/**
 * Work with matches: what noting them costs a search, and what the pages cost with many rows; one page also with coverage and
 * counts beside 50 rows, against the same page for a caller without these rights. Options: `--rows=50000`, five for each
 * submission, `--samples=412`, `--rounds=100`, `--engines=sqlite,postgres`.
 */
import { issueToken } from '../../core/auth/access.js';
import { tokens } from '../../core/auth/contract.js';
import { serveForTest, type TestServer } from '../../core/testing.js';
import { beacon } from '../../plugins/beacon/contract.js';
import { coverageSamples } from '../../plugins/coverage/contract.js';
import { matchmaker, matchmakerTriage, type Sighting, thisNode } from '../../plugins/matchmaker/contract.js';
import { allele } from '../plugins/beacon/support/denominators.js';
import { add } from '../plugins/beacon/support/observed.js';
import { dataset } from '../plugins/beacon/support/serve.js';
import { store } from '../plugins/coverage/callability/support.js';
import { patient } from '../plugins/matchmaker/support/serve.js';
import type { Print } from './run.js';
import { chosenStorages } from './support/engines.js';
import { grouped } from './support/machine.js';

const perSubmission = 5;
/** Rows of the page that is opened. */
const onPage = 50;
/** Variants of its submission, and where the first one is. */
const variants = 3;
const at = 165_991_234;
const step = 1000;
const list = '/matchmaker/submissions';

const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

function sighting(number: number, submission: number, other: string, node: { id: string; label: string }): Sighting {
  return {
    ...{ id: uuid(number), at: new Date(1.7e12 + number * 1000), submission, owner: 'lab', own: [`P-${submission}`] },
    ...{ node, patient: other, content: `content of ${other}`, direction: 'found', genes: ['SCN1A'] },
    contact: { name: `Dr. ${number % 97}`, href: `mailto:d${number % 97}@clinic.example.org`, institution: 'Clinic' },
    score: { patient: 0.5, genotype: 0.3, phenotype: 0.2 },
    terms: ['HP:0001250 Seizure', 'HP:0001263 Global developmental delay'],
    stated: [{ gene: 'SCN1A', zygosity: 1, mode: 'HP:0000006' }],
  };
}

export default async function triage(print: Print, options: Readonly<Record<string, string>>): Promise<void> {
  const rows = Number(options.rows ?? 50_000);
  const samples = Number(options.samples ?? 412);
  const rounds = Number(options.rounds ?? 100);
  for (const engine of chosenStorages(options)) {
    const plugins = { matchmaker: { triage: {} }, coverage: {}, beacon: {} };
    const server = await serveForTest({ plugins, storage: engine, jobs: false });
    try {
      const begin = performance.now();
      await fill(server, rows);
      const page = await fillPage(server, rows, samples);
      print(
        `${engine.name}: ${grouped(rows)} rows of ${grouped(rows / perSubmission)} submissions, ${grouped(samples)} samples, made in ${grouped(performance.now() - begin)} ms`,
      );
      const repository = server.repository(matchmakerTriage);
      const far = { id: 'far', label: 'Far away' };
      let next = rows + 1000;
      const five = (first: number) =>
        Array.from({ length: 5 }, (_, i) => sighting(first + i, 1 + ((first + i) % 1000), `new-${first + i}`, far));
      const seeNew = () => {
        next += 5;
        return repository.seen(five(next));
      };
      print(`  seen, 5 new rows: ${await timed(rounds, seeNew)}`);
      const known = five(next);
      print(`  seen, 5 known rows: ${await timed(rounds, () => repository.seen(known))}`);
      const issue = async (...scopes: string[]) =>
        (await issueToken(server.repository(tokens), { owner: 'bench', scopes }, new Date())).token;
      const token = await issue('matchmaker:read');
      const knowing = await issue('matchmaker:read', 'coverage:read', 'beacon:observe');
      print(`  list, first page: ${await timed(rounds, () => ask(server, list, token))}`);
      print(
        `  list, text of one contact: ${await timed(rounds, () => ask(server, list, token, { text: 'd7@clinic' }))}`,
      );
      print(`  list, text of nothing: ${await timed(rounds, () => ask(server, list, token, { text: 'nowhere' }))}`);
      print(`  submission of ${onPage} rows: ${await timed(rounds, () => ask(server, page, token))}`);
      const text = await ask(server, page, knowing);
      const told = text.split('covered (≥').length - 1;
      print(
        `  the same with coverage and counts (${told} statements): ${await timed(rounds, () => ask(server, page, knowing))}`,
      );
    } finally {
      await server.close();
    }
  }
}

/** Patients of the submissions are not needed to count rows, and are those of the first page alone. */
async function fill(server: TestServer, rows: number): Promise<void> {
  const patients = server.repository(matchmaker);
  const repository = server.repository(matchmakerTriage);
  const facts = { submitter: 's', diagnosed: false, genes: [], variants: [], features: [] };
  const writer = { owner: 'lab', all: false };
  const submissions = rows / perSubmission;
  for (let first = 1; first <= submissions; first += 1000) {
    const saves = Array.from({ length: Math.min(1000, submissions - first + 1) }, (_, i) => {
      return { patient: patient(`P-${first + i}`), facts, writer, at: new Date() };
    });
    await patients.savePatients(saves);
  }
  for (let first = 0; first < rows; first += 500) {
    const some = Array.from({ length: Math.min(500, rows - first) }, (_, i) => {
      const number = first + i;
      const node = { id: `node-${number % perSubmission}`, label: `Node ${number % perSubmission}` };
      return sighting(number, 1 + Math.floor(number / perSubmission), `F-${number}`, node);
    });
    await repository.seen(some);
  }
}

/** Returns the path of a submission with variants, whose rows are patients of this node, each with a sample. */
async function fillPage(server: TestServer, rows: number, samples: number): Promise<string> {
  const names = Array.from({ length: Math.max(samples, onPage) }, (_, i) => `S-${i}`);
  await store(
    server.repository(coverageSamples),
    names.map((id, i) => ({ id, stretches: [{ chromosome: '2', start: at - 10, depths: depths(i) }] })),
  );
  const repository = server.repository(beacon);
  await repository.addDataset(dataset('bench', { assembly: 'GRCh38' }), new Date());
  const alleles = Array.from({ length: variants }, (_, i) => ({
    ...allele('2', at + i * step + 1, 'G', 'A'),
    carriers: names.flatMap((_, n): [number, number][] => (n % 100 === i ? [[n, 1]] : [])),
  }));
  await add(repository, 'bench', Object.fromEntries(names.map((name) => [name, {}])), alleles, new Date());
  const genomicFeatures = Array.from({ length: variants }, (_, i) => ({
    gene: { id: 'SCN1A' },
    variant: {
      ...{ assembly: 'GRCh38', referenceName: '2', start: at + i * step, end: at + i * step + 1 },
      ...{ referenceBases: 'G', alternateBases: 'A' },
    },
  }));
  const patients = server.repository(matchmaker);
  const facts = { submitter: 's', diagnosed: false, genes: [], variants: [], features: [] };
  const save = (one: object) => ({
    patient: one as never,
    facts,
    writer: { owner: 'lab', all: false },
    at: new Date(),
  });
  const candidates = Array.from({ length: onPage }, (_, i) => patient(`C-${i}`, { _sample: `S-${i}` }));
  await patients.savePatients([patient('page', { genomicFeatures }), ...candidates].map(save));
  const { number = 0 } = (await patients.patient('page')) ?? {};
  await server
    .repository(matchmakerTriage)
    .seen(candidates.map(({ id }, i) => sighting(rows + i, number, String(id), thisNode)));
  return `${list}/${number}`;
}

/** Enough at some of the variants, by sample. */
function depths(sample: number): number[] {
  return Array.from({ length: variants * step }, (_, base) => ((base / step + sample) % 3 < 2 ? 20 : 5));
}

async function ask({ url }: TestServer, path: string, token: string, body?: object): Promise<string> {
  const response = await fetch(`${url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { accept: 'text/html', 'x-auth-token': token, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`);
  return text;
}

async function timed(rounds: number, work: () => Promise<unknown>): Promise<string> {
  for (let i = 0; i < 5; i++) await work();
  const times: number[] = [];
  const before = process.cpuUsage();
  for (let i = 0; i < rounds; i++) {
    const begin = performance.now();
    await work();
    times.push(performance.now() - begin);
  }
  const { user, system } = process.cpuUsage(before);
  times.sort((one, other) => one - other);
  const percentile = (share: number) => (times[Math.floor(share * times.length)] as number).toFixed(1);
  return `${((user + system) / 1000 / rounds).toFixed(1)} ms CPU, p50 ${percentile(0.5)}, p95 ${percentile(0.95)} ms`;
}
