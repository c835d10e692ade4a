/** Schema histories on real engines: up, down, up; newer schemas; broken steps; several processes at once. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { SchemaStep } from '../../../adapters/knex/binding.js';
import { KnexStorage } from '../../../adapters/knex/storage.js';
import { audit } from '../../../core/audit/contract.js';
import { sessions, tokens } from '../../../core/auth/contract.js';
import { erasures } from '../../../core/erasures/contract.js';
import { jobs } from '../../../core/jobs/contract.js';
import type { Contract, Migration, Storage } from '../../../core/storage.js';
import { beacon, beaconProtection, type CalledAllele } from '../../../plugins/beacon/contract.js';
import {
  checksumOf,
  coverageCohorts,
  coverageRegions,
  coverageReports,
  coverageSamples,
  coverageSites,
  coverageTracks,
  trackChecksum,
} from '../../../plugins/coverage/contract.js';
import { matchmakerTriage } from '../../../plugins/matchmaker/contract.js';
import { faultOf } from '../../support/fault.js';
import { type Home, storages } from '../../support/storages.js';
import { useHome } from './support/home.js';
import { migrated, probe, probeOptions, probeWith, steps } from './support/probe.js';

const now = new Date('2026-01-15T08:00:00.123Z');

function label({ contract, name }: Migration): string {
  return `${contract}/${name}`;
}

/** The steps of the contracts, in the order in which the contracts are named. */
const all = [
  'erasures@1/001-known',
  'jobs@1/002-crashes',
  'jobs@1/003-whole-indexes',
  'tokens@1/001-issued',
  'sessions@1/001-open',
  'audit@1/002-pending-events',
  'audit@1/003-numbers-of-chains',
  'beacon@1/009-fresh-rows',
  'beacon@1/010-shared-batches',
  'beacon@1/011-uncalled',
  'beacon@1/012-forms',
  'beacon@1/013-fractions',
  'beacon-protection@1/002-consulted-people',
  'beacon-protection@1/003-waiting-loads',
  'coverage-samples@1/002-windows-of-runs',
  'coverage-samples@1/003-places',
  'coverage-samples@1/004-unique-files',
  'coverage-samples@1/005-findings',
  'coverage-tracks@1/001-tracks-and-blocks',
  'coverage-cohorts@1/001-layouts-and-blocks',
  'coverage-sites@1/001-sets-and-places',
  'coverage-regions@1/001-sets-and-blocks',
  'coverage-reports@1/001-kept-reports',
  'coverage-reports@1/002-files',
  'matchmaker-triage@1/001-triage',
  'probe@1/001-values',
  'probe@1/002-children',
];

