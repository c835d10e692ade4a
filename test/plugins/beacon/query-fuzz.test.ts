import { expect } from 'chai';
import fc from 'fast-check';
import { issueToken } from '../../../core/auth/access.js';
import { dealt } from '../../support/dealt.js';
import { storages } from '../../support/storages.js';
import { useOnce } from '../../support/use.js';
import { parameterNames } from './support/parameters.js';
import { dataset, type Json, serveBeacon } from './support/serve.js';

const allowed = [200, 400, 401, 403, 404, 405, 406, 413, 415, 422, 429];

const names = [
  ...parameterNames,
  // Unknown parameters.
  'filters',
  '__proto__',
  'constructor',
];

const right = { assemblyId: 'GRCh37', referenceName: '1', start: 9, referenceBases: 'A', alternateBases: 'C' };

const injections = [
  "'; DROP TABLE beacon_alleles; --",
  '" OR 1=1 --',
  '{"$ne": null}',
  '../../../../etc/passwd',
  '%00',
  '\u0000',
  '\ud800',
  '\u202eCBA',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as an attacker would write it
  '${7*7}',
  '<script>alert(1)</script>',
  '__proto__',
  'ÅÄÖ\u0301🧬',
  '\r\nSet-Cookie: a=b',
  '(a+)+$',
  'N'.repeat(3000),
  ','.repeat(3000),
  '9'.repeat(400),
  '-0',
  '1e400',
  '0x7fffffff',
  '2147483648',
  '9007199254740993',
  'NaN',
  'Infinity',
];

const value = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<unknown>(...injections) },
  {
    weight: 3,
    arbitrary: fc.constantFrom<unknown>('GRCh37', 'GRCh38', 'chrX', 'A', 'N', 'DEL', 'BND', 0, 9, '10', -1, 1.5, 1e308),
  },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(null, true, '', [], {}, [[]], [null], ['ds'], ['closed'], 'ALL') },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
);
const given = fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 8 });

/** As in a form: all values are text, and lists are repeated. An object need not have a `toString` that is a function. */
function formOf(pairs: readonly (readonly [string, unknown])[]): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, one] of pairs) {
    for (const each of Array.isArray(one) ? one : [one])
      form.append(name, textOf(each).replace(/\p{Surrogate}/gu, '\ufffd'));
  }
  return form;
}

const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);

