/** Commands, the files that they read and write, and reports: what grows with files and with what is stored. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operator } from '../../../core/audit/audit.js';
import { AuditKeys } from '../../../core/audit/chain.js';
import { audit } from '../../../core/audit/contract.js';
import { readEntries, unknownNames } from '../../../core/audit/read.js';
import { createRecorder } from '../../../core/audit/recorder.js';
import { verifyAudit } from '../../../core/audit/verify.js';
import { aboutText, listEntries as auditList } from '../../../core/cli/audit.js';
import type { CoreCommand, CoreContext } from '../../../core/cli/core-command.js';
import { consentCommands, erase, lift } from '../../../core/cli/erase.js';
import { erasePeople } from '../../../core/cli/erasing.js';
import { createSession } from '../../../core/cli/session.js';
import { type Configuration, configure } from '../../../core/config.js';
import { erasureListOf } from '../../../core/erasures/configured.js';
import { jobsEraser } from '../../../core/jobs/eraser.js';
import type { Storage } from '../../../core/storage.js';
import { beacon } from '../../../plugins/beacon/contract.js';
import { cases } from '../../../plugins/beacon/loqusdb/commands/cases.js';
import { Comparison } from '../../../plugins/coverage/cohorts/compare.js';
import { runMosdepth } from '../../../plugins/coverage/commands/mosdepth/run.js';
import { coverageSamples } from '../../../plugins/coverage/contract.js';
import { mergeD4, simpleRange, verifyD4 } from '../../../plugins/coverage/d4/index.js';
import { D4Writer } from '../../../plugins/coverage/d4/node/write/writer.js';
import { reportsOfPerson } from '../../../plugins/coverage/eraser.js';
import { createFindCopyExons } from '../../../plugins/coverage/measure/karyotype.js';
import { qualityOfReport } from '../../../plugins/coverage/measure/quality.js';
import { newerNotice } from '../../../plugins/coverage/report/kept/pages.js';
import { textsOfLanguage } from '../../../plugins/coverage/texts/texts.js';
import { thisNode } from '../../../plugins/matchmaker/contract.js';
import { leftOutFindings } from '../../../plugins/matchmaker/mail/notices.js';
import type { StoredSharer } from '../../../plugins/matchmaker/matching/service.js';
import { sighted } from '../../../plugins/matchmaker/triage/contract.js';
import { quiet } from '../../support/storages.js';
import { dataset, load } from '../beacon/support/serve.js';
import { vcf } from '../beacon/support/vcf.js';
import type { Scenario } from './scenario.js';

const folder = mkdtempSync(join(tmpdir(), 'trefoil-linear-commands-'));
export const endCommands = (): void => rmSync(folder, { recursive: true });
let files = 0;
const newPath = (ending: string) => join(folder, `${files++}${ending}`);

const many = <Value>(size: number, make: (i: number) => Value): Value[] =>
  Array.from({ length: size }, (_, i) => make(i));

const of = (size: number, prepare: Scenario['prepare']): Scenario => ({ size, prepare });

/** What a stub must answer here is far less than its type has. */
const part = <Whole>(value: unknown): Whole => value as Whole;

/** A patient that shares a gene with a query. */
const leftOut = (i: number, href: string) => {
  const patient = { id: `P${i}`, contact: { name: 'Submitter', href } };
  return part<StoredSharer>({ stored: { patient }, score: { total: 0.5 }, genes: [1] });
};

const { signal } = new AbortController();

/** A file of as many chromosomes, of 8 bases each. */
function written(chromosomes: number): string {
  const path = newPath('.d4');
  const list = many(chromosomes, (i) => ({ name: `c${i}`, size: 8 }));
  const writer = new D4Writer(path, { chromosomes: list, dictionary: simpleRange(0, 4, 'x'), denominator: 1 });
  for (const { name } of list) writer.add({ chromosome: name, begins: [0], ends: [8], depths: [2] });
  writer.finish();
  return path;
}

const people = (size: number) =>
  many(size, (i) => ({ id: `PAT-${1_000_000 + i}`, holder: 'own', scope: 'all' }) as const);

