/** Every operation of the beacon with a parameter, or a member of its body, that it does not know: refused, or named in a warning. */
import { expect } from 'chai';
import { called, load, small } from '../../conformance/beacon/build.js';
import { memorySubject } from '../../kit/memory.js';
import { request } from '../../support/http.js';
import { type Description, placed } from '../../support/request-fields.js';
import { useOnce } from '../../support/use.js';
import { tokenWith } from './support/observed.js';
import { dataset, type Json, serveBeacon } from './support/serve.js';

const name = 'unheardOf';

/** Where a name is dropped without a word, each with the reason. */
const silent: readonly (readonly [RegExp, string])[] = [
  [/^(?:queryAlleles|queryForm)(?:_post)?(?: \?)?$/, 'the contract of v1 ignores what is not nearly one of its names'],
  [/^(?:addVariants|deleteVariants(?:_delete)?)(?: |$)/, 'the contract of v1 ignores what it does not name'],
  [/^beacon(?:Info)? \?$/, 'a description on which no parameter has an effect'],
  [/^beaconV11(?:Service)? \?$/, 'a description on which no parameter has an effect'],
  [/^beaconV2(?:DatasetSites|Schema) \?$/, 'a file, on which no parameter has an effect'],
  [
    /^beaconV2(?:Info|ServiceInfo|Configuration|EntryTypes|Map|FilteringTerms)?_post meta/,
    'documents have no place for warnings',
  ],
  [/^beaconV2CohortsId_post meta/, 'there is no cohort, and errors have no warnings'],
  [
    /^loqusdb(?:Info|Cases|Case|DeleteCase|Variant|StructuralVariant) \?$/,
    'loqusdb ignores them, and none changes data',
  ],
  [/^searchPage \?$/, 'a page for people, to whose address links add names'],
];

/** Sound values of parameters of all operations that have them. */
const values: Readonly<Record<string, string>> = {
  ...{ assemblyId: 'GRCh37', referenceName: '1', start: '99', referenceBases: 'A', alternateBases: 'C' },
  ...{ assembly: 'GRCh37', allele: '1-100-A-C', q: '1-100-A-C', id: 'ds', variant_id: '1_100_A_C' },
  ...{ chrom: '1', pos: '100', end: '900', sv_type: 'DEL', folder: 'datasets', file: 'defaultSchema.json' },
};

const allele = { assemblyId: 'GRCh37', referenceName: '1', start: 99, referenceBases: 'A', alternateBases: 'C' };

/** Sound bodies, each with all of the objects that it may have. */
const bodies: Readonly<Record<string, Json>> = {
  '/apiv1.0/query': allele,
  '/beacon/v1/query': allele,
  '/apiv1.0/add': {
    ...{ dataset_id: 'ds', vcf_path: 'a.vcf', assemblyId: 'GRCh37', genes: { ids: [1], id_type: 'HGNC' } },
    samples_info: [{ sample: 's', phenotypes: [{ id: 'HP:0000001' }] }],
  },
  '/apiv1.0/add_dataset': { id: 'new', name: 'New', build: 'GRCh37', authlevel: 'public' },
  '/apiv1.0/delete': { dataset_id: 'ds', samples: ['s'] },
  '/observations/batch': {
    assembly: 'GRCh37',
    alleles: [{ chromosome: '1', position: 100, reference: 'A', alternate: 'C' }],
  },
  '/observations/datasets/{id}/samples': {
    samples: [{ name: 's', labels: { assay: 'WGS' }, phenotypes: [{ id: 'HP:0000001' }] }],
  },
};

const v2Body = (path: string): Json => ({
  meta: { apiVersion: 'v2.1.1', requestedSchemas: [{ entityType: 'dataset', schema: 'x' }] },
  query: {
    ...{ requestedGranularity: 'record', pagination: { skip: 0, limit: 1 } },
    ...(path === '/beacon/v2/individuals' && { filters: [{ id: 'sex', operator: '=', value: 'unknown' }] }),
    requestParameters: path.endsWith('/g_variants') ? { g_variant: { ...allele, start: [99] } } : {},
  },
});

/** The places of all objects within a body. */
function objectsIn(value: unknown, steps: readonly string[] = []): (readonly string[])[] {
  if (Array.isArray(value)) return value.slice(0, 1).flatMap((item) => objectsIn(item, [...steps, '[]']));
  if (typeof value !== 'object' || value === null) return [];
  return [steps, ...Object.entries(value).flatMap(([key, inner]) => objectsIn(inner, [...steps, key]))];
}

