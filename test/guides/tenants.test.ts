import { once } from 'node:events';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { grantsFromClaims } from '../../core/auth/claims.js';
import { configure } from '../../core/config.js';
import { packagePath } from '../../core/package.js';
import { asker } from '../../plugins/coverage/http/access/decisions.js';
import { coverageSettings } from '../../plugins/coverage/settings.js';
import { command } from '../support/command.js';
import { blocksOf, follow, prelude } from '../support/guide.js';
import { startedIn } from '../support/started.js';

describe('guides: roles and tenants', () => {
  it('shows the question that the case system gets, and an answer that is understood', async () => {
    const blocks = blocksOf('config/case-system.md', 'Asking the case system');
    const textOf = (name: string) => blocks.find(({ rest }) => rest === name)?.text ?? '';
    const [question, answer] = [textOf('question'), textOf('answer')];
    const got: unknown[] = [];
    const server = createServer(async (request, response) => {
      got.push(request.headers.authorization, JSON.parse((await request.toArray()).join('')));
      response.end(answer);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const folder = await mkdtemp(join(tmpdir(), 'trefoil-tenants-guide-'));
    try {
      const file = join(folder, 'cases.yaml');
      const { port } = server.address() as AddressInfo;
      const url = `http://127.0.0.1:${port}/`;
      await writeFile(file, textOf('cases.yaml').replace(/url: \S+/, `url: ${url}`));
      const secret = 'our-own-secret-for-scout';
      const { plugins } = await configure({
        file,
        environment: { TREFOIL_CLIENT_SECRET: 'a-secret-of-the-client', CASE_SYSTEM_SECRET: secret },
      });
      const { authorize } = coverageSettings.parse(plugins[0]?.settings);
      if (authorize === undefined) throw new Error('the section authorize is missing');
      const person = { id: '5b1f…', issuer: 'https://login.example.org/realms/lab' };
      const decisions = await asker(authorize)(
        person,
        [
          { type: 'sample', id: 'ADM1059A1', case: '643594', file: '/srv/data/ADM1059A1.d4' },
          { type: 'file', id: '/srv/data/ADM1059A2.d4' },
        ],
        5000,
      );
      expect(got).to.deep.equal([`Bearer ${secret}`, JSON.parse(question)]);
      expect(decisions).to.deep.equal([true, false]);
    } finally {
      server.close();
      await rm(folder, { recursive: true });
    }
  });

  it('has a request that makes a ticket', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trefoil-tenants-guide-'));
    try {
      const blocks = blocksOf('config/tickets.md', 'Tickets for Scout');
      const request = blocks.find(({ language }) => language === 'http')?.text ?? '';
      const [, method = '', path = '', head = '', body = ''] = /^(\S+) (\S+)\n(.*?)\n\n(.*)$/s.exec(request) ?? [];
      await writeFile(join(folder, 'key'), 'a-key-of-thirty-two-characters-or-more\n');
      const settings = blocks.find(({ language }) => language === 'yaml')?.text.replace(/\/run\S+?(?=\})/, 'key') ?? '';
      await writeFile(join(folder, 'trefoil.yaml'), `demo: false\n${settings}`);
      const options = { cwd: folder, env: { TREFOIL_SQLITE_FILE: 'trefoil.sqlite', TREFOIL_COVERAGE_ROOTS: folder } };
      for (const name of ['ADM1059A1.d4', 'ADM1059A2.d4']) {
        await copyFile(packagePath('plugins/coverage/demo/child.d4'), join(folder, name));
      }
      await writeFile(
        join(folder, 'sheet.tsv'),
        'sample\tcoverage_file_path\tbuild\nADM1059A1\tADM1059A1.d4\tGRCh38\n',
      );
      const server = await startedIn(options);
      try {
        const env = { ...options.env, TREFOIL_CONFIG: 'trefoil.yaml' };
        await command(['coverage', 'add', 'samples', '--sheet', 'sheet.tsv'], { ...options, env });
        const words = ['token', 'add', '--owner', 'scout', '--scope', 'coverage:ticket'];
        const { stdout } = await command(words, { ...options, env });
        const headers = Object.fromEntries(
          head
            .replace('…', stdout.trim())
            .split('\n')
            .map((line) => line.split(': ')),
        );
        const sent = body.replaceAll('/srv/data/cardio', folder);
        const response = await fetch(server.url + path, { method, headers, body: sent });
        expect(await response.json(), sent).to.have.all.keys('ticket', 'expires');
      } finally {
        await server.stop();
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('has commands that issue tokens for a tenant', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trefoil-tenants-guide-'));
    try {
      const [configuration, ...others] = blocksOf('config/tenants.md', 'Configuration');
      await writeFile(join(folder, 'tenants.yaml'), `demo: false\nmigrate: auto\n${configuration?.text}`);
      const commands = others.filter(({ language }) => language === 'sh');
      expect(commands).to.have.lengthOf(1);
      const env = { TREFOIL_CONFIG: 'tenants.yaml', TREFOIL_SQLITE_FILE: 'trefoil.sqlite' };
      await follow(commands, {
        folder,
        env,
        prelude,
        onPrint: (text) => expect(text).to.match(/^trf_\S+\ntrf_\S+\n$/),
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('has a file with the ids of groups that rules name', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trefoil-tenants-guide-'));
    try {
      for (const { rest, text } of blocksOf('config/tenants.md', 'Configuration')) {
        if (rest.startsWith('groups.')) await writeFile(join(folder, rest), text);
      }
      const { core } = await configure({ file: join(folder, 'groups.yaml'), environment: {} });
      expect(core.auth?.tenants?.cardio?.members[0]?.value).to.equal('5b1f9e3a-0c1d-4c56-9d0e-6f1f4f6c9a01');
    } finally {
      await rm(folder, { recursive: true });
    }
  });

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
          'matchmaker:read:cardio-scout',
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
