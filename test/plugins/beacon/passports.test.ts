/**
 * Attack × carrier × endpoint: what is wrong with a visa makes its holder nobody in particular, what is wrong with a token is
 * refused, and neither ever shows more than an anonymous caller sees.
 */
import { expect } from 'chai';
import { exportJWK, exportSPKI, SignJWT } from 'jose';
import { memorySubject } from '../../kit/memory.js';
import { Broker, type BrokerKey, newKey, now, type VisaOptions } from '../../support/broker.js';
import { addRecords, type Beacon, serveBeacon } from './support/serve.js';

/** The datasets, with the position (1-based) of an allele that only this one has. All have the one at position 10. */
const world = {
  open: { access: 'PUBLIC', position: 20 },
  register: { access: 'REGISTERED', position: 30 },
  control: { access: 'CONTROLLED', position: 40 },
  other: { access: 'CONTROLLED', position: 50 },
} as const;
type Id = keyof typeof world;
const ids = Object.keys(world) as Id[];

const allele = (position: number) =>
  `assemblyId=GRCh37&referenceName=1&start=${position - 1}&referenceBases=A&alternateBases=C`;

/** What a client can ask, once for each face and endpoint. */
const endpoints: Readonly<Record<string, string>> = {
  'v1 query': `/apiv1.0/query?${allele(10)}&includeDatasetResponses=ALL`,
  'v1 query by name': `/apiv1.0/query?${allele(40)}&datasetIds=control&includeDatasetResponses=ALL`,
  'v1.1 query': `/beacon/v1/query?${allele(10)}&includeDatasetResponses=ALL`,
  'v2 boolean': `/beacon/v2/g_variants?${allele(40)}&requestedGranularity=boolean`,
  'v2 record': `/beacon/v2/g_variants?${allele(10)}&requestedGranularity=record&includeResultsetResponses=ALL`,
  'v2 datasets': '/beacon/v2/datasets',
  'v2 filtering terms': '/beacon/v2/filtering_terms',
  'search page': `/beacon/search?q=1-40-A-C&assemblyId=GRCh37`,
  observations: `/observations?assembly=GRCh37&allele=1-40-A-C&dataset=control`,
};