/** Samples of one assay, with values at as many targets, each in a group of its own or all in one. */
function compared(members: number, places: number, groups: number): () => Promise<unknown> {
  const depths = { length: 1, measured: 1, sum: 10, mean: 10, reached: [1] };
  const ids = many(members, (i) => `s${i}`);
  const values = { length: 1, means: new Float64Array(members), reached: [new Float64Array(members)] };
  const found = {
    ...{ samples: ids, thresholds: [10], medians: new Float64Array(members).fill(1) },
    targets: many(places, () => values),
  };
  const cohorts = {
    values: async ({ targets }: { targets: unknown[] }) => ({
      ...found,
      targets: found.targets.slice(0, targets.length),
    }),
  };
  const member = (id: string) => ({ id, revision: id, assay: 'a', day: '2026-01-01', sex: 'female' });
  const perGroup = places / groups;
  const question = {
    ...{ build: 'GRCh38', threshold: 10, level: 0, isPooled: false },
    samples: [{ name: 's', id: 's0', isSameFile: true, depths: many(places, () => depths) }],
    members: ids.map(member),
    targets: many(places, (i) => ({ regions: [{ chromosome: '1', start: i, end: i + 1 }] })),
    places: many(places, (i) => i),
    groups: many(groups, (g) => ({ name: `g${g}`, places: many(perGroup, (i) => g * perGroup + i), length: perGroup })),
  };
  return () => Comparison.of(part(cohorts), part(question), signal);
}

const d4Scenarios: Record<string, Scenario> = {
  'D4 written: chromosomes': of(5000, (size) => () => written(size)),
  'D4 verified: chromosomes, and those of a summary': of(1000, (size) => {
    const [path, summary] = [written(size), newPath('.txt')];
    const rows = many(size, (i) => `c${i}\t8\t16\t2.00\t2\t2`);
    writeFileSync(summary, `chrom\tlength\tbases\tmean\tmin\tmax\n${rows.join('\n')}\n`);
    return () => verifyD4(path, { summary });
  }),
  // Refused for its last name, before any file is opened.
  'D4 merged: names of tracks': of(2000, (size) => {
    const inputs = many(size, (i) => ({ path: '/there/is/none.d4', name: `t${Math.min(i, size - 2)}` }));
    return () => mergeD4(newPath('.d4'), inputs).catch(() => undefined);
  }),
  'D4 merged: files': of(100, (size) => {
    const path = written(1);
    const inputs = many(size, (i) => ({ path, name: `t${i}` }));
    return () => mergeD4(newPath('.d4'), inputs);
  }),
  'mosdepth: chromosomes, and regions of each': of(200, (size) => {
    const [path, bed] = [written(size), newPath('.bed')];
    writeFileSync(bed, many(size, (i) => `c${size - 1 - i}\t1\t5\n`).join(''));
    const input = { arguments: [newPath(''), path], options: { by: bed, threads: '1' }, signal };
    return () => runMosdepth(part(input), part({ err: { write: () => true } }));
  }),
};

const reportScenarios: Record<string, Scenario> = {
  'comparison: samples of the cohort': of(1000, (size) => compared(size, 4, 2)),
  'comparison: targets of one group': of(500, (size) => compared(10, size, 1)),
  'comparison: groups of one target': of(500, (size) => compared(10, size, size)),
  'quality: samples with one file': of(1000, (size) => {
    const sample = (i: number) => ({
      asked: { name: `s${i}`, sex: 'female' },
      depths: { file: { fingerprint: 'x' }, warnings: [], targets: [] },
      sharedReads: [],
    });
    const samples = many(size, sample);
    const sameFiles = [{ samples: samples.map(({ asked }) => asked.name), compared: 'whole' }];
    const question = { samples, notIncluded: [], sameFiles, targets: [], nameOf: String, level: 0 };
    return () => qualityOfReport(part(question));
  }),
  'kept report: genes that differ in a newer version of its panel': of(2000, (size) => {
    const differences = many(size, (i) => ({ what: ['added'], symbol: `G${i}` }));
    const opening = {
      report: { facts: { panel: { panel: 'p', version: '1.0' } } },
      newer: { version: '2.0', differences },
    };
    return () => newerNotice(part(opening), textsOfLanguage('en'));
  }),
  'kept reports: erasures, and reports of as many people': of(400, (size) => {
    const report = (i: number) => ({
      report: { id: `r${i}`, made: new Date(0) },
      words: [`person:${people(i + 1)[i]?.id}`],
    });
    const page = many(size, report);
    const list = async ({ after }: { after?: unknown }) => (after === undefined ? page : []);
    const erasures = people(size);
    return () => reportsOfPerson(part({ list }), erasures);
  }),
  'exons that copies are counted by: genes': of(5000, (size) => {
    const gene = (i: number) => ({ ensembl: `E${i}`, chromosome: '1', start: i * 10, end: i * 10 + 5 });
    const genes = many(size, gene);
    const intervals = {
      sets: async () => [{ build: 'GRCh38', kind: 'exons', checksum: 'x', loaded: new Date(0) }],
      each: async (_kind: unknown, _build: unknown, _after: unknown, take: (rows: unknown) => unknown) => take(genes),
      transcriptsOf: async () => ({ transcripts: [] }),
    };
    return () => createFindCopyExons(part(intervals))('GRCh38', signal);
  }),
};

