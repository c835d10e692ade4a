import { expect } from 'chai';
import fc from 'fast-check';
import { dealt } from '../../support/dealt.js';
import { storages } from '../../support/storages.js';
import { useOnce } from '../../support/use.js';
import { dataset } from './support/serve.js';
import { vcf } from './support/vcf.js';
import { serveWriter } from './support/write.js';

const allowed = [200, 202, 400, 401, 403, 404, 405, 406, 413, 415, 422, 429];

const injections = [
  "'; DROP TABLE beacon_datasets; --",
  '" OR 1=1 --',
  '{"$ne": null}',
  '../../../../etc/passwd',
  '%00',
  '\u0000',
  '\ud800',
  '\u202etxt.fcv',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as an attacker would write it
  '${7*7}',
  '<script>alert(1)</script>',
  '__proto__',
  'constructor',
  'ÅÄÖ\u0301🧬',
  '\r\nSet-Cookie: a=b',
  'x'.repeat(70_000),
];

const rubbish = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<unknown>(...injections) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>(null, true, 0, -1, 1e308, 1.5, '', [], {}, [[]], [null], 'ds', 'GRCh37'),
  },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
);

const fields = {
  add: ['dataset_id', 'vcf_path', 'assemblyId', 'samples', 'genes'],
  delete: ['dataset_id', 'samples'],
  add_dataset: ['id', 'name', 'build', 'authlevel', 'description', 'version', 'url', 'update'],
};

for (const engine of dealt(storages, 'sqlite')) {
  describe(`beacon: invalid requests to the routes that change data, on ${engine.name}`, function () {
    this.timeout(120_000);
    const server = useOnce(() => serveWriter(engine, { http: { bodyLimit: 60_000 } }));
    let right: Record<keyof typeof fields, Record<string, unknown>>;

    before(async () => {
      await server.repository.addDataset(dataset('ds'), new Date());
      const path = await server.file('x.vcf', vcf({ samples: ['a'], records: ['1 1 . A C . . . GT 0/1'] }));
      right = {
        add: { dataset_id: 'ds', vcf_path: path, assemblyId: 'GRCh37', samples: ['a'] },
        delete: { dataset_id: 'ds', samples: ['a'] },
        add_dataset: { id: 'ds', name: 'x', build: 'GRCh37', authlevel: 'public', update: true },
      };
    });
    after(async () => {
      expect(server.log()).to.not.include('"level":50');
    });

    const seen = new Set<number>();
    async function holds(route: string, body: unknown, headers: Record<string, string> = {}, method = 'POST') {
      const reply = await server.send(route, body, { headers, method });
      seen.add(reply.status);
      expect(reply.status, JSON.stringify(reply.body)).to.be.oneOf(allowed);
      expect(reply.headers.get('content-type')).to.equal('application/json; charset=utf-8');
      expect(reply.body.message)
        .to.be.a('string')
        .that.does.not.match(/\n\s+at |SQLITE|select |insert /i);
    }

    for (const route of ['add', 'delete', 'add_dataset'] as const) {
      it(`in any field of ${route} are refused or accepted, and never cause a failure`, async () => {
        for (const name of fields[route]) {
          for (const value of [
            ...injections,
            ...injections.map((one) => [one]),
            ...injections.map((one) => ({ [one]: one })),
          ]) {
            await holds(route, { ...right[route], [name]: value });
          }
        }
        const body = fc.dictionary(fc.constantFrom(...fields[route]), rubbish);
        await fc.assert(
          fc.asyncProperty(body, fc.boolean(), (more, alone) =>
            holds(route, alone ? more : { ...right[route], ...more }),
          ),
          { numRuns: Number(process.env.TEST_HISTORIES ?? 20) },
        );
      });

      it(`as the whole body of ${route}, of any type, are refused`, async () => {
        const type = fc.constantFrom(
          'application/json',
          'text/vcf',
          'multipart/form-data; boundary=x',
          'text/html',
          '',
        );
        const method = fc.constantFrom('POST', 'DELETE', 'PUT', 'PATCH');
        const text = fc.oneof(fc.json(), fc.string({ unit: 'binary' }), fc.constantFrom(...injections));
        await fc.assert(
          fc.asyncProperty(type, method, text, (contentType, verb, body) =>
            holds(route, body, contentType === '' ? {} : { 'content-type': contentType }, verb),
          ),
          { numRuns: Number(process.env.TEST_HISTORIES ?? 20) },
        );
      });
    }

    it('in the query and in fields of forms are refused', async () => {
      const file = vcf({ records: ['1 1 . A C . . . GT 0/1'] });
      for (const name of [...fields.add, 'x']) {
        for (const value of injections) {
          const query = new URLSearchParams({ dataset_id: 'ds', assemblyId: 'GRCh37', [name]: value.slice(0, 5000) });
          await holds(`add?${query}`, file, { 'content-type': 'text/vcf' });
          const form = new FormData();
          form.append('dataset_id', 'ds');
          form.append(name, value);
          form.append(name, new Blob([file]), value);
          await holds('add', form);
        }
      }
    });

    it('include some that pass the first checks', async () => {
      // One of each kind: random ones would have to happen to be so.
      await holds('add', right.add);
      await holds('add_dataset', right.add_dataset);
      await holds('add', { ...right.add, dataset_id: 7 });
      await holds('add', { ...right.add, assemblyId: 'x'.repeat(70_000) });
      await holds('add', 'x', { 'content-type': 'text/html' });
      await holds('add', right.add, {}, 'PUT');
      await holds('add', '{', { 'content-type': 'application/json' });
      expect([...seen]).to.include.members([200, 202, 400, 405, 413, 415, 422]);
    });
  });
}