describe('beacon: passports', function () {
  this.timeout(60_000);
  let broker: Broker;
  /** Signs visas for data access committees. */
  let rems: Broker;
  /** An issuer of access tokens whose visas nobody trusts. */
  let stranger: Broker;
  /** Not in the configuration at all. */
  let attacker: Broker;
  let server: Beacon;
  let weak: BrokerKey;

  before(async () => {
    [broker, rems, stranger, attacker] = await Promise.all([
      Broker.start(),
      Broker.start({ path: '/rems' }),
      Broker.start({ path: '/' }),
      Broker.start({ path: '/rems' }),
    ]);
    weak = await newKey('ES384');
    const auth = {
      issuers: [
        { issuer: broker.issuer, audience: broker.audience, visas: 'userinfo', requireAudience: false },
        {
          issuer: stranger.issuer,
          audience: stranger.audience,
          visas: 'exchange',
          clientId: stranger.client.id,
          clientSecret: stranger.client.secret,
        },
      ],
      visaIssuers: [
        {
          issuer: rems.issuer,
          jku: [rems.jwksUrl],
          subjectsOf: broker.issuer,
          maxAgeDays: 365,
          sources: {
            ControlledAccessGrants: ['https://dac.test', 'https://other-dac.test'],
            AffiliationAndRole: ['https://uni.test'],
          },
        },
        {
          issuer: broker.issuer,
          jku: [broker.jwksUrl],
          sources: {
            AcceptedTermsAndPolicies: ['https://uni.test'],
            ResearcherStatus: ['https://uni.test'],
            LinkedIdentities: [broker.issuer],
          },
        },
      ],
      visaGrants: [
        { value: 'https://data.test/1', source: 'https://dac.test', scopes: ['beacon:read:control'] },
        { value: 'https://data.test/2', source: 'https://dac.test', scopes: ['beacon:read:other'] },
        { value: 'https://other.test/1', source: 'https://other-dac.test', scopes: ['beacon:read:other'] },
      ],
      researchers: {},
    };
    server = await serveBeacon(memorySubject, { auth });
    for (const id of ids) {
      const records = [10, world[id].position].map((position) => `1 ${position} . A C . . . GT 0/1`);
      await addRecords(server.repository, id, records, { samples: ['s1'], access: world[id].access });
    }
  });
  after(async () => {
    await server.close();
    await Promise.all([broker, rems, stranger, attacker].map((one) => one.close()));
  });

  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

  /** The response without what differs between two equal requests. */
  const answer = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(server.url + path, { headers });
    expect(response.headers.get('cache-control'), path).to.equal('no-store');
    const text = (await response.text()).replace(/nonce="[^"]*"/g, '').replace(/"requestId":"[^"]*"/g, '');
    return { status: response.status, text };
  };

  /** The datasets that answer a query, by v1 and by v2, which must agree. */
  const seenBy = async (headers: Record<string, string>): Promise<Id[]> => {
    const v1 = await answer(endpoints['v1 query'] ?? '', headers);
    expect(v1.status, v1.text).to.equal(200);
    const responses = JSON.parse(v1.text).datasetAlleleResponses as { datasetId: Id }[];
    const v2 = await answer(endpoints['v2 record'] ?? '', headers);
    const sets = JSON.parse(v2.text).response.resultSets as { id: Id }[];
    const seen = responses.map(({ datasetId }) => datasetId).sort();
    expect(sets.map(({ id }) => id).sort()).to.deep.equal(seen);
    return seen;
  };
  const seenByPassport = async (sub: string, visas: readonly unknown[]) =>
    seenBy(bearer(await broker.passport(sub, visas)));

  /** The visas of a bona fide researcher, by the broker. */
  const researcher = (sub: string, terms: object = {}, status: object = {}) => {
    const common = { value: 'https://doi.org/10.1038/s41431-018-0219-y', source: 'https://uni.test' };
    return Promise.all([
      broker.visa({ sub, visa: { ...common, type: 'AcceptedTermsAndPolicies', by: 'self', ...terms } }),
      broker.visa({ sub, visa: { ...common, type: 'ResearcherStatus', by: 'so', ...status } }),
    ]);
  };

  describe('grant', () => {
    it('the datasets that their visas name, whoever carries them', async () => {
      const visa = await rems.visa({ sub: 'ada' });
      expect(await seenByPassport('ada', [visa])).to.deep.equal(['control', 'open']);
      broker.add({ sub: 'ada', visas: [visa] });
      expect(await seenBy(bearer(await broker.accessToken('ada')))).to.deep.equal(['control', 'open']);
      stranger.add({ sub: 'eve', visas: [await rems.visa({ sub: 'eve' })] });
      // The visa is about the account `eve` of the broker, and not of the other issuer.
      expect(await seenBy(bearer(await stranger.accessToken('eve')))).to.deep.equal(['open']);
    });

    it('datasets by a passport of 40 visas, and say what is too large of one with more than fit', async () => {
      const others = (count: number) =>
        Promise.all(
          Array.from({ length: count }, (_, n) =>
            rems.visa({ sub: 'ada', visa: { value: `https://data.test/unknown/${n}` } }),
          ),
        );
      const visas = [...(await others(39)), await rems.visa({ sub: 'ada' })];
      const passport = await broker.passport('ada', visas);
      // More than Node's own limit of the head of a request.
      expect(passport.length).to.be.above(16_384);
      expect(await seenBy(bearer(passport))).to.deep.equal(['control', 'open']);
      // The same in a userinfo that the broker signs.
      const claims = { iss: broker.issuer, aud: broker.audience, sub: 'ada', ga4gh_passport_v1: visas };
      const userinfo = await broker.sign(claims);
      broker.faults = {
        userinfo(context) {
          context.type = 'application/jwt';
          context.body = userinfo;
        },
      };
      expect(await seenBy(bearer(await broker.accessToken('ada')))).to.deep.equal(['control', 'open']);
      broker.faults = {};
      const large = await broker.passport('ada', await others(100));
      expect(large.length).to.be.above(65_536);
      const refused = await fetch(server.url + endpoints['v2 datasets'], { headers: bearer(large) });
      expect(refused.status).to.equal(431);
      expect(((await refused.json()) as { detail: string }).detail).to.include('larger than 65536 bytes');
    });

    it('registered datasets to bona fide researchers, and nothing else', async () => {
      expect(await seenByPassport('ada', await researcher('ada'))).to.deep.equal(['open', 'register']);
      const [terms, status] = await researcher('ada');
      const eves = await researcher('eve');
      const changed: [string, readonly unknown[]][] = [
        ['terms alone', [terms]],
        ['status alone', [status]],
        ['terms of another person', [eves[0], status]],
        ['status by a peer', await researcher('ada', {}, { by: 'peer' })],
        ['status by nobody', await researcher('ada', {}, { by: undefined })],
        ['another value', await researcher('ada', { value: 'https://doi.org/10.1038/s41431-018-0219-y/' })],
        ['another source', await researcher('ada', { source: 'https://evil.test' })],
      ];
      for (const [what, visas] of changed) expect(await seenByPassport('ada', visas), what).to.deep.equal(['open']);
    });

    it('by visas of linked accounts, in any number of steps', async () => {
      const link = (sub: string, ...others: readonly [string, string][]) =>
        broker.visa({
          sub,
          visa: {
            type: 'LinkedIdentities',
            source: broker.issuer,
            by: 'system',
            value: others.map((pair) => pair.map(encodeURIComponent).join(',')).join(';'),
          },
        });
      const visa = await rems.visa({ sub: 'old-ada' });
      expect(await seenByPassport('ada', [visa])).to.deep.equal(['open']);
      const direct = await link('ada', ['old-ada', broker.issuer], ['x', 'https://x.test']);
      expect(await seenByPassport('ada', [visa, direct])).to.deep.equal(['control', 'open']);
      const steps = [await link('ada', ['a', 'https://x.test']), await link('old-ada', ['a', 'https://x.test'])];
      expect(await seenByPassport('ada', [visa, ...steps])).to.deep.equal(['control', 'open']);
      expect(await seenByPassport('ada', [visa, steps[0]])).to.deep.equal(['open']);
      // Only issuers that are trusted for links may state them.
      const foreign = await rems.visa({
        sub: 'ada',
        visa: {
          type: 'LinkedIdentities',
          source: 'https://dac.test',
          value: `old-ada,${encodeURIComponent(broker.issuer)}`,
        },
      });
      expect(await seenByPassport('ada', [visa, foreign])).to.deep.equal(['open']);
    });

    it('under conditions only if another visa of the same person meets them', async () => {
      const conditions = [
        [{ type: 'AffiliationAndRole', value: 'pattern:faculty@*.test', by: 'const:so' }],
        [{ type: 'ResearcherStatus', source: 'const:nowhere' }],
      ];
      const grant = await rems.visa({ sub: 'ada', visa: { conditions } });
      const role = (sub: string, visa: object = {}) =>
        rems.visa({
          sub,
          visa: {
            type: 'AffiliationAndRole',
            value: 'faculty@uni.test',
            source: 'https://uni.test',
            by: 'so',
            ...visa,
          },
        });
      expect(await seenByPassport('ada', [grant, await role('ada')])).to.deep.equal(['control', 'open']);
      const insufficient = [
        [],
        [await role('eve')],
        [await role('ada', { by: 'self' })],
        [await role('ada', { value: 'student@uni.test' })],
        [await role('ada', { conditions })],
        // Both claims of the clause must be met by one visa.
        [await role('ada', { by: 'self' }), await role('ada', { value: 'student@uni.test' })],
      ];
      for (const visas of insufficient) expect(await seenByPassport('ada', [grant, ...visas])).to.deep.equal(['open']);
    });
  });

  describe('attacks', () => {
    let anonymous: Map<string, { status: number; text: string }>;
    before(async () => {
      anonymous = new Map();
      for (const [name, path] of Object.entries(endpoints)) anonymous.set(name, await answer(path));
      // The endpoints tell apart who may see more.
      const good = bearer(await broker.passport('ada', [await rems.visa({ sub: 'ada' })]));
      for (const name of [
        'v1 query',
        'v1 query by name',
        'v1.1 query',
        'v2 boolean',
        'v2 record',
        'v2 datasets',
        'search page',
      ]) {
        expect(await answer(endpoints[name] ?? '', good), name).to.not.deep.equal(anonymous.get(name));
      }
    });

    /** Nobody in particular: what anonymous callers see, or a refusal because of who asks. */
    const seesNothing = async (what: string, headers: Record<string, string>, paths = Object.entries(endpoints)) => {
      for (const [name, path] of paths) {
        const got = await answer(path, headers);
        const open = anonymous.get(name);
        if (open?.status === 200) expect(got, `${what}: ${name}`).to.deep.equal(open);
        else expect([got.status, got.text.includes('"exists":true')], `${what}: ${name}`).to.deep.equal([403, false]);
      }
    };

    const asFor = (more: Partial<VisaOptions>) => rems.visa({ sub: 'ada', ...more });
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    /** Replaces the text of the claims, and signs it. */
    const withText = async (token: string, change: (json: string) => string, key = rems.key) => {
      const [header = '', claims = ''] = token.split('.');
      const text = change(Buffer.from(claims, 'base64url').toString());
      const { privateKey } = key;
      const data = `${header}.${Buffer.from(text).toString('base64url')}`;
      const algorithm = { name: 'ECDSA', hash: 'SHA-256' };
      const signature = await crypto.subtle.sign(algorithm, privateKey, Buffer.from(data));
      return `${data}.${Buffer.from(signature).toString('base64url')}`;
    };
    const confused = async () => {
      const secret = new TextEncoder().encode(await exportSPKI(rems.key.publicKey));
      const claims = JSON.parse(Buffer.from((await asFor({})).split('.')[1] ?? '', 'base64url').toString());
      return new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', kid: rems.key.kid, jku: rems.jwksUrl })
        .sign(secret);
    };

    /** Visas with one fault each; `ada` carries them. */
    const visaFaults: Record<string, () => Promise<unknown>> = {
      'signed with a key that nobody published': async () => asFor({ key: { ...(await newKey()), kid: rems.key.kid } }),
      'signed by another broker': () => asFor({ key: broker.key }),
      'with keys in its header': async () => {
        const key = await newKey();
        return asFor({ key: { ...key, kid: rems.key.kid }, header: { jwk: await exportJWK(key.publicKey) } });
      },
      'not signed': async () => {
        const [, claims] = (await asFor({})).split('.');
        return `${part({ alg: 'none', kid: rems.key.kid, jku: rems.jwksUrl })}.${claims}.`;
      },
      'signed by HMAC with the public key': confused,
      'signed with another algorithm': () => asFor({ key: { ...weak, kid: rems.key.kid } }),
      'with a changed signature': async () => (await asFor({})).replace(/.{8}$/, 'AAAAAAAA'),
      'with changed claims': async () => {
        const [header, claims = '', signature] = (await asFor({ sub: 'eve' })).split('.');
        const text = Buffer.from(claims, 'base64url').toString().replace('"eve"', '"ada"');
        return `${header}.${Buffer.from(text).toString('base64url')}.${signature}`;
      },
      'without a key id': () => asFor({ header: { kid: undefined } }),
      'with a key id that is no text': () => asFor({ header: { kid: 1 } }),
      'with an unknown key id': () => asFor({ header: { kid: 'another' } }),
      'with critical extensions': async () => {
        const [, claims = ''] = (await asFor({})).split('.');
        const header = part({ alg: 'ES256', kid: rems.key.kid, jku: rems.jwksUrl, crit: ['x'], x: 1 });
        return withText(`${header}.${claims}.x`, (text) => text);
      },
      'of the type of an access token': () => asFor({ header: { typ: 'at+jwt' } }),
      'with keys at an address of the attacker': () => attacker.visa({ sub: 'ada', claims: { iss: rems.issuer } }),
      'with keys of another trusted issuer': () => broker.visa({ sub: 'ada', claims: { iss: rems.issuer } }),
      'with an address of keys that only resembles the right one': () => asFor({ header: { jku: `${rems.jwksUrl}#` } }),
      'of an issuer that is not trusted for visas': () => stranger.visa({ sub: 'ada' }),
      'of the issuer with a slash at the end': () => asFor({ claims: { iss: `${rems.issuer}/` } }),
      'of the issuer in capitals': () => asFor({ claims: { iss: rems.issuer.toUpperCase() } }),
      'of the issuer with an encoded letter': () => asFor({ claims: { iss: rems.issuer.replace('rems', '%72ems') } }),
      'of the issuer with a letter that looks the same': () =>
        asFor({ claims: { iss: rems.issuer.replace('e', 'е') } }),
      'of a list of issuers': () => asFor({ claims: { iss: [rems.issuer] } }),
      expired: () => asFor({ claims: { exp: now() - 1 } }),
      'without an expiry': () => asFor({ claims: { exp: undefined } }),
      'with an expiry that is a text': () => asFor({ claims: { exp: String(now() + 600) } }),
      'that never expires': async () => withText(await asFor({}), (text) => text.replace(/"exp":\d+/, '"exp":1e400')),
      'with a negative expiry': () => asFor({ claims: { exp: -1 } }),
      'issued in the future': () => asFor({ claims: { iat: now() + 3600 } }),
      'without a time of issue': () => asFor({ claims: { iat: undefined } }),
      'not valid yet': () => asFor({ claims: { nbf: now() + 3600 } }),
      'with an nbf that is no number': () => asFor({ claims: { nbf: 'now' } }),
      'of another person': () => asFor({ sub: 'eve' }),
      'without a subject': () => asFor({ claims: { sub: undefined } }),
      'with a subject that is a list': () => asFor({ claims: { sub: ['ada'] } }),
      'that is an access token as well': () => asFor({ claims: { scope: 'openid profile' } }),
      'with a member that is repeated': async () =>
        withText(await asFor({ sub: 'eve' }), (text) => text.replace('"sub":"eve"', '"sub":"eve","sub":"ada"')),
      'with a member that is repeated by another spelling': async () =>
        withText(await asFor({ sub: 'eve' }), (text) => text.replace('"sub":"eve"', '"sub":"eve","s\\u0075b":"ada"')),
      'without ga4gh_visa_v1': () => asFor({ claims: { ga4gh_visa_v1: undefined } }),
      'with ga4gh_visa_v1 as a list': () => asFor({ claims: { ga4gh_visa_v1: [] } }),
      'of another type': () => asFor({ visa: { type: 'AffiliationAndRole', source: 'https://uni.test' } }),
      'of the type in small letters': () => asFor({ visa: { type: 'controlledaccessgrants' } }),
      'without a source': () => asFor({ visa: { source: undefined } }),
      'of a source that its issuer may not sign for': () => asFor({ visa: { source: 'https://evil.test' } }),
      'of another committee with a dataset of the same number': () =>
        asFor({ visa: { source: 'https://other-dac.test' } }),
      'without an authority': () => asFor({ visa: { by: undefined } }),
      'by the person': () => asFor({ visa: { by: 'self' } }),
      'with an authority that is a list': () => asFor({ visa: { by: ['dac'] } }),
      'without a time of assertion': () => asFor({ visa: { asserted: undefined } }),
      'asserted in the future': () => asFor({ visa: { asserted: now() + 3600 } }),
      'asserted too long ago': () => asFor({ visa: { asserted: now() - 366 * 86_400 } }),
      'with the end of the value alone': () => asFor({ visa: { value: '1' } }),
      'with a value that ends alike': () => asFor({ visa: { value: 'https://evil.test/1' } }),
      'with a value in capitals': () => asFor({ visa: { value: 'HTTPS://data.test/1' } }),
      'with a value and a slash': () => asFor({ visa: { value: 'https://data.test/1/' } }),
      'with the id of the dataset as its value': () => asFor({ visa: { value: 'control' } }),
      'with a list of values': () => asFor({ visa: { value: ['https://data.test/1'] } }),
      'with conditions that nothing meets': () =>
        asFor({ visa: { conditions: [[{ type: 'ResearcherStatus', by: 'const:so' }]] } }),
      'with conditions that are not understood': () => asFor({ visa: { conditions: 'none' } }),
      'with an empty condition': () => asFor({ visa: { conditions: [[]] } }),
      'with a condition on itself': () =>
        asFor({ visa: { conditions: [[{ type: 'ControlledAccessGrants', by: 'const:dac' }]] } }),
      'that is no token': async () => 'visa',
      'that is an object': async () => ({ ga4gh_visa_v1: { value: 'https://data.test/1' } }),
      'that is null': async () => null,
    };

    it('by visas in passports show what anonymous callers see, at every endpoint', async () => {
      for (const [what, make] of Object.entries(visaFaults)) {
        await seesNothing(what, bearer(await broker.passport('ada', [await make()])));
      }
    }).timeout(120_000);

    it('by visas in the userinfo too, also beside a valid one, which counts', async () => {
      // More than fits into a header.
      const large = await asFor({ claims: { padding: 'x'.repeat(17_000) } });
      const faults = [large, ...(await Promise.all(Object.values(visaFaults).map((make) => make())))];
      const good = await asFor({});
      for (let at = 0; at < faults.length; at += 20) {
        const some = faults.slice(at, at + 20) as string[];
        broker.add({ sub: 'ada', visas: some });
        await seesNothing(`faults from ${at}`, bearer(await broker.accessToken('ada')));
        broker.add({ sub: 'ada', visas: [...some, good] });
        expect(await seenBy(bearer(await broker.accessToken('ada')))).to.deep.equal(['control', 'open']);
      }
    });

    it('never make the server ask an address that is not configured', () => {
      expect(attacker.requests('jwks')).to.equal(0);
    });

    const times = () => ({ iat: now(), exp: now() + 600 });
    /** Tokens and passports with one fault each, whose holder would see `control`. */
    const tokenFaults: Record<string, () => Promise<string>> = {
      'a token signed with a key that nobody published': async () =>
        broker.accessToken('ada', {}, { key: { ...(await newKey()), kid: broker.key.kid } }),
      'a token signed by another issuer': () => broker.accessToken('ada', {}, { key: rems.key }),
      'a token of an issuer that is not configured': () => rems.accessToken('ada'),
      'a token of the issuer without its slash': () =>
        broker.accessToken('ada', { iss: broker.issuer.replace(/\/$/, '') }),
      'a token for another audience': () => broker.accessToken('ada', { aud: 'another' }),
      'a token without an audience and without the scopes': () =>
        broker.accessToken('ada', { aud: undefined, scope: 'openid' }),
      'a token whose scopes contain the words as parts': () =>
        broker.accessToken('ada', { aud: undefined, scope: 'openid_x ga4gh_passport_v1x' }),
      'a token that has expired': () => broker.accessToken('ada', { exp: now() - 61 }),
      'a token with an expiry that is a text': () => broker.accessToken('ada', { exp: String(now() + 600) }),
      'a token that never expires': async () =>
        withText(await broker.accessToken('ada'), (text) => text.replace(/"exp":\d+/, '"exp":1e400'), broker.key),
      'a token issued in the future': () => broker.accessToken('ada', { iat: now() + 3600 }),
      'a token without a subject': () => broker.accessToken('ada', { sub: undefined }),
      'a token with an empty subject': () => broker.accessToken('ada', { sub: '' }),
      'a token with two subjects': async () =>
        withText(
          await broker.accessToken('eve'),
          (text) => text.replace('"sub":"eve"', '"sub":"eve","sub":"ada"'),
          broker.key,
        ),
      'an ID token': () => broker.accessToken('ada', { nonce: 'x', scope: undefined }, { header: { typ: 'JWT' } }),
      'a logout token': () => broker.accessToken('ada', { events: {} }),
      'a visa': () => broker.visa({ sub: 'ada', claims: { aud: broker.audience } }),
      'a visa that says it is an access token': () =>
        broker.visa({ sub: 'ada', claims: { aud: broker.audience, scope: 'openid' }, header: { typ: 'at+jwt' } }),
      'a token of another type': () => broker.accessToken('ada', {}, { header: { typ: 'secevent+jwt' } }),
      'a passport signed by another issuer': async () =>
        broker.passport('ada', [await rems.visa({ sub: 'ada' })], {}, { key: rems.key }),
      'a passport that has expired': async () =>
        broker.passport('ada', [await rems.visa({ sub: 'ada' })], { exp: now() - 61 }),
      'a passport for another audience': async () =>
        broker.passport('ada', [await rems.visa({ sub: 'ada' })], { aud: 'another' }),
      'a passport without visas': () => broker.passport('ada', [], { ga4gh_passport_v1: undefined }),
      'a passport whose visas are an object': () => broker.passport('ada', [], { ga4gh_passport_v1: {} }),
      'a passport without a subject': async () =>
        broker.passport('ada', [await rems.visa({ sub: 'ada' })], { sub: undefined }),
      'a passport that its issuer must name an audience in': async () =>
        stranger.passport('ada', [await rems.visa({ sub: 'ada' })]),
      'claims that nobody signed': async () => {
        const claims = { ...times(), iss: broker.issuer, sub: 'ada', aud: broker.audience };
        return `${part({ alg: 'none', typ: 'at+jwt', kid: broker.key.kid })}.${part(claims)}.`;
      },
      'a token signed by HMAC with the public key': async () => {
        const secret = new TextEncoder().encode(await exportSPKI(broker.key.publicKey));
        const claims = { ...times(), iss: broker.issuer, sub: 'ada', aud: broker.audience };
        return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: broker.key.kid }).sign(secret);
      },
      'a userinfo that is signed': () =>
        broker.sign(
          { ...times(), sub: 'ada', iss: broker.issuer, ga4gh_passport_v1: [] },
          { header: { typ: undefined } },
        ),
    };

    it('by tokens and passports are refused at every endpoint', async () => {
      broker.add({ sub: 'ada', visas: [await rems.visa({ sub: 'ada' })] });
      for (const [what, make] of Object.entries(tokenFaults)) {
        const headers = bearer(await make());
        for (const [name, path] of Object.entries(endpoints)) {
          const { status, text } = await answer(path, headers);
          expect([status, text.includes('"exists":true')], `${what}: ${name}`).to.deep.equal([401, false]);
        }
      }
    });

    it('by what a broker says of someone else show what anonymous callers see', async () => {
      const visas = [await rems.visa({ sub: 'ada' })];
      const userinfo = (body: unknown, type = 'application/json') => {
        broker.faults = {
          userinfo(context) {
            context.type = type;
            context.body = typeof body === 'string' ? body : JSON.stringify(body);
          },
        };
      };
      const signed = (claims: object, key = broker.key) =>
        broker.sign(
          { iss: broker.issuer, aud: broker.audience, sub: 'ada', ga4gh_passport_v1: visas, ...claims },
          { key },
        );
      try {
        userinfo({ sub: 'ada', ga4gh_passport_v1: visas });
        expect(await seenBy(bearer(await broker.accessToken('ada')))).to.deep.equal(['control', 'open']);
        userinfo(await signed({}), 'application/jwt');
        expect(await seenBy(bearer(await broker.accessToken('ada')))).to.deep.equal(['control', 'open']);
        const wrong: [string, unknown, string?][] = [
          ['another subject', { sub: 'eve', ga4gh_passport_v1: visas }],
          ['no subject', { ga4gh_passport_v1: visas }],
          ['two subjects', `{"sub":"eve","sub":"ada","ga4gh_passport_v1":${JSON.stringify(visas)}}`],
          ['no list', { sub: 'ada', ga4gh_passport_v1: { 0: visas[0] } }],
          ['no JSON', '<html>'],
          ['a signed userinfo of another subject', await signed({ sub: 'eve' }), 'application/jwt'],
          ['a signed userinfo of another issuer', await signed({ iss: rems.issuer }), 'application/jwt'],
          ['a signed userinfo for another audience', await signed({ aud: 'another' }), 'application/jwt'],
          ['a signed userinfo by another key', await signed({}, rems.key), 'application/jwt'],
          ['a signed userinfo that has expired', await signed({ exp: now() - 61 }), 'application/jwt'],
        ];
        for (const [what, body, type] of wrong) {
          userinfo(body, type);
          await seesNothing(what, bearer(await broker.accessToken('ada')));
        }
      } finally {
        broker.faults = {};
      }
    });
  });
});
