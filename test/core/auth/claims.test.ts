/** Rights from the claims of verified tokens, by the operator's rules. */
import { expect } from 'chai';
import fc from 'fast-check';
import { grantsFromClaims, satisfiesGroup } from '../../../core/auth/claims.js';
import { authSettings, parseClaimPath, textsAt } from '../../../core/auth/settings.js';
import { defineRight } from '../../../core/policy/policy.js';

const dataset = { noun: 'dataset', id: ({ id }: { id: string }) => id };
const tenant = { noun: 'tenant', id: String };
const rights = [
  defineRight({ scope: 'box:read', summary: 'Read', part: 'read', of: dataset }),
  defineRight({ scope: 'box:cases', summary: 'See cases', part: 'report', of: dataset }),
  defineRight({ scope: 'box:write', summary: 'Write', part: 'load', of: dataset }),
  defineRight({ scope: 'box:admin', summary: 'Administer', part: 'admin' }),
  defineRight({ scope: 'files:report', summary: 'Report', part: 'report', of: tenant }),
  defineRight({ scope: 'files:load', summary: 'Replace all', part: 'load' }),
  defineRight({ scope: 'box:tokens-only', summary: 'For programs' }),
];

const rightsOf = (auth: object, claims: Record<string, unknown>, issuer = 'https://idp.lab') => {
  const { tenants, grants } = grantsFromClaims(authSettings.parse(auth), rights)(claims, issuer);
  return { tenants, scopes: grants.map(({ scope }) => scope), reasons: [...new Set(grants.map((one) => one.because))] };
};
const nothing = { tenants: [], scopes: [], reasons: [] };

const lab = {
  tenants: {
    cardio: {
      members: [
        { claim: 'groups', value: '/lab/cardio', rights: ['read', 'report'] },
        { claim: 'realm_access.roles', value: 'cardio-loader', issuer: 'https://idp.lab', rights: ['load', 'admin'] },
      ],
      datasets: ['heart', 'urn:x:heart'],
    },
    neuro: { members: [{ claim: 'groups', value: '/lab/neuro', rights: ['read'] }], datasets: ['brain'] },
  },
};

describe('rights from claims', () => {
  it('are none without rules, and none without a matching claim', () => {
    expect(rightsOf({}, { groups: ['/lab/cardio'], scope: 'box:read *', sub: '*' })).to.deep.equal(nothing);
    for (const groups of [
      undefined,
      null,
      '/lab',
      ['/lab/cardio/x', '/LAB/CARDIO', ' /lab/cardio'],
      { 0: '/lab/cardio' },
      [['/lab/cardio']],
      7,
    ]) {
      expect(rightsOf(lab, { groups }), JSON.stringify(groups)).to.deep.equal(nothing);
    }
  });

  it('of a role hold on the whole server, for the rights of its parts', () => {
    const roles = (role: string) => ({ roles: [{ claim: 'groups', value: '/staff', role }] });
    const read = ['box:read', 'box:cases', 'files:report'];
    for (const [role, scopes] of [
      ['read', read],
      ['work', ['box:read', 'box:cases', 'box:write', 'files:report', 'files:load']],
      ['admin', ['box:read', 'box:cases', 'box:write', 'box:admin', 'files:report', 'files:load']],
    ] as const) {
      expect(rightsOf(roles(role), { groups: ['/x', '/staff'] })).to.deep.equal({
        tenants: [],
        scopes,
        reasons: [`role ${role}`],
      });
    }
    expect(rightsOf(roles('read'), { groups: '/staff' }).scopes).to.deep.equal(read);
  });

  it('of a member hold for its panels and clients', () => {
    const things = [
      defineRight({ scope: 'panels:sign', summary: 'Sign', part: 'admin', of: { noun: 'panel', id: String } }),
      defineRight({ scope: 'matchmaker:load', summary: 'Load', part: 'load', of: { noun: 'client', id: String } }),
    ];
    const members = [{ claim: 'groups', value: '/lab', rights: ['load', 'admin'] }];
    const auth = authSettings.parse({ tenants: { lab: { members, panels: ['kidney'], clients: ['scout'] } } });
    const { grants } = grantsFromClaims(auth, things)({ groups: ['/lab'] }, 'https://idp.lab');
    expect(grants.map(({ scope }) => scope)).to.deep.equal(['panels:sign:kidney', 'matchmaker:load:scout']);
  });

  it('of a member hold for what belongs to the tenant, and for nothing that cannot be limited to it', () => {
    expect(rightsOf(lab, { groups: ['/lab/cardio'] })).to.deep.equal({
      tenants: ['cardio'],
      scopes: [
        'box:read:heart',
        'box:read:urn:x:heart',
        'box:cases:heart',
        'box:cases:urn:x:heart',
        'files:report:cardio',
      ],
      reasons: ['tenant cardio'],
    });
    expect(rightsOf(lab, { realm_access: { roles: ['cardio-loader'] } }).scopes).to.deep.equal([
      'box:write:heart',
      'box:write:urn:x:heart',
    ]);
  });

  it('of several rules add up, each grant once', () => {
    const claims = { groups: ['/lab/neuro', '/lab/cardio', '/lab/cardio'], realm_access: { roles: ['cardio-loader'] } };
    const both = rightsOf(lab, claims);
    expect(both.tenants).to.deep.equal(['cardio', 'neuro']);
    expect(both.reasons).to.deep.equal(['tenant cardio', 'tenant neuro']);
    expect(both.scopes)
      .to.have.length(new Set(both.scopes).size)
      .and.include.members(['box:read:brain', 'box:write:heart']);
  });

  it('count the issuer exactly, where a rule names it', () => {
    const claims = { realm_access: { roles: ['cardio-loader'] } };
    for (const issuer of ['https://idp.lab/', 'https://IDP.lab', 'https://other', '']) {
      expect(rightsOf(lab, claims, issuer), issuer).to.deep.equal(nothing);
    }
  });

  it('never go beyond what the rules list, whatever the claims are', () =>
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom('groups', 'realm_access', '__proto__', 'roles'),
          fc.oneof(fc.anything(), fc.subarray(['/lab/cardio', '/lab/neuro', '*', 'box:read', '../x'])),
          { noNullPrototype: false },
        ),
        (claims) => {
          const held = Array.isArray(claims.groups) ? claims.groups : [claims.groups];
          const expected = [
            ...(held.includes('/lab/cardio') ? ['cardio'] : []),
            ...(held.includes('/lab/neuro') ? ['neuro'] : []),
          ];
          expect(rightsOf(lab, claims).tenants).to.deep.equal(expected);
        },
      ),
    ));
});

