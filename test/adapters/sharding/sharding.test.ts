/** A beacon whose chromosomes 20 and 21 are on another PostgreSQL server, set up by the guide, against one in one file. */
import { execFileSync } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import adapter from '../../../adapters/postgres/adapter.js';
import { settings } from '../../../adapters/postgres/settings.js';
import { tokens } from '../../../core/auth/contract.js';
import { erasures } from '../../../core/erasures/contract.js';
import { jobs } from '../../../core/jobs/contract.js';
import { isFault, type Storage } from '../../../core/storage.js';
import {
  type AlleleQuery,
  type BeaconRepository,
  beacon,
  beaconConsequences,
  beaconDepths,
  beaconGenes,
  type Import,
} from '../../../plugins/beacon/contract.js';
import { dataset, get } from '../../plugins/beacon/support/serve.js';
import { postgresTools } from '../../support/cluster.js';
import { useFolder } from '../../support/folder.js';
import { type Sharded, sharded } from '../../support/sharded.js';
import { started } from '../../support/started.js';
import { steps } from '../../support/steps.js';
import { type OpenedStorage, quiet, sqlite } from '../../support/storages.js';
import { stores } from '../../support/stores.js';

const contigs = ['1', '20', '21'] as const;
const contracts = [erasures, jobs, tokens, beacon, beaconGenes, beaconDepths, beaconConsequences];
const later = () => new Date(Date.now() + 3_600_000);

/** Alleles on all three chromosomes: three that every sample has, and three of its own. */
function sample(n: number, among: readonly (typeof contigs)[number][] = contigs): Import {
  const alleles = among.flatMap((contig) =>
    [100, 1000 + n].map((start) => ({
      contig,
      start,
      end: start + 1,
      reference: 'A',
      alternate: 'C',
      kind: 'SNP',
      structural: false,
      carriers: [[0, 1 + (n % 2)]] as [number, number][],
    })),
  );
  return { dataset: 'ds', samples: [`s${n}`], alleles: streamOf(alleles) };
}

async function* streamOf<Value>(values: readonly Value[]): AsyncGenerator<readonly Value[]> {
  yield values;
}

const query = (contig: (typeof contigs)[number], start: { min: number; max: number }): AlleleQuery => ({
  assembly: 'GRCh37',
  contig,
  start,
  reference: 'N',
  alternate: 'N',
});

/** Everything that a client can see of the dataset. */
async function seen(repository: BeaconRepository) {
  const exported: unknown[] = [];
  await repository.eachAllele('ds', async (alleles) => void exported.push(...alleles));
  const found = await repository.dataset('ds');
  const answers = [];
  for (const contig of contigs) {
    answers.push(await repository.search(query(contig, { min: 100, max: 100 }), ['ds']));
    answers.push(await repository.search(query(contig, { min: 0, max: 2 ** 31 - 1 }), ['ds']));
    const questions = [100, 1001, 5000].map((start) => ({
      type: 'sequence' as const,
      contig,
      start,
      reference: 'A',
      alternate: 'C',
    }));
    answers.push(await repository.observe('GRCh37', questions, ['ds']));
  }
  const { alleles, calls, samples } = await repository.recount('ds');
  const totals = { alleles: found?.alleleCount, calls: found?.callCount, samples: found?.sampleCount };
  expect(totals).to.deep.equal({ alleles, calls, samples });
  return { exported, totals, answers };
}

