/** How the engines run the statements of repositories above tables: which of them read a whole table. */
import { expect } from 'chai';
import pg from 'pg';
import sqlite3 from 'sqlite3';
import type { Database } from '../../../adapters/knex/binding.js';
import { bindingOf } from '../../../adapters/knex/storage.js';
import { tablesOn } from '../../../adapters/knex/tables.js';
import { store as auditStore } from '../../../core/audit/store.js';
import { store as sessionStore } from '../../../core/auth/sessions/store.js';
import { store as tokenStore } from '../../../core/auth/store.js';
import { store as jobStore } from '../../../core/jobs/store.js';
import { audit, jobs, type Session, type Storage, type Store, sessions, tokens } from '../../../core/storage.js';
import { beaconGenes } from '../../../plugins/beacon/contract.js';
import { store as geneStore } from '../../../plugins/beacon/genes/store.js';
import {
  checksumOf,
  coverageReports,
  coverageSamples,
  type KeptReport,
  type SampleCheck,
} from '../../../plugins/coverage/contract.js';
import { store as reportStore } from '../../../plugins/coverage/report/kept/store.js';
import { store as sampleStore } from '../../../plugins/coverage/samples/store.js';
import { store as trailStore } from '../../../plugins/matchmaker/audit/store.js';
import { matchmakerAudit, matchmakerMail } from '../../../plugins/matchmaker/contract.js';
import { store as mailStore } from '../../../plugins/matchmaker/mail/store.js';
import { type PanelVersion, panels } from '../../../plugins/panels/contract.js';
import { store as panelStore } from '../../../plugins/panels/store.js';
import { sampleToken } from '../../conformance/core/tokens.js';
import { type Home, storages } from '../../support/storages.js';
import { overheard, type Statement } from './support/overheard.js';

/** A binding whose statements are recorded. */
function listening<Repository>(store: Store<Repository>, heard: Statement[]) {
  const repository = (database: Database) => store.repository(tablesOn(overheard(database, heard)));
  return { default: { ...bindingOf(store), repository } };
}

const now = new Date('2026-01-02T03:04:05.006Z');
const person = { issuer: 'https://id.example.org', subject: 'erna' };
const session: Session = {
  ...{ id: 's1', hash: 'h1', ...person, created: now, lastSeen: now },
  ...{ expires: new Date(now.getTime() + 60_000), sealed: 'x' },
};
const version: PanelVersion = {
  ...{ panel: 'eyes', version: '1', name: 'Eyes', state: 'draft', revision: 1, digest: 'd', genes: 2, unmapped: 0 },
  ...{ history: [{ what: 'made', at: now, by: 'erna', digest: 'd' }], content: 'text', hgnc: [5, 7] },
};

const report: KeptReport = {
  ...{ id: 'report-1', made: now },
  facts: {
    ...{ software: '1', language: 'en', page: 'report', build: 'GRCh38', level: 10, thresholds: [10] },
    ...{ sets: [], samples: [], genes: 1, missing: 0, shared: [], parts: {} },
  },
};