describe('the path of a claim', () => {
  it('is names with dots between them, quoted where a name has dots', () => {
    for (const [text, path] of [
      ['groups', ['groups']],
      ['realm_access.roles', ['realm_access', 'roles']],
      ['resource_access."my.client".roles', ['resource_access', 'my.client', 'roles']],
      ['"https://lab.example/groups"', ['https://lab.example/groups']],
      ['a b."c"', ['a b', 'c']],
    ] as const) {
      expect(parseClaimPath(text), text).to.deep.equal(path);
    }
    for (const text of ['', '.', 'a.', '.a', 'a..b', '"a', 'a"b"', '"a"b', '""', 'a."".b']) {
      expect(parseClaimPath(text), text)
        .to.be.a('string')
        .and.match(/the path of a claim is/);
    }
  });

  it('leads to own members of objects only', () => {
    expect(textsAt({ a: { b: ['x', 1, null, 'y'] } }, ['a', 'b'])).to.deep.equal(['x', 'y']);
    for (const path of [['constructor', 'name'], ['a', 'length'], ['a', '0'], ['__proto__'], ['toString', 'name']]) {
      expect(textsAt({ a: ['x'] }, path), String(path)).to.deep.equal([]);
    }
  });
});

describe('groups as URNs', () => {
  const group = 'urn:geant:lab.example:group:cardio';

  it('satisfy a group above them, of the same namespace and authority', () => {
    for (const [held, required] of [
      [`${group}#idp`, `${group}#idp`],
      [`${group}:doctors#idp`, `${group}#idp`],
      [`${group}:doctors:role=head#idp`, `${group}#idp`],
      [`${group}:role=head#idp`, `${group}:role=head#idp`],
      ['URN:GEANT:Lab.Example:group:cardio#idp', `${group}#idp`],
      ['urn:geant:lab.example:group:s%c3%a4r#idp', 'urn:geant:lab.example:group:s%C3%A4r#idp'],
      ['urn:mace:egi.eu:sub:group:vo.example#aai', 'urn:mace:egi.eu:sub:group:vo.example#aai'],
      [group, group],
    ] as const) {
      expect(satisfiesGroup(held, required), `${held} for ${required}`).to.equal(true);
    }
  });

  it('satisfy nothing else', () => {
    for (const [held, required] of [
      [`${group}#idp`, `${group}:doctors#idp`],
      [`${group}#idp`, `${group}#other`],
      [`${group}#idp`, group],
      [group, `${group}#idp`],
      [`${group}#IDP`, `${group}#idp`],
      [`${group}logy#idp`, `${group}#idp`],
      [`${group}#idp`, `${group}:role=head#idp`],
      [`${group}:doctors:role=head#idp`, `${group}:role=head#idp`],
      [`${group}:role=head:doctors#idp`, `${group}#idp`],
      [`${group}:role=#idp`, `${group}#idp`],
      [`${group}:#idp`, `${group}#idp`],
      [`${group}#idp#idp`, `${group}#idp`],
      ['urn:geant:lab.example:group:Cardio#idp', `${group}#idp`],
      ['urn:geant:other.example:group:cardio#idp', `${group}#idp`],
      ['urn:geant:lab.example:sub:group:cardio#idp', `${group}#idp`],
      ['urn:geant:group:cardio#idp', `${group}#idp`],
      ['urn:geant:lab.example:group#idp', 'urn:geant:lab.example:group#idp'],
      ['/lab/cardio/doctors', '/lab/cardio'],
    ] as const) {
      expect(satisfiesGroup(held, required), `${held} for ${required}`).to.equal(false);
    }
  });
});

describe('the section auth', () => {
  it('refuses rules that could never match or mean something else', () => {
    const faultsOf = (auth: object) =>
      (authSettings.safeParse(auth).error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
    const member = { claim: 'groups', value: '/x', rights: ['read'] };
    expect(faultsOf({ tenants: { cardio: { members: [member], datasets: ['a b'] } } }).join()).to.match(
      /tenants\.cardio\.datasets\.0: an id has 1 to 200/,
    );
    expect(faultsOf({ tenants: { cardio: { members: [{ ...member, claim: 'a..b' }] } } }).join()).to.match(
      /members\.0\.claim: the path of a claim is/,
    );
    expect(faultsOf({ tenants: { cardio: { members: [{ ...member, rights: ['write'] }] } } }).join()).to.match(
      /"read"\|"report"\|"incidental"\|"load"\|"admin"/,
    );
    expect(faultsOf({ tenants: { 'Cardio 1': {} } }).join()).to.match(/tenants.Cardio 1/);
    expect(faultsOf({ roles: [{ claim: 'groups', value: '/x', role: 'root' }] }).join()).to.match(
      /"read"\|"work"\|"admin"/,
    );
    expect(faultsOf({ roles: [{ claim: 'groups', value: '', role: 'read' }] })).to.have.length(1);
  });
});