(postgresTools === undefined ? describe.skip : describe)('beacon: alleles on another PostgreSQL server', function () {
  this.timeout(120_000); // two servers of PostgreSQL, and the commands of the guide
  const folder = useFolder();
  let servers: Sharded;
  let storage: Storage;
  let repository: BeaconRepository;
  let model: OpenedStorage;
  let expected: BeaconRepository;

  const open = (url: string) =>
    adapter.open({ settings: settings.parse({ url }), contracts, bindings: new Map(), stores, log: quiet });

  before(async () => {
    model = await sqlite.open(contracts);
    expected = model.storage.repository(beacon);
    await expected.addDataset(dataset('ds'), new Date(0));
    for (let n = 0; n < 4; n++) await expected.importAlleles(sample(n), new Date(0));
    servers = await sharded(
      { shard_21: ['beacon_alleles_grch37_21'], shard_20: ['beacon_alleles_grch37_20'] },
      async (url) => {
        const own = await open(url);
        await own.migrate();
        await own.repository(beacon).addDataset(dataset('ds'), new Date(0));
        for (let n = 0; n < 4; n++) await own.repository(beacon).importAlleles(sample(n), new Date(0));
        await own.close();
      },
    );
    storage = await open(servers.main.url);
    repository = storage.repository(beacon);
  });

  after(async () => {
    await storage?.close();
    await model?.close();
    await servers?.remove();
  });

  /** Does the same on both, which must then show the same. */
  async function both(work: (repository: BeaconRepository) => Promise<unknown>): Promise<void> {
    await work(expected);
    await work(repository);
    expect(await seen(repository)).to.deep.equal(await seen(expected));
  }

  async function far<Row>(name: string, text: string): Promise<Row[]> {
    const client = new pg.Client({ connectionString: servers.shards[name] });
    await client.connect();
    try {
      return (await client.query(text)).rows as Row[];
    } finally {
      await client.end();
    }
  }

  const rowsOn = async (name: string) => {
    const [row] = await far<{ n: string }>(name, 'select count(*) as n from beacon_alleles');
    return Number(row?.n);
  };

  async function outcome(work: Promise<unknown>): Promise<string> {
    return work.then(
      () => 'done',
      (error: unknown) => (isFault(error) ? error.code : String(error)),
    );
  }

  it('are the same to clients: moved, loaded, merged and removed', async () => {
    expect(await rowsOn('shard_21')).to.equal(8);
    expect(await rowsOn('shard_20')).to.equal(8);
    const [here] = await servers.main.sql<{ n: string }>('select count(*) as n from only beacon_alleles_grch37_1');
    expect(Number(here?.n)).to.equal(8);
    await both(async () => {});
    for (let n = 4; n < 9; n++) await both((each) => each.importAlleles(sample(n), new Date(1)));
    await both(async (each) => {
      while ((await each.compact('ds', async () => {})) > 0);
    });
    await both((each) => each.removeSamples('ds', ['s1', 's8'], new Date(2)));
    // Repeated alleles are found by comparing with rows on both servers.
    await both((each) => each.importAlleles(sample(3), new Date(3)));
    expect(await repository.sweep(later())).to.equal(0);
    // Seven samples: the common allele, and one of each.
    expect(await rowsOn('shard_21')).to.equal(8);
  });

  it('are only deleted once no reader may look for them', async () => {
    const reader = new pg.Client({ connectionString: servers.main.url });
    await reader.connect();
    await reader.query('begin isolation level repeatable read');
    const count = async (contig: number) => {
      const text =
        'select count(*) as n from beacon_alleles where contig = $1 and (id / 4294967296 in (select id from ' +
        "beacon_segments where state = 'published')) is true";
      return Number((await reader.query<{ n: string }>(text, [contig])).rows[0]?.n);
    };
    // On this server only: what the others have is unknown until they are asked.
    expect(await count(101)).to.equal(8);
    await both((each) => each.removeSamples('ds', ['s2'], new Date(4)));
    expect(await repository.leftovers()).to.equal(1);
    expect(await count(121)).to.equal(8);
    await reader.query('commit');
    await reader.end();
    for (const step of steps.sweepFar) {
      // The rows of the other server are gone then, and those of this one are not.
      const broken = breakAt(step, undefined);
      expect(await outcome(repository.sweep(later()))).to.be.oneOf(['done', 'unavailable']);
      broken.over();
      expect([await rowsOn('shard_21'), await repository.leftovers()]).to.deep.equal([7, 1]);
      await both(async () => {});
    }
    expect(await repository.sweep(later())).to.equal(1);
    expect(await rowsOn('shard_21')).to.equal(7);
  });

  it('are never seen in part, whatever is killed in between', async () => {
    const before = await seen(repository);
    for (const [step, name] of [
      ['beacon.load.appended', 'shard_21'],
      ['beacon.load.appended', 'shard_20'],
      ['beacon.load.appended', undefined],
      ['beacon.publish.moved', undefined],
    ] as const) {
      // The connection to one of the other databases breaks before the commit: another one may have committed by then. Or
      // all of this server do.
      const broken = breakAt(step, name);
      expect(await outcome(repository.importAlleles(sample(20), new Date(5)))).to.equal('unavailable');
      broken.over();
      expect(await seen(repository), `${step} ${name}`).to.deep.equal(before);
    }
    // As a crash of this server between the two commits leaves them: beyond all that is known of the segment here.
    const [segment] = await servers.main.sql<{ id: number }>(
      "insert into beacon_segments (dataset, state, last_beat, generation, loads) values ('ds', 'staged', 0, 0, 1) returning id",
    );
    await far(
      'shard_21',
      'insert into beacon_alleles (id, contig, span, start, stop, structural, calls, reference, alternate, kind) ' +
        `select ${segment?.id} * 4294967296 + n, 121, 0, 100, 101, 0, 1, 'A', 'C', 'SNP' from generate_series(1, 5) n`,
    );
    expect(await seen(repository)).to.deep.equal(before);
    await repository.sweep(later());
    expect(await repository.leftovers()).to.equal(0);
    for (const name of Object.keys(servers.shards)) expect(await rowsOn(name)).to.equal(7);
    await both((each) => each.importAlleles(sample(20), new Date(6)));
  });

  /** Breaks connections while a step is reached: those of the main server to a database, or all to the main server. */
  function breakAt(step: string, name: string | undefined) {
    let broken = 0;
    const whose = name === undefined ? "usename = 'trefoil'" : `datname = '${name}'`;
    const text = `select pg_terminate_backend(pid) from pg_stat_activity where ${whose} and pid <> pg_backend_pid()`;
    const url = name === undefined ? servers.main.url : servers.far.url;
    const listener = (reached: unknown) => {
      // Before the next statement is sent.
      if (reached === step && broken++ === 0) execFileSync(join(postgresTools ?? '', 'psql'), [url, '-q', '-c', text]);
    };
    subscribe('trefoil:step', listener);
    return {
      over() {
        unsubscribe('trefoil:step', listener);
        expect(broken, `${step} was reached`).to.equal(1);
      },
    };
  }

  it('are found at many places that are asked for at once', async () => {
    const plain = { reference: 'A', alternate: 'C', kind: 'SNP', structural: false };
    const load = (): Import => ({
      dataset: 'ds',
      samples: ['many'],
      alleles: streamOf(
        (['1', '20'] as const).flatMap((contig) => [
          ...Array.from({ length: 60 }, (_, i) => ({
            ...{ contig, start: 10_000 + 50 * i, end: 10_001 + 50 * i, ...plain },
            carriers: [[0, 1]] as [number, number][],
          })),
          // Of other bases than it is asked for: without those that both share it is a C at 20,001.
          {
            ...{ contig, start: 20_000, end: 20_002, reference: 'GC', alternate: 'GT', kind: 'SNP', structural: true },
            carriers: [[0, 2]] as [number, number][],
          },
        ]),
      ),
    });
    await both((each) => each.importAlleles(load(), new Date(7)));
    for (const contig of ['1', '20'] as const) {
      const asked = (start: number, reference = 'A', alternate = 'C') => ({ contig, start, reference, alternate });
      // There are more than four rows for each question between the first and the last: each place is looked up.
      const places = [asked(10_000), asked(10_001), asked(10_050, 'A', 'G'), asked(10_550), asked(20_001, 'C', 'T')];
      const questions = places.map((place) => ({ type: 'sequence' as const, ...place }));
      const observed = await repository.observe('GRCh37', questions, ['ds']);
      expect(observed.map(([one]) => one?.carriers)).to.deep.equal([1, 0, 0, 1, 1]);
      expect(observed).to.deep.equal(await expected.observe('GRCh37', questions, ['ds']));
      const genotypes = await repository.genotypes('ds', places);
      expect(genotypes?.samples.map(({ name }) => name)).to.include('many');
      expect(genotypes).to.deep.equal(await expected.genotypes('ds', places));
    }
  });

  it('that cannot be reached fail what needs them, and nothing else', async () => {
    const file = await folder.write('server.yaml', 'plugins: { beacon: {} }\nmigrate: manual\ndemo: false\n');
    const server = await started(file, { DATABASE_URL: servers.main.url });
    const ask = async (contig: string) => {
      const path = `/apiv1.0/query?assemblyId=GRCh37&referenceName=${contig}&start=100&referenceBases=A&alternateBases=C`;
      const { status, headers, body } = await get(`${server.url}${path}`);
      return { status, exists: body.exists, retry: headers.get('retry-after') !== null, text: JSON.stringify(body) };
    };
    const ready = () => get(`${server.url}/-/ready`);
    try {
      expect((await ready()).body.checks).to.include({ 'part shard_20': 'ok', 'part shard_21': 'ok' });
      await servers.far.kill();
      for (const contig of ['20', '21']) {
        const answer = await ask(contig);
        expect(answer).to.include({ status: 503, retry: true });
        expect(answer.text).not.to.match(/127\.0\.0\.1|shard|trefoil_|postgres/i);
      }
      expect(await ask('1')).to.include({ status: 200, exists: true });
      const { status, body } = await ready();
      expect(status).to.equal(200);
      expect(body.checks).to.deep.equal({
        server: 'ok',
        storage: 'ok',
        'part shard_20': 'does not answer',
        'part shard_21': 'does not answer',
      });

      const before = await repository.dataset('ds');
      expect(await outcome(repository.importAlleles(sample(30), new Date(7)))).to.equal('unavailable');
      expect(await outcome(repository.removeSamples('ds', ['s4'], new Date(7)))).to.equal('unavailable');
      expect(await outcome(repository.eachAllele('ds', async () => {}))).to.equal('unavailable');
      expect(await repository.dataset('ds')).to.deep.equal(before);
      // A load of other chromosomes only.
      expect(await outcome(repository.importAlleles(sample(31, ['1']), new Date(8)))).to.equal('done');

      await servers.far.start();
      await expected.importAlleles(sample(31, ['1']), new Date(8));
      await repository.sweep(later());
      await both(async () => {});
      expect(await ask('21')).to.include({ status: 200, exists: true });
      expect((await ready()).body.checks).to.include({ 'part shard_20': 'ok', 'part shard_21': 'ok' });
    } finally {
      await server.stop();
    }
  });
});
