/** What an older server of this interface returned wrongly or by accident, and what we return instead. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { dealt } from '../../support/dealt.js';
import { blockFolder } from '../../support/folder.js';
import { useOnce } from '../../support/use.js';
import { engines } from './support/engines.js';
import { ask, dataset, get, type Json, load, post, serveBeacon } from './support/serve.js';
import { vcf } from './support/vcf.js';

const found = {
  assemblyId: 'GRCh37',
  referenceName: '1',
  start: 99,
  end: 100,
  referenceBases: 'A',
  alternateBases: 'C',
};

/** Each record is alone on its chromosome, except the copies of one allele on 2. */
const records = [
  '1 100 . A C . . . GT 0/1 1/1',
  // One copy, one copy, two in each of half-missing, haploid, phased and triploid genotypes.
  '2 10 . A C . . . GT ./1 1',
  '2 20 . A C,G . . . GT 1/2 0/2',
  '2 30 . A C . . . GT 1|1 0/1/1',
  'chr3 40 . G T . . . GT 0/1 0/0',
  'NC_000004.11 50 . G T . . . GT 0/1 0/0',
  'chrM 60 . G T . . . GT 1 0',
  'MT 70 . G T . . . GT 1 0',
  '5 80 . A *,<NON_REF>,G . . . GT 1/2 3/3',
  '6 90 . A <CNV> . . SVTYPE=CNV;END=300 GT 0/1 0/0',
  '7 90 . A <INS:ME:ALU> . . SVTYPE=INS;END=90 GT 0/1 0/0',
  '8 90 . A <DEL> . . SVTYPE=DEL;SVLEN=-10 GT 0/1 0/0',
  // LowQual, and without any call.
  '9 90 . A C . LowQual . GT 0/1 0/0',
  '10 90 . A C . . . GT 0/0 ./.',
  // Indels as written, with a base before; trimmed if the record has several alternates.
  '11 10 . ACC A,ACCC . . . GT 0/1 0/2',
  '12 10 . A A]2:321681] . . SVTYPE=BND GT 0/1 0/0',
];

