import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { z } from 'zod';
import { route } from '../../../core/http/route.js';
import { defineRight } from '../../../core/policy/policy.js';
import { get, type Served, serve } from './support.js';

interface Operation {
  description?: string;
  operationId: string;
  tags: string[];
  security?: Record<string, string[]>[];
  parameters: { name: string; in: string; required: boolean; description?: string; schema: object }[];
  requestBody?: { required: boolean; content: Record<string, { schema: object }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>;
}

interface Document {
  openapi: string;
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object>; securitySchemes: Record<string, object> };
}

const sample = z.object({ name: z.string().describe('As in the VCF.') }).meta({ id: 'Sample' });
interface Term {
  id: string;
  children: Term[];
}
const term: z.ZodType<Term> = z.object({
  id: z.string(),
  get children() {
    return z.array(term);
  },
});

const ask = defineRight({ scope: 'demo:ask', summary: 'Ask the demo', of: { noun: 'thing', id: String } });

const register: Parameters<typeof serve>[0] = (host) => {
  const answers = { 200: { description: 'Fine', content: { 'application/json': z.object({ sample, term }) } } };
  host.route(get('/zebra/', () => ({ body: 1 })));
  host.route(
    route({
      method: ['GET', 'POST'],
      path: '/ask/:id',
      operation: 'ask',
      summary: 'Asks',
      description: 'At length.',
      access: host.tokenAccess(ask),
      query: z
        .object({ start: z.coerce.number().int().min(0).describe('Zero-based.'), end: z.coerce.number().optional() })
        .refine(({ start, end }) => end === undefined || start < end),
      body: { types: ['application/json', 'application/x-www-form-urlencoded'], schema: z.object({ sample }) },
      answers,
      handle: () => ({ body: null }),
    }),
  );
  host.route(
    get('/term', () => ({ body: 1 }), {
      answers: { 200: { description: 'A tree', content: { 'application/json': term } } },
    }),
  );
  host.route(
    get('/other', () => ({ body: 1 }), {
      answers: {
        200: { description: 'Same name', content: { 'application/json': z.object({ x: z.int() }) } },
      },
    }),
  );
  host.route(get('/open', () => ({ body: 1 }), { optionalAccess: host.optionalAccess(ask) }));
  host.errorBody('/other', (fault) => ({ body: fault.message }));
};

describe('the OpenAPI description', () => {
  let server: Served;
  let document: Document;

  before(async () => {
    server = await serve(register, { rights: [ask], settings: { baseUrl: 'https://genomics.example.org/trefoil/' } });
    document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document;
  });
  after(() => server.close());

  it('covers every route, including those of the server, in a fixed order', () => {
    expect(document.openapi).to.equal('3.1.0');
    expect(document.info).to.include({ title: 'Trefoil', version: '1.2.3' });
    expect(document.servers).to.deep.equal([{ url: 'https://genomics.example.org/trefoil' }]);
    expect(document.tags.map(({ name }) => name)).to.deep.equal(['demo', 'server']);
    expect(Object.keys(document.paths)).to.deep.equal([
      '/',
      '/-/jobs/{id}',
      '/-/live',
      '/-/metrics',
      '/-/ready',
      '/ask/{id}',
      '/docs',
      '/docs/assets/{file}',
      '/open',
      '/openapi.json',
      '/other',
      '/term',
      '/zebra/',
    ]);
  });

  it('is the same text for the same routes', async () => {
    const again = await serve(register, {
      rights: [ask],
      settings: { baseUrl: 'https://genomics.example.org/trefoil/' },
    });
    const [a, b] = await Promise.all(
      [server, again].map(async ({ url }) => (await fetch(`${url}/openapi.json`)).text()),
    );
    expect(a).to.equal(b);
    await again.close();
  });

  it('describes parameters, bodies, responses and credentials', () => {
    const { get: asked, post } = document.paths['/ask/{id}'] ?? {};
    expect(asked?.operationId).to.equal('demo_ask');
    expect(post?.operationId).to.equal('demo_ask_post');
    expect(asked?.parameters).to.deep.equal([
      { name: 'id', in: 'path', schema: { type: 'string' }, required: true },
      {
        name: 'start',
        in: 'query',
        description: 'Zero-based.',
        required: true,
        schema: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      },
      { name: 'end', in: 'query', required: false, schema: { type: 'number' } },
    ]);
    expect(asked).to.not.have.property('requestBody');
    expect(post?.parameters.map(({ name }) => name)).to.deep.equal(['id']);
    expect(post?.requestBody?.required).to.equal(true);
    expect(Object.keys(post?.requestBody?.content ?? {})).to.deep.equal([
      'application/json',
      'application/x-www-form-urlencoded',
    ]);
    expect(asked?.security).to.deep.equal([{ apiToken: [] }]);
    expect(asked?.description).to.equal('At length.\n\nRequires the scope `demo:ask` or `demo:ask:<thing>`.');
    const optional = document.paths['/open']?.get;
    expect(optional?.security).to.deep.equal([{}, { apiToken: [] }, { apiTokenAsBearer: [] }]);
    expect(optional?.description).to.equal(
      'An API token is optional. With the scope `demo:ask` or `demo:ask:<thing>` it allows: Ask the demo.',
    );
    expect(document.info.description).to.match(/\n- `demo:ask` or `demo:ask:<thing>`: Ask the demo$/);
    expect(document.components.securitySchemes.apiTokenAsBearer).to.include({ type: 'http', scheme: 'bearer' });
    expect(document.components.securitySchemes.apiToken).to.include({
      type: 'apiKey',
      in: 'header',
      name: 'X-Auth-Token',
    });
    expect(asked?.responses.default?.content?.['application/problem+json']?.schema).to.deep.equal({
      $ref: '#/components/schemas/Problem',
    });
    expect(document.paths['/other']?.get?.responses.default).to.not.have.property('content');
  });

  it('has unique operation ids', () => {
    const ids = Object.values(document.paths).flatMap((item) => Object.values(item).map((one) => one.operationId));
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it('resolves every reference, and contains only schemas that ajv accepts', () => {
    const text = JSON.stringify(document);
    const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, target]) => target as string);
    expect(references).to.include('#/components/schemas/Sample');
    for (const target of references) {
      expect(target).to.match(/^#\/components\/schemas\//);
      expect(document.components.schemas, target).to.have.property(target.split('/').at(-1) as string);
    }
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'doc', ...document });
    const places = Object.keys(document.components.schemas).map((name) => `doc#/components/schemas/${name}`);
    for (const place of places) expect(ajv.compile({ $ref: place })).to.be.a('function');
    // A recursive schema: that of the test tree really validates trees.
    const tree = document.paths['/term']?.get?.responses[200]?.content?.['application/json']?.schema;
    const check = ajv.compile(JSON.parse(JSON.stringify(tree).replaceAll('#/components', 'doc#/components')) as object);
    expect(check({ id: 'a', children: [{ id: 'b', children: [] }] })).to.equal(true);
    expect(check({ id: 'a', children: [{ id: 'b', children: [{ id: 1, children: [] }] }] })).to.equal(false);
  });
});

