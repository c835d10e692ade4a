/**
 * What a tenant asks for by an id: whether something of another tenant has it makes no difference to what is read, so that none is
 * left for time to show. Calls of repositories are compared with their results: the same calls, and nothing of others in any result.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { jobs } from '../../core/jobs/contract.js';
import type { Contract, Storage, StorageScope } from '../../core/storage.js';
import { serveForTest, type TestServer } from '../../core/testing/server.js';
import { coverageReports, coverageSamples, type KeptFacts } from '../../plugins/coverage/contract.js';
import { fileWord } from '../../plugins/coverage/report/kept/search.js';
import { matchmaker } from '../../plugins/matchmaker/contract.js';
import { panels } from '../../plugins/panels/contract.js';
import { draftVersion } from '../../plugins/panels/versions/lifecycle.js';
import { type NewStatement, reviews } from '../../plugins/reviews/contract.js';
import { blockFolder } from '../support/folder.js';
import { sampled } from '../support/sample.js';
import { storages } from '../support/storages.js';
import { contentOf } from './panels/support/served.js';

/** Calls in their order: `contract.verb`, and what they returned. */
type Calls = [call: string, result: unknown][];

function recorded(storage: Storage, calls: Calls): Storage {
  const repositories = (scope: StorageScope) => (contract: Contract) => {
    const repository = scope.repository(contract) as Record<string, (...args: unknown[]) => unknown>;
    return new Proxy(repository, {
      get: (target, verb) => {
        const method = target[verb as string];
        if (typeof method !== 'function') return method;
        return (...args: unknown[]) => {
          const result = method.apply(target, args);
          if (!(result instanceof Promise)) return result;
          return result.then((value) => {
            calls.push([`${contract.id}.${String(verb)}`, value]);
            return value;
          });
        };
      },
    });
  };
  return new Proxy(storage, {
    get: (target, member) => {
      if (member === 'repository') return repositories(target);
      if (member === 'transaction') {
        return (work: (scope: StorageScope) => Promise<unknown>) =>
          target.transaction((scope) => work(new Proxy(scope, { get: (one, name) => (name === 'repository' ? repositories(one) : Reflect.get(one, name)) }))); // biome-ignore format: one line
      }
      const value = Reflect.get(target, member);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

const looked = ['coverage-samples@1', 'coverage-reports@1', 'panels@1', 'matchmaker@1', 'jobs@1', 'reviews@1'];
const now = new Date('2026-01-15T08:00:00Z');

for (const engine of sampled(storages, 2)) {
  describe(`what belongs to another tenant is not read (${engine.name})`, function () {
    this.timeout(120_000);
    let server: TestServer;
    const folder = blockFolder();
    let token: string;
    const calls: Calls = [];
    const ids = {
      sample: ['neuro-1', 'ghost-1'],
      report: ['r'.repeat(24), 'g'.repeat(24)],
      job: ['8d8ac610-566d-4ef0-9c22-186b2a5ed793', '8d8ac610-566d-4ef0-9c22-186b2a5ed794'],
      panel: ['brain', 'ghost'],
      patient: ['N1', 'G1'],
      case: ['F1', 'F2'],
    } as const;

    before(async () => {
      for (const name of ['cardio', 'neuro']) await mkdir(join(folder, name));
      const tenant = (name: string) => ({ roots: [join(folder, name)], clients: [`${name}-scout`], panels: [name] });
      const subject = { ...engine, open: async (contracts: readonly Contract[]) => {
        const opened = await engine.open(contracts);
        return { ...opened, storage: recorded(opened.storage, calls) };
      } }; // biome-ignore format: one step
      server = await serveForTest({
        storage: subject,
        jobs: false,
        plugins: {
          coverage: { roots: [folder], reports: { keep: 'all', days: 30 } },
          panels: {},
          matchmaker: {},
          reviews: {},
        },
        settings: { auth: { tenants: { cardio: tenant('cardio'), neuro: tenant('neuro') } } },
      });
      const file = join(folder, 'neuro', 'n.d4');
      const stated = { build: 'GRCh38', sex: 'female', labels: {} } as const;
      await server.repository(coverageSamples).register(
        [
          { id: 'neuro-1', ...stated, file: { path: file } },
          { id: 'neuro-2', ...stated, file: { path: 'neuro/n2.d4' } },
          { id: 'cardio-1', ...stated, file: { path: 'cardio/c.d4' } },
          { id: 'cardio-2', ...stated, file: { path: join(folder, 'cardio', 'c2.d4') } },
        ],
        now,
      );
      const facts: KeptFacts = {
        ...{ software: '0.2.0', language: 'en', page: 'report', build: 'GRCh38', level: 10, thresholds: [10] },
        ...{ sets: [], samples: [{ name: 'neuro-1', registration: 'neuro-1', file }], genes: 1, missing: 0 },
        ...{ shared: [], parts: {} },
      };
      await server.repository(coverageReports).keep({ id: ids.report[0], made: now, facts }, [fileWord(file)], {});
      const job = { id: ids.job[0], kind: 'a.b', payload: [], owner: 'neuro', created: now, runAfter: now };
      await server.repository(jobs).enqueue(job);
      await server.repository(panels).add(draftVersion('brain', '1.0', contentOf([]), { by: 'n', at: now }));
      const patient = { id: 'N1', contact: { name: 'N', href: 'mailto:n@example.org' } };
      const counted = { submitter: 's', diagnosed: false, genes: [], variants: [], features: [] };
      const save = { patient, facts: counted, writer: { owner: 'neuro-scout', all: false }, at: now };
      await server.repository(matchmaker).savePatients([save]);
      const statement: NewStatement = {
        ...{
          owner: 'neuro',
          case: ids.case[0],
          revision: 1,
          build: 'GRCh38',
          panel: { panel: 'brain', version: '1.0' },
        },
        ...{ persons: [{ role: 'proband', isAffected: true, sample: 'neuro-1', sex: 'female' }], thresholds: [10] },
        ...{ releases: {}, terms: [], conclusion: 'negative', alleles: [], reviewer: 'neuro', decided: now },
        recontact: 'yes',
      };
      await server.repository(reviews).put(statement, now);
      const coverage = ['read', 'report', 'register'].map((verb) => `coverage:${verb}:cardio`);
      const cases = ['reviews:read:cardio', 'reviews:write:cardio'];
      token = await server.token(...coverage, ...cases, 'panels:read:cardio', 'matchmaker:read:cardio-scout');
    });
    after(async () => {
      await server?.close();
    });

    async function ask(method: string, path: string, body?: unknown) {
      calls.length = 0;
      const response = await fetch(server.url + path, {
        method,
        headers: { 'x-auth-token': token, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      await response.text();
      // The server looks through all samples by itself meanwhile.
      const own = calls.filter(([call]) => call !== `${coverageSamples.id}.list`);
      const read = own.filter(([call]) => looked.some((contract) => call.startsWith(contract)));
      return { status: response.status, calls: read.map(([call]) => call), results: JSON.stringify(read) };
    }

    const questions: Readonly<Record<string, [kind: keyof typeof ids, status: number, ask: (id: string) => ReturnType<typeof ask>]>> = {
      'a registered sample': ['sample', 404, (id) => ask('GET', `/coverage/registry/samples/${id}`)],
      'a registered sample to remove': ['sample', 404, (id) => ask('DELETE', `/coverage/registry/samples/${id}`)],
      'a sample in a report': ['sample', 422, (id) => ask('POST', '/coverage/d4/genes/summary', { build: 'GRCh38', samples: [{ sample_id: id }], hgnc_gene_ids: [1] })],
      'a kept report': ['report', 404, (id) => ask('GET', `/coverage/reports/${id}`)],
      'a version of a panel': ['panel', 404, (id) => ask('GET', `/panels/${id}/1.0`)],
      'differences of a panel': ['panel', 404, (id) => ask('GET', `/panels/${id}/1.0/differences?from=0.9`)],
      'a job': ['job', 404, (id) => ask('GET', `/-/jobs/${id}`)],
      'a patient': ['patient', 404, (id) => ask('GET', `/patient/${id}`)],
      'a case': ['case', 404, (id) => ask('GET', `/reviews/cases/${id}`)],
      'a case of a tenant that is named': ['case', 404, (id) => ask('GET', `/reviews/cases/${id}?owner=neuro`)],
      'a case to remove': ['case', 404, (id) => ask('DELETE', `/reviews/cases/${id}`)],
      'a case of a tenant to remove': ['case', 404, (id) => ask('DELETE', `/reviews/cases/${id}?owner=neuro`)],
    }; // biome-ignore format: a table

    for (const [what, [kind, status, question]] of Object.entries(questions)) {
      it(what, async () => {
        const [theirs, absent] = [await question(ids[kind][0]), await question(ids[kind][1])];
        expect([theirs.status, absent.status]).to.deep.equal([status, status]);
        expect(theirs.calls).to.deep.equal(absent.calls);
        for (const name of [ids[kind][0], 'neuro']) expect(theirs.results).to.not.include(`"${name}`);
      });
    }

    it('and what is one’s own is found, whatever the form of its path', async () => {
      for (const id of ['cardio-1', 'cardio-2'])
        expect((await ask('GET', `/coverage/registry/samples/${id}`)).status).to.equal(200);
    });
  });
}