for (const engine of dealt(engines, 'sqlite')) {
  describe(`beacon: what an older server got wrong (${engine.name})`, () => {
    const folder = blockFolder();
    const beacon = useOnce(() => serveBeacon(engine));

    before(async () => {
      const file = join(folder, 'a.vcf');
      await writeFile(file, vcf({ samples: ['a', 'b.c$d'], records }));
      await beacon.repository.addDataset(dataset('ds'), new Date());
      await load(beacon.repository, 'ds', [file]);
      await beacon.repository.addDataset(dataset('twin'), new Date());
      await load(beacon.repository, 'twin', [file], ['a']);
      await beacon.repository.addDataset(dataset('empty', { access: 'CONTROLLED' }), new Date());
    });

    /** variantCount/callCount/sampleCount of the dataset. */
    async function counts(sent: Record<string, string | number>): Promise<string> {
      const { status, body } = await ask(beacon.url, {
        assemblyId: 'GRCh37',
        includeDatasetResponses: 'ALL',
        datasetIds: 'ds',
        ...sent,
      });
      expect(status, JSON.stringify(body.error)).to.equal(200);
      const [one] = body.datasetAlleleResponses as Json[];
      return `${one?.variantCount}/${one?.callCount}/${one?.sampleCount}`;
    }

    async function refused(sent: Json, message: RegExp, headers: Record<string, string> = {}): Promise<void> {
      const response = await fetch(`${beacon.url}/apiv1.0/query`, {
        method: 'POST',
        body: JSON.stringify(sent),
        headers: { 'content-type': 'application/json', ...headers },
      });
      const body = (await response.json()) as Json;
      expect(response.status, JSON.stringify(body)).to.equal(headers.authorization === undefined ? 400 : 401);
      expect(body).to.deep.include({ exists: null, datasetAlleleResponses: [] });
      expect((body.error as Json).errorMessage).to.match(message);
    }

    describe('the request', () => {
      it('may have empty parameters in a query string, which count as absent', async () => {
        const query = new URLSearchParams({ ...found, start: '99', end: '', variantType: '', datasetIds: '' });
        const { status, body } = await get(`${beacon.url}/apiv1.0/query?${query}`);
        expect([status, body.exists]).to.deep.equal([200, true]);
        expect(body.allelRequest).to.deep.equal({
          alternateBases: 'C',
          assemblyId: 'GRCh37',
          datasetIds: [],
          includeDatasetResponses: 'NONE',
          referenceBases: 'A',
          referenceName: '1',
          start: '99',
        });
      });

      it('may be JSON with a charset, or a form with repeated or joined ids', async () => {
        expect((await post(beacon.url, found, 'application/json; charset=utf-8')).body.exists).to.equal(true);
        const plain = { ...found, start: '99', end: '100', includeDatasetResponses: 'ALL' };
        for (const ids of [['ds', 'twin'], ['ds,twin']]) {
          const form = new URLSearchParams(plain);
          for (const id of ids) form.append('datasetIds', id);
          const { body } = await post(beacon.url, form.toString(), 'application/x-www-form-urlencoded');
          const entries = body.datasetAlleleResponses as Json[];
          expect(entries.map(({ datasetId }) => datasetId)).to.deep.equal(['ds', 'twin']);
        }
      });

      it('is validated completely even if start, end and both alleles are given', async () => {
        expect((await post(beacon.url, found)).body.exists).to.equal(true);
        await refused({ ...found, start: 'FOO' }, /must be numbers$/);
        await refused({ ...found, datasetIds: ['never'] }, /^Unknown datasets/);
        await refused({ ...found, assemblyId: 'GRCh38', datasetIds: ['ds'] }, /^Requested genome assembly is in conf/);
        await refused({ ...found, includeDatasetResponses: 'FOO' }, /^Invalid includeDatasetResponses/);
        await refused({ ...found, referenceName: 'chr99' }, /^Invalid referenceName/);
      });

      it('is validated after the credentials', async () => {
        await refused({}, /^Bearer token scheme required$/, { authorization: 'Basic YTpi' });
        for (const authorization of ['', ' ', 'Bearer', 'Bearer  a', 'Bearer a b', 'a']) {
          await refused(found, /^Missing authentication token$/, { authorization });
        }
        const absent = await post(beacon.url, found);
        expect(absent.status).to.equal(200);
      });

      for (const [name, bad] of [
        ['startMin', { startMin: 'FOO' }],
        ['startMax', { startMax: '1.5' }],
        ['endMin', { endMin: [] }],
        ['endMax', { endMax: {} }],
      ] as const) {
        it(`requires a number for ${name}`, async () => {
          const { start: _, end: __, ...open } = found;
          await refused({ ...open, ...bad }, /must be numbers$/);
        });
      }

      it('must not reverse or combine its bounds', async () => {
        const { start: _, end: __, ...open } = found;
        await refused({ ...open, startMin: 8, startMax: 7 }, /startMax is before startMin$/);
        await refused({ ...open, startMin: -1 }, /startMin is negative/);
        await refused({ ...open, end: 100, endMax: 100 }, /cannot be combined/);
        await refused({ ...open, start: 0, endMax: 100 }, /cannot be combined/);
        await refused({ ...found, end: 42, variantType: 'DEL' }, /end is before start$/);
      });

      it('cannot inject a pattern or a database statement', async () => {
        for (const bases of ['.*', '[A', 'A|C', '%', '_', "A' or '1'='1", '(a+)+$']) {
          await refused({ ...found, alternateBases: bases }, /^Invalid alternateBases/);
          await refused({ ...found, referenceBases: bases }, /^Invalid referenceBases/);
        }
        await refused({ ...found, referenceName: { $ne: 'x' } }, /^referenceName must be a string$/);
        await refused({ ...found, alternateBases: { $ne: 1 } }, /^alternateBases must be a string$/);
      });

      it('gets the counts of a miss as zeros', async () => {
        const { body } = await ask(beacon.url, { ...found, alternateBases: 'T', includeDatasetResponses: 'MISS' });
        const miss = {
          callCount: 0,
          exists: false,
          info: { accessType: 'PUBLIC' },
          sampleCount: 0,
          variantCount: 0,
        };
        expect(body.datasetAlleleResponses).to.deep.equal([
          { ...miss, datasetId: 'ds' },
          { ...miss, datasetId: 'twin' },
        ]);
      });
    });

    describe('the position', () => {
      const at = (referenceName: string, start: number) =>
        counts({ referenceName, start, referenceBases: 'G', alternateBases: 'T' });

      it('is on one chromosome with any of its names, in files and in queries', async () => {
        for (const name of ['3', 'chr3', 'Chr3', 'NC_000003.11']) expect(await at(name, 39), name).to.equal('1/1/1');
        for (const name of ['4', 'NC_000004.11', 'nc_000004.11']) expect(await at(name, 49), name).to.equal('1/1/1');
        for (const name of ['MT', 'M', 'chrM', 'chrMT', 'NC_012920.1']) {
          expect(await at(name, 59), name).to.equal('1/1/1');
          expect(await at(name, 69), name).to.equal('1/1/1');
        }
        // Of the other assembly, of none, and a chromosome of another kind.
        for (const referenceName of ['NC_000003.12', 'NC_000003.9', 'NC_000099.1', 'GL000191.1']) {
          await refused({ ...found, referenceName }, /^Invalid referenceName/);
        }
      });

      it('is within any combination of the bounds, which are inclusive', async () => {
        const within = (bounds: Record<string, number>) =>
          counts({ referenceName: '1', referenceBases: 'A', alternateBases: 'C', ...bounds });
        for (const [bounds, answer] of [
          [{ startMin: 99 }, '1/3/2'],
          [{ startMin: 100 }, '0/0/0'],
          [{ startMax: 99 }, '1/3/2'],
          [{ startMax: 98 }, '0/0/0'],
          [{ endMin: 100 }, '1/3/2'],
          [{ endMin: 101 }, '0/0/0'],
          [{ endMax: 100 }, '1/3/2'],
          [{ endMax: 99 }, '0/0/0'],
          [{ startMin: 99, startMax: 99, endMin: 100, endMax: 100 }, '1/3/2'],
          [{ startMax: 99, endMin: 100 }, '1/3/2'],
        ] as const) {
          expect(await within(bounds), JSON.stringify(bounds)).to.equal(answer);
        }
      });

      it('has an exclusive end, from the bases, from END or from SVLEN', async () => {
        const deletion = { referenceName: '8', start: 89, referenceBases: 'N', variantType: 'DEL' };
        // One base is kept before the ten deleted ones.
        expect(await counts({ ...deletion, end: 100 })).to.equal('1/1/1');
        expect(await counts({ ...deletion, end: 99 })).to.equal('0/0/0');
        const copies = { referenceName: '6', start: 89, referenceBases: 'A', variantType: 'CNV' };
        expect(await counts({ ...copies, end: 300 })).to.equal('1/1/1');
        expect(await counts({ ...copies, end: 299 })).to.equal('0/0/0');
      });
    });

    describe('the allele', () => {
      it('is each alternate of a record separately, never both joined', async () => {
        const at = (alternateBases: string) =>
          counts({ referenceName: '2', start: 19, referenceBases: 'A', alternateBases });
        expect(await at('C')).to.equal('1/1/1');
        expect(await at('G')).to.equal('1/2/2');
        expect(await at('CG')).to.equal('0/0/0');
        const split = (start: number, referenceBases: string, alternateBases: string) =>
          counts({ referenceName: '11', start, referenceBases, alternateBases });
        expect(await split(9, 'ACC', 'A')).to.equal('1/1/1');
        // ACC > ACCC is A > AC, one inserted base.
        expect(await split(9, 'A', 'AC')).to.equal('1/1/1');
      });

      it('matches its type, and the types above it', async () => {
        const of = (referenceName: string, variantType: string) =>
          counts({ referenceName, start: 89, referenceBases: 'N', variantType });
        expect(await of('6', 'CNV')).to.equal('1/1/1');
        expect(await of('6', 'DUP')).to.equal('0/0/0');
        for (const type of ['INS', 'INS:ME', 'INS:ME:ALU', 'ins:me'])
          expect(await of('7', type), type).to.equal('1/1/1');
        expect(await of('7', 'INDEL')).to.equal('0/0/0');
        expect(await of('9', 'SNV')).to.equal('1/1/1');
      });

      it('is never a placeholder, nor an allele without carriers', async () => {
        const any = { referenceBases: 'N', alternateBases: 'N', startMin: 0 };
        expect(await counts({ ...any, referenceName: '5' })).to.equal('1/2/1');
        expect(await counts({ ...any, referenceName: '10' })).to.equal('0/0/0');
      });

      it('is a breakend if the mate matches, with or without its type', async () => {
        const join = { referenceName: '12', start: 9, referenceBases: 'N' };
        expect(await counts({ ...join, variantType: 'BND', mateName: '2' })).to.equal('1/1/1');
        expect(await counts({ ...join, variantType: 'BND', mateName: '9' })).to.equal('0/0/0');
        expect(await counts({ ...join, alternateBases: 'N', mateName: '2' })).to.equal('1/1/1');
        const there = { ...join, referenceName: '2', start: 321680, variantType: 'BND' };
        expect(await counts({ ...there, end: 9 })).to.equal('1/1/1');
        expect(await counts({ ...there, end: 10 })).to.equal('0/0/0');
      });
    });

    describe('the counts', () => {
      it('include every copy, whatever the ploidy', async () => {
        const at = (start: number) => counts({ referenceName: '2', start, referenceBases: 'A', alternateBases: 'C' });
        expect(await at(9)).to.equal('1/2/2');
        expect(await at(29)).to.equal('1/4/2');
      });

      it('include a sample once, over all of its alleles', async () => {
        const all = { referenceName: '2', startMin: 0, startMax: 100, referenceBases: 'A', variantType: 'SNV' };
        // 10 C, 20 C and G, 30 C: 2 + 1 + 2 + 4 copies in two samples.
        expect(await counts(all)).to.equal('4/9/2');
      });

      it('are those of each dataset separately, whether others are queried or not', async () => {
        for (const datasetIds of [['ds', 'twin'], []]) {
          const { body } = await post(beacon.url, { ...found, datasetIds, includeDatasetResponses: 'HIT' });
          const entries = body.datasetAlleleResponses as Json[];
          expect(entries.map((one) => [one.datasetId, one.variantCount, one.callCount, one.sampleCount])).to.deep.equal(
            [
              ['ds', 1, 3, 2],
              ['twin', 1, 1, 1],
            ],
          );
        }
      });

      it('are in the information, also of datasets without samples', async () => {
        const { body } = await get(`${beacon.url}/apiv1.0/info`);
        const listed = body.datasets as Json[];
        expect(listed.map((one) => [one.id, one.info, one.version, one.sampleCount])).to.deep.equal([
          ['ds', { accessType: 'PUBLIC' }, 1, 2],
          ['empty', { accessType: 'CONTROLLED', counts: 'withheld' }, 1, 0],
          ['twin', { accessType: 'PUBLIC' }, 1, 1],
        ]);
      });
    });

    it('responds to other methods and paths in JSON', async () => {
      for (const [method, path, status] of [
        ['PUT', 'query', 405],
        ['DELETE', 'query', 405],
        ['POST', 'info', 405],
        ['GET', 'add', 405],
        ['GET', 'add_dataset', 405],
        ['GET', 'none', 404],
      ] as const) {
        const response = await fetch(`${beacon.url}/apiv1.0/${path}`, { method });
        expect(response.status, `${method} ${path}`).to.equal(status);
        expect(response.headers.get('content-type')).to.match(/^application\/(problem\+)?json/);
        expect(await response.json()).to.be.an('object');
      }
    });
  });
}