describe('the front page and the documentation, without a browser', () => {
  let server: Served;
  before(async () => {
    server = await serve((host) => {
      host.link('/demo/', 'Demo <start>');
      host.route(get('/demo', () => ({ body: 1 })));
    });
  });
  after(() => server.close());

  it('reports in JSON that the server runs and which plugins are enabled', async () => {
    const expected = '{"message":"Trefoil v1.2.3 is up and running!","plugins":["demo"]}';
    for (const accept of ['*/*', 'application/json', 'application/json, text/html', 'image/png', 'rubbish;;q=']) {
      const response = await fetch(`${server.url}/`, { headers: { Accept: accept } });
      expect([response.status, await response.text()], accept).to.deep.equal([200, expected]);
      expect(response.headers.get('vary')).to.equal('Accept');
    }
  });

  it('returns a page to browsers', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const response = await fetch(`${server.url}/`, { headers: { Accept: accept } });
    expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    const text = await response.text();
    expect(text).to.include('<a href="/demo/">Demo &lt;start&gt;</a>').and.include('A plugin for tests.');
    expect(text).to.include('Trefoil v1.2.3 is up and running!');
  });

  it('puts the path of the public address before its links', async () => {
    const behind = await serve((host) => host.link('/demo/', 'Demo'), {
      settings: { baseUrl: 'https://genomics.example.org/trefoil' },
    });
    const page = await (await fetch(`${behind.url}/`, { headers: { Accept: 'text/html' } })).text();
    expect(page).to.include('href="/trefoil/demo/"').and.include('href="/trefoil/docs"');
    const docs = await (await fetch(`${behind.url}/docs`)).text();
    expect(docs).to.include('src="/trefoil/docs/assets/swagger-ui-bundle.js"').and.include('"/trefoil/openapi.json"');
    await behind.close();
  });

  it('serves the assets of the documentation, and no other file', async () => {
    const style = await fetch(`${server.url}/docs/assets/swagger-ui.css`);
    expect([style.status, style.headers.get('content-type')]).to.deep.equal([200, 'text/css; charset=utf-8']);
    expect((await style.text()).length).to.be.above(100_000);
    const script = await fetch(`${server.url}/docs/assets/swagger-ui-bundle.js`);
    expect(script.headers.get('content-type')).to.equal('text/javascript; charset=utf-8');
    expect(await script.text()).to.include('SwaggerUIBundle');
    for (const file of ['package.json', '..%2Fapp.ts', '..%2F..%2F..%2Fpackage.json', 'constructor', '__proto__']) {
      expect((await fetch(`${server.url}/docs/assets/${file}`)).status, file).to.equal(404);
    }
  });
});