describe('beacon: names that an operation does not know', function () {
  this.timeout(120_000); // some 200 requests
  const server = useOnce(() =>
    serveBeacon(memorySubject, {
      settings: { disclosure: { granularity: 'record' }, loqusdb: { dataset: 'ds', addresses: ['127.0.0.0/8'] } },
    }),
  );
  before(async () => {
    const now = new Date();
    await server.repository.addDataset(dataset('ds'), now);
    await load(server.repository, 'ds', ['s'], [called(small('1', 99, 'A', 'C'), [0, 1])], { now });
    // Runs and analyses are of samples of which they are known.
    const labels = { run_date: '2026-01-02', analysis_date: '2026-01-03', pipeline: 'p', assay: 'WGS' };
    await server.repository.describeSamples('ds', new Map([['s', { labels }]]), now);
  });

  it('are refused or named in a warning, but for those that are listed with a reason', async () => {
    const token = await tokenWith(server, 'beacon:*', 'beacon:cases', 'beacon:read');
    const description = (await (await fetch(`${server.url}/openapi.json`)).json()) as Description;
    const idsOf = async (type: string) => {
      const response = await fetch(`${server.url}/beacon/v2/${type}`, { headers: { 'x-auth-token': token } });
      const { response: found } = (await response.json()) as { response: { resultSets: { results: Json[] }[] } };
      const id = found.resultSets[0]?.results[0]?.id;
      expect(id, `${type}: ${JSON.stringify(found)}`).to.be.a('string');
      return String(id);
    };
    const types = ['individuals', 'biosamples', 'runs', 'analyses', 'g_variants'];
    const ids = new Map(await Promise.all(types.map(async (type) => [type, await idsOf(type)] as const)));
    const idOf = (path: string) => ids.get(path.split('/')[3] ?? '') ?? 'ds';
    const dropped: string[] = [];
    let asked = 0;
    const answerTo = async (method: string, path: string, search: URLSearchParams, body?: unknown) => {
      asked++;
      const sent = { method: method.toUpperCase(), token, json: body };
      const { status, headers, text } = await request(`${server.url}${path}?${search}`, sent);
      expect(status, text).to.be.lessThan(500);
      return { status, told: `${text}${headers.get('warning') ?? ''}` };
    };
    for (const [path, item] of Object.entries(description.paths)) {
      for (const [method, { operationId, parameters = [], requestBody }] of Object.entries(item)) {
        if (!operationId.startsWith('beacon_')) continue;
        const operation = operationId.slice('beacon_'.length);
        const at = path.replace(
          /\{(\w+)\}/g,
          (_, field: string) => (field === 'id' ? idOf(path) : values[field]) ?? 'x',
        );
        const known = parameters.flatMap(({ name: field, in: place }): [string, string][] =>
          place === 'query' && values[field] !== undefined ? [[field, values[field]]] : [],
        );
        const isJson = requestBody?.content['application/json'] !== undefined;
        const body = isJson ? (bodies[path] ?? (path.startsWith('/beacon/v2') ? v2Body(path) : {})) : undefined;
        // A single variant of Beacon v2 takes none.
        const search = new URLSearchParams(isJson || path === '/beacon/v2/g_variants/{id}' ? [] : known);
        const sound = await answerTo(method, at, search, body);
        if (path.startsWith('/beacon/v2') && path !== '/beacon/v2/cohorts/{id}')
          expect(sound.status, `${method} ${at} ${sound.told}`).to.equal(200);
        const isSilent = ({ status, told }: typeof sound) => status === sound.status && !told.includes(name);
        if (isSilent(await answerTo(method, at, new URLSearchParams([...search, [name, '1']]), body)))
          dropped.push(`${operation} ?`);
        for (const steps of isJson ? objectsIn(body) : []) {
          if (isSilent(await answerTo(method, at, search, placed(body, [...steps, name], 1))))
            dropped.push(`${operation} ${steps.join('.')}`.trim());
        }
      }
    }
    expect(asked).to.be.greaterThan(100);
    expect(dropped.filter((one) => !silent.some(([form]) => form.test(one)))).to.deep.equal([]);
    for (const [form, reason] of silent)
      expect(
        dropped.some((one) => form.test(one)),
        reason,
      ).to.equal(true);
  });
});