/** A row in every table. */
async function fill(storage: Storage): Promise<void> {
  await storage.repository(erasures).note({ number: 1, code: 'c' });
  await storage
    .repository(jobs)
    .enqueue({ id: randomUUID(), kind: 'a.b', payload: [1], owner: 'o', created: now, runAfter: now, key: 'k' });
  await storage.repository(tokens).add({ id: 't', hash: 'h', owner: 'o', scopes: ['a:b'], created: now });
  const person = { issuer: 'https://i', subject: 's' };
  await storage
    .repository(sessions)
    .add({ id: 's', hash: 'h', ...person, created: now, lastSeen: now, expires: now, sealed: 'x' });
  const trail = storage.repository(audit);
  await trail.claim('f');
  const link = { sequence: 0, hash: 'h', seal: 's' };
  await trail.begin({ id: 'c', started: now, number: 1, base: link, head: link }, 'r');
  const traced = { chain: 'c', sequence: 1, at: now, actor: 'a', about: ['p'], body: '{}', hash: 'h' };
  await trail.append('c', 0, [traced], { ...link, sequence: 1 });
  await trail.submit([{ id: 'e', sealed: 's' }]);
  await trail.enrol([{ lookup: 'l', pseudonym: 'p', sealed: 's' }]);
  const alleles = storage.repository(beacon);
  await alleles.addDataset({ id: 'd', name: 'D', assembly: 'GRCh37', access: 'PUBLIC', version: 1 }, now);
  const allele: CalledAllele = {
    contig: '1',
    start: 9,
    end: 10,
    reference: 'A',
    alternate: 'T',
    kind: 'SNP',
    structural: false,
    carriers: [[0, 2]],
    fractions: [[0, 9]],
  };
  const batches = (async function* () {
    yield [allele];
  })();
  await alleles.importAlleles({ dataset: 'd', samples: ['s'], alleles: batches }, now);
  await alleles.addBatches('d', 'small', 0, [['s v']]);
  const protection = storage.repository(beaconProtection);
  const totals = { alleles: 1, calls: 2, samples: 1 };
  await protection.publish({ dataset: 'd', created: now, samples: ['s'], totals }, now);
  await protection.answer(
    { dataset: 'd', account: 'a', event: 'e', carriers: ['s'], region: { contig: '1', first: 0, last: 1 } },
    { allowed: { budget: 0.5, least: 1 }, people: 1, share: 0.6 },
    now,
  );
  const samples = storage.repository(coverageSamples);
  await samples.register([{ id: 's', build: 'GRCh37', file: { path: 's.d4' }, sex: 'male', labels: {} }], now);
  const [{ revision } = { revision: '' }] = await samples.find(['s']);
  const content = Uint8Array.of(1);
  await samples.record('s', revision, {
    state: 'ready',
    check: {
      ...{ at: now, fingerprint: 'f', build: 'GRCh37', sex: 'male', warnings: [], thresholds: [10], covered: [1] },
      ...{ depths: { x: 1, y: 1, autosomes: 2 }, bytes: 1 },
    },
    runs: [{ chromosome: '1', start: 0, end: 1, checksum: checksumOf(content), content }],
  });
  const tracks = storage.repository(coverageTracks);
  await tracks.begin({ id: 't', build: 'GRCh37', threshold: 10, members: [{ sample: 's', revision }] }, now);
  const block = { chromosome: '1' as const, start: 0, content };
  await tracks.add('t', [{ ...block, checksum: trackChecksum(block) }]);
  await tracks.publish('t', 1, []);
  const cohorts = storage.repository(coverageCohorts);
  await cohorts.use({ id: 'l', build: 'GRCh37', thresholds: [10], sets: 's' }, [content]);
  const entry = { sample: 's', source: 'f', denominator: 1, beyond: [], bytes: 1 };
  await cohorts.add('l', entry, [{ part: -1, plane: 0, content }]);
  const site = { chromosome: '1', start: 9, end: 10, reference: 'A', alternate: 'T', genes: ['G'] } as const;
  const sites = (async function* () {
    yield [site];
  })();
  const released = { release: 'r', source: 'f', checksum: 'c', skipped: {} };
  await storage
    .repository(coverageSites)
    .load({ name: 'ClinVar', build: 'GRCh37', sites, accept: () => released }, now);
  const regions = (async function* () {
    yield [{ chromosome: '1', start: 9, end: 10 } as const];
  })();
  await storage
    .repository(coverageRegions)
    .load({ name: 'low', build: 'GRCh37', kind: 'caution', regions, accept: () => released }, now);
  await storage.repository(coverageReports).keep(
    {
      ...{ id: 'r'.repeat(22), made: now },
      facts: {
        ...{ software: '0.2.0', language: 'en', page: 'report', build: 'GRCh37', level: 10, thresholds: [10] },
        ...{ sets: [], samples: [], genes: 0, missing: 0, shared: [], parts: {} },
      },
    },
    ['gene:G'],
    { json: [content] },
  );
  const triage = storage.repository(matchmakerTriage);
  await triage.seen([
    {
      ...{ id: 'i', at: now, submission: 1, owner: 'o', own: ['p'], node: { id: 'n', label: 'N' }, patient: 'q' },
      ...{ contact: { name: 'N', href: 'h' }, score: { patient: 1 }, genes: [], terms: [], stated: [], content: 'c' },
      direction: 'found',
    },
  ]);
  await triage.visit('p', 1, now);
  await storage.repository(probe).transaction(async ({ write }) => {
    await write('probe_values').insert({ id: 1, name: 'one' });
    await write('probe_children').insert({ parent: 1 });
  });
}

