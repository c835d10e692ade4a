/** Tickets: a program admits its users to reports on certain samples, whose forms bring no token. */
import { expect } from 'chai';
import { seal } from '../../../../core/plugin.js';
import { createTickets } from '../../../../plugins/coverage/http/access/ticket-access.js';
import { outcome, sendTo } from '../../../support/http.js';
import { useOnce } from '../../../support/use.js';
import { serveCoverage } from '../support/serve.js';
import { endpoints } from './endpoints.js';
import { openWorld } from './world.js';

const key = 'a secret of at least thirty-two characters';

describe('tickets', () => {
  const world = useOnce(() => openWorld({ tickets: { key } }));
  let scout: string;
  before(async () => {
    scout = await world.server.token('coverage:ticket:cardio');
  });

  const ask = (json: unknown, token = scout) =>
    outcome<Record<string, string>>(`${world.server.url}/coverage/tickets`, { token, json });
  async function ticketFor(...samples: string[]): Promise<string> {
    const { status, body } = await ask({ samples });
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.ticket ?? '';
  }

  /** Posts a form as a browser does that was sent here by another program. */
  const post = (fields: Record<string, string>, more: { cookie?: string; query?: string; page?: string } = {}) =>
    sendTo(`${world.server.url}/${more.page ?? 'report'}${more.query ?? ''}`, {
      headers: { accept: 'text/html', ...(more.cookie && { cookie: more.cookie }) },
      form: { build: 'GRCh38', interval_type: 'custom_intervals', intervals_bed: '1\t999990\t1000010', ...fields },
    });
  const byPath = (path: string) => ({ sample_name_1: 's', sample_file_1: path });
  const byId = (id: string) => ({ sample_name_1: 's', sample_id_1: id });

  it('are made for samples that the program reaches', async () => {
    const made = await ask({ samples: ['heart', `${world.folder}/cardio/heart.d4`], minutes: 15 });
    expect(made.status).to.equal(200);
    expect(Date.parse(made.body.expires ?? '') - Date.now()).to.be.within(14 * 60_000, 15 * 60_000);
    expect(made.body.ticket).to.match(/^[\w-]{50,}$/);
    const absent = { status: 422, detail: 'is neither registered nor a coverage file' };
    for (const sample of [
      'ghost',
      'brain',
      'neuro/brain.d4',
      'neuro/ghost.d4',
      'cardio/link.d4',
      'heart.d4',
      '/etc/hostname',
    ]) {
      const { status, body } = await ask({ samples: ['heart', sample] });
      expect({ status, detail: (body.detail as unknown as { msg: string }[])[0]?.msg }, sample).to.deep.equal(absent);
    }
    for (const body of [{}, { samples: [] }, { samples: ['heart'], minutes: 16 }, { samples: ['heart'], minutes: 0 }]) {
      expect((await ask(body)).status, JSON.stringify(body)).to.equal(422);
    }
    expect((await ask({ samples: ['heart'] }, await world.server.token('coverage:report'))).status).to.equal(403);
    expect((await ask({ samples: ['heart'] }, 'unknown')).status).to.equal(401);
  });

  it('admit to these samples, and to no others', async () => {
    const ticket = await ticketFor('heart');
    for (const own of [byId('heart'), byPath('cardio/heart.d4')]) {
      expect((await post({ ticket, ...own })).status, JSON.stringify(own)).to.equal(200);
    }
    const refusal = async (fields: Record<string, string>) => {
      const response = await post({ ticket, ...fields });
      return [response.status, (await response.text()).replace(/nonce="[^"]*"/g, '').replaceAll('brain', 'ghost')];
    };
    for (const [theirs, absent] of [
      [byId('brain'), byId('ghost')],
      [byPath('neuro/brain.d4'), byPath('neuro/ghost.d4')],
      [byPath(`${world.folder}/neuro/brain.d4`), byPath(`${world.folder}/neuro/ghost.d4`)],
    ] as const) {
      expect(await refusal(theirs)).to.deep.equal(await refusal(absent));
    }
    // Not even to other names of the file, nor to BED files.
    for (const other of [
      byPath('heart.d4'),
      byId('loose'),
      { ...byId('heart'), intervals_bed: '', intervals_bed_path: 'x.bed' },
    ]) {
      expect((await post({ ticket, ...other })).status, JSON.stringify(other)).to.equal(422);
    }
  });

  it('admit to reports only', async () => {
    const ticket = await ticketFor('heart');
    const cookie = `coverage_ticket=${ticket}`;
    const statusOf = async (path: string) => (await fetch(world.server.url + path, { headers: { cookie } })).status;
    expect(await statusOf('/coverage/track?sample=heart&region=chr1:1-10')).to.equal(200);
    expect(await statusOf('/coverage/track?sample=brain&region=chr1:1-10')).to.equal(422);
    expect(await statusOf('/coverage/registry/samples')).to.equal(401);
    expect(await statusOf('/coverage/registry/samples/heart')).to.equal(401);
    for (const endpoint of endpoints.filter(({ isPage }) => !isPage)) {
      expect((await endpoint.send(world.server.url, { id: 'heart' }, { cookie })).status, endpoint.name).to.equal(401);
    }
    const landing = await fetch(`${world.server.url}/coverage`, { headers: { cookie } });
    expect(await landing.text()).to.not.include('heart');
  });

  it('are kept in a cookie for the buttons of the page, and are in no page and no address', async () => {
    const ticket = await ticketFor('heart');
    const response = await post({ ticket, ...byId('heart') });
    const cookie = response.headers.get('set-cookie') ?? '';
    expect(cookie).to.match(/^coverage_ticket=[\w-]+; HttpOnly; SameSite=Strict; Path=\/; Max-Age=(29\d|300); Secure$/);
    expect(response.headers.get('referrer-policy')).to.match(/no-referrer|same-origin/);
    expect(await response.text()).to.not.include(ticket);
    expect((await post(byId('heart'), { cookie: cookie.split(';')[0] ?? '' })).status).to.equal(200);
    // The form is decisive: the ticket for another case is not replaced by that of the cookie.
    const other = await ticketFor(`${world.folder}/cardio/heart.d4`);
    expect((await post({ ticket: other, ...byPath('cardio/heart.d4') }, { cookie })).status).to.equal(422);
    expect((await post(byId('heart'), { query: `?ticket=${ticket}` })).status).to.equal(401);
  });

  it('are refused if they have expired, were changed or were made with another key', async () => {
    const [good, now] = [await ticketFor('heart'), Date.now()];
    const files = ['cardio/heart.d4'];
    const make = (secret: string, expires: number) =>
      createTickets(secret, () => new Date()).make({ files, by: 'scout', expires });
    const changed = [...[...good].keys()]
      .filter((i) => i % 17 === 0)
      .map((i) => good.slice(0, i) + (good[i] === 'A' ? 'B' : 'A') + good.slice(i + 1));
    expect((await post({ ticket: make(key, now + 60_000), ...byId('heart') })).status).to.equal(200);
    for (const ticket of [
      make(key, now - 1),
      make(`${key}!`, now + 60_000),
      seal(JSON.stringify({ files, by: 'scout', expires: now + 60_000 }), {
        secret: key,
        purpose: 'trefoil another purpose',
      }),
      ...changed,
      `${good}A`,
      good.slice(1),
      'x',
    ]) {
      const refused = await post({ ticket, ...byId('heart') });
      expect(refused.status, ticket).to.equal(401);
      expect(refused.headers.get('set-cookie')).to.equal(null);
      expect((await post(byId('heart'), { cookie: `coverage_ticket=${ticket}` })).status).to.equal(401);
    }
  });

  it('are off unless they are configured', async () => {
    const without = await serveCoverage({ settings: { roots: [world.folder] } });
    try {
      const token = await without.token('coverage:ticket');
      const response = await fetch(`${without.url}/coverage/tickets`, {
        method: 'POST',
        headers: { 'x-auth-token': token },
      });
      expect(response.status).to.equal(404);
    } finally {
      await without.close();
    }
  });
});
