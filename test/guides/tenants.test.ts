import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { grantsFromClaims } from '../../core/auth/claims.js';
import { configure } from '../../core/config.js';
import { asker } from '../../plugins/coverage/http/access/decisions.js';
import { coverageSettings } from '../../plugins/coverage/settings.js';
import { blocksOf } from '../support/guide.js';

describe('guides: roles and tenants', () => {
  it('shows the question that the case system gets, and an answer that is understood', async () => {
    const blocks = blocksOf('config/tenants.md', 'Asking the case system');
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
