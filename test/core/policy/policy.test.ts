/** Decisions of the policy, compared with a naive implementation of its rules. */
import { expect } from 'chai';
import fc from 'fast-check';
import { Fault } from '../../../core/fault.js';
import {
  accountOf,
  anonymous,
  type Caller,
  checkScope,
  createPolicy,
  defineRight,
  grants,
  heldGrants,
  type IdentifiedSubject,
  ownerOf,
  scopesFor,
  tokenHolder,
} from '../../../core/policy/policy.js';

interface Box {
  id: string;
  isPublic: boolean;
}

const read = defineRight<Box>({
  scope: 'box:read',
  summary: 'Read',
  of: { noun: 'box', id: ({ id }) => id },
  open: ({ isPublic }) => isPublic,
});
const write = defineRight<Pick<Box, 'id'>>({
  scope: 'box:write',
  summary: 'Write',
  of: { noun: 'box', id: ({ id }) => id },
});
const admin = defineRight({ scope: 'box:admin', summary: 'Administer' });
const policy = createPolicy();

const ids = ['a', 'b', 'a:b', 'A', '*', ''];
const boxes = fc.record<Box>({ id: fc.constantFrom(...ids), isPublic: fc.boolean() });
const scopes = fc.subarray([
  ...['*', 'box:*', 'box:read', 'box:write', 'box:admin', 'other:*', 'box', ':', ''],
  ...ids.flatMap((id) => [`box:read:${id}`, `box:write:${id}`, `box:admin:${id}`]),
]);
const subject: Caller = { kind: 'subject', owner: 'lab' };

describe('the policy', () => {
  it('denies everything that is neither open nor granted, and grants what the scopes allow', () =>
    fc.assert(
      fc.asyncProperty(scopes, boxes, async (held, box) => {
        const lab = tokenHolder('lab', held);
        const has = (...accepted: string[]) => held.some((scope) => ['*', 'box:*', ...accepted].includes(scope));
        expect(await policy.may(lab, read, box)).to.equal(box.isPublic || has('box:read', `box:read:${box.id}`));
        expect(await policy.may(lab, write, box)).to.equal(has('box:write', `box:write:${box.id}`));
        expect(await policy.may(lab, read)).to.equal(has('box:read'));
        // A right that cannot be limited is not granted for one thing.
        expect(await policy.may(lab, admin, box)).to.equal(has('box:admin'));
        const any = held.some((scope) => scope.startsWith('box:write:'));
        expect(await policy.mayAny(lab, write)).to.equal(has('box:write') || any);
        for (const caller of [anonymous, subject]) {
          expect(await policy.may(caller, read, box)).to.equal(box.isPublic);
          expect(await policy.may(caller, write, box)).to.equal(false);
          expect(await policy.may(caller, read)).to.equal(false);
          expect(await policy.mayAny(caller, read)).to.equal(false);
        }
      }),
    ));

  it('never grants more to a caller with fewer scopes', () =>
    fc.assert(
      fc.asyncProperty(scopes, scopes, fc.array(boxes), async (some, more, things) => {
        const less = tokenHolder('lab', some);
        const whole = tokenHolder('lab', [...some, ...more]);
        for (const right of [read, write]) {
          const steps = [anonymous, less, whole].map((caller) => policy.among(caller, right, things));
          const [none = [], part = [], all = []] = await Promise.all(steps);
          expect(part).to.include.members(none);
          expect(all).to.include.members(part);
        }
      }),
    ));

  it('says why, exactly if the right is there, and opens things to researchers alone', () => {
    const lent = defineRight<Box>({ ...read, openToResearchers: ({ id }) => id === 'a' });
    const holding = (held: readonly string[], researcher: boolean): IdentifiedSubject => ({
      kind: 'subject',
      owner: 'ada',
      researcher,
      [heldGrants]: held.map((scope) => ({ scope, because: `visa for ${scope}` })),
    });
    return fc.assert(
      fc.asyncProperty(scopes, boxes, fc.boolean(), async (held, box, researcher) => {
        const ada = holding(held, researcher);
        const scope = held.find((one) => ['*', 'box:*', 'box:read', `box:read:${box.id}`].includes(one));
        const granted = scope === undefined ? undefined : `visa for ${scope}`;
        const lends = researcher && box.id === 'a' ? 'bona fide researcher' : undefined;
        const expected = box.isPublic ? 'open to every caller' : (granted ?? lends);
        expect(await policy.why(ada, lent, box)).to.equal(expected);
        expect(await policy.may(ada, lent, box)).to.equal(expected !== undefined);
      }),
    );
  });

  it('gives each caller an account of its own, and all anonymous callers one', () => {
    const named = (issuer: string, owner: string): IdentifiedSubject => ({ kind: 'subject', issuer, owner });
    const callers = [anonymous, tokenHolder('ada', []), named('a', 'da'), named('ad', 'a'), subject, named('', 'ada')];
    expect(new Set(callers.map(accountOf)).size).to.equal(callers.length);
    expect(accountOf(tokenHolder('ada', ['*']))).to.equal(accountOf(tokenHolder('ada', [])));
    expect(accountOf(named('a', 'da'))).to.match(/^[0-9a-f]{64}$/);
  });

  it('keeps the order of the things that it selects, and agrees with the single decisions', () =>
    fc.assert(
      fc.asyncProperty(scopes, fc.array(boxes), async (held, things) => {
        const lab = tokenHolder('lab', held);
        const single = await Promise.all(things.map((thing) => policy.may(lab, read, thing)));
        expect(await policy.among(lab, read, things)).to.deep.equal(things.filter((_, i) => single[i]));
      }),
    ));

  it('lets callers own what they made, whatever name a provider gives them', async () => {
    expect(await policy.owns(tokenHolder('lab', []), { owner: 'lab' })).to.equal(true);
    expect(await policy.owns(tokenHolder('lab', ['*']), { owner: 'clinic' })).to.equal(false);
    const ada: IdentifiedSubject = { kind: 'subject', owner: 'lab', issuer: 'https://idp.test' };
    expect(await policy.owns(ada, { owner: ownerOf(ada) })).to.equal(true);
    expect(await policy.owns(ada, { owner: 'lab' })).to.equal(false);
    expect(await policy.owns({ ...ada, issuer: 'https://other.test' }, { owner: ownerOf(ada) })).to.equal(false);
    expect(ownerOf(tokenHolder('lab', []))).to.equal('lab');
    expect(await policy.owns(anonymous, { owner: '' })).to.equal(false);
  });

  it('does not expose the scopes of a caller', () => {
    const lab = tokenHolder('lab', ['box:read:secret']);
    expect(JSON.stringify(lab)).to.equal('{"kind":"token","owner":"lab"}');
    expect(Object.keys(lab)).to.deep.equal(['kind', 'owner']);
  });
});