for (const engine of dealt(storages, 'postgres')) {
  describe(`beacon: invalid queries (${engine.name})`, function () {
    this.timeout(120_000);
    const beacon = useOnce(() => serveBeacon(engine, { http: { bodyLimit: 20_000 } }));
    const seen = new Set<number>();

    before(async () => {
      await beacon.repository.addDataset(dataset('ds'), new Date());
      await beacon.repository.addDataset(dataset('closed', { access: 'CONTROLLED' }), new Date());
      const small = { contig: '1', start: 9, end: 10, reference: 'A', alternate: 'C', kind: 'SNP' } as const;
      const alleles = async function* () {
        yield [{ ...small, structural: false, carriers: [[0, 1]] as const }];
      };
      await beacon.repository.importAlleles({ dataset: 'ds', samples: ['a'], alleles: alleles() }, new Date());
    });
    after(async () => {
      expect(beacon.log()).to.not.include('"level":50');
    });

    /** A response of this interface, for any request. */
    async function holds(path: string, init: RequestInit = {}): Promise<void> {
      const response = await fetch(`${beacon.url}/apiv1.0/query${path}`, init);
      const text = await response.text();
      seen.add(response.status);
      expect(response.status, text).to.be.oneOf(allowed);
      expect(response.headers.get('content-type')).to.match(/^application\/(problem\+)?json/);
      const body = JSON.parse(text) as Json;
      // The request is echoed; the message reveals no internals.
      const { allelRequest: _, ...said } = body;
      expect(JSON.stringify(said)).to.not.match(/\n\s+at |SQLITE|select |beacon_/);
      if (response.status === 200) expect(body.exists).to.be.a('boolean');
      else if ([400, 401, 403].includes(response.status)) {
        expect(body).to.include({ exists: null, beaconId: 'trefoil-beacon' });
        expect((body.error as Json).errorCode).to.equal(response.status);
      }
    }
    const posted = (body: string, type: string) =>
      holds('', { method: 'POST', body, headers: type === '' ? {} : { 'content-type': type } });
    const json = (body: unknown) => posted(JSON.stringify(body), 'application/json');
    const form = (pairs: readonly (readonly [string, unknown])[]) =>
      posted(formOf(pairs).toString(), 'application/x-www-form-urlencoded');

    it('responds correctly to a valid one', async () => {
      const response = await fetch(`${beacon.url}/apiv1.0/query?${formOf(Object.entries(right))}`);
      expect(((await response.json()) as Json).exists).to.equal(true);
    });

    for (const name of names) {
      it(`${name} may have any value`, async () => {
        for (const one of injections) {
          const pairs = Object.entries({ ...right, [name]: one });
          await holds(`?${formOf(pairs)}`);
          for (const shape of [one, [one]]) await json({ ...right, [name]: shape });
          await form(pairs);
          for (const shape of [{ [one]: one }, [[one], { a: one }]]) await json({ ...right, [name]: shape });
        }
        await holds(`?${formOf([...Object.entries(right), [name, 'A'], [name, 'B']])}`);
        await holds(`?${formOf(Object.entries(right))}&${name}[]=1&${name}[$ne]=1&${name}=%ff%fe&${name}=%`);
      });
    }

    it('several of them may together, by every method', async () => {
      await fc.assert(
        fc.asyncProperty(given, fc.boolean(), async (pairs, alone) => {
          const all = alone
            ? pairs
            : [...Object.entries(right).filter(([name]) => !pairs.some(([p]) => p === name)), ...pairs];
          await json(Object.fromEntries(all));
          await form(all);
          const query = formOf(all).toString();
          if (query.length < 10_000) await holds(`?${query}`);
        }),
        { numRuns: Number(process.env.TEST_HISTORIES ?? 25) },
      );
    });

    it('the whole body, its type and the method may', async () => {
      const type = fc.constantFrom(
        'application/json',
        'application/x-www-form-urlencoded',
        'application/json; charset=utf-16',
        'text/html',
        'multipart/form-data; boundary=x',
        '',
      );
      const text = fc.oneof(
        fc.json(),
        fc.string({ unit: 'binary' }),
        fc.constantFrom(...injections, 'x'.repeat(30_000)),
      );
      await fc.assert(
        fc.asyncProperty(type, text, (contentType, body) => posted(body, contentType)),
        { numRuns: Number(process.env.TEST_HISTORIES ?? 20) },
      );
      for (const method of ['PUT', 'PATCH', 'DELETE']) await holds('', { method });
      await json('x'.repeat(30_000));
      await posted('x', 'text/html');
    });

    it('the credentials may', async () => {
      const word = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)) });
      const { token } = await issueToken(beacon.tokens, { owner: 'Lab', scopes: ['beacon:write'] }, new Date());
      const header = fc.oneof(
        fc.constant(`Bearer ${token}`),
        word,
        word.map((token) => `Bearer ${token}`),
        fc.tuple(word, word, word).map((words) => words.join(' ')),
      );
      await fc.assert(
        fc.asyncProperty(header, fc.constantFrom('ds', 'closed', 'none'), (authorization, id) =>
          holds(`?${formOf([...Object.entries(right), ['datasetIds', id]])}`, { headers: { authorization } }),
        ),
        { numRuns: Number(process.env.TEST_HISTORIES ?? 20) },
      );
      // A token without the right, and none: both surely occur.
      const closed = `?${formOf([...Object.entries(right), ['datasetIds', 'closed']])}`;
      await holds(closed, { headers: { authorization: `Bearer ${token}` } });
      await holds(closed);
    });

    it('include some that pass the first checks', () => {
      expect([...seen]).to.include.members([200, 400, 401, 403, 405, 413, 415]);
    });
  });
}
