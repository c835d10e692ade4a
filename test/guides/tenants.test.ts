import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { grantsFromClaims } from '../../core/auth/claims.js';
import { configure } from '../../core/config.js';
import { blocksOf } from '../support/guide.js';

describe('guides: roles and tenants', () => {
  it('has a configuration that is valid, and gives the rights that it says', async () => {
    const [block] = blocksOf('config/tenants.md', 'Configuration');
    const folder = await mkdtemp(join(tmpdir(), 'trefoil-tenants-guide-'));
    try {
      const file = join(folder, 'tenants.yaml');
      await writeFile(file, block?.text ?? '');
      const { core, plugins } = await configure({ file, environment: {} });
      if (core.auth === undefined) throw new Error('the section auth is missing');
      const rightsOf = grantsFromClaims(
        core.auth,
        plugins.flatMap(({ plugin }) => plugin.rights ?? []),
      );
      const rights = (claims: Record<string, unknown>, issuer = 'https://login.example.org') => {
        const { tenants, grants } = rightsOf(claims, issuer);
        return { tenants, scopes: grants.map(({ scope }) => scope).sort() };
      };
      expect(rights({ groups: ['/lab/cardio'] })).to.deep.equal({
        tenants: ['cardio'],
        scopes: [
          'beacon:cases:cardio-exomes',
          'beacon:observe:cardio-exomes',
          'beacon:read:cardio-exomes',
          'beacon:shared:cardio',
          'coverage:read:cardio',
          'coverage:report:cardio',
          'coverage:shared:cardio',
        ],
      });
      const neuro = { eduperson_entitlement: ['urn:geant:example.org:group:neuro:clinic#aai.example.org'] };
      expect(rights(neuro).tenants).to.deep.equal([]);
      expect(rights(neuro, 'https://aai.example.org/oidc').tenants).to.deep.equal(['neuro']);
      expect(rights({ groups: ['/lab/geneticists'] }).scopes).to.include.members(['beacon:read', 'coverage:report']);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