describe('scopes', () => {
  it('are granted by name, by the wildcard of the plugin and by the wildcard for all', () => {
    expect(grants(['beacon:write'], 'beacon:write')).to.equal(true);
    expect(grants(['beacon:*'], 'beacon:write')).to.equal(true);
    expect(grants(['*'], 'beacon:write')).to.equal(true);
    for (const held of [
      [],
      ['beacon:read'],
      ['beacon'],
      ['beacon:'],
      ['beaconx:*'],
      ['*:write'],
      ['matchmaker:*'],
      [''],
    ]) {
      expect(grants(held, 'beacon:write'), String(held)).to.equal(false);
    }
    expect(grants(['beacon:write'], 'beacon:write:a:b')).to.equal(true);
    expect(grants(['beacon:*'], 'beacon:write:a')).to.equal(true);
    expect(grants(['beacon:write:a:b'], 'beacon:write:a:b')).to.equal(true);
    for (const held of ['beacon:write:a', 'beacon:write:a:', 'beacon:write:A:b', 'beacon:read', 'beacon:write:*']) {
      expect(grants([held], 'beacon:write:a:b'), held).to.equal(false);
    }
    expect(grants(['beacon:write:a'], 'beacon:write')).to.equal(false);
    fc.assert(
      fc.property(fc.array(fc.string()), fc.stringMatching(/^[a-z]+:[a-z]+$/), (held, scope) => {
        const naive = held.includes('*') || held.includes(scope) || held.includes(scope.replace(/:.*/, ':*'));
        expect(grants(held, scope)).to.equal(naive);
      }),
    );
  });

  it('have descriptions for people', () => {
    expect([scopesFor(read), scopesFor(admin)]).to.deep.equal(['`box:read` or `box:read:<box>`', '`box:admin`']);
    for (const scope of ['box', 'box:', 'box:read:a', 'Box:read', ':read', 'box:*']) {
      expect(() => defineRight({ scope, summary: '' }), scope).to.throw(TypeError, 'plugin:verb');
    }
  });

  it('are accepted if they grant a declared right, and otherwise refused with the list of those that do', () => {
    const rights = [read, admin];
    for (const scope of [
      '*',
      'box:*',
      'box:read',
      'box:admin',
      'box:read:a',
      'box:read:urn:a.b',
      `box:read:${'x'.repeat(200)}`,
    ]) {
      checkScope(scope, rights);
    }
    const accepted = 'Accepted: box:read[:<box>], box:admin, box:*, *';
    const badId = (scope: string) =>
      `In "${scope}" the id of the box must be 1 to 200 printable characters without blanks; box:read is the scope for all`;
    for (const [scope, message] of [
      ['box:raed', `Unknown scope "box:raed"; did you mean "box:read"? ${accepted}`],
      ['box:raed:a', `Unknown scope "box:raed:a"; did you mean "box:read:a"? ${accepted}`],
      ['bxo:read', `Unknown scope "bxo:read"; did you mean "box:read"? ${accepted}`],
      ['other:write', `Unknown scope "other:write". ${accepted}`],
      ['other:*', `Unknown scope "other:*". ${accepted}`],
      ['', `Unknown scope "". ${accepted}`],
      ['box', `Unknown scope "box". ${accepted}`],
      ['*:read', `Unknown scope "*:read". ${accepted}`],
      ['box:*:a', `Unknown scope "box:*:a". ${accepted}`],
      ['box:admin:a', 'box:admin cannot be limited: write "box:admin" instead of "box:admin:a"'],
      ['box:read:', badId('box:read:')],
      ['box:read:a b', badId('box:read:a b')],
      ['box:read:*', badId('box:read:*')],
      ['box:read:a\n', badId('box:read:a\n')],
    ] as const) {
      expect(() => checkScope(scope, rights), scope)
        .to.throw(Fault, message)
        .with.property('code', 'invalid');
    }
  });
});