/** Every verb, in each of its forms. */
async function useAll(storage: Storage): Promise<void> {
  const issued = storage.repository(tokens);
  const token = sampleToken();
  await issued.add(token);
  await issued.findByHash(token.hash);
  await issued.list();
  await issued.list('erna');
  await issued.touch(token.id, now);
  await issued.revoke(token.id, now);
  await issued.revoke('none', now);
  const open = storage.repository(sessions);
  await open.add(session);
  await open.findByHash(session.hash);
  await open.list();
  await open.list(person);
  await open.touch(session.id, new Date(now.getTime() + 1));
  await open.remove('none');
  await open.sweep(now, now);
  await open.removeOf(person);
  const versions = storage.repository(panels);
  await versions.add(version);
  await versions.find('eyes', '1');
  await versions.list();
  await versions.list('eyes');
  await versions.holding([7]);
  await versions.replace({ ...version, revision: 2, hgnc: [7] });
  await versions.replaceNames({ release: '1', sources: [], approved: 1, withdrawn: 0, loaded: now }, [
    Uint8Array.of(1),
  ]);
  await versions.loadNames();
  await versions.remove('eyes', '1', 2);
  const genes = storage.repository(beaconGenes);
  const gene = { ensembl: 'ENSG1', hgnc: 1, symbol: 'One', contig: '1', start: 0, end: 9 } as const;
  await genes.replaceGenes('GRCh38', [gene], now);
  await genes.genes('GRCh38', { type: 'HGNC', ids: [1] });
  await genes.genes('GRCh38', { type: 'Ensembl', ids: ['ENSG1'] });
  await genes.genes('GRCh38', { type: 'symbol', ids: ['ONE'] });
  await genes.release('GRCh38');
  const kept = storage.repository(coverageReports);
  await kept.keep(report, ['file:a', 'w'], { json: [Uint8Array.of(1)] });
  await kept.find(report.id);
  await kept.find(report.id, ['a']);
  await kept.content(report.id, 'json');
  await kept.list({ words: [], limit: 2 });
  await kept.list({ words: [['w'], ['file:a']], after: { made: new Date(now.getTime() + 1), id: 'r' }, limit: 2 });
  await kept.words('file:');
  await kept.remove([report.id]);
  await kept.keep(report, ['w'], {});
  await kept.expire(new Date(now.getTime() + 1));
}

/** The same of the queue of jobs. */
async function useJobs(storage: Storage): Promise<void> {
  const queue = storage.repository(jobs);
  const job = { kind: 'k', payload: {}, owner: 'erna', created: now, runAfter: now };
  for (const id of ['1', '2', '3']) await queue.enqueue({ ...job, id, key: id });
  await queue.enqueue({ ...job, id: '4', key: '1' });
  await queue.find('1');
  await queue.find('1', 'erna');
  await queue.find('none', 'erna');
  await queue.list({ limit: 5 });
  await queue.list({ owner: 'erna', limit: 5 });
  await queue.list({ state: 'queued', limit: 5 });
  await queue.list({ owner: 'erna', state: 'queued', limit: 5 });
  const claim = { kinds: ['k'], worker: 'w', now, leaseUntil: now };
  await queue.claim(claim);
  await queue.renew('1', 'w', now, 0.5, now);
  await queue.release('1', 'w', now);
  await queue.claim(claim);
  await queue.fail('1', 'w', 'away', now, now);
  await queue.claim(claim);
  await queue.claim({ ...claim, now: new Date(now.getTime() + 1) });
  await queue.cancel('1', now);
  await queue.cancelled('1', 'w', now);
  await queue.cancel('2', now);
  await queue.cancel('2', now);
  await queue.claim(claim);
  await queue.finish('3', 'w', {}, now);
  await queue.count();
  await queue.remove(['1']);
  await queue.expire(now);
}

/** The same of what the matchmaker has. */
async function useMatchmaker(storage: Storage): Promise<void> {
  const trail = storage.repository(matchmakerAudit);
  await trail.add([{ at: now, actor: 'seqr', action: 'match', patient: 'P', query: 'Q', purpose: 'research' }]);
  await trail.entries({ limit: 10 });
  await trail.entries({ patient: 'P', limit: 10 });
  await trail.entries({ patient: 'P', actor: 'seqr', since: now, after: 0, limit: 10 });
  await trail.entries({ since: now, after: 0, limit: 10 });
  await trail.rename('P', 'x');
  await trail.rename('P', 'x', { own: true, owner: 'seqr' });
  await trail.rename('P', 'x', { own: false, name: 'seqr' });
  await trail.expire(now);
  const mail = storage.repository(matchmakerMail);
  const match = { node: { id: 'n', label: 'N' }, genes: [], terms: [] };
  const contact = { name: 'N', href: 'mailto:n@example.org' };
  const noticeOf = (id: string, patient: string, other: string) => ({
    ...{ id, created: now, due: now, search: 's', to: ['x@example.org'], patient: { id: patient } },
    matches: [{ ...match, patient: { id: other, contact }, pair: id }],
  });
  await mail.add([noticeOf('1', 'P', 'X'), noticeOf('2', 'X', 'P')]);
  await mail.due(now, 1);
  await mail.release('s', now);
  await mail.failed(['1'], 'away', now);
  await mail.waiting();
  await mail.forget('X', { own: false, nodes: ['n'] });
  await mail.forget('X');
  await mail.erase('X', { own: true, nodes: ['n'] });
  await mail.erase('X');
  await mail.sent(['1']);
}

