/** Beacon 1.1.0 at /beacon/v1; every answer is validated. */
import { expect } from 'chai';
import fc from 'fast-check';
import { issueToken } from '../../../core/auth/access.js';
import type { CalledAllele } from '../../../plugins/beacon/contract.js';
import { breakend, called, load, small, structural } from '../../conformance/beacon/build.js';
import { memorySubject } from '../../kit/memory.js';
import { request } from '../../support/http.js';
import { useOnce } from '../../support/use.js';
import { dataset, type Json, serveBeacon } from './support/serve.js';
import { mustBeV11 } from './support/v11-schema.js';

const found = { assemblyId: 'GRCh37', referenceName: '1', start: 99, referenceBases: 'A', alternateBases: 'C' };
const { alternateBases: _, start: __, ...place } = found;
const now = new Date('2026-03-04T05:06:07Z');

interface Reply {
  status: number;
  headers: Headers;
  body: Json;
}

type Parameters = Readonly<Record<string, unknown>>;

/** As a query string or a form has them: lists repeated. */
function written(parameters: Parameters): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of [value].flat()) search.append(name, typeof one === 'object' ? JSON.stringify(one) : String(one));
  }
  return search.toString();
}

describe('beacon: v1.1 at /beacon/v1', () => {
  const beacon = useOnce(async () => {
    const disclosure = { datasets: { quiet: 'boolean', counted: 'count' } };
    const organisation = { id: 'lab', name: 'Laboratory', info: [{ key: 'unit', value: 'genetics' }] };
    const queries = { limit: 8 };
    return serveBeacon(memorySubject, { settings: { id: 'here', disclosure, organisation, queries } });
  });
  const unlisted = useOnce(() => serveBeacon(memorySubject, { settings: { id: 'here', listProtected: false } }));
  let reading: string;
  let writing: string;

  before(async () => {
    const snv = small('1', 99, 'A', 'C');
    for (const { repository } of [beacon, unlisted]) {
      const add = async (id: string, more: Parameters, ...alleles: readonly CalledAllele[]) => {
        await repository.addDataset(dataset(id, more), now);
        await load(repository, id, ['s', 't', 'u'], alleles, { now });
      };
      await add(
        'one',
        { externalUrl: 'https://example.org/one', description: 'The first' },
        called(snv, [0, 1], [1, 2]),
        called(small('1', 199, 'AG', 'A'), [0, 1]),
        called(structural('2', 999, 5000, 'DEL'), [2, 1]),
        called(breakend('2', 321_680, 'G]17:198982]', '17', 198_981), [1, 1]),
        ...Array.from({ length: 9 }, (_, i) => called(small('9', 500 + i, 'A', 'T'), [0, 1])),
      );
      await add('empty', {});
      await add('other', { assembly: 'GRCh38' }, called(snv, [0, 1]));
      await add('quiet', {}, called(snv, [0, 1]));
      await add('counted', {}, called(snv, [2, 1]));
      await add('closed', { access: 'CONTROLLED' }, called(snv, [0, 1]));
    }
    reading = (await issueToken(beacon.tokens, { owner: 'Lab', scopes: ['beacon:read:closed'] }, now)).token;
    writing = (await issueToken(beacon.tokens, { owner: 'Lab', scopes: ['beacon:write'] }, now)).token;
  });

  async function read(response: Response): Promise<Reply> {
    expect(response.headers.get('content-type')).to.match(/^application\/json/);
    const body = (await response.json()) as Json;
    mustBeV11('answer', body);
    expect(response.ok).to.equal(body.error === undefined);
    if (body.error) expect(body.error).to.have.property('errorCode', response.status);
    return { status: response.status, headers: response.headers, body };
  }

  async function get(parameters: Parameters, { token, url = beacon.url }: { token?: string; url?: string } = {}) {
    return read(
      await fetch(`${url}/beacon/v1/query?${written(parameters)}`, {
        headers: token ? { authorization: `Bearer ${token}` } : {},
      }),
    );
  }

  async function post(body: unknown, type = 'application/json') {
    const sent = typeof body === 'string' ? body : JSON.stringify(body);
    return read(
      await fetch(`${beacon.url}/beacon/v1/query`, { method: 'POST', body: sent, headers: { 'content-type': type } }),
    );
  }

  const ids = (body: Json) =>
    (body.datasetAlleleResponses as { datasetId: string }[]).map(({ datasetId }) => datasetId);

  it('answers a request in the exact form, by GET, JSON and form', async () => {
    const asked = { ...found, datasetIds: ['one'], includeDatasetResponses: 'HIT' };
    const expected = {
      beaconId: 'here',
      apiVersion: 'v1.1.0',
      exists: true,
      alleleRequest: asked,
      datasetAlleleResponses: [
        {
          datasetId: 'one',
          exists: true,
          // Copies of the allele, one of s and two of t; called copies are not known.
          variantCount: 3,
          sampleCount: 2,
          externalUrl: 'https://example.org/one',
          info: { accessType: 'PUBLIC' },
        },
      ],
    };
    expect((await get(asked)).body).to.deep.equal(expected);
    expect((await post(asked)).body).to.deep.equal(expected);
    expect((await post(written(asked), 'application/x-www-form-urlencoded')).body).to.deep.equal(expected);
    const text = 'text/plain; charset=utf-8';
    expect((await post(JSON.stringify(asked), text)).body, "as CSCfi's clients").to.deep.equal(expected);
    const broken = await post('start=99', text);
    expect([broken.status, (broken.body.error as Json).errorMessage]).to.deep.equal([
      400,
      'The body is not valid JSON',
    ]);
    const none = await get(found);
    expect(none.body).to.deep.equal({ ...expected, alleleRequest: found, datasetAlleleResponses: [] });
    expect(none.headers.get('access-control-allow-origin')).to.equal('*');
  });

  it('lists datasets repeated or joined by commas, with those that are included', async () => {
    const all = ['counted', 'empty', 'one', 'other', 'quiet'];
    const table: [Parameters, string[]][] = [
      [{ includeDatasetResponses: 'ALL' }, all],
      [{ includeDatasetResponses: 'HIT' }, ['counted', 'one', 'quiet']],
      [{ includeDatasetResponses: 'MISS' }, ['empty', 'other']],
      [{ includeDatasetResponses: 'NONE' }, []],
      [{ includeDatasetResponses: 'ALL', datasetIds: ['one', 'other'] }, ['one', 'other']],
      [{ includeDatasetResponses: 'ALL', datasetIds: 'one,other' }, ['one', 'other']],
      [{ includeDatasetResponses: 'ALL', datasetIds: ['one,other', 'empty'] }, ['empty', 'one', 'other']],
      [{ includeDatasetResponses: 'ALL', datasetIds: '' }, all],
    ];
    for (const [more, expected] of table) {
      const { status, body } = await get({ ...found, ...more });
      expect([status, body.exists, ids(body)], JSON.stringify(more)).to.deep.equal([200, true, expected]);
    }
    // Another build is a miss, not an error.
    const { status, body } = await get({ ...found, datasetIds: 'other', includeDatasetResponses: 'ALL' });
    expect([status, body.exists, ids(body)]).to.deep.equal([200, false, ['other']]);
  });

  it('tells of a dataset what its policy allows', async () => {
    const { body } = await get({ ...found, includeDatasetResponses: 'ALL', datasetIds: 'quiet,counted,empty' });
    expect(body.datasetAlleleResponses).to.deep.equal([
      { datasetId: 'counted', exists: true, variantCount: 1, sampleCount: 1, info: { accessType: 'PUBLIC' } },
      { datasetId: 'empty', exists: false, variantCount: 0, sampleCount: 0, info: { accessType: 'PUBLIC' } },
      { datasetId: 'quiet', exists: true, info: { accessType: 'PUBLIC' } },
    ]);
  });

  it('answers a request with too many carriers without counts', async () => {
    const wide = {
      ...place,
      referenceName: '9',
      referenceBases: 'N',
      alternateBases: 'N',
      startMin: 0,
      startMax: 1000,
    };
    const asked = { ...wide, includeDatasetResponses: 'HIT', datasetIds: 'one' };
    const { status, body } = await get(asked);
    expect([status, body.exists]).to.deep.equal([200, true]);
    const [answer] = body.datasetAlleleResponses as Json[];
    expect(answer).to.include({
      exists: true,
      note: 'The alleles have too many carriers to be counted; a narrower request has counts.',
    });
    expect(answer).not.to.have.any.keys('variantCount', 'sampleCount', 'callCount', 'frequency');
    const narrow = await get({ ...asked, startMax: 505 });
    expect(narrow.body.datasetAlleleResponses).to.have.nested.property('[0].variantCount', 6);
  });

  it('finds structural variants and breakends, by bracket and from both ends', async () => {
    const two = { assemblyId: 'GRCh37', referenceName: '2', referenceBases: 'N' };
    const table: [Parameters, boolean][] = [
      [{ ...two, start: 999, end: 5000, variantType: 'DEL' }, true],
      [{ ...two, start: 999, end: 5000, variantType: 'DUP' }, false],
      [{ ...two, start: 999, variantType: 'DEL' }, true],
      [{ ...two, startMin: 990, startMax: 999, endMin: 5000, endMax: 5010, variantType: 'DEL' }, true],
      [{ ...two, startMin: 990, startMax: 998, endMin: 5000, endMax: 5010, variantType: 'DEL' }, false],
      // As the example of the specification has it.
      [
        { ...two, start: 0, end: 0, startMin: 990, startMax: 999, endMin: 5000, endMax: 5010, variantType: 'DEL' },
        true,
      ],
      [{ ...two, start: 321_680, variantType: 'BND' }, true],
      [{ ...two, start: 321_680, mateName: '17' }, true],
      [{ ...two, start: 321_680, mateName: '17', variantType: 'BND' }, true],
      [{ ...two, start: 321_680, end: 198_981, mateName: '17', variantType: 'BND' }, true],
      [{ ...two, referenceName: '17', start: 198_981, mateName: '2', variantType: 'BND' }, true],
      [{ ...two, start: 321_680, mateName: '3' }, false],
      [{ ...found, start: 97, referenceBases: 'GTA', alternateBases: 'GTC' }, true],
      [{ ...found, assemblyId: 'hg19' }, true],
      [{ ...found, assemblyId: 'GRCh37.p13' }, true],
      [{ ...found, assemblyId: 'GRCh37p13' }, true],
      [{ ...found, referenceBases: 'N' }, true],
      [{ ...found, start: 400_000_000 }, false],
    ];
    for (const [asked, exists] of table) {
      expect((await get(asked)).body.exists, JSON.stringify(asked)).to.equal(exists);
      expect((await post(asked)).body.exists, JSON.stringify(asked)).to.equal(exists);
    }
  });

  it('refuses what the specification does not know, by the name of the parameter', async () => {
    const table: [Parameters, RegExp][] = [
      [{}, /^referenceName is missing; referenceName, referenceBases, assemblyId are required/],
      [{ ...found, referenceName: 'chr1' }, /^referenceName must be 1 to 22, X, Y or MT/],
      [{ ...found, referenceName: 'M' }, /^referenceName must be/],
      [{ ...found, referenceBases: 'a' }, /^referenceBases must be one or more of the letters A, C, G, T and N/],
      [{ ...found, referenceBases: '' }, /^referenceBases must be/],
      [{ ...found, alternateBases: '<DEL>' }, /^alternateBases must be/],
      [{ ...found, assemblyId: 'b37' }, /^assemblyId must be GRCh37, GRCh38, hg19 or hg38/],
      [{ ...found, assemblyId: 'GRCh36' }, /^assemblyId must be .*got "GRCh36"/],
      [{ ...found, start: -1 }, /^start must be a whole number from 0/],
      [{ ...found, start: 1.5 }, /^start must be a whole number from 0/],
      [{ ...found, start: 'x' }, /^start must be a whole number from 0/],
      [{ ...found, start: 1e300 }, /^start must be a whole number from 0/],
      [{ ...found, strat: 1 }, /^"strat" is not a parameter; accepted are referenceName/],
      [{ ...found, access_token: 'x' }, /^"access_token" is not a parameter/],
      [{ ...found, variantType: 'DEL' }, /^alternateBases cannot be combined with variantType or mateName/],
      [{ ...found, mateName: '2' }, /^alternateBases cannot be combined/],
      [{ ...place, start: 9 }, /^alternateBases or variantType is missing; accepted are/],
      [{ ...place, start: 9, mateName: '2', variantType: 'DEL' }, /^mateName cannot be combined with variantType DEL/],
      [{ ...place, start: 9, variantType: 'SNV' }, /^variantType must be one of DEL, INS/],
      [{ ...place, start: 9, variantType: 'del' }, /^variantType must be one of/],
      [{ ...place, end: 9, variantType: 'DEL' }, /^end needs start/],
      [{ ...place, variantType: 'DEL' }, /^start is missing; accepted are start, start and end/],
      [{ ...place, startMin: 1, variantType: 'DEL' }, /^startMin and startMax need each other/],
      [{ ...place, startMin: 1, startMax: 2, endMax: 9, variantType: 'DEL' }, /^endMin and endMax need each other/],
      [{ ...place, startMin: 3, startMax: 2, variantType: 'DEL' }, /startMax is before startMin/],
      [{ ...place, start: 1, startMin: 1, startMax: 2, variantType: 'DEL' }, /cannot be combined with 'start'/],
      [{ ...found, end: 98 }, /end is before start/],
      [{ ...found, includeDatasetResponses: 'all' }, /^includeDatasetResponses must be one of ALL, HIT, MISS, NONE/],
      [{ ...found, datasetIds: ['<b>'] }, /^datasetIds must not have any of the characters/],
      [{ ...found, datasetIds: ['nowhere'] }, /^datasetIds: not known: "nowhere"$/],
      [{ ...found, datasetIds: ['one', 'nowhere', 'never'] }, /^datasetIds: not known: "nowhere", "never"$/],
      [{ ...found, datasetIds: ['closed', 'nowhere'] }, /^datasetIds: not known: "nowhere"$/],
    ];
    for (const [asked, message] of table) {
      for (const { status, body } of [await get(asked), await post(asked)]) {
        expect(status, JSON.stringify(asked)).to.equal(400);
        expect((body.error as Json).errorMessage, JSON.stringify(asked)).to.match(message);
      }
    }
    const twice = await get({ ...found, start: [1, 2] });
    expect(twice.body.error).to.deep.equal({ errorCode: 400, errorMessage: '"start" was given twice' });
    for (const body of ['', '[]', '"x"', 'null', '{', JSON.stringify({ ...found, start: '99' })]) {
      expect((await post(body)).status, body).to.equal(400);
    }
    for (const [datasetIds, referenceName] of [
      ['one', '1'],
      [[1], '1'],
      [['one'], 1],
    ]) {
      const { status, body } = await post({ ...found, datasetIds, referenceName });
      expect(status).to.equal(400);
      expect((body.error as Json).errorMessage).to.match(/^datasetIds must be a list of texts$|^referenceName must be/);
    }
    expect((await post('<x/>', 'text/xml')).status).to.equal(415);
  });

  it('answers anything at all in its form, and never with a fault of its own', async () => {
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom('1', 'A', 'N', 'GRCh37', 'DEL', 'BND', 'ALL', 'HIT', 0, 99, 2 ** 53, ['one'], ['closed'], [1]),
    );
    const name = fc.constantFrom(...Object.keys(found), 'end', 'startMin', 'startMax', 'endMin', 'endMax', 'variantType', 'mateName', 'datasetIds', 'includeDatasetResponses', 'odd'); // biome-ignore format: a list
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, value, { maxKeys: 3 }), async (odd) => {
        for (const { status } of [await post({ ...found, ...odd }), await get({ ...found, ...odd })]) {
          expect(status, JSON.stringify(odd)).to.be.oneOf([200, 400, 401]);
        }
      }),
      { numRuns: Number(process.env.TEST_HISTORIES ?? 1) * 40 },
    );
  });

  it('asks for a token only for datasets that it lists, whatever their alleles', async () => {
    for (const start of [99, 100]) {
      const asked = { ...found, start };
      const only = { ...asked, datasetIds: 'closed', includeDatasetResponses: 'ALL' };
      const anonymous = await get(only);
      expect(anonymous.status).to.equal(401);
      expect(anonymous.headers.get('www-authenticate')).to.equal('Bearer realm="here", error="missing_token"');
      const request = { ...asked, datasetIds: ['closed'], includeDatasetResponses: 'ALL' };
      expect(anonymous.body.alleleRequest).to.deep.equal(request);
      const denied = await get(only, { token: writing });
      expect(denied.body.alleleRequest).to.deep.equal(request);
      expect([denied.status, denied.headers.get('www-authenticate')]).to.deep.equal([
        403,
        'Bearer realm="here", error="insufficient_scope"',
      ]);
      expect((await get(asked, { token: 'nonsense' })).status).to.equal(401);
      expect((await get({ ...only, start: -1 })).body).not.to.have.property('alleleRequest');
      const granted = await get(only, { token: reading });
      expect([granted.status, granted.body.exists, ids(granted.body)]).to.deep.equal([200, start === 99, ['closed']]);
      const mixed = await get({ ...only, datasetIds: 'closed,one' });
      expect([mixed.status, ids(mixed.body)]).to.deep.equal([200, ['one']]);
      // Not listed: as if absent, byte for byte.
      const at = (datasetIds: string) => get({ ...only, datasetIds }, { url: unlisted.url });
      const [hidden, absent] = [await at('closed'), await at('absent')];
      expect([hidden.status, JSON.stringify(hidden.body)]).to.deep.equal([
        absent.status,
        JSON.stringify(absent.body).replaceAll('absent', 'closed'),
      ]);
      expect(hidden.status).to.equal(400);
      const [beside, besideAbsent] = [await at('one,closed'), await at('one,absent')];
      expect([beside.status, JSON.stringify(beside.body)]).to.deep.equal([
        400,
        JSON.stringify(besideAbsent.body).replaceAll('absent', 'closed'),
      ]);
      expect(ids((await get({ ...asked, includeDatasetResponses: 'ALL' })).body)).not.to.include('closed');
    }
  });

  it('describes itself and its datasets', async () => {
    const about = async (path: string, { token, url = beacon.url }: { token?: string; url?: string } = {}) => {
      return (await request(`${url}/beacon/v1${path}`, token ? { headers: { authorization: `Bearer ${token}` } } : {}))
        .body;
    };
    const body = await about('/');
    mustBeV11('beacon', body);
    expect(await about('')).to.deep.equal(body);
    expect(body).to.deep.include({ id: 'here', apiVersion: 'v1.1.0' });
    expect(body.organization).to.deep.equal({ id: 'lab', name: 'Laboratory', info: { unit: 'genetics' } });
    const of = (described: Json, wanted: string) => (described.datasets as Json[]).find(({ id }) => id === wanted);
    expect(of(body, 'one')).to.deep.equal({
      id: 'one',
      name: 'Dataset one',
      description: 'The first',
      assemblyId: 'GRCh37',
      createDateTime: now.toISOString(),
      updateDateTime: now.toISOString(),
      version: '1',
      variantCount: 13,
      callCount: 15,
      sampleCount: 3,
      externalUrl: 'https://example.org/one',
      info: { accessType: 'PUBLIC' },
    });
    for (const silent of ['quiet', 'closed']) {
      expect(of(body, silent), silent).not.to.have.any.keys('variantCount', 'callCount', 'sampleCount');
    }
    expect(of(await about('/', { token: reading }), 'closed')).to.include({ variantCount: 1, callCount: 1 });
    expect(of(await about('/', { url: unlisted.url }), 'closed')).to.equal(undefined);
    const requests = body.sampleAlleleRequests as Parameters[];
    expect(requests).to.have.length(2);
    for (const request of requests)
      expect((await get(request)).body, JSON.stringify(request)).to.include({ exists: true });

    const service = await about('/service-info');
    mustBeV11('service', service);
    expect(service).to.deep.include({ id: 'here', organization: { name: 'Laboratory', url: beacon.url } });
    expect(service.createdAt).to.equal(now.toISOString());
  });

  it('answers HEAD and OPTIONS, and no other method', async () => {
    for (const path of ['', '/query', '/service-info']) {
      const url = `${beacon.url}/beacon/v1${path}?${path === '/query' ? written(found) : ''}`;
      const head = await fetch(url, { method: 'HEAD' });
      expect([head.status, await head.text()], path).to.deep.equal([200, '']);
      const options = await fetch(url, { method: 'OPTIONS' });
      expect(options.status, path).to.equal(204);
      expect(options.headers.get('allow'), path).to.include('GET');
      const preflight = await fetch(url, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://example.org',
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'authorization, content-type',
        },
      });
      expect(preflight.headers.get('access-control-allow-origin'), path).to.equal('*');
      expect(preflight.headers.get('access-control-allow-headers')?.toLowerCase(), path).to.include('authorization');
      const refused = await fetch(url, { method: 'DELETE' });
      expect(refused.status, path).to.equal(405);
      mustBeV11('answer', await refused.json());
    }
    const unknown = await fetch(`${beacon.url}/beacon/v1/nothing`);
    expect(unknown.status).to.equal(404);
    mustBeV11('answer', await unknown.json());
  });

  it('is off if it is not among the faces', async () => {
    const off = await serveBeacon(memorySubject, { settings: { faces: ['v1'] } });
    try {
      expect((await fetch(`${off.url}/beacon/v1`)).status).to.equal(404);
      expect((await fetch(`${off.url}/apiv1.0/`)).status).to.equal(200);
    } finally {
      await off.close();
    }
  });
});
