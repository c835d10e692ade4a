import { expect } from 'chai';
import { memorySubject } from '../../../kit/memory.js';
import { sqlite } from '../../../support/storages.js';
import { useOnce } from '../../../support/use.js';
import { answerFaults, frameworkFaults } from '../support/beacon-schemas.js';
import { dataset, type Json, serveBeacon } from '../support/serve.js';
import { describeWithShared } from '../support/shared.js';
import { type Ask, asking, at } from './support.js';

const documents = {
  '': 'beaconInfoResponse',
  '/info': 'beaconInfoResponse',
  '/service-info': 'ga4gh-service-info-1-0-0-schema',
  '/configuration': 'beaconConfigurationResponse',
  '/entry_types': 'beaconEntryTypesResponse',
  '/map': 'beaconMapResponse',
  '/filtering_terms': 'beaconFilteringTermsResponse',
} as const;

describeWithShared('beacon v2: framework', () => {
  const beacon = useOnce(() => serveBeacon(sqlite, { settings: { id: 'org.example.beacon' } }));
  let ask: Ask;

  before(async () => {
    ask = asking(beacon.url);
    await beacon.repository.addDataset(dataset('open'), new Date('2024-03-01T10:00:00Z'));
    await beacon.repository.addDataset(dataset('closed', { access: 'CONTROLLED' }), new Date('2025-01-01T10:00:00Z'));
  });

  for (const [path, schema] of Object.entries(documents)) {
    it(`describes itself at ${path || '/'} by the schema ${schema}`, async () => {
      const { status, headers, body } = await ask(path);
      expect([status, frameworkFaults(`responses/${schema}.json`, body)]).to.deep.equal([200, []]);
      expect(headers.get('content-type')).to.equal('application/json; charset=utf-8');
      expect(headers.get('cache-control')).to.equal('no-store');
      if (path !== '/service-info') expect(at(body, 'meta.beaconId')).to.equal('org.example.beacon');
      expect((await ask(path, { json: { meta: { apiVersion: 'v2.0' } } })).body, 'by POST').to.deep.equal(body);
      expect((await ask(`${path}/`)).body, 'with a slash').to.deep.equal(body);
      const head = await ask(path, { method: 'HEAD' });
      expect([head.status, head.headers.get('content-length')]).to.deep.equal([200, headers.get('content-length')]);
    });
  }

  it('lists in its map what answers, and only entry types of its configuration', async () => {
    const types = at((await ask('/entry_types')).body, 'response.entryTypes') as Record<string, Json>;
    expect(at((await ask('/configuration')).body, 'response.entryTypes')).to.deep.equal(types);
    const sets = Object.values(at((await ask('/map')).body, 'response.endpointSets') as Record<string, Json>);
    expect(sets.map(({ entryType }) => entryType)).to.have.members(Object.keys(types));
    for (const { entryType, rootUrl, singleEntryUrl, endpoints } of sets) {
      expect(rootUrl).to.match(new RegExp(`^${beacon.url}/beacon/v2/`));
      const path = String(rootUrl).replace(`${beacon.url}/beacon/v2`, '');
      const reply = await ask(`${path}?testMode=true`);
      expect([path, reply.status, answerFaults(String(entryType), reply.body)]).to.deep.equal([path, 200, []]);
      const record = at(reply.body, 'response.collections.0') ?? at(reply.body, 'response.resultSets.0.results.0');
      const related = Object.values(endpoints as Record<string, Json>);
      for (const { url, returnedEntryType } of [{ url: singleEntryUrl, returnedEntryType: entryType }, ...related]) {
        const one = String(url)
          .replace(`${beacon.url}/beacon/v2`, '')
          .replace('{id}', String(at(record, 'id')));
        const probe = { testMode: true, requestedGranularity: 'record', pagination: { skip: 0, limit: 1 } };
        const { status, body } = await ask(one, { json: { meta: { apiVersion: 'v2.0.0' }, query: probe } });
        expect([one, status, answerFaults(String(returnedEntryType), body)]).to.deep.equal([one, 200, []]);
        expect(at(body, 'responseSummary.exists'), one).to.equal(true);
      }
    }
  });

  it('serves the schemas that it names, which lead to each other on this server alone', async () => {
    const types = Object.values(at((await ask('/entry_types')).body, 'response.entryTypes') as Record<string, Json>);
    const waiting = types.flatMap(({ defaultSchema, additionallySupportedSchemas }) =>
      [defaultSchema, ...(additionallySupportedSchemas as unknown[])].map((one) =>
        String(at(one, 'referenceToSchemaDefinition')),
      ),
    );
    const seen = new Set<string>();
    for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
      const file = url.replace(/#.*$/, '');
      if (seen.has(file)) continue;
      seen.add(file);
      expect(file).to.match(new RegExp(`^${beacon.url}/beacon/v2/schemas/`));
      const response = await fetch(file);
      expect([file, response.status]).to.deep.equal([file, 200]);
      const text = await response.text();
      expect(text, 'the notice of the licence').to.include('Apache License 2.0');
      for (const [, reference = ''] of text.matchAll(/"\$ref":"([^"]+)"/g)) waiting.push(new URL(reference, file).href);
    }
    expect(seen.size).to.be.greaterThan(2);
    for (const path of [
      '/schemas/x/defaultSchema.json',
      '/schemas/datasets/LICENSE',
      '/schemas/..%2F..%2F/a.json',
      '/schemas/datasets',
    ]) {
      const { status, body } = await ask(path);
      expect([path, status, answerFaults('dataset', body)]).to.deep.equal([path, 404, []]);
    }
  });

  it('was not updated before it was created, whatever part of a second either date has', async () => {
    const young = await serveBeacon(memorySubject);
    try {
      await young.repository.addDataset(dataset('first'), new Date('2026-01-15T08:00:00.999Z'));
      const { body } = await asking(young.url)('/info');
      expect(at(body, 'response.createDateTime')).to.equal('2026-01-15T08:00:00.999Z');
      expect(at(body, 'response.updateDateTime')).to.match(/^2026-01-15T08:00:01\.\d{3}Z$/);
    } finally {
      await young.close();
    }
  });

  it('changes updateDateTime with every change that it shows, and with no other', async () => {
    const updated = async () => at((await ask('/info')).body, 'response.updateDateTime') as string;
    const first = await updated();
    expect(first).to.match(/^2024-03-01T10:00:00/);
    expect(await updated()).to.equal(first);
    const later = async (change: () => Promise<unknown>) => {
      await change();
      await new Promise((resolve) => setTimeout(resolve, 110)); // the list of datasets is read ten times a second
      return updated();
    };
    const { repository } = beacon;
    const closed = dataset('closed', { access: 'CONTROLLED' });
    const loaded = await later(() => repository.updateDataset(closed, new Date('2026-01-01T00:00:00Z')));
    expect(loaded, 'a load into a dataset that is not public').to.equal(first);
    const added = await later(() => repository.addDataset(dataset('more'), new Date('2024-02-01T00:00:00Z')));
    expect(added, 'an older dataset').not.to.equal(first);
    const removed = await later(() => repository.removeDataset('more'));
    expect([removed, added.slice(0, 19)]).to.deep.equal([first, first.slice(0, 19)]);
  });

  const wrong: readonly [what: string, status: number, path: string, options: Parameters<Ask>[1], message: RegExp][] = [
    ['an unknown path', 404, '/nothing', {}, /nothing at this path/],
    ['an unknown dataset', 404, '/datasets/nothing', {}, /no such dataset/],
    ['another method', 405, '/datasets', { method: 'PUT' }, /GET, HEAD, OPTIONS, POST/],
    ['a body that is not JSON', 400, '/datasets', { json: '{"meta":' }, /not valid JSON/],
    ['another content type', 415, '/datasets', { json: 'a=b', headers: { 'content-type': 'text/plain' } }, /application\/json/],
    ['a large body', 413, '/datasets', { json: { meta: { apiVersion: 'x'.repeat(70_000) } } }, /65536 bytes/],
    ['a deep body', 400, '/datasets', { json: '['.repeat(5000) + ']'.repeat(5000) }, /nested/],
    ['a list as body', 400, '/datasets', { json: [] }, /The body must be a JSON object; got \[\]/],
    ['an unknown parameter', 400, '/datasets?start=1', {}, /Unknown parameter "start"/],
    ['a misspelt parameter', 400, '/datasets?testmode=true', {}, /Did you mean testMode\?/],
    ['an unknown parameter of a document', 400, '/info?limits=1', {}, /Unknown parameter "limits"/],
    ['an unknown member', 400, '/datasets', { json: { query: { limit: 1 } } }, /Unknown parameter "limit"/],
    ['an unknown request parameter', 400, '/datasets', { json: { query: { requestParameters: { start: [1] } } } }, /"start"/],
    [
      'a name that objects inherit',
      400,
      '/datasets',
      { json: { query: { requestParameters: { constructor: '17' } } } },
      /Unknown parameter "constructor"/,
    ],
    ['a token in the address', 400, '/datasets?access_token=secret', {}, /in the header Authorization/],
    ['a token in the address of a POST', 400, '/datasets?access_token=secret', { json: {} }, /in the header Authorization/],
    ['parameters of a POST in the address', 400, '/datasets?limit=1', { json: {} }, /in the body/],
    ['a negative skip', 400, '/datasets?skip=-1', {}, /skip must be a whole number from 0; got "-1"/],
    ['a broken limit', 400, '/datasets', { json: { query: { pagination: { limit: 1.5 } } } }, /limit must be a whole number/],
    ['an unknown granularity', 400, '/datasets?requestedGranularity=all', {}, /boolean, count, record; got "all"/],
    ['an unknown include', 400, '/datasets?includeResultsetResponses=SOME', {}, /ALL, HIT, MISS, NONE/],
    ['a test mode that is no boolean', 400, '/datasets?testMode=3', {}, /testMode must be true or false; got "3"/],
    ['an unknown filter', 400, '/datasets?filters=NCIT:C1', {}, /no filter "NCIT:C1"/],
    ['a filter without an id', 400, '/datasets', { json: { query: { filters: [{ value: 'x' }] } } }, /id of a filter/],
    ['alternatives of filters', 400, '/datasets', { json: { query: { filters: [[{ id: 'a' }]] } } }, /all of them must apply, so that a list of alternatives \(OR\)/],
    ['filters that are joined by OR', 400, '/datasets?filterLogic=OR', {}, /^filterLogic must be AND, as Beacon v2.1 joins filters; got "OR"/],
    ['the same in a body', 400, '/datasets', { json: { query: { filtersLogic: 'or' } } }, /^filtersLogic must be AND/],
    ['a negated term', 400, '/datasets?filters=!HP:0001250', {}, /^Filter "HP:0001250" cannot be negated: Beacon v2.1 has NOT for alphanumeric filters alone/],
    ['the same with an operator', 400, '/datasets', { json: { query: { filters: [{ id: 'HP:0001250', operator: '!' }] } } }, /cannot be negated/],
    ['the same as an exclusion', 400, '/datasets', { json: { query: { filters: [{ id: 'HP:0001250', excluded: true }] } } }, /cannot be negated/],
    ['an unknown operator', 400, '/datasets', { json: { query: { filters: [{ id: 'a', operator: '~', value: '1' }] } } }, /operator of filter "a"/],
    ['a similarity', 400, '/datasets', { json: { query: { filters: [{ id: 'a:b', similarity: 'high' }] } } }, /similarity/],
    ['members that contradict each other', 400, '/datasets', { json: { requestedGranularity: 'count', query: { requestedGranularity: 'record' } } }, /given twice/],
    ['a token that is not valid', 401, '/datasets', { token: 'x' }, /access token is not valid/],
    ['broken percent-encoding', 400, '/datasets/%zz', {}, /percent-encoding/],
    ['datasets that do not exist', 400, '/datasets/open?datasetIds=nothing', {}, /datasetIds/],
    ['a dataset that does not exist beside one that does', 400, '/g_variants?datasetIds=open,nothing', {}, /datasetIds: not known: "nothing"/],
    ['the same in a body', 400, '/g_variants', { json: { query: { requestParameters: { datasets: ['open', 'nothing'] } } } }, /datasetIds: not known: "nothing"/],
    ['the same below a dataset', 400, '/datasets/open/g_variants?datasetIds=open,nothing', {}, /datasetIds: not known: "nothing"/],
  ]; // biome-ignore format: a table

  for (const [what, status, path, options, message] of wrong) {
    it(`refuses ${what} with ${status}, in the shape of the specification`, async () => {
      const reply = await ask(path, options);
      expect([reply.status, answerFaults('dataset', reply.body)]).to.deep.equal([status, []]);
      expect(reply.body.error).to.have.property('errorCode', status);
      expect(at(reply.body, 'error.errorMessage')).to.match(message);
      expect(JSON.stringify(reply.body)).not.to.include('secret');
      if (status === 405) expect(reply.headers.get('allow')).to.equal('GET, HEAD, OPTIONS, POST');
      if (status === 401) expect(reply.headers.get('www-authenticate')).to.match(/Bearer .*error="invalid_token"/);
    });
  }

  it('accepts the logic that filters have here, and warns that it is none of Beacon v2', async () => {
    for (const [path, options] of [
      ['/datasets?filterLogic=AND', {}],
      ['/datasets', { json: { meta: { apiVersion: 'v2.1.1' }, query: { filterLogic: 'AND', filters: [] } } }],
    ] as const) {
      const { status, body } = await ask(path, options);
      expect([status, at(body, 'info.warnings')]).to.deep.equal([
        200,
        ['filterLogic is ignored: it is no member of Beacon v2'],
      ]);
    }
  });

  it('limits requests of an address in its own shape, if the server does', async () => {
    const http = { rateLimit: { enabled: true, requests: 1, perSeconds: 60 } };
    const limited = await serveBeacon(sqlite, { http });
    try {
      const again = asking(limited.url);
      await again('/info');
      const { status, headers, body } = await again('/datasets');
      expect([status, answerFaults('dataset', body)]).to.deep.equal([429, []]);
      expect(Number(headers.get('retry-after'))).to.be.within(1, 60);
    } finally {
      await limited.close();
    }
  });

  it('may be called from pages of any origin, entries by id too', async () => {
    for (const path of ['/info', '/datasets', '/datasets/open', '/schemas/datasets/defaultSchema.json']) {
      const origin = { origin: 'https://portal.example.org' };
      const { headers } = await ask(path, { headers: origin });
      expect(headers.get('access-control-allow-origin'), path).to.equal('*');
      const asked = {
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'authorization,content-type',
      };
      const preflight = await ask(path, { method: 'OPTIONS', headers: { ...origin, ...asked } });
      expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).to.deep.equal([
        204,
        'authorization,content-type',
      ]);
      expect((await ask(path, { method: 'OPTIONS' })).status).to.equal(204);
    }
  });

  it('lists datasets, with no counts and dates of those that the caller may not query', async () => {
    const { body } = await ask('/datasets?limit=0');
    expect(answerFaults('dataset', body)).to.deep.equal([]);
    expect(at(body, 'responseSummary')).to.deep.include({ exists: true, numTotalResults: 2 });
    expect(at(body, 'meta.receivedRequestSummary.pagination')).to.deep.equal({ skip: 0, limit: 1000 });
    // A validator follows the addresses of the first one, which must answer.
    const [open, closed] = at(body, 'response.collections') as Json[];
    expect([open?.id, closed?.id]).to.deep.equal(['open', 'closed']);
    expect(closed).not.to.have.property('updateDateTime');
    expect(closed?.info).to.deep.equal({ accessLevel: 'CONTROLLED', assemblyId: 'GRCh37', counts: 'withheld' });
    expect(open?.info).to.deep.equal({
      accessLevel: 'PUBLIC',
      assemblyId: 'GRCh37',
      counts: { alleles: 0, calls: 0, samples: 0 },
    });
    const second = await ask('/datasets?skip=1&limit=1');
    expect(at(second.body, 'response.collections')).to.deep.equal([closed]);
    expect(at(second.body, 'responseSummary.numTotalResults')).to.equal(2);
    const counted = await ask('/datasets?requestedGranularity=count');
    expect([counted.body.response, at(counted.body, 'responseSummary.numTotalResults')]).to.deep.equal([undefined, 2]);
    const asked = await ask('/datasets?requestedGranularity=boolean');
    expect(asked.body.responseSummary).to.deep.equal({ exists: true });
  });
});
