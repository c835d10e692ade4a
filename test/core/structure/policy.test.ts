/** Only the policy reads the scopes of a caller. */
import { expect } from 'chai';
import * as door from '../../../core/plugin.js';
import { readSource, sourcesIn } from './support.js';

/** Source files below a folder, without comments and strings. */
function sources(folder: string): { file: string; code: string }[] {
  return sourcesIn(folder).map((file) => ({
    file,
    code: readSource(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*$|'[^']*'/gm, ''),
  }));
}

describe('scopes of callers', () => {
  it('are not accessible to plugins', () => {
    expect(door).to.include.keys('defineRight', 'anonymous');
    for (const name of ['heldGrants', 'tokenHolder', 'grants', 'grantsSome', 'checkScope', 'createPolicy']) {
      expect(door).to.not.have.property(name);
    }
  });

  it('are mentioned in plugins only by commands and migrations, which issue and list tokens', () => {
    const used = sources('plugins').filter(({ code }) => /\bscopes\b/.test(code));
    expect(used.map(({ file }) => file)).to.include('plugins/beacon/commands/user.ts');
    // The filtering terms of Beacon v2 have `scopes` too: the entry types that they filter.
    const filters = /^plugins\/beacon\/faces\/v2\/(filters|effects|framework\/entry-type)\.ts$/;
    const others = used.filter(
      ({ file }) => !/^plugins\/[^/]+\/(commands|migration)\//.test(file) && !filters.test(file),
    );
    expect(others.map(({ file }) => file)).to.deep.equal([]);
  });

  it('are read only by the policy and by the code that joins two tokens of one request', () => {
    const readers = sources('core').filter(({ code }) => /\b(heldGrants|grantsOfCaller)\b/.test(code));
    expect(readers.map(({ file }) => file).sort()).to.deep.equal([
      'core/auth/caller-access.ts',
      'core/policy/policy.ts',
    ]);
  });
});