/** The same of registered samples. */
async function useSamples(storage: Storage): Promise<void> {
  const samples = storage.repository(coverageSamples);
  const described = { build: 'GRCh38', file: { path: '/a.d4' }, sex: 'male', labels: {} } as const;
  await samples.register([{ ...described, id: 'a' }], now);
  await samples.register(
    [
      { ...described, id: 'b' },
      { ...described, id: 'a', file: { path: '/b.d4' } },
    ],
    now,
  );
  await samples.find(['a', 'b']);
  await samples.find(['a', 'b'], ['/a', 's3://b/']);
  const [revision] = await samples.revisions(['a']);
  await samples.list({ limit: 2 });
  await samples.list({ states: ['pending', 'ready'], after: 'a', limit: 2 });
  const check: SampleCheck = {
    ...{ at: now, fingerprint: 'f', build: 'GRCh38', sex: 'male', depths: { x: 1, y: 1, autosomes: 2 } },
    ...{ warnings: [], thresholds: [10], covered: [1], bytes: 1 },
  };
  const content = Uint8Array.of(1);
  const block = { chromosome: '1', start: 0, end: 9, checksum: checksumOf(content), content } as const;
  await samples.record('a', revision?.revision ?? '', { state: 'ready', check, runs: [block] });
  await samples.record('a', 'none', { state: 'changed' });
  await samples.runs('a');
  await samples.runs('a', ['1', '2']);
  await samples.runsFrom(['a', 'b'], '1', { start: 0, end: 9 });
  await samples.remove(['a', 'none']);
}

/** The same of the audit. */
async function useAudit(storage: Storage): Promise<void> {
  const trail = storage.repository(audit);
  const link = (sequence: number) => ({ sequence, hash: 'h', seal: 's' });
  const entry = { chain: 'c', sequence: 1, at: now, actor: 'erna', about: ['P', 'Q'], body: '{}', hash: 'h' };
  await trail.claim('f');
  await trail.begin({ id: 'c', started: now, number: 1, base: link(0), head: link(0) }, 'r');
  await trail.chains();
  await trail.latest();
  await trail.submit([{ id: 'e', sealed: 's' }]);
  await trail.pending(2);
  await trail.append('c', 0, [entry], link(1), ['e']);
  await trail.links('c', 0, 2);
  await trail.strays(2);
  for (const about of [undefined, ['P'], ['P', 'Q']]) {
    for (const after of [undefined, { ...entry, sequence: 0 }]) {
      await trail.entries({ about, after, limit: 2 });
      await trail.entries({ about, after, actors: ['erna'], from: now, before: new Date(now.getTime() + 1), limit: 2 });
    }
  }
  await trail.expire('c', link(1));
  await trail.enrol([{ lookup: 'l', pseudonym: 'p', sealed: 's' }]);
  await trail.people(['l']);
  await trail.named(['p']);
  await trail.forget('l');
}

