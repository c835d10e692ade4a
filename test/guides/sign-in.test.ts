import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { callbackPath } from '../../core/http/sign-in/routes.js';
import { packagePath } from '../../core/package.js';
import { contractsIn } from '../../core/start/storage.js';
import { configured } from '../support/configured.js';
import { blocksOf } from '../support/guide.js';

describe('guides: signing in to pages', () => {
  it('has a configuration that is valid and has sessions, and names the address of the return', async () => {
    const [block] = blocksOf('config/sign-in.md', 'Configuration');
    const folder = await mkdtemp(join(tmpdir(), 'trefoil-sign-in-guide-'));
    try {
      const file = join(folder, 'sign-in.yaml');
      await writeFile(file, block?.text ?? '');
      const secret = 'a-secret-of-the-example';
      const configuration = await configured({ file, environment: { TREFOIL_CLIENT_SECRET: secret } });
      expect(configuration.core.auth?.signIn).to.deep.include({ sessionHours: 10, idleMinutes: 60 });
      expect(contractsIn(configuration).map(({ id }) => id)).to.include('sessions@1');
      expect(JSON.stringify(configuration.printable)).to.not.include(secret);
      const guide = await readFile(packagePath('config/sign-in.md'), 'utf8');
      expect(guide).to.include(`${configuration.core.http.baseUrl}${callbackPath}`);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
