/** Who may use which panel in a report, if rights are given to people and tenants; and drafts. */
import { expect } from 'chai';
import { IdentityProvider } from '../../../support/identity-provider.js';
import { openPanelWorld, type PanelWorld } from './support.js';

interface Answer {
  detail: { msg: string }[];
  panel_version: {
    state: string;
    signed_off: unknown;
    not_covered: { kind: string; reason: string; message?: string }[];
  };
}

describe('reports on panels of tenants', function () {
  this.timeout(60_000);
  let provider: IdentityProvider;
  let world: PanelWorld;
  before(async () => {
    provider = await IdentityProvider.start();
    const { jwksUrl, audience } = provider;
    world = await openPanelWorld({
      coverage: { oidc: { jwksUrl, audience, cooldown: 1 } },
      settings: (folder) => ({
        auth: {
          roles: [{ claim: 'groups', value: '/panel-lab', role: 'work' }],
          tenants: {
            cardio: {
              roots: [folder],
              panels: ['heart', 'sketch'],
              members: [
                { claim: 'groups', value: '/cardio', rights: ['read', 'report'] },
                { claim: 'groups', value: '/reports-only', rights: ['report'] },
              ],
            },
          },
        },
      }),
    });
  });
  after(async () => {
    await world?.close();
    await provider?.close();
  });

  async function ask(group: string, panel: string, more: Record<string, string> = {}) {
    const access_token = await provider.token({ claims: { groups: [group] } });
    const response = await world.ask('report', { panel, access_token, format: 'json', ...more });
    const text = await response.text();
    return { status: response.status, text, body: (more.format ? {} : JSON.parse(text)) as Answer };
  }
  const refusal = async (group: string, panel: string) => {
    const { status, body } = await ask(group, panel);
    expect(status, panel).to.equal(422);
    return body.detail.map(({ msg }) => msg);
  };

  it('are made for their members, and panels of others are answered as if they did not exist', async () => {
    expect((await ask('/cardio', 'heart@1')).status).to.equal(200);
    expect((await ask('/cardio', 'heart')).status).to.equal(200);
    for (const panel of ['kidney@1.9', 'nothing@1']) {
      expect(await refusal('/cardio', panel)).to.deep.equal([`there is no panel version ${panel} that you may use`]);
    }
    for (const panel of ['kidney', 'nothing']) {
      expect(await refusal('/cardio', panel)).to.deep.equal([
        `there is no panel ${panel} with a signed-off version that you may use`,
      ]);
    }
  });

  it('need the right to read panels', async () => {
    expect(await refusal('/reports-only', 'heart@1')).to.deep.equal([
      'there is no panel version heart@1 that you may use',
    ]);
    const token = await world.server.token('coverage:report');
    const reader = await world.server.token('coverage:report', 'panels:read:heart');
    for (const [key, status] of [
      [token, 422],
      [reader, 200],
    ] as const) {
      expect((await world.ask('report', { panel: 'heart' }, { 'x-auth-token': key })).status).to.equal(status);
    }
  });

  it('on drafts say so everywhere, for those who may read them', async () => {
    const { status, body } = await ask('/panel-lab', 'kidney@2.1');
    expect(status).to.equal(200);
    expect(body.panel_version).to.deep.include({ state: 'draft', signed_off: null });
    expect(body.panel_version.not_covered).to.deep.equal([
      { kind: 'unmapped', name: 'LOST', hgnc: null, place: null, reason: 'unmapped', message: 'unknown' },
    ]);
    const page = (await ask('/panel-lab', 'kidney@2.1', { format: 'html' })).text;
    expect(page).to.include('<h1>Coverage report · DRAFT OF A PANEL</h1>');
    expect(page).to.include('The panel kidney@2.1 is a draft: it has not been signed and can change.');
    expect(page).to.include('entry without a gene');
    const review = (await ask('/panel-lab', 'kidney@3', { format: 'html', lang: 'sv' })).text;
    expect(review).to.include('OSIGNERAD PANEL').and.include('Panelen kidney@3 är under granskning');
    expect((await ask('/panel-lab', 'sketch@1', { format: 'multiqc' })).text).to.include('sketch@1 (draft)');
    expect((await ask('/panel-lab', 'sketch@1', { format: 'bed' })).text).to.include('sketch@1 (draft)');
    expect((await ask('/panel-lab', 'sketch@1', { format: 'csv' })).text).to.include(',sketch@1,draft,');
    expect((await ask('/cardio', 'sketch@1')).body.panel_version.state).to.equal('draft');
    // A panel without a signed-off version is never taken by its name alone.
    expect((await ask('/panel-lab', 'sketch')).status).to.equal(422);
  });

  it('offer the panels of the caller', async () => {
    const access_token = await provider.token({ claims: { groups: ['/cardio'] } });
    const page = await (await world.ask('coverage', { access_token })).text();
    expect(page).to.include('<option value="heart@1" label="Heart">').and.not.include('kidney@');
  });
});
