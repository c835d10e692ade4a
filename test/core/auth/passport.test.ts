/** The parts of passports that need no server: conditions, linked accounts, rights, JSON with repeated members. */
import { expect } from 'chai';
import fc from 'fast-check';
import { hasRepeatedMember } from '../../../core/auth/issuers/signed-tokens.js';
import {
  accountsOfPerson,
  conditionsHold,
  matches,
  passportRights,
  type Visa,
  type VisaIdentity,
} from '../../../core/auth/passport/visas.js';
import { configured, discoveredAddress, isConfigurable } from '../../../core/outgoing/reach.js';

const ada: VisaIdentity = { issuer: 'https://idp.test/', subject: 'ada' };

function visa(more: Partial<Visa> = {}): Visa {
  return {
    ...ada,
    about: ada,
    type: 'ControlledAccessGrants',
    value: 'https://data.test/1',
    source: 'https://dac.test',
    by: 'dac',
    expires: 1000,
    ...more,
  };
}

describe('JSON with repeated members', () => {
  it('is found at any depth and in any spelling', () => {
    for (const text of [
      '{"a":1,"a":2}',
      '{"a":1,"\\u0061":2}',
      '{"x":{"a":1,"b":{},"a":[]}}',
      '[{"a":1},{"b":"}","b":1}]',
      '{"":1,"":1}',
      '{"__proto__":1,"__proto__":2}',
    ]) {
      expect(hasRepeatedMember(text), text).to.equal(true);
    }
    for (const text of [
      '{"a":{"a":{"a":"a"}}}',
      '[{"a":1},{"a":1}]',
      '{"a":"b","b":"a"}',
      '{"a":"\\"a\\":1,\\"a\\":2"}',
      '"{"',
      '1',
    ]) {
      expect(hasRepeatedMember(text), text).to.equal(false);
    }
  });

  it('is told from other JSON, whatever it contains', () =>
    fc.assert(
      fc.property(fc.jsonValue(), fc.boolean(), (value, pretty) => {
        const text = JSON.stringify(value, undefined, pretty ? 2 : undefined);
        expect(hasRepeatedMember(text)).to.equal(false);
        // Around it, an object that names one member twice.
        expect(hasRepeatedMember(`[${text},{"x":${text},"x":0}]`)).to.equal(true);
      }),
    ));
});

describe('conditions of visas', () => {
  it('have patterns that agree with regular expressions', () => {
    const letters = fc.constantFrom('a', 'b', '?', '*', '.', '\\', '🧬');
    const text = fc.array(letters, { maxLength: 8 }).map((all) => all.join(''));
    fc.assert(
      fc.property(text, text, (sample, pattern) => {
        const source = [...pattern]
          .map((one) => (one === '*' ? '.*' : one === '?' ? '.' : one.replace(/[.\\]/g, '\\$&')))
          .join('');
        expect(matches(sample, pattern)).to.equal(new RegExp(`^(?:${source})$`, 'su').test(sample));
      }),
    );
  });

  it('have patterns that take no longer for many asterisks', () => {
    // A regular expression with backtracking would not return.
    expect(matches('a'.repeat(255), `${'*a'.repeat(100)}b`)).to.equal(false);
  });

  const role = visa({ type: 'AffiliationAndRole', value: 'faculty@uni.test;staff@lab.test', by: 'so' });
  const holds: [string, unknown, boolean][] = [
    ['one clause', [[{ type: 'AffiliationAndRole', by: 'const:so' }]], true],
    ['one of two lists', [[{ type: 'X', by: 'const:so' }], [{ type: 'AffiliationAndRole', by: 'const:so' }]], true],
    [
      'both clauses of a list',
      [
        [
          { type: 'AffiliationAndRole', by: 'const:so' },
          { type: 'X', by: 'const:so' },
        ],
      ],
      false,
    ],
    [
      'two claims of one clause',
      [[{ type: 'AffiliationAndRole', by: 'const:so', source: 'const:https://dac.test' }]],
      true,
    ],
    ['one wrong claim', [[{ type: 'AffiliationAndRole', by: 'const:so', source: 'const:x' }]], false],
    ['a part of a list', [[{ type: 'AffiliationAndRole', value: 'split_pattern:staff@*' }]], true],
    ['a list as a whole', [[{ type: 'AffiliationAndRole', value: 'pattern:staff@*' }]], false],
    ['a pattern that must match all', [[{ type: 'AffiliationAndRole', value: 'pattern:faculty' }]], false],
    ['constants, not patterns', [[{ type: 'AffiliationAndRole', by: 'const:s?' }]], false],
    ['case', [[{ type: 'AffiliationAndRole', by: 'const:SO' }]], false],
    ['no claim but the type', [[{ type: 'AffiliationAndRole' }]], false],
    ['an unknown prefix', [[{ type: 'AffiliationAndRole', by: 'regex:so' }]], false],
    ['no prefix', [[{ type: 'AffiliationAndRole', by: 'so' }]], false],
    ['a claim that must not be there', [[{ type: 'AffiliationAndRole', by: 'const:so', asserted: 'const:1' }]], false],
    ['nested conditions', [[{ type: 'AffiliationAndRole', by: 'const:so', conditions: [] }]], false],
    ['a number', [[{ type: 'AffiliationAndRole', by: 1 }]], false],
    ['a clause without a list', [{ type: 'AffiliationAndRole', by: 'const:so' }], false],
    ['a text', 'const:so', false],
    ['null', null, false],
    ['too many clauses', [Array.from({ length: 101 }, () => ({ type: 'AffiliationAndRole', by: 'const:so' }))], false],
  ];
  for (const [what, conditions, expected] of holds) {
    it(`${expected ? 'hold' : 'do not hold'}: ${what}`, () => {
      expect(conditionsHold(conditions, [role])).to.equal(expected);
    });
  }
});

