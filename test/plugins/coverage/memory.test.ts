/** The coverage plugin without a database: all that it stores is above tables. */
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import memory from '../../../adapters/memory/adapter.js';
import { coverageCohorts } from '../../../plugins/coverage/contract.js';
import { quiet, type StorageEngine, sqlite } from '../../support/storages.js';
import { stores } from '../../support/stores.js';
import { serveCoverage } from './support/serve.js';

const inMemory: StorageEngine = {
  name: 'memory',
  adapter: 'memory',
  capabilities: memory.capabilities,
  home: () => Promise.reject(new Error('Nothing is kept')),
  async open(contracts) {
    const storage = await memory.open({ settings: {}, contracts, bindings: new Map(), stores, log: quiet });
    const close = () => storage.close();
    return { storage, again: () => Promise.reject(new Error('Nothing is kept')), discard: async () => {}, close };
  },
};

const demo = fileURLToPath(new URL('../../../plugins/coverage/demo', import.meta.url));

/** What a server of the demo shows and stores of a registered sample. */
async function shown(engine: StorageEngine): Promise<unknown[]> {
  const server = await serveCoverage({ engine, demo: true, settings: { roots: [demo] } });
  try {
    server.startJobs();
    const headers = { 'x-auth-token': await server.token('coverage:register', 'coverage:read') };
    const read = async (path: string) => (await fetch(`${server.url}${path}`, { headers })).text();
    const pages: unknown[] = [];
    for (const page of ['report', 'overview', 'gene_overview']) pages.push(await read(`/${page}/demo?format=csv`));
    const url = `${server.url}/coverage/registry/samples/child`;
    const body = JSON.stringify({ coverage_file_path: 'child.d4', build: 'GRCh38', sex: 'male' });
    await fetch(url, { method: 'PUT', headers: { ...headers, 'content-type': 'application/json' }, body });
    for (let state = ''; state !== 'ready'; ) {
      ({ state } = JSON.parse(await read('/coverage/registry/samples/child')));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const members = async () => (await server.storage.repository(coverageCohorts).state('GRCh38'))?.members ?? [];
    while ((await members()).length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    return [...pages, await members()];
  } finally {
    await server.close();
  }
}

describe('coverage in memory', function () {
  this.timeout(60_000);

  it('reports and stores what it does on SQLite', async () => {
    const [here, there] = [await shown(inMemory), await shown(sqlite)];
    expect(here).to.deep.equal(there);
    expect(here[0]).to.match(/^demo_child,47\.12,/m);
  });
});
