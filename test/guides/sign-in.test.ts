import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { pino } from 'pino';
import { sessions } from '../../core/auth/contract.js';
import { callbackPath } from '../../core/http/sign-in/routes.js';
import { packagePath } from '../../core/package.js';
import { contractsIn, openStorage } from '../../core/start/storage.js';
import { command } from '../support/command.js';
import { configured } from '../support/configured.js';
import { blocksOf, follow, prelude } from '../support/guide.js';

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

  it('has commands that list and end sessions', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trefoil-sign-in-guide-'));
    try {
      const file = join(folder, 'sign-in.yaml');
      const [block] = blocksOf('config/sign-in.md', 'Configuration');
      await writeFile(file, `demo: false\nmigrate: auto\n${block?.text}`);
      const secret = { TREFOIL_CLIENT_SECRET: 'a-secret-of-the-example' };
      const environment = { ...secret, TREFOIL_SQLITE_FILE: join(folder, 'trefoil.sqlite') };
      const env = { ...environment, TREFOIL_CONFIG: 'sign-in.yaml' };
      await command(['migrate'], { cwd: folder, env });
      const commands = blocksOf('config/sign-in.md', 'Ending sessions');
      const [, id = ''] = /revoke ([0-9a-f]+)/.exec(commands[0]?.text ?? '') ?? [];
      const [, subject = ''] = /--person (\S+)/.exec(commands[0]?.text ?? '') ?? [];
      const storage = await openStorage(await configured({ file, environment }), pino({ level: 'silent' }));
      try {
        const now = Date.now();
        const times = { created: new Date(now), lastSeen: new Date(now), expires: new Date(now + 3_600_000) };
        const common = { issuer: 'https://login.example.org/realms/lab', subject, sealed: 'sealed', ...times };
        const repository = storage.repository(sessions);
        await repository.add({ ...common, id, hash: 'a'.repeat(64) });
        await repository.add({ ...common, id: 'another', hash: 'b'.repeat(64) });
      } finally {
        await storage.close();
      }
      let printed = '';
      await follow(commands, { folder, env, prelude, onPrint: (text) => (printed = text) });
      expect(printed).to.include(id).and.include('another').and.include(subject);
      const { stdout } = await command(['session', 'list', '--json'], { cwd: folder, env });
      expect(JSON.parse(stdout)).to.deep.equal([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  }).timeout(60_000);
});
