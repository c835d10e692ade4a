import { expect } from 'chai';
import { seal, unseal, unsealed } from '../../core/seal.js';

const options = { secret: 'a secret of a server', purpose: 'test', about: 'row 7' };

describe('sealed texts', () => {
  it('open with the same secret, purpose and belonging only', () => {
    for (const text of ['', 'token', 'Å🧬\n']) {
      const sealed = seal(text, options);
      expect(unseal(sealed, options)).to.equal(text);
      expect(unsealed(sealed, options)).to.equal(text);
      for (const other of [{ secret: 'another secret' }, { purpose: 'tests' }, { about: 'row 8' }, { about: '' }]) {
        expect(unsealed(sealed, { ...options, ...other })).to.equal(undefined);
        expect(() => unseal(sealed, { ...options, ...other })).to.throw();
      }
    }
  });

  it('do not open if a character changed, or one is missing or too many: nor with part of their tag', () => {
    const sealed = seal('', options);
    for (let i = 0; i < sealed.length; i++) {
      const other = sealed[i] === 'A' ? 'B' : 'A';
      expect(unsealed(sealed.slice(0, i) + other + sealed.slice(i + 1), options)).to.equal(undefined);
      expect(unsealed(sealed.slice(0, i), options)).to.equal(undefined);
    }
    for (const more of ['A', '=', '\n', '+']) expect(unsealed(sealed + more, options)).to.equal(undefined);
  });

  it('open in the alphabet of earlier releases', () => {
    const sealed = Buffer.from(seal('token', options), 'base64url').toString('base64');
    expect(unseal(sealed, options)).to.equal('token');
  });
});
