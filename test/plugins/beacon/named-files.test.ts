/** The files of tenants that requests name to the beacon: what belongs to another is as a file that does not exist. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { issueToken } from '../../../core/auth/access.js';
import { jobs } from '../../../core/jobs/contract.js';
import { addVariants } from '../../../plugins/beacon/loading/jobs.js';
import type { Subject } from '../../conformance/core.js';
import { Broker } from '../../support/broker.js';
import { blockFolder } from '../../support/folder.js';
import { sendTo } from '../../support/http.js';
import { sampled } from '../../support/sample.js';
import { type OpenedStorage, storages } from '../../support/storages.js';
import { useOnce } from '../../support/use.js';
import { type Beacon, dataset, serveBeacon } from './support/serve.js';
import { vcf } from './support/vcf.js';
import { until } from './support/write.js';

/** Of each tenant, of none, and in both of two tenants. */
const sets = ['cardio-set', 'neuro-set', 'free-set', 'both-set'] as const;
type Set = (typeof sets)[number];

const notFound = (path: string) => `VCF file was not found at the provided path:${path}`;

for (const engine of sampled(storages, 2)) {
  describe(`beacon: files of tenants that requests name, on ${engine.name}`, function () {
    this.timeout(120_000);
    const folder = blockFolder();
    const broker = useOnce(() => Broker.start());
    let opened: OpenedStorage | undefined;
    let server: Beacon;
    /** Headers by caller. */
    const callers: Record<string, Record<string, string>> = {};
    const at = (name: string) => join(folder, name);

    const tenant = (name: string, more: Record<string, unknown> = {}) => ({
      members: [
        { claim: 'groups', value: `/${name}`, issuer: broker.issuer, rights: ['load', 'report'] },
        { claim: 'groups', value: `/${name}-readers`, issuer: broker.issuer, rights: ['read', 'report'] },
      ],
      roots: [at(name)],
      datasets: [`${name}-set`, 'both-set'],
      ...more,
    });

    async function serve(tenants: Record<string, unknown> | undefined, work: boolean): Promise<Beacon> {
      const subject: Subject = {
        name: engine.name,
        async open(contracts) {
          // A server closes its storage when it ends; the next one has the same data.
          opened ??= await engine.open(contracts);
          return { storage: await opened.again() };
        },
      };
      return serveBeacon(subject, {
        work,
        settings: {
          roots: [folder],
          uploads: { folder: at('uploads') },
          loqusdb: { dataset: 'cardio-set', databases: { neuro: 'neuro-set' }, addresses: ['127.0.0.1/32', '::1/128'] },
        },
        auth: {
          issuers: [{ issuer: broker.issuer, audience: broker.audience }],
          roles: [{ claim: 'groups', value: '/bioinformatics', role: 'work' }],
          ...(tenants && { tenants }),
        },
      });
    }

    before(async () => {
      for (const [i, name] of ['cardio', 'neuro', 'loose'].entries()) {
        mkdirSync(at(name));
        writeFileSync(
          at(`${name}/own.vcf`),
          vcf({ samples: [`of-${name}`], records: [`1 ${10 + i} . A C . . . GT 0/1`] }),
        );
      }
      symlinkSync(at('neuro/own.vcf'), at('cardio/link.vcf'));
      symlinkSync(at('neuro'), at('cardio/folder'));
      symlinkSync(at('neuro/own.vcf'), at('loose/link.vcf'));
      server = await serve({ cardio: tenant('cardio'), neuro: tenant('neuro') }, true);
      for (const id of sets) await server.repository.addDataset(dataset(id, { access: 'CONTROLLED' }), new Date());
      const person = async (name: string, ...groups: string[]) => {
        broker.add({ sub: name, claims: { groups } });
        return { authorization: `Bearer ${await broker.accessToken(name)}` };
      };
      const token = async (...scopes: string[]) => ({
        'x-auth-token': (await issueToken(server.tokens, { owner: 'pipeline', scopes }, new Date())).token,
      });
      callers.cardiologist = await person('cardiologist', '/cardio');
      // Loads for one tenant, and reads in the other.
      callers.guest = await person('guest', '/cardio', '/neuro-readers');
      callers.both = await person('both', '/cardio', '/neuro');
      callers.bioinformatician = await person('bioinformatician', '/bioinformatics');
      callers['token of cardio-set'] = await token('beacon:write:cardio-set');
      callers['token of free-set'] = await token('beacon:write:free-set');
      callers['token of both-set'] = await token('beacon:write:both-set');
      callers['token of all'] = await token('beacon:write');
    });
    after(async () => {
      await server?.close();
      await opened?.close();
    });

    const add = (url: string, headers: Record<string, string>, dataset_id: Set, vcf_path: string) =>
      sendTo(`${url}/apiv1.0/add`, { headers, json: { dataset_id, vcf_path, assemblyId: 'GRCh37' } });

    /** Status, headers and body, without what differs between two equal requests and without the name itself. */
    async function plain(response: Response, name: string) {
      const varying = ['date', 'x-request-id', 'content-length'];
      const headers = [...response.headers].filter(([key]) => !varying.includes(key)).sort();
      return { status: response.status, headers, body: (await response.text()).replaceAll(name, 'NAME') };
    }

    it('are reached by what the caller may write, and are otherwise answered as absent', async () => {
      for (const [caller, set, own] of [
        ['cardiologist', 'cardio-set', ['cardio']],
        ['cardiologist', 'both-set', ['cardio']],
        ['guest', 'both-set', ['cardio']],
        ['both', 'cardio-set', ['cardio']],
        ['both', 'both-set', ['cardio', 'neuro']],
        ['token of cardio-set', 'cardio-set', ['cardio']],
        ['token of both-set', 'both-set', ['cardio', 'neuro']],
        ['token of free-set', 'free-set', ['loose']],
        ['token of all', 'cardio-set', ['cardio', 'neuro', 'loose']],
        ['bioinformatician', 'free-set', ['cardio', 'neuro', 'loose']],
      ] as const) {
        const headers = callers[caller] ?? {};
        const absent = await plain(await add(server.url, headers, set, at('none/own.vcf')), at('none/own.vcf'));
        expect(absent, caller).to.deep.include({ status: 422 });
        for (const name of ['cardio', 'neuro', 'loose'] as const) {
          for (const path of [at(`${name}/own.vcf`), `${name}/own.vcf`, at(`loose/../${name}/own.vcf`)]) {
            const reply = await add(server.url, headers, set, path);
            if ((own as readonly string[]).includes(name)) expect(reply.status, `${caller} ${path}`).to.equal(202);
            else expect(await plain(reply, path), `${caller} ${path}`).to.deep.equal(absent);
          }
        }
      }
    });

    it('are not reached by links out of a tenant’s directory, nor into one', async () => {
      for (const [caller, set, path] of [
        ['cardiologist', 'cardio-set', 'cardio/link.vcf'],
        ['cardiologist', 'cardio-set', 'cardio/folder/own.vcf'],
        ['token of all', 'cardio-set', 'cardio/link.vcf'],
        ['token of free-set', 'free-set', 'loose/link.vcf'],
      ] as const) {
        const reply = await add(server.url, callers[caller] ?? {}, set, at(path));
        expect([reply.status, await reply.json()], `${caller} ${path}`).to.deep.equal([
          422,
          { message: notFound(at(path)) },
        ]);
      }
    });

    it('are the same for the cases of loqusdb', async () => {
      const load = (caller: string, query: Record<string, string>, id = 'case') =>
        sendTo(`${server.url}/loqusdb/cases/${id}`, { method: 'POST', query, headers: callers[caller] ?? {} });
      for (const field of ['snv_file', 'sv_file', 'profile_file']) {
        const asked = async (path: string) => {
          const other: Record<string, string> = field === 'profile_file' ? { snv_file: 'cardio/own.vcf' } : {};
          return plain(await load('token of cardio-set', { ...other, [field]: path }), path);
        };
        const absent = await asked(at('none/own.vcf'));
        expect(absent).to.deep.include({ status: 406, body: '{"detail":"Input file path does not exist"}' });
        for (const path of ['neuro/own.vcf', 'loose/own.vcf', 'cardio/link.vcf']) {
          expect(await asked(at(path)), `${field} ${path}`).to.deep.equal(absent);
        }
      }
      expect((await load('cardiologist', { snv_file: at('neuro/own.vcf'), db_name: 'neuro' })).status).to.equal(403);
      await server.repository.removeDataset('cardio-set');
      await server.repository.addDataset(dataset('cardio-set', { access: 'CONTROLLED' }), new Date());
      expect((await load('cardiologist', { snv_file: at('cardio/own.vcf') })).status).to.equal(200);
    });

    it('are decided again when the job runs, by the configuration of then', async () => {
      const queue = async (caller: string, set: Set, path: string) => {
        const reply = await add(waiting.url, callers[caller] ?? {}, set, at(path));
        expect(reply.status, await reply.clone().text()).to.equal(202);
        return ((await reply.json()) as { job: { id: string } }).job.id;
      };
      await server.close();
      const waiting = await serve({ cardio: tenant('cardio'), neuro: tenant('neuro'), renal: tenant('loose') }, false);
      const queued = {
        // The directory is no longer the tenant's.
        moved: await queue('cardiologist', 'cardio-set', 'cardio/own.vcf'),
        'by a token': await queue('token of cardio-set', 'cardio-set', 'cardio/own.vcf'),
        // The dataset is no longer the tenant's.
        taken: await queue('cardiologist', 'both-set', 'cardio/own.vcf'),
        kept: await queue('both', 'both-set', 'neuro/own.vcf'),
        'of the server': await queue('token of all', 'cardio-set', 'cardio/own.vcf'),
      };
      const store = (opened as OpenedStorage).storage.repository(jobs);
      const old = async (set: Set, path: string) => {
        const id = randomUUID();
        const now = new Date();
        // As a server of version 0.2 left it: it does not say who named the file.
        const payload = { dataset: set, assembly: 'GRCh37', vcf: { path: at(path) }, samples: null, genes: null };
        await store.enqueue({ id, kind: addVariants, payload, owner: 'pipeline', created: now, runAfter: now });
        return id;
      };
      const left = {
        'own, of 0.2': await old('neuro-set', 'neuro/own.vcf'),
        'another’s, of 0.2': await old('cardio-set', 'neuro/own.vcf'),
      };
      await waiting.close();
      server = await serve(
        {
          cardio: tenant('cardio', { roots: [at('elsewhere')], datasets: ['cardio-set'] }),
          neuro: tenant('neuro'),
        },
        true,
      );
      const ended = async (id: string) => {
        let job = await store.find(id);
        await until(async () => {
          job = await store.find(id);
          return job?.state === 'done' || job?.state === 'failed';
        });
        return [job?.state, job?.error];
      };
      const cardio = ['failed', notFound(at('cardio/own.vcf'))];
      expect({
        moved: await ended(queued.moved),
        'by a token': await ended(queued['by a token']),
        taken: await ended(queued.taken),
        kept: await ended(queued.kept),
        'of the server': await ended(queued['of the server']),
        'own, of 0.2': await ended(left['own, of 0.2']),
        'another’s, of 0.2': await ended(left['another’s, of 0.2']),
      }).to.deep.equal({
        moved: cardio,
        'by a token': cardio,
        taken: cardio,
        kept: ['done', undefined],
        'of the server': ['done', undefined],
        'own, of 0.2': ['done', undefined],
        'another’s, of 0.2': ['failed', notFound(at('neuro/own.vcf'))],
      });
    });
  });
}

describe('beacon: files that requests name, without tenants', () => {
  it('are all below the roots for a token of one dataset, as ever', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trefoil-named-'));
    const [sqlite] = storages;
    const server = await serveBeacon(sqlite as Subject, { settings: { roots: [folder] } });
    try {
      writeFileSync(join(folder, 'a.vcf'), vcf({ samples: ['s'], records: ['1 10 . A C . . . GT 0/1'] }));
      await server.repository.addDataset(dataset('one'), new Date());
      const scopes = ['beacon:write:one'];
      const { token } = await issueToken(server.tokens, { owner: 'pipeline', scopes }, new Date());
      const reply = await fetch(`${server.url}/apiv1.0/add`, {
        method: 'POST',
        headers: { 'x-auth-token': token, 'content-type': 'application/json' },
        body: JSON.stringify({ dataset_id: 'one', vcf_path: join(folder, 'a.vcf'), assemblyId: 'GRCh37' }),
      });
      expect(reply.status).to.equal(202);
    } finally {
      await server.close();
      await rm(folder, { recursive: true });
    }
  });
});
