/** Who may use which panel in a report, if rights are given to people and tenants; and drafts. */
import { expect } from 'chai';
import { request } from '../../../support/http.js';
import { IdentityProvider } from '../../../support/identity-provider.js';
import { useOnce } from '../../../support/use.js';
import { openPanelWorld } from './support.js';

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
  const provider = useOnce(() => IdentityProvider.start());
  const world = useOnce(async () => {
    const { jwksUrl, audience } = provider;
    return openPanelWorld({
      coverage: {
        oidc: { jwksUrl, audience, cooldown: 1 },
        tickets: { key: 'a secret of at least thirty-two characters' },
      },
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

  it('take tickets for the panels that their maker named and may read', async () => {
    const make = async (panels: string[], ...scopes: string[]) => {
      const token = await world.server.token('coverage:ticket', ...scopes);
      const sent = { token, json: { samples: ['child.d4'], panels } };
      type Made = { ticket: string; detail: { msg: string }[] };
      const { status, body } = await request<Made>(`${world.server.url}/coverage/tickets`, sent);
      return { ...body, status };
    };
    const status = async (ticket: string, panel: string) => (await world.ask('report', { ticket, panel })).status;

    const { ticket: none } = await make([], 'panels:read');
    expect(await status(none, 'heart')).to.equal(422);
    const { ticket: one } = await make(['heart@1', 'sketch@1'], 'panels:read');
    for (const [panel, expected] of Object.entries({
      'heart@1': 200,
      heart: 422,
      'sketch@1': 200,
      'kidney@1.9': 422,
    })) {
      expect(await status(one, panel), panel).to.equal(expected);
    }
    // Without a version: those that people signed. 2.1 is a draft, 3 is in review.
    const { ticket: all } = await make(['kidney'], 'panels:read:kidney');
    const expected = {
      kidney: 200,
      'kidney@1.10': 200,
      'kidney@1.8': 200,
      'kidney@2.1': 422,
      'kidney@3': 422,
      heart: 422,
    };
    for (const [panel, expect_] of Object.entries(expected)) expect(await status(all, panel), panel).to.equal(expect_);
    const summary = await fetch(`${world.server.url}/coverage`, {
      method: 'POST',
      body: new URLSearchParams({ ticket: all }),
    });
    expect(await summary.text()).to.not.include('heart@1');

    for (const [panels, ...scopes] of [
      [['heart'], 'panels:read:kidney'],
      [['kidney']],
      [['nothing'], 'panels:read'],
    ] as const) {
      const refused = await make([...panels], ...scopes);
      expect([refused.status, refused.detail[0]?.msg], panels[0]).to.deep.equal([
        422,
        'is not a panel, or version of one, that you may use',
      ]);
    }
  });

  it('offer the panels of the caller', async () => {
    const access_token = await provider.token({ claims: { groups: ['/cardio'] } });
    const page = await (await world.ask('coverage', { access_token })).text();
    expect(page).to.include('<option value="heart@1" label="Heart">').and.not.include('kidney@');
  });
});

describe('reports on panels, with access tokens and without roles', () => {
  const provider = useOnce(() => IdentityProvider.start());
  const world = useOnce(async () => {
    const { jwksUrl, audience } = provider;
    return openPanelWorld({ coverage: { oidc: { jwksUrl, audience, cooldown: 1 } } });
  });

  it('take an API token for drafts beside the access token', async () => {
    const access_token = await provider.token({});
    const draft = await world.server.token('panels:read:kidney');
    const status = async (panel: string, headers: Record<string, string> = {}) =>
      (await world.ask('report', { panel, access_token }, headers)).status;
    expect(await status('kidney@1.9')).to.equal(200);
    expect(await status('kidney@2.1')).to.equal(422);
    expect(await status('kidney@2.1', { 'x-auth-token': draft })).to.equal(200);
    expect(await status('sketch@1', { 'x-auth-token': draft })).to.equal(422);
    // One that is not valid counts as none.
    expect(await status('kidney@1.9', { 'x-auth-token': 'unknown' })).to.equal(200);
    expect(await status('kidney@2.1', { 'x-auth-token': 'unknown' })).to.equal(422);
    expect((await world.ask('report', { panel: 'kidney@2.1' }, { 'x-auth-token': draft })).status).to.equal(401);
  });
});
