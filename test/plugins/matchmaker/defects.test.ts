/**
 * Defects of patientMatcher (reference, section 8.1) that concern the whole node. The others are tested in
 * matching (1, 2, 3, 8, 9, 10), benchmark.test.ts (13), validation.test.ts (7), api.test.ts (6, and ownership and logs of 12),
 * exchange/retention.test.ts (records that expire, of 12) and resources/ontology.test.ts (15); processes.test.ts tests that demo
 * data do not change existing data (14).
 */
import { readdir, readFile } from 'node:fs/promises';
import { connect, Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { storages } from '../../support/storages.js';
import { useOnce } from '../../support/use.js';
import { contracts, type Json, patient, serveMatchmaker, serveOn } from './support/serve.js';

/** Hosts that are connected to during the work. */
async function destinations(work: () => Promise<void>): Promise<string[]> {
  const reached: string[] = [];
  const original = Socket.prototype.connect;
  Socket.prototype.connect = function (this: Socket, ...args: Json[]) {
    const [target] = args.flat();
    reached.push(typeof target === 'object' ? `${target.host}:${target.port}` : String(target));
    return original.apply(this, args as Parameters<typeof original>);
  } as typeof original;
  try {
    await work();
  } finally {
    Socket.prototype.connect = original;
  }
  return reached;
}

describe('matchmaker: defects of an older service', () => {
  const [sqlite] = storages;
  if (sqlite?.name !== 'SQLite') throw new Error('the first engine needs no network of its own');

  describe('4: no network in the path of a request', () => {
    const server = useOnce(() => serveMatchmaker(sqlite));

    it('looks up genes, variants and terms locally, whether known, unknown or of another build', async () => {
      const variant = (assembly: string) => ({
        assembly,
        referenceName: '2',
        start: 166_850_644,
        end: 166_850_645,
        referenceBases: 'G',
        alternateBases: 'A',
      });
      const genes = ['SCN1A', 'ENSG00000144285', 'ENSG00000999999', '6323', '99999999', 'HGNC:10585', 'NOSUCHGENE'];
      const genomicFeatures = genes.flatMap((id) => [
        { gene: { id }, variant: variant('GRCh37') },
        { gene: { id }, variant: variant('GRCh38') },
      ]);
      const features = ['HP:0001250', 'HP:0001366', 'HP:9999999'].map((id) => ({ id }));
      const one = (id: string) => ({
        patient: patient(id, { features, genomicFeatures, disorders: [{ id: 'MIM:1' }] }),
      });
      const { hostname, port } = new URL(server.url);
      const reached = await destinations(async () => {
        // Forces a new connection, which is counted even if fetch keeps one open.
        await new Promise<void>((resolve, reject) => {
          const socket = connect({ host: hostname, port: Number(port) }, () => socket.destroy());
          socket.once('close', () => resolve()).once('error', reject);
        });
        expect((await server.post('/patient/add', one('P'))).status).to.equal(200);
        expect((await server.post('/match', one('Q'))).body.results[0].patient.id).to.equal('P');
        for (const path of ['/heartbeat', '/metrics', '/nodes', '/patients', '/patient/P', '/matches/P']) {
          expect((await server.get(path)).status, path).to.equal(200);
        }
        expect((await server.send('DELETE', '/patient/delete/P')).status).to.equal(200);
      });
      expect(reached).to.include(`${hostname}:${port}`);
      expect([...new Set(reached)]).to.deep.equal([`${hostname}:${port}`]);
    });
  });

  describe('12: tokens in clear text', () => {
    it('stores only hashes of tokens', async () => {
      const home = await sqlite.home();
      const storage = await home.open(contracts);
      try {
        await storage.migrate();
        const server = await serveOn(storage);
        try {
          expect((await server.post('/patient/add', { patient: patient('kept-as-it-is') })).status).to.equal(200);
        } finally {
          await server.close();
        }
        const folder = dirname(String(home.section.file));
        const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'latin1')));
        const bytes = files.join('');
        expect(bytes, 'the files that hold the data are read').to.include('kept-as-it-is').and.include('scout');
        for (const token of [server.token, server.other, server.asker, server.admin]) {
          expect(bytes.includes(token), 'a whole token').to.equal(false);
          expect(bytes.includes(token.replace('trf_', '')), 'its secret').to.equal(false);
        }
      } finally {
        await storage.close();
        await home.discard();
      }
    });
  });
});
