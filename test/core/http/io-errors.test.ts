/** Requests to a server whose disk fails at each engine call in turn: 503 with Retry-After, then normal service. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { issueToken } from '../../../core/auth/access.js';
import { configure } from '../../../core/config.js';
import type { Job } from '../../../core/jobs/contract.js';
import { assemble, runReady } from '../../../core/start/assemble.js';
import { contractsIn } from '../../../core/start/storage.js';
import { jobs, tokens } from '../../../core/storage.js';
import { beacon } from '../../../plugins/beacon/contract.js';
import { matchmaker } from '../../../plugins/matchmaker/contract.js';
import { vcf } from '../../plugins/beacon/support/vcf.js';
import { patient, vendor } from '../../plugins/matchmaker/support/serve.js';
import { dealt } from '../../support/dealt.js';
import { type Failing, openFailing, trouble } from '../../support/failing.js';
import { thorough } from '../../support/steps.js';
import { type Home, storages } from '../../support/storages.js';

interface Sent {
  method?: string;
  path: string;
  body?: unknown;
  /** The type of the body; JSON if omitted. */
  type?: string;
}

/** The suite tries every fifth call, `.ci/long` every call. */
const stride = thorough ? 1 : 5;

const file = vcf({ samples: ['a'], records: ['1 1 . A C . . . GT 0/1', '1 2 . A C . . . GT 1/1'] });
const add: Sent = {
  path: '/apiv1.0/add?dataset_id=ds&assemblyId=GRCh37',
  body: file,
  type: 'text/vcf',
  method: 'POST',
};
const json = (path: string, body: unknown, type = 'application/json'): Sent => ({ method: 'POST', path, body, type });

const requests: Record<string, Sent> = {
  'an allele query': {
    path: '/apiv1.0/query?referenceName=1&start=0&referenceBases=A&alternateBases=C&assemblyId=GRCh37',
  },
  'the beacon': { path: '/apiv1.0/' },
  'an upload': add,
  'a new dataset': json('/apiv1.0/add_dataset', {
    id: 'ds',
    name: 'Set',
    build: 'GRCh37',
    authlevel: 'public',
    update: true,
  }),
  'a new patient': json('/patient/add', { patient: patient('P') }, vendor),
  'an import': json('/patient/import', [patient('P1'), patient('P2')]),
  'a search': json('/match', { patient: patient('Q') }, vendor),
  'the matches of a patient': { path: '/matches/kept' },
  'a list of patients': { path: '/patients' },
  'the deletion of a patient': { method: 'DELETE', path: '/patient/delete/P' },
  'counts of patients': { path: '/metrics' },
  'a list of genes': json('/intervals/genes', { build: 'GRCh38' }),
  'sets of intervals': { path: '/intervals' },
  'a report': { path: '/report/demo' },
  'a summary of genes': json('/coverage/d4/genes/summary', {
    build: 'GRCh38',
    samples: [{ name: 'child', coverage_file_path: 'child.d4' }],
    hgnc_gene_ids: ['MTHFR'],
    coverage_threshold: 20,
    interval_type: 'transcripts',
  }),
  'a job': { path: '/-/jobs/00000000-0000-4000-8000-000000000000' },
};

