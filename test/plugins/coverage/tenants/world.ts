/** A server that two departments share: each has files, a registered sample, members and programs. */
import { mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IdentityProvider } from '../../../support/identity-provider.js';
import { person } from '../registry/support.js';
import { type Coverage, serveCoverage } from '../support/serve.js';

export interface World {
  server: Coverage;
  folder: string;
  /** An access token with these groups. */
  person(...groups: string[]): Promise<string>;
  close(): Promise<void>;
}

/**
 * `cardio/heart.d4` and `neuro/brain.d4` with registered samples of the same names, `loose.d4` of no tenant, and in `cardio`
 * links that lead to files of `neuro`.
 */
export async function openWorld(
  settings: Record<string, unknown> = {},
  sampleIds: { cardio?: string; neuro?: string } = {},
): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'trefoil-tenants-'));
  const at = (name: string) => join(folder, name);
  for (const name of ['cardio', 'neuro']) mkdirSync(at(name));
  person(at('cardio/heart.d4'), 'female');
  person(at('neuro/brain.d4'), 'male');
  person(at('loose.d4'), 'female');
  symlinkSync(at('neuro/brain.d4'), at('cardio/link.d4'));
  symlinkSync(at('neuro'), at('cardio/folder'));
  const provider = await IdentityProvider.start();
  const { jwksUrl, audience } = provider;
  const server = await serveCoverage({
    settings: { roots: [folder], oidc: { jwksUrl, audience, cooldown: 1 }, ...settings },
    auth: {
      roles: [{ claim: 'groups', value: '/doctors', role: 'read' }],
      tenants: {
        cardio: {
          roots: [at('cardio')],
          sampleIds: sampleIds.cardio,
          datasets: ['hearts'],
          members: [
            { claim: 'groups', value: '/cardio', rights: ['read', 'report'] },
            { claim: 'groups', value: '/cardio-loaders', rights: ['load'] },
          ],
        },
        neuro: {
          roots: [at('neuro')],
          sampleIds: sampleIds.neuro,
          members: [{ claim: 'groups', value: '/neuro', rights: ['read', 'report'] }],
        },
      },
    },
  });
  const common = { build: 'GRCh38', labels: {} } as const;
  await server.samples.register(
    [
      { ...common, id: 'heart', sex: 'female', file: { path: 'cardio/heart.d4' } },
      { ...common, id: 'brain', sex: 'male', file: { path: at('neuro/brain.d4') }, case: 'secret' },
      { ...common, id: 'loose', sex: 'female', file: { path: 'loose.d4' } },
      { ...common, id: 'linked', sex: 'female', file: { path: 'cardio/link.d4' } },
    ],
    new Date(0),
  );
  return {
    server,
    folder,
    person: (...groups) => provider.token({ claims: { groups } }),
    async close() {
      await server.close();
      await provider.close();
      await rm(folder, { recursive: true });
    },
  };
}
