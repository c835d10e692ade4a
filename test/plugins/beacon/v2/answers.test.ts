/** The shape of answers: every endpoint by the schemas, records, what datasets disclose, and what is hidden. */
import { expect } from 'chai';
import { sqlite } from '../../../support/storages.js';
import { useOnce } from '../../../support/use.js';
import { answerFaults, recordFaults } from '../support/beacon-schemas.js';
import { tokenWith } from '../support/observed.js';
import { type Json, serveBeacon } from '../support/serve.js';
import { describeWithShared } from '../support/shared.js';
import { type Ask, asking, at } from './support.js';
import { fill } from './variants-data.js';

const granularities = ['boolean', 'count', 'record'] as const;
const includes = ['ALL', 'HIT', 'MISS', 'NONE'] as const;
const place = 'assemblyId=GRCh38&referenceName=17';

describeWithShared('beacon v2: answers', () => {
  const beacon = useOnce(() => serveBeacon(sqlite, { settings: { listProtected: false } }));
  let ask: Ask;
  let reading: string;
  let knowing: string;

  before(async () => {
    ask = asking(beacon.url);
    await fill(beacon);
    reading = await tokenWith(beacon, 'beacon:read');
    knowing = await tokenWith(beacon, 'beacon:cases');
  });

  /** Every endpoint of the map, with the type that it returns; ids are those of the first record of the entry type. */
  async function endpoints(token: string): Promise<[path: string, returns: string][]> {
    const sets = Object.values(at((await ask('/map')).body, 'response.endpointSets') as Record<string, Json>);
    const found: [string, string][] = [];
    for (const { entryType, rootUrl, singleEntryUrl, endpoints } of sets) {
      const short = (url: unknown) => String(url).replace(`${beacon.url}/beacon/v2`, '');
      const { body } = await ask(short(rootUrl), { token });
      const first = at(body, 'response.resultSets.0.results.0') ?? at(body, 'response.collections.0');
      found.push([short(rootUrl), String(entryType)]);
      if (first === undefined) continue;
      const related = Object.values(endpoints as Record<string, Json>);
      for (const { url, returnedEntryType } of [{ url: singleEntryUrl, returnedEntryType: entryType }, ...related]) {
        found.push([short(url).replace('{id}', String(at(first, 'id'))), String(returnedEntryType)]);
      }
    }
    return found;
  }

  it('are valid at every endpoint, by GET and POST, at every granularity, with every choice of result sets', async () => {
    const token = await tokenWith(beacon, 'beacon:cases', 'beacon:read');
    const all = await endpoints(token);
    expect(all.length).to.be.greaterThan(12);
    for (const [path, returns] of all) {
      for (const granularity of granularities) {
        for (const include of includes) {
          const query = `requestedGranularity=${granularity}&includeResultsetResponses=${include}`;
          const { status, body } = await ask(`${path}?${query}`, { token });
          const what = `${path}?${query}`;
          expect([what, status, answerFaults(returns, body)]).to.deep.equal([what, 200, []]);
          const most = include === 'NONE' && granularity === 'record' ? 'count' : granularity;
          expect([what, at(body, 'meta.returnedGranularity')]).to.deep.equal([what, most]);
          expect(at(body, 'meta.receivedRequestSummary')).to.deep.include({
            requestedGranularity: granularity,
            includeResultsetResponses: include,
          });
          const json = {
            meta: { apiVersion: 'v2.1.1' },
            query: { requestedGranularity: granularity, includeResultsetResponses: include },
          };
          expect([what, (await ask(path, { json, token })).body]).to.deep.equal([what, body]);
        }
      }
    }
  });

  const records = async (query: string, token?: string): Promise<Json[]> => {
    const { status, body } = await ask(`/g_variants?${query}`, token === undefined ? {} : { token });
    expect([status, answerFaults('genomicVariant', body)]).to.deep.equal([200, []]);
    return at(body, 'response.resultSets.0.results') as Json[];
  };

  const interval = (start: object, end: object) => ({ type: 'SequenceInterval', start, end });
  const exact = (value: number) => ({ type: 'Number', value });
  const range = (min: number, max: number) => ({ type: 'DefiniteRange', min, max });
  const onto = (start: object, end: object) => ({
    ...{ type: 'SequenceLocation', sequence_id: 'refseq:NC_000017.11', interval: interval(start, end) },
  });

  it('have variants in the older form: what is replaced, without shared bases, and open ends as ranges', async () => {
    const all = await records(`${place}&start=0&end=9500&datasetIds=alpha`);
    const [bnd] = await records(`${place}&start=10000&mateName=2&datasetIds=alpha&skip=1&limit=1`);
    expect([...all, bnd].map((record) => record?.variation)).to.deep.equal([
      { variantType: 'SNP', referenceBases: 'G', alternateBases: 'A', location: onto(exact(1000), exact(1001)) },
      { variantType: 'INS', referenceBases: '', alternateBases: 'T', location: onto(exact(2001), exact(2001)) },
      { variantType: 'DEL', referenceBases: 'TT', alternateBases: '', location: onto(exact(3001), exact(3003)) },
      { variantType: 'MNP', referenceBases: 'AC', alternateBases: 'TT', location: onto(exact(4000), exact(4002)) },
      { variantType: 'DUP', alternateBases: 'N', location: onto(range(4950, 5050), range(5990, 6010)) },
      { variantType: 'DEL', alternateBases: '', location: onto(exact(7000), exact(9000)) },
      { variantType: 'BND', referenceBases: 'G', alternateBases: 'N', location: onto(exact(10_000), exact(10_001)) },
    ]); // biome-ignore format: a table
    expect(all.map(({ identifiers }) => at(identifiers, 'genomicHGVSId'))).to.deep.equal(
      ['NC_000017.11:g.1001G>A', undefined, undefined, 'NC_000017.11:g.4001_4002delinsTT', undefined, undefined],
    ); // biome-ignore format: a list
    // The base left of the bracket stays, and so does what is left of the mate: G]2:321682].
    expect(bnd?.info).to.deep.equal({
      mate: { referenceName: '2', position: 321_681, orientation: { here: 'left', mate: 'left' } },
      vcfAlt: 'G]2:321682]',
    });
    for (const { id, variantInternalId } of all) expect(id).to.equal(variantInternalId);
    for (const record of all) expect(record).to.not.have.any.keys('frequencyInPopulations', 'caseLevelData');
  });

  it('have variants as VRS 1.3 alleles on request, and say so; structural ones keep the older form', async () => {
    const schema = 'https://beacon.example.org/beacon/v2/schemas/genomicVariations/defaultSchema.json#vrs';
    const types = at(
      (await ask('/entry_types')).body,
      'response.entryTypes.genomicVariant.additionallySupportedSchemas.0',
    );
    for (const requestedSchema of [schema, String(at(types, 'id'))]) {
      const query = `${place}&start=0&end=9500&datasetIds=alpha&requestedSchema=${encodeURIComponent(requestedSchema)}`;
      const [snv, insertion, deletion, pair, ...structural] = (await records(query)).map(({ variation }) => variation);
      const state = (sequence: string) => ({ type: 'LiteralSequenceExpression', sequence });
      expect(at(snv, '_id')).to.match(/^ga4gh:VA\.[A-Za-z0-9_-]{32}$/);
      expect(at(snv, 'location.sequence_id')).to.equal('ga4gh:SQ.dLZ15tNO1Ur0IcGjwc3Sdi_0A6Yf4zm7');
      expect(at(pair, '_id')).to.match(/^ga4gh:VA\./);
      const bare = [
        { type: 'Allele', location: onto(exact(2001), exact(2001)), state: state('T') },
        { type: 'Allele', location: onto(exact(3001), exact(3003)), state: state('') },
      ];
      expect([insertion, deletion], 'no ids: they need the reference sequence').to.deep.equal(bare);
      for (const one of structural) expect(one).to.have.property('variantType');
      const { body } = await ask(`/g_variants?${query}`);
      expect(at(body, 'meta.returnedSchemas.0.schema')).to.match(/defaultSchema\.json#vrs$/);
    }
    const { body } = await ask(`/g_variants?${place}&start=1000&alternateBases=A&requestedSchema=unknown`);
    expect(at(body, 'meta.returnedSchemas.0.schema'), 'an unknown schema').to.match(/defaultSchema\.json$/);
  });

  it('name carriers, by pseudonyms, to those who may know cases, and to no others', async () => {
    const query = `${place}&start=1000&alternateBases=A&datasetIds=alpha`;
    const [open] = await records(query, knowing);
    const cases = open?.caseLevelData as Json[];
    const zygosities = cases.map(({ zygosity }) => at(zygosity, 'id')).sort();
    expect(zygosities, 'a1 has one copy, a2 two').to.deep.equal(['GENO:0000136', 'GENO:0000458']);
    expect(JSON.stringify(open)).not.to.match(/"a[12]"/);
    for (const { individualId, biosampleId } of cases) {
      expect((await ask(`/individuals/${individualId}`, { token: knowing })).status).to.equal(200);
      expect((await ask(`/biosamples/${biosampleId}`, { token: knowing })).status).to.equal(200);
      expect((await ask(`/individuals/${individualId}`)).status).to.equal(404);
      expect((await ask(`/individuals/${biosampleId}`, { token: knowing })).status).to.equal(404);
      const theirs = await ask(`/individuals/${individualId}/g_variants?${place}&start=0&end=1500`, { token: knowing });
      expect(at(theirs.body, 'response.resultSets.0.results.0.id')).to.equal('GRCh38-17-1001-G-A');
    }
    for (const token of [undefined, reading]) {
      const [record] = await records(query, token);
      expect(record).not.to.have.property('caseLevelData');
      // Nothing is known of their coverage: a frequency would be a guess.
      expect(record).not.to.have.property('frequencyInPopulations');
    }
  });

  it('show closed datasets to those who may query them', async () => {
    const { body } = await ask(`/g_variants?${place}&start=1500&alternateBases=C`, { token: reading });
    expect(at(body, 'response.resultSets.0.id')).to.equal('gamma');
    expect((await ask('/datasets/gamma/g_variants', { token: reading })).status).to.equal(200);
  });
});

describeWithShared('beacon v2: what datasets disclose', () => {
  const beacon = useOnce(async () => {
    const disclosure = { granularity: 'record', datasets: { beta: 'count', old: 'boolean' } };
    return serveBeacon(sqlite, { settings: { disclosure } });
  });
  let ask: Ask;

  before(async () => {
    ask = asking(beacon.url);
    await fill(beacon);
  });

  const snv = `${place}&start=1000&alternateBases=A`;
  const answered = async (query: string, apiVersion = 'v2.1.1') => {
    const parameters = Object.fromEntries(new URLSearchParams(query));
    const { datasetIds, includeResultsetResponses = 'ALL', ...g_variant } = parameters;
    const requestParameters = { g_variant, ...(datasetIds && { datasetIds: datasetIds.split(',') }) };
    const json = { meta: { apiVersion }, query: { requestParameters, includeResultsetResponses } };
    const { status, body } = await ask('/g_variants', { json });
    expect([status, apiVersion === 'v2.1.1' ? answerFaults('genomicVariant', body) : []]).to.deep.equal([200, []]);
    return {
      granularity: at(body, 'meta.returnedGranularity'),
      summary: body.responseSummary as Json,
      sets: at(body, 'response.resultSets') as Json[] | undefined,
      info: body.info,
    };
  };

  it('is the least that a dataset with a match allows, for clients of version 2.1', async () => {
    const mixed = await answered(snv);
    expect([mixed.granularity, mixed.sets, mixed.summary.numTotalResults]).to.deep.equal(['count', undefined, 2]);
    expect(mixed.info, 'what datasets have together tells of each').to.have.all.keys('note');
    expect(at(mixed.info, 'note')).to.match(/record was requested; the queried datasets allow count/);
    const apart = await answered(snv, 'v2.2.0');
    expect(apart.info).to.equal(undefined);
    const alone = await answered(`${snv}&datasetIds=alpha,old`);
    expect([alone.granularity, alone.sets?.map(({ id }) => id)]).to.deep.equal(['record', ['alpha', 'old']]);
    const small = await answered('assemblyId=GRCh37&referenceName=17&start=1000&alternateBases=A');
    expect([small.granularity, small.summary]).to.deep.equal(['boolean', { exists: true }]);
    expect(small.info).to.have.all.keys('note');
    const everything = await answered('');
    expect([everything.granularity, everything.summary]).to.deep.equal(['boolean', { exists: true }]);
  });

  it('is told for each dataset to clients of version 2.2', async () => {
    const { granularity, sets, summary } = await answered('', 'v2.2.0');
    expect([granularity, summary.exists, summary.numTotalResults]).to.deep.equal(['record', true, 8 + 2]);
    const [alpha, beta, old] = sets ?? [];
    const records = alpha?.results as Json[] | undefined;
    expect([alpha?.resultsCount, records?.length]).to.deep.equal([8, 8]);
    expect(recordFaults('genomicVariant', records?.[0])).to.deep.equal([]);
    expect(beta).to.deep.include({ exists: true, resultsCount: 2, results: [], info: { granularity: 'count' } });
    expect(old).to.have.all.keys('id', 'setType', 'exists', 'info', 'beaconId');
    expect(old).to.deep.include({ exists: true, info: { granularity: 'boolean' } });
  });

  it('leaves counts out of the description of a dataset that tells only whether', async () => {
    const { body } = await ask('/datasets');
    const told = Object.fromEntries(
      (at(body, 'response.collections') as Json[]).map(({ id, info }) => [id, at(info, 'counts')]),
    );
    expect(told).to.deep.equal({
      alpha: { alleles: 8, calls: 10, samples: 2 },
      beta: { alleles: 2, calls: 2, samples: 1 },
      gamma: 'withheld',
      old: undefined,
    });
  });

  it('asks anonymous callers for a token, and refuses others, if only listed datasets are named that they may not query', async () => {
    const token = await tokenWith(beacon, 'beacon:read:beta');
    for (const path of ['/g_variants?datasetIds=gamma', '/datasets/gamma/g_variants']) {
      const anonymous = await ask(path);
      expect([anonymous.status, answerFaults('genomicVariant', anonymous.body)]).to.deep.equal([401, []]);
      expect(anonymous.headers.get('www-authenticate')).to.match(/^Bearer/);
      expect((await ask(path, { token })).status).to.equal(403);
    }
    expect((await ask('/datasets/gamma')).status, 'its description is listed').to.equal(200);
  });
});