describe('linked accounts', () => {
  const link = (from: VisaIdentity, value: string) => visa({ ...from, about: from, type: 'LinkedIdentities', value });
  const at = (subject: string, issuer = 'https://x.test/?a=1,2;3'): VisaIdentity => ({ subject, issuer });
  const written = (...all: readonly VisaIdentity[]) =>
    all.map(({ subject, issuer }) => `${encodeURIComponent(subject)},${encodeURIComponent(issuer)}`).join(';');

  it('are those of visas, in both directions and in several steps', () => {
    const visas = [link(at('b'), written(ada)), link(at('b'), written(at('c'), at('d;,')))];
    const isAdas = accountsOfPerson(ada, visas);
    for (const account of [ada, at('b'), at('c'), at('d;,')]) expect(isAdas(account), account.subject).to.equal(true);
    for (const account of [at('e'), at('b', 'https://x.test'), { ...ada, issuer: 'https://idp.test' }]) {
      expect(isAdas(account), account.subject).to.equal(false);
    }
  });

  it('are none if the visa cannot be read, has conditions, or there are too many', () => {
    const many = Array.from({ length: 100 }, (_, i) => at(`n${i}`));
    const broken = ['', 'b', `${written(at('b'))};`, `${written(at('b'))},x`, '%zz,https%3A%2F%2Fx.test'];
    for (const value of [...broken, written(at('b'), ...many)]) {
      expect(accountsOfPerson(ada, [link(ada, value)])(at('b')), value).to.equal(false);
    }
    const conditional = { ...link(ada, written(at('b'))), conditions: [[]] };
    expect(accountsOfPerson(ada, [conditional])(at('b'))).to.equal(false);
  });
});

describe('rights by visas', () => {
  const rules = {
    grants: [{ value: 'https://data.test/1', by: ['dac' as const], scopes: ['beacon:read:one'] }],
    researchers: { status: ['so' as const], terms: ['self' as const] },
  };

  it('end with the first visa that ends, and say where they come from', () => {
    const { grants, expires, researcher } = passportRights(ada, [visa(), visa({ expires: 500 })], rules);
    expect(grants).to.deep.equal([{ scope: 'beacon:read:one', because: 'visa ControlledAccessGrants by dac' }]);
    expect([expires, researcher]).to.deep.equal([500, false]);
  });

  it('are of one person only', () => {
    expect(passportRights({ ...ada, subject: 'eve' }, [visa()], rules).grants).to.deep.equal([]);
    expect(passportRights({ ...ada, issuer: 'https://idp.test' }, [visa()], rules).grants).to.deep.equal([]);
    // The issuer of the visa uses the names of the broker.
    const borrowed = visa({ issuer: 'https://rems.test', about: ada });
    expect(passportRights(ada, [borrowed], rules).grants).to.have.length(1);
  });
});

describe('addresses of identity providers', () => {
  it('are https, or on this machine', () => {
    for (const good of [
      'https://login.test/oidc/',
      'http://localhost:8080/jwks',
      'http://127.0.0.1/',
      'http://[::1]:1/',
    ]) {
      expect(isConfigurable(good), good).to.equal(true);
    }
    for (const bad of [
      'http://login.test/',
      'ftp://login.test/',
      'https://a:b@login.test/',
      'https://x.test/#a',
      'x',
      '',
    ]) {
      expect(isConfigurable(bad), bad).to.equal(false);
    }
  });

  it('that metadata name are on the host of the provider, or on the internet', () => {
    const provider = configured('https://login.hospital.test/realms/lab');
    expect(provider.reach).to.equal('private');
    expect(discoveredAddress('https://login.hospital.test/jwks', provider)?.reach).to.equal('private');
    expect(discoveredAddress('https://www.keys.test/jwks', provider)?.reach).to.equal('public');
    for (const bad of [
      'http://login.hospital.test/jwks',
      'https://127.0.0.1/jwks',
      'https://localhost/jwks',
      'https://10.0.0.1/jwks',
      'https://169.254.169.254/latest/meta-data',
      'https://[::1]/jwks',
      'https://[::ffff:10.0.0.1]/jwks',
      'file:///etc/passwd',
      undefined,
      7,
    ]) {
      expect(discoveredAddress(bad, provider), String(bad)).to.equal(undefined);
    }
  });
});