for (const engine of dealt(storages, 'sqlite')) {
  describe(`a server whose disk fails, on ${engine.name}`, function () {
    this.timeout(600_000); // hundreds of requests
    let uploads: string;
    let home: Home;
    let failing: Failing;
    let url: string;
    let token: string;
    let assembled: Awaited<ReturnType<typeof assemble>>;
    let logged: string;

    before(async () => {
      uploads = await mkdtemp(join(tmpdir(), 'trefoil-test-'));
      const configuration = await configure({
        environment: {},
        overrides: Object.entries({
          demo: true,
          jobs: { leaseSeconds: 1, renewSeconds: 0.3, pollSeconds: 0.05, retrySeconds: 0.05, retryMaxSeconds: 0.05 },
          plugins: {
            beacon: { uploads: { folder: `${uploads}/beacon` } },
            coverage: { intervals: { uploads: `${uploads}/coverage` } },
            matchmaker: {},
          },
        }).map(([key, value]) => ({ path: [key], value, source: 'test' })),
      });
      const contracts = contractsIn(configuration);
      home = await engine.home(contracts);
      failing = await openFailing(home, contracts);
      const { storage } = failing;
      logged = '';
      const write = (line: string) => {
        logged += line;
      };
      const log = pino({ level: 'debug' }, { write });
      const readiness = async () => ({ ready: true, checks: {} });
      assembled = await assemble({ configuration, storage, log, now: () => new Date(), readiness, checkAnswers: true });
      await runReady(assembled.onReady);
      const { port } = await assembled.app.listen('127.0.0.1', 0);
      url = `http://127.0.0.1:${port}`;
      const issued = await issueToken(storage.repository(tokens), { owner: 'lab', scopes: ['*'] }, new Date());
      token = issued.token;
      const description = { id: 'ds', name: 'Set', assembly: 'GRCh37', access: 'PUBLIC', version: 1 } as const;
      await storage.repository(beacon).addDataset(description, new Date());
      const kept = await send(json('/patient/add', { patient: patient('kept') }, vendor));
      expect(kept.status).to.equal(200);
    });
    after(async () => {
      await assembled.app.drain(1000);
      await assembled.runner.stop();
      for (const { work } of [...assembled.onClose].reverse()) await work();
      await failing.storage.close();
      await home.discard();
      await rm(uploads, { recursive: true, force: true });
      expect(assembled.app.breaches).to.deep.equal([]);
    });

    /** Reads the body too: a stream that breaks off rejects. */
    async function send({ method = 'GET', path, body, type = 'application/json' }: Sent): Promise<Response> {
      const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
      const response = await fetch(url + path, {
        method,
        headers: { 'x-auth-token': token, ...(text === undefined ? {} : { 'content-type': type }) },
        ...(text === undefined ? {} : { body: text }),
      });
      await response.clone().text();
      return response;
    }

    async function expectRight(): Promise<void> {
      const patients = failing.storage.repository(matchmaker);
      expect(await patients.recount()).to.deep.equal(await patients.counts());
      const datasets = failing.storage.repository(beacon);
      const { alleleCount, callCount, sampleCount } = (await datasets.dataset('ds')) ?? {};
      expect(await datasets.recount('ds')).to.deep.equal({
        alleles: alleleCount,
        calls: callCount,
        samples: sampleCount,
      });
    }

    for (const [what, request] of Object.entries(requests)) {
      it(`responds to ${what} with 503 and Retry-After, and as usual once the disk recovers`, async () => {
        for (const how of trouble) {
          let refused = 0;
          /** Whether the server made as many calls. */
          const fails = async (number: number): Promise<boolean> => {
            failing.failAt(number, how);
            const { status, headers } = await send(request);
            const reached = failing.recover();
            if (status === 503) {
              refused += 1;
              expect(headers.get('retry-after'), `call ${number} (${how})`).to.match(/^[1-9]\d*$/);
            } else expect(status, `call ${number} (${how})\n${logged.slice(-2000)}`).to.be.oneOf([200, 202, 404]);
            return reached;
          };
          for (let number = 1; await fails(number); number += stride);
          // The call that failed may have been one of work in the background.
          for (let again = 0; refused === 0 && again < 20; again++) await fails(1);
          expect(refused, how).to.be.at.least(1);
        }
        expect((await send(request)).status).to.be.oneOf([200, 202, 404]);
        await expectRight();
      });
    }

    it('completes accepted jobs, whichever call failed', async () => {
      const { storage } = failing;
      const samples = async () => (await storage.repository(beacon).dataset('ds'))?.sampleCount;
      // The jobs of the uploads above.
      assembled.runner.start();
      await ended(await storage.repository(jobs).list({ limit: 1000 }));
      for (const how of ['refused', 'lost'] as const) {
        for (let number = 1; ; number += stride) {
          await storage.repository(beacon).removeSamples('ds', ['a'], new Date());
          const response = await send(add);
          expect(response.status).to.equal(202);
          const { job } = (await response.json()) as { job: { id: string } };
          failing.failAt(number, how);
          const [done] = await ended([{ id: job.id }]);
          const reached = failing.recover();
          expect(done?.state, `call ${number} (${how}): ${done?.error}`).to.equal('done');
          expect(await samples()).to.equal(1);
          await expectRight();
          if (!reached) break;
        }
      }
    });

    /** The jobs, once they have ended. */
    async function ended(given: readonly { id: string }[]): Promise<Job[]> {
      const ends: Job[] = [];
      for (const { id } of given) {
        for (let looks = 0; ; looks++) {
          if (looks > 2000) throw new Error(`the job ${id} does not end:\n${logged.slice(-2000)}`);
          const job = await failing.storage
            .repository(jobs)
            .find(id)
            .catch(() => undefined);
          if (job && job.state !== 'queued' && job.state !== 'running') {
            ends.push(job);
            break;
          }
          await sleep(20);
        }
      }
      return ends;
    }
  });
}
