/**
 * Access: every route and page of the beacon, every kind of caller, every access level, over HTTP. What each caller
 * may query is written down by hand; everything else follows from it.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import { dealt } from '../../support/dealt.js';
import { request } from '../../support/http.js';
import { storages } from '../../support/storages.js';
import { tokenWith } from './support/observed.js';
import { addRecords, type Beacon, type BeaconOptions, type Json, serveBeacon } from './support/serve.js';

/** The datasets, with the position (1-based) of an allele that only this one has. All have the one at position 10. */
const world = {
  open: { access: 'PUBLIC', position: 20 },
  register: { access: 'REGISTERED', position: 30 },
  control: { access: 'CONTROLLED', position: 40 },
  'control:two': { access: 'CONTROLLED', position: 50 },
} as const;
type Id = keyof typeof world;
const ids = Object.keys(world) as Id[];

/** Scopes of tokens, and the datasets that a holder may query. Without a token only the public one. */
const holders: readonly { scopes: string[]; sees: readonly Id[] }[] = [
  { scopes: [], sees: ['open'] },
  { scopes: ['beacon:write'], sees: ['open'] },
  { scopes: ['beacon:write:control'], sees: ['open'] },
  { scopes: ['beacon:admin'], sees: ['open'] },
  { scopes: ['server:read'], sees: ['open'] },
  { scopes: ['matchmaker:*', 'coverage:load'], sees: ['open'] },
  { scopes: ['beacon:read:nowhere'], sees: ['open'] },
  { scopes: ['beacon:read:CONTROL', 'beacon:read:control:'], sees: ['open'] },
  { scopes: ['beacon:read:register'], sees: ['open', 'register'] },
  { scopes: ['beacon:read:control'], sees: ['open', 'control'] },
  { scopes: ['beacon:read:control:two'], sees: ['open', 'control:two'] },
  { scopes: ['beacon:read:register', 'beacon:read:control:two'], sees: ['open', 'register', 'control:two'] },
  { scopes: ['beacon:read'], sees: ids },
  { scopes: ['beacon:*'], sees: ids },
  { scopes: ['*'], sees: ids },
];

const shared = 10;

interface Caller {
  name: string;
  headers: Record<string, string>;
  token?: string;
  sees: readonly Id[];
}