const terminal = {
  ...{ json: false, print: () => undefined, data: () => undefined, note: () => undefined },
  ...{ progress: () => ({ update: () => undefined, stop: () => undefined }), confirm: async () => true },
};

/** A command of the core, as the command line runs it, on a database with what `fill` stores. */
function coreCommand(
  command: CoreCommand | undefined,
  size: number,
  {
    options,
    fill,
  }: {
    options(size: number): Record<string, unknown>;
    fill(tools: { storage: Storage; configuration: Configuration }, size: number): Promise<unknown>;
  },
): Scenario {
  return of(size, async (count) => {
    const file = newPath('.yaml');
    const sections = {
      ...{ storage: { adapter: 'sqlite', file: newPath('.sqlite') }, migrate: 'auto', demo: false },
      ...{ audit: { key: 'k'.repeat(32) }, erasures: { file: newPath('.erasures') } },
      plugins: { beacon: {}, coverage: {}, matchmaker: {} },
    };
    writeFileSync(file, JSON.stringify(sections));
    const configuration = await configure({ file, environment: {} });
    const log = { ...quiet, child: () => log };
    const session = createSession(configuration, log);
    await fill({ storage: await session.storage(), configuration }, count);
    await session.close();
    const interruption = { signal: new AbortController().signal };
    const context = { configuration: { file, environment: {} }, terminal, interruption, log: () => log };
    const input = { options: options(count), arguments: [] };
    return async () => {
      const code = await command?.run(part<CoreContext>({ ...context, now: () => new Date() }), input);
      if (code !== 0) throw new Error(`The command ended with ${code}`);
    };
  });
}

const consent = (name: string) => consentCommands.find((one) => one.name === `consent ${name}`);

const objections = ({ configuration }: { configuration: Configuration }, size: number) =>
  erasureListOf(configuration).add(
    people(size).map(({ id }) => ({
      ...{ receipt: 'x', at: new Date(0), does: 'erase' },
      erasure: { id, names: 'sample', holder: 'own', scope: 'sharing' },
    })),
  );

/** What commands of erasures work with: a list of these, and plugins that have something of the people. */
function withList(erasures: readonly object[]) {
  const records = erasures.map((erasure) => ({ receipt: 'x', at: new Date(0), does: 'erase', erasure }));
  const found = async () => [{ plugin: 'beacon', what: 'samples', count: 1 }];
  const samplesOf = async ({ samples }: { samples: readonly string[] }) => [...samples, 'other'];
  const erasing = {
    list: {
      ...{ file: '/there/is/none', records: async () => records, add: async () => ({ number: 1, code: 'x' }) },
      objecting: async () => new Set<string>(),
    },
    erasers: { find: found, erase: found, revisions: async () => [], samplesOf },
    ...{ now: () => new Date(0), confirm: async () => undefined },
  };
  const audit = { enabled: true, record: async () => undefined };
  return { erasing, audit, unclaimed: async () => undefined, purge: async () => true };
}

