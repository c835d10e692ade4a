/** The plugin on a server of its own; ADAPTER names the storage. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { serveForTest, storageSubject } from 'trefoil/testing';
import { geneNotes } from './contract.js';
import plugin from './plugin.js';

let server;
before(async () => {
  const storage = await storageSubject(process.env.ADAPTER ?? 'sqlite', {
    url: process.env.DATABASE_URL,
    plugins: [plugin],
  });
  server = await serveForTest({ storage, plugins: { '@lab/gene-notes': { title: 'Notes under test' } } });
});
after(() => server.close());

test('a note is found by its gene in any case', async () => {
  await server.repository(geneNotes).save([{ gene: 'SMN1', text: 'two copies', changed: new Date(0) }]);
  const answer = await fetch(`${server.url}/gene-notes/smn1`);
  assert.deepEqual(await answer.json(), { gene: 'SMN1', text: 'two copies', changed: '1970-01-01T00:00:00.000Z' });
});

test('an import needs a token with the scope', async () => {
  const send = (token) =>
    fetch(`${server.url}/gene-notes/import`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(token && { 'X-Auth-Token': token }) },
      body: JSON.stringify({ notes: [{ gene: 'PER3', text: 'exon 18' }] }),
    });
  assert.equal((await send()).status, 401);
  assert.equal((await send(await server.token('gene-notes:read'))).status, 403);
  assert.equal((await send(await server.token('gene-notes:write'))).status, 202);
});