for (const engine of dealt(storages, 'postgres')) {
  describe(`beacon: access to datasets (${engine.name})`, function () {
    this.timeout(120_000); // a few thousand requests
    let server: Beacon;
    let callers: Caller[];

    async function serve(options?: BeaconOptions): Promise<void> {
      server = await serveBeacon(engine, options);
      for (const id of ids) {
        const records = [shared, world[id].position].map((position) => `1 ${position} . A C . . . GT 0/1 1/1`);
        await addRecords(server.repository, id, records, { samples: ['s1', 's2'], access: world[id].access });
      }
      callers = [{ name: 'anonymous', headers: {}, sees: ['open'] }];
      for (const [i, { scopes, sees }] of holders.entries()) {
        const token = await tokenWith(server, ...scopes);
        // The policy treats both ways to send a token alike, so the test alternates.
        const headers: Record<string, string> =
          i % 2 === 0 ? { 'x-auth-token': token } : { authorization: `Bearer ${token}` };
        callers.push({ name: `a token with [${scopes}]`, headers, token, sees });
      }
    }
    before(() => serve());
    after(() => server.close());

    const json = async (path: string, headers: Record<string, string>, body?: Json) => {
      const answer = await request(`${server.url}/apiv1.0${path}`, { headers, json: body });
      expect(answer.headers.get('cache-control'), path).to.equal('no-store');
      return answer;
    };

    const parametersAt = (position: number) => ({
      assemblyId: 'GRCh37',
      referenceName: '1',
      start: position - 1,
      referenceBases: 'A',
      alternateBases: 'C',
    });
    const textOf = (parameters: Json, lists: readonly string[] = []) => {
      const search = new URLSearchParams(
        Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]),
      );
      for (const id of lists) search.append('datasetIds', id);
      return search;
    };

    /** The same query in each form that the API accepts. */
    const ways: Record<
      string,
      (headers: Record<string, string>, parameters: Json, named: readonly string[]) => ReturnType<typeof json>
    > = {
      GET: (headers, parameters, named) => json(`/query?${textOf(parameters, named)}`, headers),
      POST: (headers, parameters, named) => json('/query', headers, { ...parameters, datasetIds: named }),
    };

    /** Two samples, one heterozygous and one homozygous: three calls of each allele. */
    const counts = { callCount: 3, sampleCount: 2, variantCount: 1 };
    const nothing = { callCount: 0, sampleCount: 0, variantCount: 0 };

    it('information: counts of datasets that the caller may query, names of all', async () => {
      for (const { name, headers, sees } of callers) {
        for (const path of ['', '/', '/info']) {
          const { status, body } = await json(path, headers);
          expect(status, name).to.equal(200);
          const shown = (body.datasets as Json[]).map((one) => [
            one.id,
            one.callCount,
            one.sampleCount,
            one.variantCount,
            one.info,
          ]);
          const expected = ids.map((id) => {
            const accessType = world[id].access;
            return sees.includes(id)
              ? [id, 6, 2, 2, { accessType }]
              : [id, 0, 0, 0, { accessType, counts: 'withheld' }];
          });
          expect(shown, `${name} ${path}`).to.have.deep.members(expected).and.have.length(ids.length);
          const examples = (body.sampleAlleleRequests as Json[]).map(({ datasetIds }) => datasetIds);
          expect(examples, name).to.deep.equal([['open'], ['open']]);
        }
      }
    });

    it('queries without datasets: those that the caller may query, in every form', async () => {
      for (const { name, headers, sees } of callers) {
        for (const [way, ask] of Object.entries(ways)) {
          for (const position of [shared, ...ids.map((id) => world[id].position), 60]) {
            const holds = (id: Id) => position === shared || world[id].position === position;
            const what = `${name} ${way} ${position}`;
            const parameters = parametersAt(position);
            const all = await ask(headers, { ...parameters, includeDatasetResponses: 'ALL' }, []);
            expect([all.status, all.body.exists], what).to.deep.equal([200, sees.some(holds)]);
            const counted = new Set<unknown>();
            for (const { datasetId, info } of all.body.datasetAlleleResponses as { datasetId: Id; info: Json }[]) {
              const { denominator } = info;
              delete info.denominator;
              if (denominator === undefined) continue;
              counted.add(datasetId);
              expect(denominator).to.deep.include({ key: 'words', value: 'Coverage unknown (2 samples)' });
            }
            // Everybody may query the public dataset, but only holders of the right for it learn out of how many.
            const held = sees.filter((id) => id !== 'open' || sees.length === ids.length);
            expect([...counted], what).to.have.members(held);
            expect(all.body.datasetAlleleResponses, what).to.have.deep.members(
              sees.map((datasetId) => ({
                datasetId,
                exists: holds(datasetId),
                info: { accessType: world[datasetId].access },
                ...(holds(datasetId) ? counts : nothing),
              })),
            );
            const none = await ask(headers, parameters, []);
            expect([none.status, none.body.exists, none.body.datasetAlleleResponses], what).to.deep.equal([
              200,
              sees.some(holds),
              [],
            ]);
          }
        }
      }
    });

    it('queries that name datasets: 401 without a token, 403 with one, and no data of closed ones', async () => {
      const errors = {
        401: ['The requested datasets are not public: an access token is required', 'Bearer realm="beacon"'],
        403: [
          'The access token does not open the requested datasets',
          'Bearer realm="beacon", error="insufficient_scope"',
        ],
      } as const;
      for (const { name, headers, sees } of callers) {
        for (const [way, ask] of Object.entries(ways)) {
          for (const named of [
            ...ids.map((id) => [id]),
            ids,
            ['open', 'control'],
            ['control', 'nowhere'],
            ['register', 'control'],
          ]) {
            const what = `${name} ${way} ${named}`;
            const parameters = { ...parametersAt(shared), includeDatasetResponses: 'ALL' };
            const { status, headers: sent, body } = await ask(headers, parameters, named);
            const open = sees.filter((id) => named.includes(id));
            if (open.length > 0) {
              expect([status, body.exists], what).to.deep.equal([200, true]);
              const answered = (body.datasetAlleleResponses as Json[]).map(({ datasetId }) => datasetId);
              expect(answered, what).to.have.members(open).and.have.length(open.length);
              continue;
            }
            const code = name === 'anonymous' ? 401 : 403;
            const [errorMessage, challenge] = errors[code];
            expect([status, sent.get('www-authenticate')], what).to.deep.equal([code, challenge]);
            expect([body.error, body.exists, body.datasetAlleleResponses], what).to.deep.equal([
              { errorCode: code, errorMessage },
              null,
              [],
            ]);
          }
        }
      }
    });

    it('closed datasets get the same response whether or not they have the allele', async () => {
      for (const { name, headers, sees } of callers) {
        for (const id of ids.filter((one) => !sees.includes(one))) {
          const [held, absent] = await Promise.all(
            [world[id].position, 60].map(async (position) => {
              const named = await json(`/query?${textOf(parametersAt(position), [id])}`, headers);
              const unnamed = await json(
                `/query?${textOf(parametersAt(position))}&includeDatasetResponses=ALL`,
                headers,
              );
              const plain = ({ status, body: { allelRequest: _, ...body } }: typeof named) => [status, body];
              return [plain(named), plain(unnamed)];
            }),
          );
          expect(held, `${name} ${id}`).to.deep.equal(absent);
        }
      }
    });

    it('the page searches public datasets, with any credential, and tells observers what was seen', async () => {
      const page = async (headers: Record<string, string>, init: RequestInit, search = '') => {
        const response = await fetch(`${server.url}/apiv1.0/query_form${search}`, {
          ...init,
          headers: { ...init.headers, ...headers },
        });
        return [response.status, (await response.text()).replace(/nonce="[^"]*"/g, '')] as const;
      };
      for (const position of [shared, ...ids.map((id) => world[id].position)]) {
        const form = textOf({ ...parametersAt(position), includeDatasetResponses: 'ALL' });
        const requests: [RequestInit, string?][] = [
          [{}],
          [{}, `?${form}`],
          [{ headers: { accept: 'application/json' } }, `?${form}`],
          [{ method: 'POST', body: form }],
        ];
        for (const [init, search] of requests) {
          const plain = await page({}, init, search);
          expect(plain[0]).to.equal(200);
          for (const id of ids.filter((one) => one !== 'open')) expect(plain[1]).to.not.include(`Dataset ${id}`);
          for (const { name, headers } of callers) {
            const [status, text] = await page(headers, init, search);
            const lines = /^<p class="observed">.*<\/p>\n/gm;
            expect([status, text.replace(lines, '')], `${name} ${search}`).to.deep.equal(plain);
            const isResult = search === undefined ? init.method === 'POST' : !init.headers;
            const observes = isResult && /\[(beacon:\*|\*)\]/.test(name);
            expect(text.match(lines) ?? [], name).to.have.length(observes ? ids.length : 0);
          }
        }
      }
    });

    it('two tokens add up, and omitting one never shows more', async () => {
      const holding = callers.filter(({ token }) => token !== undefined);
      const seenWith = async (headers: Record<string, string>): Promise<string[]> => {
        const { body } = await json(`/query?${textOf(parametersAt(shared))}&includeDatasetResponses=HIT`, headers);
        return (body.datasetAlleleResponses as Json[]).map(({ datasetId }) => String(datasetId)).sort();
      };
      const any = fc.constantFrom(...holding);
      await fc.assert(
        fc.asyncProperty(any, any, async (one, other) => {
          const both = await seenWith({
            'x-auth-token': `${one.token}`,
            authorization: `Bearer ${other.token}`,
          });
          expect(both).to.deep.equal([...new Set([...one.sees, ...other.sees])].sort());
          expect(both).to.include.members(await seenWith(one.headers));
          expect(await seenWith(one.headers)).to.include.members(await seenWith({}));
        }),
        { numRuns: Number(process.env.TEST_HISTORIES ?? 8) },
      );
    });

    it('the log contains no token, no dataset and no sample', async () => {
      for (const { headers } of callers) {
        await json(`/query?${textOf({ ...parametersAt(shared), includeDatasetResponses: 'ALL' })}`, headers);
        await json(`/query?${textOf(parametersAt(world.control.position), ['control', 'control:two'])}`, headers);
        await json('/info', headers);
      }
      const log = server.log();
      expect(log).to.include('/apiv1.0/query');
      for (const word of ['trf_', 'control', 'register', 's1', '"s2"', 'CONTROLLED']) expect(log).to.not.include(word);
    });

    it('closed datasets appear absent if the configuration lists them to no caller', async () => {
      await server.close();
      await serve({ settings: { listProtected: false } });
      for (const { name, headers, sees } of callers) {
        const { body } = await json('/info', headers);
        const listed = (body.datasets as Json[]).map(({ id }) => id);
        expect(listed, name).to.have.members(sees).and.have.length(sees.length);
        const absent = await json(`/query?${textOf(parametersAt(shared), ['nowhere'])}`, headers);
        expect(absent.status).to.equal(400);
        for (const id of ids) {
          const {
            status,
            headers: sent,
            body: answer,
          } = await json(`/query?${textOf(parametersAt(shared), [id])}`, headers);
          if (sees.includes(id)) expect([status, answer.exists], `${name} ${id}`).to.deep.equal([200, true]);
          else {
            expect([status, answer.error], `${name} ${id}`).to.deep.equal([400, absent.body.error]);
            expect(sent.get('www-authenticate')).to.equal(null);
          }
        }
      }
    });
  });
}
