import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { configured } from '../support/configured.js';
import { blocksOf } from '../support/guide.js';

describe('guides: access tokens and passports', () => {
  for (const section of ['LS-AAI and REMS', 'Keycloak']) {
    it(`has a configuration for ${section} that is valid`, async () => {
      const [block] = blocksOf('config/passports.md', section);
      const folder = await mkdtemp(join(tmpdir(), 'trefoil-passports-guide-'));
      try {
        const file = join(folder, 'passports.yaml');
        await writeFile(file, block?.text ?? '');
        const { core } = await configured({ file, environment: { LSAAI_CLIENT_ID: 'client' } });
        const [issuer] = core.auth?.issuers ?? [];
        const isBroker = section.startsWith('LS-AAI');
        expect([issuer?.visas, issuer?.audience]).to.deep.equal(
          isBroker ? ['userinfo', 'client'] : ['none', 'trefoil'],
        );
        // Issuers of visas and of the accounts that these are about must be spelled alike.
        const names = [issuer?.issuer, ...(core.auth?.visaIssuers ?? []).map((one) => one.subjectsOf ?? one.issuer)];
        expect(new Set(names).size).to.equal(1);
      } finally {
        await rm(folder, { recursive: true });
      }
    });
  }
});