for (const engine of storages) {
  describe(`Migrations on ${engine.name}`, () => {
    const { home, open } = useHome(engine);

    async function opened(options = probeOptions, which: readonly Contract[] = migrated) {
      const storage = await open(which, options);
      if (!(storage instanceof KnexStorage)) throw new Error('Expected a storage of the family');
      return storage;
    }

    it('go up, down with rows in every table, and up again', async () => {
      const storage = await opened();
      expect((await storage.pending()).map(label)).to.deep.equal(all);
      expect((await storage.migrate()).map(label)).to.deep.equal(all);
      expect(await storage.pending()).to.deep.equal([]);
      await fill(storage);
      expect((await storage.revert()).map(label)).to.deep.equal(all.toReversed());
      expect((await storage.pending()).map(label)).to.deep.equal(all);
      const tables = await storage.repository(probe).run(async ({ read }) => {
        const has = await Promise.all(
          ['jobs_queue', 'tokens_issued', 'sessions_open', 'beacon_datasets', 'probe_values'].map((table) =>
            read.schema.hasTable(table),
          ),
        );
        return has.filter(Boolean).length;
      });
      expect(tables).to.equal(0);
      expect((await storage.migrate()).map(label)).to.deep.equal(all);
      await fill(storage);
      expect((await storage.repository(beacon).dataset('d'))?.alleleCount).to.equal(1);
    });

    it('create tables only for the requested contracts', async () => {
      const storage = await opened(probeOptions, [probe]);
      await storage.migrate();
      const tables = await storage
        .repository(probe)
        .query<{ name: string }>(
          engine.adapter === 'sqlite'
            ? "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name"
            : 'select table_name as name from information_schema.tables where table_schema = current_schema() order by 1',
          [],
        );
      const own = engine.adapter === 'sqlite' ? [] : ['trefoil_lineage'];
      const expected = ['probe_children', 'probe_values', ...own, 'trefoil_migrations'];
      expect(tables.map(({ name }) => name)).to.deep.equal(expected);
    });

    it('run only new steps, and keep the existing rows', async () => {
      const { '001-values': first } = steps;
      if (!first) throw new Error('The first step is there');
      const before = await opened(probeWith({ '001-values': first }), [probe]);
      await before.migrate();
      await before.repository(probe).write('probe_values').insert({ id: 7, name: 'seven' });
      const after = await opened(probeOptions, [probe]);
      expect((await after.migrate()).map(label)).to.deep.equal(['probe@1/002-children']);
      expect(await after.repository(probe).query('select id, name from probe_values', [])).to.deep.equal([
        { id: 7, name: 'seven' },
      ]);
    });

    it('refuse a schema that is newer than the code', async () => {
      await (await opened(probeOptions, [probe])).migrate();
      const { '001-values': first } = steps;
      if (!first) throw new Error('The first step is there');
      const older = await opened(probeWith({ '001-values': first }), [probe]);
      for (const attempt of [older.pending(), older.migrate()]) {
        const { code, message } = await faultOf(attempt);
        expect(code).to.equal('unavailable');
        expect(message).to.match(/newer schema .*probe@1\/002-children/);
      }
    });

    it('leave nothing of a step that fails half-way, and name the step', async () => {
      const broken: SchemaStep = {
        async up(schema) {
          await schema.schema.createTable('probe_half', (table) => table.integer('id'));
          await schema('probe_half').insert({ id: 1 });
          await schema.raw('insert into probe_nowhere values (1)');
        },
        async down() {},
      };
      const storage = await opened(probeWith({ ...steps, '003-broken': broken }), [probe]);
      const { code, message } = await faultOf(storage.migrate());
      expect(code).to.equal('internal');
      expect(message).to.include('probe@1/003-broken');
      expect((await storage.pending()).map(label)).to.deep.equal(['probe@1/003-broken']);
      expect(await storage.repository(probe).run(({ read }) => read.schema.hasTable('probe_half'))).to.equal(false);
    });

    it('run once if two processes migrate at once', async function () {
      this.timeout(120_000);
      const results = await race(await Promise.all([migrator(home()), migrator(home())]));
      for (const { pending } of results) expect(pending).to.deep.equal([]);
      const ran = results.flatMap((result) => result.ran.map(label));
      expect(ran.sort()).to.deep.equal([...all].sort());
      const storage = await opened();
      expect(await storage.pending()).to.deep.equal([]);
      await fill(storage);
    });
  });
}

interface Migrator {
  go(): void;
  outcome: Promise<{ ran: Migration[]; pending: Migration[] }>;
}

/** A child process that is ready to migrate. */
async function migrator(home: Home): Promise<Migrator> {
  const child = spawn(
    process.execPath,
    [
      '--import=tsx/esm',
      fileURLToPath(new URL('./support/migrator.ts', import.meta.url)),
      JSON.stringify(home.section),
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const lines: string[] = [];
  const ended = once(child, 'close');
  const ready = new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      if (line === 'ready') resolve();
    });
    child.once('exit', (code) => reject(new Error(`A migrating process ended with ${code}`)));
  });
  await ready;
  return {
    go: () => child.stdin.end('go\n'),
    outcome: ended.then(([code]) => {
      expect(code).to.equal(0);
      return JSON.parse(lines.at(-1) ?? '');
    }),
  };
}

function race(migrators: readonly Migrator[]): Promise<Awaited<Migrator['outcome']>[]> {
  for (const { go } of migrators) go();
  return Promise.all(migrators.map(({ outcome }) => outcome));
}
