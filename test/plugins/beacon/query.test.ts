import { expect } from 'chai';
import { dealt } from '../../support/dealt.js';
import { request } from '../../support/http.js';
import { useOnce } from '../../support/use.js';
import { engines } from './support/engines.js';
import { addRecords, ask, get, type Json, post, serveBeacon } from './support/serve.js';

const found = { assemblyId: 'GRCh37', referenceName: '1', start: 99, referenceBases: 'A', alternateBases: 'C' };
const missing = { ...found, start: 100 };

/** `{ [datasetId]: 'variantCount/callCount/sampleCount' }` of a response. */
function entries(body: Json): Record<string, string> {
  const responses = body.datasetAlleleResponses as Record<string, unknown>[];
  return Object.fromEntries(
    responses.map((one) => [one.datasetId, `${one.variantCount}/${one.callCount}/${one.sampleCount}`]),
  );
}

function without<Key extends string>(key: Key) {
  const { [key]: _, ...rest } = found as Record<string, string | number>;
  return rest;
}

for (const engine of dealt(engines, 'postgres')) {
  describe(`beacon: /apiv1.0/query (${engine.name})`, () => {
    const beacon = useOnce(() => serveBeacon(engine, { settings: { id: 'here' } }));

    before(async () => {
      const add = addRecords.bind(null, beacon.repository);
      await add('one', ['1 100 . A C . . . GT 0/1 1/1', '1 200 . AG A . . . GT 0/1 0/0', 'MT 1 . G T . . . GT 1 .']);
      await add('two', ['1 100 . A G . . . GT 0/1 1/1', '1 100 . A C . . . GT 0/1 0/0'], { samples: ['c', 'd'] });
      await add('other', ['1 100 . A C . . . GT 1/1 1/1'], { assembly: 'GRCh38' });
      await add('registered', ['1 100 . A C . . . GT 0/1 1/1'], { access: 'REGISTERED' });
    });

    describe('responses', () => {
      it("have the contract's exact shape, by GET", async () => {
        const { status, body } = await ask(beacon.url, found);
        expect(status).to.equal(200);
        expect(body).to.deep.equal({
          allelRequest: {
            alternateBases: 'C',
            assemblyId: 'GRCh37',
            datasetIds: [],
            includeDatasetResponses: 'NONE',
            referenceBases: 'A',
            referenceName: '1',
            start: '99',
          },
          apiVersion: '1.0.0',
          beaconId: 'here',
          datasetAlleleResponses: [],
          error: null,
          exists: true,
        });
        expect(Object.keys(body)).to.deep.equal(Object.keys(body).sort());
      });

      it('have it by POST, with the submitted types and without omitted parameters', async () => {
        const sent = {
          ...found,
          end: null,
          variantType: '',
          unknown: 1,
          datasetIds: ['two'],
          includeDatasetResponses: 'HIT',
        };
        const { status, body } = await post(beacon.url, sent);
        expect(status).to.equal(200);
        expect(body).to.deep.equal({
          allelRequest: { ...found, datasetIds: ['two'], includeDatasetResponses: 'HIT' },
          apiVersion: '1.0.0',
          beaconId: 'here',
          datasetAlleleResponses: [
            {
              callCount: 1,
              datasetId: 'two',
              exists: true,
              info: { accessType: 'PUBLIC' },
              sampleCount: 1,
              variantCount: 1,
            },
          ],
          error: null,
          exists: true,
        });
      });

      it('have it by GET without empty parameters, which count as absent', async () => {
        const { status, body } = await ask(beacon.url, { ...found, end: '', variantType: '', datasetIds: '' });
        expect([status, body.exists]).to.deep.equal([200, true]);
        const sent = { ...found, start: '99', datasetIds: [], includeDatasetResponses: 'NONE' };
        expect(body.allelRequest).to.deep.equal(sent);
      });

      it('are the same for forms and JSON, with or without a charset', async () => {
        const form = new URLSearchParams({ ...found, start: '99' } as Record<string, string>).toString();
        const json = await post(beacon.url, found, 'application/json; charset=utf-8');
        expect([json.status, json.body.exists]).to.deep.equal([200, true]);
        for (const type of ['application/x-www-form-urlencoded', 'Application/X-WWW-Form-Urlencoded; charset=UTF-8']) {
          const { status, body } = await post(beacon.url, form, type);
          expect(status).to.equal(200);
          expect(body.exists).to.equal(true);
        }
      });

      it('are false for an absent allele', async () => {
        expect((await ask(beacon.url, missing)).body).to.deep.include({ exists: false, error: null });
      });

      it('accept 0 as a position', async () => {
        const zero = { assemblyId: 'GRCh37', referenceName: 'm', start: 0, referenceBases: 'G', alternateBases: 'T' };
        expect((await post(beacon.url, zero)).body).to.deep.include({
          exists: true,
          allelRequest: { ...zero, datasetIds: [], includeDatasetResponses: 'NONE' },
        });
        expect((await ask(beacon.url, zero)).body.exists).to.equal(true);
      });

      it('ignore the query string of a POST', async () => {
        const response = await fetch(`${beacon.url}/apiv1.0/query?start=1`, {
          method: 'POST',
          body: JSON.stringify(found),
          headers: { 'content-type': 'application/json' },
        });
        expect(((await response.json()) as Json).exists).to.equal(true);
      });
    });

    describe('dataset by dataset', () => {
      for (const [include, hit, miss] of [
        ['ALL', { one: '1/3/2', other: '0/0/0', two: '1/1/1' }, { one: '0/0/0', other: '0/0/0', two: '0/0/0' }],
        ['HIT', { one: '1/3/2', two: '1/1/1' }, {}],
        ['MISS', { other: '0/0/0' }, { one: '0/0/0', other: '0/0/0', two: '0/0/0' }],
        ['NONE', {}, {}],
      ] as const) {
        it(`${include} lists the expected datasets`, async () => {
          const one = await ask(beacon.url, { ...found, includeDatasetResponses: include });
          expect(entries(one.body)).to.deep.equal(hit);
          expect(one.body.exists).to.equal(true);
          const none = await ask(beacon.url, { ...missing, includeDatasetResponses: include });
          expect(entries(none.body)).to.deep.equal(miss);
          expect(none.body.exists).to.equal(false);
        });
      }

      it('accepts ids repeated or joined by commas, and echoes them as a list', async () => {
        const all = { ...found, includeDatasetResponses: 'ALL' };
        for (const datasetIds of [['one', 'two'], ['one,two'], ['two', 'one,']]) {
          const { body } = await ask(beacon.url, { ...all, datasetIds });
          expect(Object.keys(entries(body))).to.deep.equal(['one', 'two']);
          expect((body.allelRequest as Json).datasetIds).to.have.members(['one', 'two']);
        }
      });

      it('accepts ids in the brackets of other clients, and a thousand of them', async () => {
        const { includeDatasetResponses, ...rest } = { ...found, includeDatasetResponses: 'ALL' };
        const base = new URLSearchParams({ ...rest, start: '99', includeDatasetResponses } as Record<string, string>);
        for (const ids of [
          'datasetIds[]=one&datasetIds[]=two',
          'datasetIds[0]=one&datasetIds[1]=two',
          'datasetIds=one&datasetIds%5B%5D=two',
        ]) {
          const query = `${base}&${ids}`;
          const answers = [
            await get(`${beacon.url}/apiv1.0/query?${query}`),
            await post(beacon.url, query, 'application/x-www-form-urlencoded'),
          ];
          for (const { status, body } of answers) {
            expect(status).to.equal(200);
            expect(Object.keys(entries(body))).to.deep.equal(['one', 'two']);
            expect((body.allelRequest as Json).datasetIds).to.deep.equal(['one', 'two']);
          }
        }
        const json = { ...found, includeDatasetResponses: 'ALL' };
        expect(entries((await post(beacon.url, { ...json, 'datasetIds[]': ['two'] })).body)).to.have.keys('two');
        const many = Array.from({ length: 999 }, (_, i) => `d${i}`);
        expect(entries((await post(beacon.url, { ...json, datasetIds: [...many, 'two'] })).body)).to.have.keys('two');
      });

      it('queries known ids if others are unknown, and restricts NONE too', async () => {
        const sent = { ...found, alternateBases: 'G' };
        expect((await post(beacon.url, { ...sent, datasetIds: ['one', 'nowhere'] })).body.exists).to.equal(false);
        expect((await post(beacon.url, { ...sent, datasetIds: ['two', 'nowhere'] })).body.exists).to.equal(true);
      });

      it('counts over several alleles: distinct alleles, all calls, distinct samples', async () => {
        const sent = { ...found, referenceBases: 'N', alternateBases: 'N', includeDatasetResponses: 'HIT' };
        expect(entries((await post(beacon.url, sent)).body)).to.deep.equal({ one: '1/3/2', two: '2/4/2' });
      });
    });

    describe('the allele', () => {
      async function exists(change: Json): Promise<unknown> {
        const { status, body } = await post(beacon.url, { ...found, datasetIds: ['one'], ...change });
        expect(status, JSON.stringify(body.error)).to.equal(200);
        return body.exists;
      }

      it('is found by any spelling of chromosome, assembly and bases', async () => {
        for (const referenceName of ['1', 'chr1', 'CHR1', 'NC_000001.10', 'nc_000001.10'])
          expect(await exists({ referenceName }), referenceName).to.equal(true);
        for (const referenceName of ['MT', 'M', 'chrM', 'chrMT', 'NC_012920.1'])
          expect(await exists({ referenceName, start: 0, referenceBases: 'G', alternateBases: 'T' })).to.equal(true);
        for (const assemblyId of ['GRCh37', 'grch37', 'GRCh37.p13', 'hg19', 'HG19', 'b37', 'hs37d5'])
          expect(await exists({ assemblyId }), assemblyId).to.equal(true);
        for (const assemblyId of ['GRCh38', 'GRCh38.p14', 'hg38', 'Hg38', 'b38'])
          expect(await exists({ assemblyId, datasetIds: ['other'] }), assemblyId).to.equal(true);
        expect(await exists({ referenceBases: 'a', alternateBases: 'c' })).to.equal(true);
      });

      it('is restricted by end, by type, and by both type and alternate', async () => {
        expect(await exists({ end: 100 })).to.equal(true);
        expect(await exists({ end: 101 })).to.equal(false);
        expect(await exists({ alternateBases: undefined, variantType: 'snv' })).to.equal(true);
        expect(await exists({ variantType: 'SNP' })).to.equal(true);
        expect(await exists({ variantType: 'INS' })).to.equal(false);
        for (const variantType of ['dup:tandem', 'INS:ME:ALU', 'STR27', 'CPX'])
          expect(await exists({ alternateBases: undefined, variantType }), variantType).to.equal(false);
      });

      it('may be located by its end alone, without reference bases', async () => {
        expect(await exists({ start: undefined, end: 100, referenceBases: undefined })).to.equal(true);
        expect(await exists({ start: undefined, end: 99, referenceBases: undefined })).to.equal(false);
      });

      it('may be located by any of the range bounds, inclusive; numbers may be text', async () => {
        const range = (bounds: Json) => exists({ start: undefined, ...bounds });
        expect(await range({ startMin: 99 })).to.equal(true);
        expect(await range({ startMin: 100 })).to.equal(false);
        expect(await range({ startMax: '99' })).to.equal(true);
        expect(await range({ startMax: 98 })).to.equal(false);
        expect(await range({ endMin: 100, endMax: 100 })).to.equal(true);
        expect(await range({ endMin: 101 })).to.equal(false);
        expect(await range({ startMin: 0, startMax: 1e20 })).to.equal(true);
      });

      it('is found by a range, which takes precedence over start = end = 0', async () => {
        expect(await exists({ start: 0, end: 0, startMin: 90, startMax: 110 })).to.equal(true);
      });

      it('may be beyond every chromosome, and is then not found', async () => {
        for (const start of [2 ** 31 - 1, 2 ** 31, 1e15, '99999999999999999999999']) {
          expect(await exists({ start })).to.equal(false);
        }
      });
    });

    describe('errors', () => {
      const mandatory = 'Missing one or more mandatory parameters (referenceName, referenceBases, assemblyId)';
      const notNumbers = 'Invalid coordinates. Variant start and stop positions must be numbers';
      const badType =
        'Invalid variantType. Accepted values are SNV, SNP, MNP, INDEL, INS, DEL, DUP, INV, CNV, BND, TRA, CTX, ITX, CPX, ' +
        'MEI, ALU, LINE1, SVA, STR, TDUP, IDUP, INVDUP, LOH, ROH, and subtypes such as DUP:TANDEM';
      const noCoordinates = 'Start coordinate or range coordinate params are required';

      for (const [title, sent, message] of [
        ['no referenceName', without('referenceName'), mandatory],
        ['no assemblyId', without('assemblyId'), mandatory],
        ['start alone without referenceBases', without('referenceBases'), mandatory],
        ['empty mandatory parameters', { ...found, referenceName: '' }, mandatory],
        [
          'only unknown datasets',
          { ...found, datasetIds: ['nowhere', 'never'] },
          'Unknown datasets. Database does not contain the dataset IDs specified in the query',
        ],
        [
          'datasets of another assembly',
          { ...found, assemblyId: 'GRCh38', datasetIds: ['one', 'two'] },
          'Requested genome assembly is in conflict with the assembly of one or more requested datasets',
        ],
        [
          'an unknown assembly for named datasets',
          { ...found, assemblyId: 'GRCh99', datasetIds: ['one'] },
          'Requested genome assembly is in conflict with the assembly of one or more requested datasets',
        ],
        [
          'neither alternateBases nor variantType',
          without('alternateBases'),
          "Either 'alternateBases' or 'variantType' param is required",
        ],
        ['no coordinate', without('start'), noCoordinates],
        ['a start that is no number', { ...found, start: 'FOO' }, notNumbers],
        ['a start that is no whole number', { ...found, start: '1.5' }, notNumbers],
        ['an end that is no number', { ...found, end: '0x10' }, notNumbers],
        ['a range bound that is no number', { ...without('start'), endMax: '1e3' }, notNumbers],
        ...['startMin', 'startMax', 'endMin'].map(
          (name) => [`${name} that is no number`, { ...without('start'), [name]: 'FOO' }, notNumbers] as const,
        ),
        [
          'a bound that is negative',
          { ...without('start'), startMin: -1 },
          'Invalid coordinates. startMin is negative: positions are counted from 0',
        ],
        [
          'reversed bounds of the start',
          { ...without('start'), startMin: 8, startMax: 7 },
          'Invalid coordinates. startMax is before startMin',
        ],
        [
          'a pattern for bases',
          { ...found, referenceBases: '.*' },
          'Invalid referenceBases. Bases are the letters A, C, G, T and N',
        ],
        [
          'a database statement for bases',
          { ...found, alternateBases: "A' or '1'='1" },
          'Invalid alternateBases. Bases are the letters A, C, G, T and N',
        ],
        [
          'a negative start',
          { ...found, start: -1 },
          'Invalid coordinates. start is negative: positions are counted from 0',
        ],
        ['an end before the start', { ...found, end: 98 }, 'Invalid coordinates. end is before start'],
        [
          'reversed bounds',
          { ...without('start'), endMin: 7, endMax: 6 },
          'Invalid coordinates. endMax is before endMin',
        ],
        [
          'a start beside a range',
          { ...found, startMin: 7 },
          "Invalid coordinates. Range coordinates cannot be combined with 'start' or 'end'",
        ],
        [
          'an end of 0 alone beside a range',
          { ...without('start'), end: 0, startMin: 7 },
          "Invalid coordinates. Range coordinates cannot be combined with 'start' or 'end'",
        ],
        [
          'an unknown chromosome',
          { ...found, referenceName: '23' },
          'Invalid referenceName. Accepted values are 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, X, Y, MT',
        ],
        [
          'an unknown include value',
          { ...found, includeDatasetResponses: 'SOME' },
          'Invalid includeDatasetResponses. Accepted values are ALL, HIT, MISS, NONE',
        ],
        [
          'bad reference bases',
          { ...found, referenceBases: 'AZ' },
          'Invalid referenceBases. Bases are the letters A, C, G, T and N',
        ],
        [
          'bad alternate bases',
          { ...found, alternateBases: '<DEL>' },
          'Invalid alternateBases. Bases are the letters A, C, G, T and N',
        ],
        ['a type that is no word', { ...found, variantType: 'DROP TABLE' }, badType],
        ['an unknown type', { ...found, variantType: 'DELETION' }, badType],
        ['a subtype of what has none', { ...found, variantType: 'SNV:X' }, badType],
        [
          'an unknown assembly',
          { ...found, assemblyId: 'GRCh99' },
          'Invalid assemblyId. Accepted values are GRCh37, GRCh38, hg19, b37 and hg38',
        ],
        [
          'an accession of the other assembly',
          { ...found, referenceName: 'NC_000001.11' },
          'Invalid referenceName. NC_000001.11 is chromosome 1 of GRCh38, but the assemblyId is GRCh37',
        ],
        [
          'an accession of the other assembly as mate',
          { ...found, assemblyId: 'hg38', mateName: 'nc_000017.10', variantType: 'BND' },
          'Invalid mateName. NC_000017.10 is chromosome 17 of GRCh37, but the assemblyId is GRCh38',
        ],
        [
          'an accession of neither assembly',
          { ...found, referenceName: 'NC_000001.9' },
          'Invalid referenceName. NC_000001.9 is a version of chromosome 1 that belongs to neither GRCh37 nor GRCh38',
        ],
        ...[
          ['referencename', 'referenceName'],
          ['reference_name', 'referenceName'],
          ['referencesName', 'referenceName'],
          ['refrenceBases', 'referenceBases'],
          ['start[]', 'start'],
          ['Start', 'start'],
          ['strat', 'start'],
          ['stars', 'start'],
          ['ends', 'end'],
          ['startmax', 'startMax'],
          ['datasetIDs', 'datasetIds'],
          ['datasetId', 'datasetIds'],
          ['datasetids[]', 'datasetIds'],
          ['includeDatasetResponse', 'includeDatasetResponses'],
          ['varianttype', 'variantType'],
        ].map(
          ([name = '', known]) =>
            [name, { ...found, [name]: 'x' }, `Unknown parameter '${name}'. Did you mean ${known}?`] as const,
        ),
        [
          'more ids than a query may name',
          { ...found, datasetIds: Array.from({ length: 1001 }, (_, i) => `d${i}`) },
          'datasetIds may hold 1000 ids at most; got 1001',
        ],
      ] as const) {
        it(`${title}: ${message.slice(0, 60)}…`, async () => {
          for (const { status, body } of [await ask(beacon.url, sent), await post(beacon.url, sent)]) {
            expect(status).to.equal(400);
            expect(body).to.deep.include({
              apiVersion: '1.0.0',
              beaconId: 'here',
              datasetAlleleResponses: [],
              error: { errorCode: 400, errorMessage: message },
              exists: null,
            });
            expect(((body.allelRequest as Json).datasetIds as string[]).length).to.be.below(10);
            expect(Object.keys(body)).to.deep.equal([
              'allelRequest',
              'apiVersion',
              'beaconId',
              'datasetAlleleResponses',
              'error',
              'exists',
            ]);
          }
        });
      }

      it('come in a fixed order if there are several', async () => {
        const steps: [Json, RegExp][] = [
          [{}, /^Missing one or more mandatory/],
          [{ referenceName: '1', assemblyId: 'GRCh38' }, /^Unknown datasets/],
          [{ datasetIds: ['one'] }, /conflict/],
          [{ assemblyId: 'GRCh37' }, /^Either/],
          [{ variantType: 'DEL' }, /^Start coordinate or range/],
          [{ end: 'x' }, /must be numbers/],
        ];
        const sent: Json = { datasetIds: ['nowhere'] };
        for (const [change, message] of steps) {
          Object.assign(sent, change);
          const { body } = await post(beacon.url, sent);
          expect((body.error as Json).errorMessage).to.match(message);
        }
      });

      it('echo the request', async () => {
        const { body } = await post(beacon.url, { start: 7, referenceName: '1', datasetIds: ['one'], nonsense: 1 });
        expect(body.allelRequest).to.deep.equal({
          datasetIds: ['one'],
          includeDatasetResponses: 'NONE',
          referenceName: '1',
          start: 7,
        });
      });

      for (const [title, change, message] of [
        ['a number for text', { referenceName: 1 }, 'referenceName must be a string'],
        ['an object for text', { referenceBases: { $ne: 'x' } }, 'referenceBases must be a string'],
        ['true for text', { assemblyId: true }, 'assemblyId must be a string'],
        ['text for datasetIds', { datasetIds: 'one' }, 'datasetIds must be an array of strings'],
        ['numbers in datasetIds', { datasetIds: ['one', 1] }, 'datasetIds must be an array of strings'],
        ['an object for a coordinate', { start: { $gt: 1 } }, notNumbers],
        ['true for a coordinate', { start: true }, notNumbers],
        ['a fraction', { start: 99.5 }, notNumbers],
      ] as const) {
        it(`refuse ${title} in JSON`, async () => {
          const { status, body } = await post(beacon.url, { ...found, ...change });
          expect(status).to.equal(400);
          expect((body.error as Json).errorMessage).to.equal(message);
        });
      }

      it('refuse bodies other than JSON objects, and other types', async () => {
        for (const body of ['[]', '7', '"x"', 'null', '{', '{"start":']) {
          const answer = await post(beacon.url, body);
          expect(answer.status, body).to.equal(400);
          expect(answer.body).to.deep.include({ exists: null, beaconId: 'here' });
        }
        expect((await post(beacon.url, '<x/>', 'text/xml')).status).to.equal(415);
        const empty = await fetch(`${beacon.url}/apiv1.0/query`, { method: 'POST' });
        expect(((await empty.json()) as { error: Json }).error).to.deep.equal({
          errorCode: 400,
          errorMessage: mandatory,
        });
      });

      it('refuse a duplicate parameter', async () => {
        const { status, body } = await get(
          `${beacon.url}/apiv1.0/query?assemblyId=GRCh37&referenceName=1&referenceName=2&start=1`,
        );
        expect(status).to.equal(400);
        expect((body.error as Json).errorMessage).to.equal('referenceName was given twice');
      });
    });

    it('names no protected dataset in the message about assemblies', async () => {
      const { body } = await ask(beacon.url, { ...found, datasetIds: ['other', 'registered'] });
      expect((body.error as Json).errorMessage).to.match(/^Requested genome assembly is in conflict/);
    });

    it('answers credentials of another form before the query is read', async () => {
      const named = { 'Basic YTpi': 'Bearer token scheme required' };
      const missing = ['', ' ', 'Bearer', 'Bearer  a', 'Bearer a b', 'a'];
      const all = {
        ...named,
        ...Object.fromEntries(missing.map((header) => [header, 'Missing authentication token'])),
      };
      for (const [authorization, errorMessage] of Object.entries(all)) {
        for (const json of [{}, found]) {
          const { status, headers, body } = await request(`${beacon.url}/apiv1.0/query`, {
            json,
            headers: { authorization },
          });
          expect([status, body.error, body.exists], authorization).to.deep.equal([
            401,
            { errorCode: 401, errorMessage },
            null,
          ]);
          expect(headers.get('www-authenticate')).to.equal('Bearer realm="beacon", error="invalid_request"');
        }
      }
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
        const answer = await request(`${beacon.url}/apiv1.0/${path}`, { method });
        expect(answer.status, `${method} ${path}`).to.equal(status);
        expect(answer.headers.get('content-type')).to.match(/^application\/(problem\+)?json/);
        expect(answer.body).to.be.an('object').and.not.deep.equal({});
      }
    });

    it('limits how many carriers are counted for one response, but not whether any exists', async () => {
      const bounded = await serveBeacon(engine, { settings: { queries: { limit: 20 } } });
      try {
        const records = Array.from({ length: 21 }, (_, i) => `1 ${i + 1} . A C . . . GT 1`);
        await addRecords(bounded.repository, 'many', records, { samples: ['s'] });
        const wide = { assemblyId: 'GRCh37', referenceName: '1', variantType: 'SNP', startMin: 0 };
        expect((await ask(bounded.url, wide)).body.exists).to.equal(true);
        for (const include of ['ALL', 'HIT', 'MISS']) {
          const { status, body } = await ask(bounded.url, { ...wide, includeDatasetResponses: include });
          expect(status).to.equal(400);
          expect(body.error).to.deep.equal({
            errorCode: 400,
            errorMessage:
              'The query is too wide: its alleles have more than 20 carriers. Please ask for a narrower range, or for fewer datasets',
          });
        }
        const narrower = await ask(bounded.url, { ...wide, startMin: 1, includeDatasetResponses: 'ALL' });
        expect(entries(narrower.body)).to.deep.equal({ many: '20/20/1' });
      } finally {
        await bounded.close();
      }
    });
  });
}
