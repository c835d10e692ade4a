/**
 * Defects of patientMatcher (reference, section 8.1) that concern the whole node. The others are tested in
 * benchmark.test.ts (1, 2, 3, 8, 9, 10, 13), validation.test.ts (7) and api.test.ts (6, and ownership and logs of 12);
 * processes.test.ts tests that demo data do not change existing data (14).
 */
import { readdir, readFile } from 'node:fs/promises';
import { connect, Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { storages } from '../../support/storages.js';
import { useOnce } from '../../support/use.js';
import { annotation, hpoa, obo, resourcesOf, termOf } from './resources/support/build.js';
import { contracts, type Json, patient, serveMatchmaker, serveOn } from './support/serve.js';

const day = 24 * 60 * 60 * 1000;

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

  describe('12: tokens in clear text, records kept forever', () => {
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

    for (const engine of storages) {
      it(`deletes expired records of matches, on ${engine.name}`, async () => {
        const opened = await engine.open(contracts);
        try {
          const first = await serveOn(opened.storage, { settings: { retentionDays: 0 } });
          await first.post('/patient/add', { patient: patient('P') });
          const record = { type: 'internal', direction: 'incoming', asker: 'scout', matchedGenes: [] } as const;
          for (const [age, id] of [
            [400, 'old'],
            [10, 'young'],
          ] as const) {
            await first.matches.add({
              ...record,
              errors: [],
              id: `00000000-0000-4000-8000-${String(age).padStart(12, '0')}`,
              created: new Date(Date.now() - age * day),
              patient: patient(id),
              results: [
                { node: { id: 'here', label: 'Here' }, patients: [{ patient: patient('P'), score: { patient: 1 } }] },
              ],
            });
          }
          expect((await first.get('/matches/old')).body.matches).to.have.length(1);
          await first.close();
          const second = await serveOn(opened.storage, { settings: { retentionDays: 365 } });
          try {
            // The start does not wait for the deletion.
            for (let look = 0; (await second.get('/matches/old')).body.matches && look < 200; look++) {
              await new Promise((resolve) => setTimeout(resolve, 20));
            }
            expect((await second.get('/matches/old')).body.message).to.match(/^Could not find any matches/);
            expect((await second.get('/matches/young')).body.matches).to.have.length(1);
          } finally {
            await second.close();
          }
        } finally {
          await opened.close();
        }
      });
    }
  });

  describe('15: the corpus of information content', () => {
    const toy = [
      { id: 1, parents: [] },
      { id: 118, parents: [1] },
      { id: 10, parents: [118] },
      { id: 11, parents: [118] },
    ];
    const informationOf = async (lines: readonly string[]) => {
      const { ontology } = await resourcesOf(obo(toy), hpoa(lines));
      return [10, 11].map((id) => ontology.information(termOf(ontology, id)));
    };

    it('counts each disease once, whatever its references, and no NOT row', async () => {
      const plain = [annotation('OMIM:1', 10), annotation('OMIM:2', 11), annotation('ORPHA:3', 11)];
      // Shares of three diseases: 1/3 and 2/3.
      const expected = [Math.log(3), Math.log(3 / 2)];
      const cases: Record<string, string[]> = {
        plain,
        'references that name the disease itself': [
          ...plain,
          annotation('OMIM:1', 10, { reference: 'PMID:5' }),
          annotation('OMIM:1', 10, { reference: 'OMIM:1' }),
        ],
        'references that name other diseases': [
          annotation('OMIM:1', 10, { reference: 'OMIM:9' }),
          annotation('OMIM:2', 11, { reference: 'ORPHA:8' }),
          annotation('ORPHA:3', 11, { reference: 'OMIM:7' }),
        ],
        'NOT rows': [...plain, annotation('OMIM:2', 10, { not: true }), annotation('OMIM:4', 10, { not: true })],
        'other aspects': [
          ...plain,
          annotation('OMIM:5', 10, { aspect: 'M' }),
          annotation('OMIM:2', 10, { aspect: 'C' }),
        ],
      };
      for (const [what, lines] of Object.entries(cases)) {
        for (const [i, information] of (await informationOf(lines)).entries()) {
          expect(information, what).to.be.closeTo(expected[i] ?? Number.NaN, 1e-12);
        }
      }
    });
  });
});