/** A statement by what it does and its conditions. */
const shape = (sql: string) =>
  sql
    .replaceAll(/["`]/g, '')
    .replaceAll(/\$\d+/g, '?')
    .replace(/^select .+? from/, 'select from')
    .replace(/ set .+? where/, ' set where')
    .replaceAll(/ in \(select value from json_each\(\?\)\)| = any\(\?\)/g, ' among ?')
    .replaceAll(/ for update/g, '')
    // Rows that are first locked in the order of their keys.
    .replace(/ where \([^()]+\) in \(select .+? where (.+) order by [^()]+\)( and .+)?$/, ' where $1');

/** Lists, counts and sweeps of all that there is, or of the first of an order, and persons: few are signed in at once. */
const whole = [
  'delete from panels_pieces where 1 = 1',
  'delete from sessions_open where ((expires <= ?) or (last_seen <= ?))',
  'delete from sessions_open where issuer = ? and subject = ?',
  'select from audit_chains order by id',
  'select from audit_chains order by number',
  'select from audit_chains order by number desc limit ?',
  'select from audit_entries order by at, chain, sequence limit ?',
  'select from audit_pending order by number limit ?',
  'select from coverage_reports_kept order by made desc, id desc limit ?',
  'select from coverage_reports_kept order by number desc limit ?',
  'select from coverage_samples_registered order by id limit ?',
  'select from jobs_queue order by created desc, seq desc limit ?',
  'select from matchmaker_audit_entries order by number limit ?',
  'select from matchmaker_mail_outbox',
  'select from matchmaker_mail_outbox where failures > ?',
  'select from panels_pieces order by piece',
  'select from panels_versions',
  'select from sessions_open order by created, id',
  'select from sessions_open where issuer = ? and subject = ? order by created, id',
  'select from tokens_issued order by created, id',
  'select from tokens_issued where owner = ? order by created, id',
];

async function plansOn(home: Home, statements: readonly Statement[]): Promise<Map<string, string>> {
  const plans = new Map<string, string>();
  if (home.section.adapter === 'postgres') {
    const client = new pg.Client({ connectionString: String(home.section.url) });
    await client.connect();
    await client.query('set enable_seqscan = off');
    for (const { sql, bindings } of statements) {
      let n = 0;
      const text = `explain ${sql.replaceAll('?', () => `$${++n}`)}`;
      const { rows } = await client.query({ text, values: [...bindings] });
      plans.set(shape(sql), rows.map((row) => row['QUERY PLAN']).join('\n'));
    }
    await client.end();
    return plans;
  }
  const database = new sqlite3.Database(String(home.section.file));
  for (const { sql, bindings } of statements) {
    const rows = await new Promise<{ detail: string }[]>((resolve, reject) => {
      database.all(`explain query plan ${sql}`, [...bindings], (error, found) =>
        error ? reject(error) : resolve(found as { detail: string }[]),
      );
    });
    plans.set(shape(sql), rows.map(({ detail }) => detail).join('\n'));
  }
  await new Promise((resolve) => database.close(resolve));
  return plans;
}

for (const engine of storages) {
  describe(`statements of tables on ${engine.name}`, () => {
    it('use an index, but where all rows are wanted', async function () {
      this.timeout(60_000);
      const heard: Statement[] = [];
      const bindings = new Map<string, () => Promise<unknown>>([
        [audit.id, async () => listening(auditStore, heard)],
        [tokens.id, async () => listening(tokenStore, heard)],
        [jobs.id, async () => listening(jobStore, heard)],
        [sessions.id, async () => listening(sessionStore, heard)],
        [panels.id, async () => listening(panelStore, heard)],
        [beaconGenes.id, async () => listening(geneStore, heard)],
        [coverageReports.id, async () => listening(reportStore, heard)],
        [coverageSamples.id, async () => listening(sampleStore, heard)],
        [matchmakerMail.id, async () => listening(mailStore, heard)],
        [matchmakerAudit.id, async () => listening(trailStore, heard)],
      ]);
      const home = await engine.home();
      try {
        const own = [audit, tokens, jobs, sessions, panels, beaconGenes];
        const kept = [...own, coverageReports, coverageSamples, matchmakerMail, matchmakerAudit];
        const storage = await home.open(kept, { bindings });
        await storage.migrate();
        heard.length = 0;
        await useAll(storage);
        await useMatchmaker(storage);
        await useJobs(storage);
        await useAudit(storage);
        await useSamples(storage);
        const asked = heard.filter(({ sql }) => /^(select|update|delete)/i.test(sql));
        const plans = await plansOn(home, asked);
        await storage.close();
        expect(plans.size).to.be.greaterThan(20);
        const scans = [...plans].filter(([, plan]) => /\bSCAN (?!\S*json_each|value\b)|Seq Scan/.test(plan));
        expect(scans.length).to.be.greaterThan(0);
        const unexpected = scans.filter(([sql]) => !whole.includes(sql));
        expect(unexpected.map(([sql, plan]) => `${sql}\n${plan}`)).to.deep.equal([]);
      } finally {
        await home.discard();
      }
    });
  });
}