/** The samples of a case that a command of loqusdb prints. */
function casesCommand(caseOf: (i: number) => string, options: object): Scenario {
  return of(1000, (size) => {
    const samples = many(size, (i) => {
      return { name: `s${i}`, case: caseOf(i), sex: 'male', searched: { small: true, structural: true } };
    });
    const repository = { dataset: async () => ({ id: 'd' }), sampleFacts: async () => samples };
    const references = { folder: '/there/is/none' };
    const settings = { loqusdb: { dataset: 'd' }, protection: { datasets: {} }, references };
    const context = {
      ...{ settings, now: () => new Date(0), terminal },
      ...{ repository: async () => repository, audit: { enabled: true, record: async () => undefined } },
    };
    return () => cases.run(part(context), { options: { ...options }, arguments: [] });
  });
}

const triageRow = (i: number) => ({
  ...{ id: `r${i}`, submission: 1, node: 'n', label: 'n', patient: `p${i}`, content: 'x', formerIds: [] },
  ...{ first: new Date(0), last: new Date(0), scores: [], own: [], score: 0.5, at: new Date(0) },
});
const triageSighting = (row: ReturnType<typeof triageRow>) => ({
  ...row,
  node: { id: row.node, label: 'n' },
  direction: 'found',
});

const storedScenarios: Record<string, Scenario> = {
  'audit verify: chains with an entry after their end': of(500, (size) => {
    const link = { sequence: 0, hash: 'x', seal: 'x' };
    const chains = many(size, (i) => ({
      id: `chain${i}`,
      started: new Date(0),
      number: i + 1,
      base: link,
      head: link,
    }));
    const repository = {
      chains: async () => chains,
      latest: async () => ({ register: 'x' }),
      links: async () => [],
      strays: async () => chains.map(({ id }) => ({ chain: id, sequence: 1 })),
      named: async () => [],
    };
    const keys = { isSealed: () => true, registered: () => size, questionDigest: (text: string) => text };
    return () => verifyAudit({ repository: part(repository), keys: part(keys) });
  }),
  'audit list: names of one entry, and names asked for': of(2000, (size) => {
    const about = many(size, (i) => `sample:${i}`);
    return () => aboutText({ about }, new Set(about));
  }),
  'audit list: entries, and names asked for': coreCommand(auditList, 200, {
    options: (size) => ({ sample: many(size, (i) => `s${size - 1 - i}`) }),
    async fill({ storage }, size) {
      const [repository, keys] = [storage.repository(audit), new AuditKeys('k'.repeat(32))];
      const { record } = createRecorder({ repository, keys, now: () => new Date() });
      const event = { action: 'beacon.samples', because: 'command line', outcome: 'done' };
      await Promise.all(many(size, (i) => record(operator(), { ...event, about: [`sample:s${i}`] })));
    },
  }),
  'consent list: objections': coreCommand(consent('list'), 2000, { options: () => ({}), fill: objections }),
  'consent restore: people, and objections': coreCommand(consent('restore'), 100, {
    options: (size) => ({
      sample: people(size)
        .map(({ id }) => id)
        .reverse(),
    }),
    fill: objections,
  }),
  'erase: people, and samples of a dataset and of the registry': coreCommand(erase, 100, {
    options: (size) => ({
      sample: people(size)
        .map(({ id }) => id)
        .reverse(),
      yes: true,
    }),
    async fill({ storage }, size) {
      const samples = people(size).map(({ id }) => id);
      const path = newPath('.vcf');
      writeFileSync(path, vcf({ samples, records: [`1 10 . A C . . . GT${' 0/1'.repeat(size)}`] }));
      const datasets = storage.repository(beacon);
      await datasets.addDataset(dataset('d'), new Date());
      await load(datasets, 'd', [path]);
      const facts = { build: 'GRCh38', file: { path: '/data/x.d4' }, sex: 'female', labels: {} } as const;
      const registered = samples.map((id) => ({ id, ...facts }));
      await storage.repository(coverageSamples).register(registered, new Date());
    },
  }),
  // The same without a storage, whose share would hide a small square.
  'audit list: names of entries, and names asked for': of(1000, (size) => {
    const names = many(size, (i) => `sample:s${i}`);
    const pseudonym = (name: string) => name.slice(8).padStart(32, '0');
    const at = new Date(0);
    const body = (i: number) => ({
      at: at.toISOString(),
      actor: 'operator:a',
      action: 'a.b',
      about: [pseudonym(names[i] ?? '')],
      outcome: 'done',
    });
    const entries = many(size, (i) => ({ chain: 'c', sequence: i, hash: 'x', at, body: JSON.stringify(body(i)) }));
    const all = names.map((name) => ({ lookup: name, pseudonym: pseudonym(name) }));
    const repository = {
      people: async () => all,
      named: async () => all,
      entries: async ({ after }: { after?: unknown }) => (after === undefined ? entries : []),
    };
    const source = {
      repository,
      keys: { lookup: (name: string) => name, nameOf: ({ lookup }: { lookup: string }) => lookup },
    };
    return async () => {
      await unknownNames(part(source), names);
      let read = 0;
      for await (const page of readEntries(part(source), { about: names })) read += page.length;
      if (read !== size) throw new Error(`${read} of ${size} entries were read`);
    };
  }),
  'erase: people, and lines of the list': of(500, (size) => {
    const ids = people(size).map(({ id }) => id);
    const all = withList(ids.map((id) => ({ id, names: 'sample', holder: 'own', scope: 'all' })));
    const request = { samples: ids.toReversed(), cases: ['c'], patients: ['p'], scope: 'all', yes: true };
    return () => erasePeople(part({ terminal, interruption: { signal } }), part(all), part(request));
  }),
  'consent restore: people, and lines of the list': of(500, (size) => {
    const ids = people(size).map(({ id }) => id);
    const all = withList(ids.map((id) => ({ id, names: 'sample', holder: 'own', scope: 'sharing' })));
    return () => lift(part({ terminal }), part(all), { sample: ids.toReversed(), patient: [] });
  }),
  'erasure from background jobs: people, and jobs': of(200, (size) => {
    const jobs = people(size).map(({ id }) => ({ id, created: new Date(0), payload: null, result: `/data/${id}.vcf` }));
    const list = async ({ state }: { state: string }) => (state === 'done' ? jobs : []);
    const erasures = people(size);
    return () => jobsEraser(part({ list })).find(erasures);
  }),
  'loqusdb cases: samples of one case': casesCommand(() => 'c', { caseId: 'c', toJson: true }),
  'loqusdb cases: cases': casesCommand((i) => `c${i}`, { toJson: true }),
  'loqusdb cases: cases that are counted': casesCommand((i) => `c${i}`, { count: true, caseType: 'sv' }),
  'erasure from background jobs: hits in one text': of(100, (size) => {
    const { id } = people(1)[0] as { id: string };
    const error = `${`${id}-x/`.repeat(size)} ${`${id}_ `.repeat(size)}`;
    const job = { id: 'j', created: new Date(0), payload: null, error };
    const list = async ({ state }: { state: string }) => (state === 'failed' ? [job] : []);
    return () => jobsEraser(part({ list })).find(people(1));
  }),
  'mails: submitters of patients that were left out': of(300, (size) => {
    const sharers = many(size, (i) => leftOut(i, `mailto:s${i}@example.org`));
    return () => leftOutFindings(part({ id: 'q' }), thisNode, sharers);
  }),
  'mails: patients of one submitter that were left out': of(300, (size) => {
    const sharers = many(size, (i) => leftOut(i, 'mailto:s@example.org'));
    return () => leftOutFindings(part({ id: 'q' }), thisNode, sharers);
  }),
  'triage: rows of as many nodes, and sightings': of(300, (size) => {
    const rows = many(size, (i) => ({ ...triageRow(i), node: `n${i}`, content: `x${i}` }));
    return () => sighted(part(rows), part(rows.map(triageSighting)));
  }),
  'triage: rows of one content, and sightings under other ids': of(300, (size) => {
    const rows = many(size, triageRow);
    const sightings = rows.map((row, i) => triageSighting({ ...row, patient: `q${i}` }));
    return () => sighted(part(rows), part(sightings));
  }),
  'triage: sightings of one content, which is new': of(300, (size) => {
    return () => sighted([], part(many(size, triageRow).map(triageSighting)));
  }),
};

export const commandScenarios: Record<string, Scenario> = { ...d4Scenarios, ...reportScenarios, ...storedScenarios };
