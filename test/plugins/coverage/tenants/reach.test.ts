/** Two tenants × every endpoint × ways to name a file × credentials: what is not yours is as if it did not exist. */
import { copyFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { outcome, request } from '../../../support/http.js';
import { useOnce } from '../../../support/use.js';
import { type Endpoint, endpoints, type Naming } from './endpoints.js';
import { openWorld } from './world.js';

interface Seen {
  status: number;
  body: string;
  headers: string[];
}

describe('files and samples of tenants', () => {
  const world = useOnce(() => openWorld());
  const credentials: Record<string, Record<string, string>> = {};
  before(async () => {
    const { server, person } = world;
    const bearer = async (...groups: string[]) => ({ authorization: `Bearer ${await person(...groups)}` });
    const apiToken = async (...scopes: string[]) => ({ 'x-auth-token': await server.token(...scopes) });
    Object.assign(credentials, {
      cardio: await bearer('/x', '/cardio'),
      neuro: await bearer('/neuro'),
      both: await bearer('/neuro', '/cardio'),
      doctor: await bearer('/doctors'),
      nobody: await bearer('/lab'),
      loader: await bearer('/cardio-loaders'),
      cardioProgram: await apiToken('coverage:report:cardio', 'coverage:read:cardio', 'coverage:register:cardio'),
      program: await apiToken('coverage:report', 'coverage:read'),
      beaconProgram: await apiToken('beacon:*'),
    });
  });

  const as = (caller: string) => credentials[caller] ?? {};
  const shown = (body: string) =>
    body
      .replace(/nonce-[\w+/=-]+|nonce="[^"]*"/g, 'nonce')
      .replaceAll('brain', 'NAME')
      .replaceAll('ghost', 'NAME');

  async function ask(endpoint: Endpoint, naming: Naming, headers: Record<string, string>): Promise<Seen> {
    const response = await endpoint.send(world.server.url, naming, headers);
    const body = shown(await response.text());
    const varying = ['date', 'content-security-policy', 'server-timing', 'x-request-id'];
    const own = [...response.headers].filter(([name]) => !varying.includes(name));
    return { status: response.status, body, headers: own.map(([name, value]) => `${name}: ${shown(value)}`).sort() };
  }

  /** Files of another tenant, each with one that does not exist. */
  const foreign = (): [Naming, Naming][] => {
    const at = (name: string) => `${world.folder}/${name}`;
    return [
      [{ path: 'neuro/brain.d4' }, { path: 'neuro/ghost.d4' }],
      [{ path: at('neuro/brain.d4') }, { path: at('neuro/ghost.d4') }],
      [{ path: at('cardio/../neuro/brain.d4') }, { path: at('cardio/../neuro/ghost.d4') }],
      [{ path: '../neuro/brain.d4' }, { path: '../neuro/ghost.d4' }],
      [{ path: at('cardio/folder/brain.d4') }, { path: at('cardio/folder/ghost.d4') }],
      [{ id: 'brain' }, { id: 'ghost' }],
    ];
  };

  it('are reached by members, and by programs and people of the whole server', async () => {
    const own: [string[], Naming][] = [
      [['cardio', 'both', 'cardioProgram', 'doctor', 'program'], { path: 'cardio/heart.d4' }],
      [['cardio', 'cardioProgram'], { path: 'heart.d4' }],
      [['cardio', 'cardioProgram', 'doctor', 'program'], { id: 'heart' }],
      [['neuro', 'both', 'doctor', 'program'], { id: 'brain' }],
      [['doctor', 'program'], { id: 'loose' }],
    ];
    const interval = endpoints[0] as Endpoint;
    // Not even they follow a link from one tenant to another: it would show one's files as the other's.
    expect((await ask(endpoints[0] as Endpoint, { path: 'cardio/link.d4' }, as('doctor'))).status).to.equal(404);
    for (const [callers, naming] of own) {
      for (const caller of callers) {
        const { status, body } = await ask(interval, naming, as(caller));
        expect(status, `${caller} ${JSON.stringify(naming)} ${body}`).to.equal(200);
      }
    }
  });

  for (const endpoint of endpoints) {
    it(`are as if absent for others at ${endpoint.name}`, async () => {
      for (const [theirs, absent] of foreign()) {
        for (const caller of ['cardio', 'cardioProgram']) {
          const seen = await ask(endpoint, theirs, as(caller));
          expect(seen, JSON.stringify(theirs)).to.deep.equal(await ask(endpoint, absent, as(caller)));
          expect(seen.status).to.be.oneOf([404, 422]);
        }
      }
      for (const naming of [{ path: 'loose.d4' }, { id: 'loose' }, { path: 'cardio/link.d4' }, { id: 'linked' }]) {
        expect((await ask(endpoint, naming, as('cardio'))).status, JSON.stringify(naming)).to.be.oneOf([404, 422]);
      }
    });

    it(`need a caller with the right at ${endpoint.name}`, async () => {
      for (const [caller, status] of [
        ['anonymous', 401],
        ['nobody', 403],
        ['loader', 403],
        ['beaconProgram', 403],
      ] as const) {
        for (const naming of [{ path: 'neuro/brain.d4' }, { id: 'heart' }, { path: 'ghost' }]) {
          expect((await ask(endpoint, naming, as(caller))).status, caller).to.equal(status);
        }
      }
      const invalid = { 'x-auth-token': 'trf_unknown-token-of-some-length' };
      expect((await ask(endpoint, { id: 'heart' }, invalid)).status).to.equal(401);
    });
  }

  it('are reached by a token in a cookie or a form', async () => {
    const token = await world.person('/cardio');
    for (const endpoint of endpoints.filter(({ isPage }) => isPage)) {
      const own = await ask(endpoint, { path: 'cardio/heart.d4' }, { cookie: `access_token=${token}` });
      // No genes are loaded: a page gets as far as looking for them.
      expect(own.status === 200 || own.body.includes('DSP'), `${endpoint.name} ${own.body}`).to.equal(true);
      const theirs = await ask(endpoint, { path: 'neuro/brain.d4' }, { cookie: `access_token=${token}` });
      expect(theirs, endpoint.name).to.deep.equal(
        await ask(endpoint, { path: 'neuro/ghost.d4' }, { cookie: `access_token=${token}` }),
      );
    }
  });

  it('are listed for their members only, also in forms', async () => {
    const list = async (caller: string) => {
      const response = await fetch(`${world.server.url}/coverage/registry/samples?limit=1`, { headers: as(caller) });
      const { samples = [], next } = (await response.json()) as { samples?: { id: string }[]; next?: string };
      return [...samples.map(({ id }) => id), ...(next ? ['…'] : [])];
    };
    expect(await list('cardio')).to.deep.equal(['heart', '…']);
    expect(await list('cardioProgram')).to.deep.equal(['heart', '…']);
    expect(await list('neuro')).to.deep.equal(['brain']);
    expect(await list('doctor')).to.deep.equal(['brain', '…']);
    const offers = async (caller: string) => {
      const response = await fetch(`${world.server.url}/coverage`, { headers: as(caller) });
      if (response.status !== 200) return response.status;
      const lists = [...(await response.text()).matchAll(/<datalist.*?<\/datalist>/gs)].join('');
      return [...lists.matchAll(/<option value="(?!\d+")([^"]*)">/g)].map(([, name]) => name);
    };
    expect(await offers('cardio')).to.have.members(['heart.d4', 'heart', 'linked']);
    expect(await offers('neuro')).to.have.members(['brain.d4', 'brain']);
    expect(await offers('doctor')).to.include.members([
      'cardio/heart.d4',
      'neuro/brain.d4',
      'loose.d4',
      'heart',
      'brain',
    ]);
    expect(await Promise.all(['anonymous', 'nobody', 'loader', 'beaconProgram'].map(offers))).to.deep.equal([
      401, 403, 403, 403,
    ]);
  });
});

describe('samples of tenants', () => {
  const world = useOnce(() => openWorld());
  let loader: Record<string, string>;
  let reader: Record<string, string>;
  before(async () => {
    loader = { 'x-auth-token': await world.server.token('coverage:register:cardio') };
    reader = { 'x-auth-token': await world.server.token('coverage:read:cardio') };
  });

  const send = (method: string, path: string, headers: Record<string, string>, json?: unknown) =>
    outcome(world.server.url + path, { method, headers, json });
  const sample = (id: string) => `/coverage/registry/samples/${id}`;
  const build = 'GRCh38';

  it('are read, and removed, by their members only', async () => {
    expect((await send('GET', sample('heart'), reader)).status).to.equal(200);
    const absent = { status: 404, body: { detail: 'The sample is not registered' } };
    for (const id of ['brain', 'loose', 'ghost']) {
      expect(await send('GET', sample(id), reader), id).to.deep.equal(absent);
      expect(await send('DELETE', sample(id), loader), id).to.deep.equal(absent);
    }
    expect((await world.server.samples.find(['brain', 'loose'])).map(({ id }) => id)).to.deep.equal(['brain', 'loose']);
    expect((await send('DELETE', sample('heart'), reader)).status).to.equal(403);
    const byToken = { authorization: `Bearer ${await world.person('/cardio-loaders')}` };
    expect((await send('DELETE', sample('linked'), byToken)).status).to.equal(200);
    expect(await world.server.samples.find(['linked'])).to.deep.equal([]);
  });

  it('are registered with files of the tenant only', async () => {
    const absent = { detail: 'Coverage_file_path must be either an existing local file path or a URL' };
    for (const path of [
      'neuro/brain.d4',
      'neuro/ghost.d4',
      'loose.d4',
      'cardio/link.d4',
      'cardio/folder/brain.d4',
      '/etc/hostname',
    ]) {
      expect(await send('PUT', sample('new'), loader, { build, coverage_file_path: path }), path).to.deep.equal({
        status: 404,
        body: absent,
      });
    }
    // A path that is relative to the tenant's own directory is registered as what it means to every caller.
    expect((await send('PUT', sample('new'), loader, { build, coverage_file_path: 'heart.d4' })).status).to.equal(202);
    const [found] = await world.server.samples.find(['new']);
    expect(found?.file.path).to.equal(`${world.folder}/cardio/heart.d4`);
  });

  it('keep their ids: no other tenant takes one over', async () => {
    const before = await world.server.samples.find(['brain']);
    const taken = await send('PUT', sample('brain'), loader, { build, coverage_file_path: 'cardio/heart.d4' });
    expect(taken).to.deep.equal({ status: 409, body: { detail: 'The id "brain" cannot be used: choose another' } });
    expect(await world.server.samples.find(['brain'])).to.deep.equal(before);
  });

  it('are not counted for others: they are as if they were not registered', async () => {
    const places = [{ chromosome: '1', intervals: [{ start: 1_500_000, end: 1_500_001 }] }];
    const asked = (ids: string[]) => ({ build, threshold: 10, groups: [ids], places });
    const counted = async (headers: Record<string, string>, ids: string[]) =>
      (await send('POST', '/coverage/registry/callability', headers, asked(ids))).body;
    const unregistered = (id: string) => ({ sample: id, reason: 'unregistered' });
    expect(await counted(reader, ['ghost', 'brain', 'heart', 'loose'])).to.deep.equal({
      // No sample has been checked.
      unknown: [
        unregistered('ghost'),
        unregistered('brain'),
        { sample: 'heart', reason: 'unchecked' },
        unregistered('loose'),
      ],
      places: [{ covered: [0], below: [] }],
    });
    const sexes = await send('POST', '/coverage/registry/sexes', reader, { samples: ['ghost', 'brain', 'heart'] });
    expect(sexes.body).to.deep.equal({ sexes: ['unknown', 'unknown', 'female'] });
    const all = { 'x-auth-token': await world.server.token('coverage:read') };
    expect(await counted(all, ['brain'])).to.have.nested.property('unknown[0].reason', 'unchecked');
  });

  it('with one file warn only those who see both samples, and name no other', async () => {
    const own = await openWorld();
    try {
      own.server.startJobs();
      const write = { 'x-auth-token': await own.server.token('coverage:register') };
      const register = async (id: string, file: string, copyOf?: string) => {
        const at = (name: string) => join(own.folder, name);
        if (copyOf !== undefined) copyFileSync(at(copyOf), at(file));
        if (copyOf !== undefined) utimesSync(at(file), 1_600_000_000, 1_600_000_000);
        const stated = JSON.stringify({ build, coverage_file_path: file, sex: 'female' });
        const headers = { ...write, 'content-type': 'application/json' };
        const reply = await fetch(own.server.url + sample(id), { method: 'PUT', headers, body: stated });
        const { job } = (await reply.json()) as { job: { href: string } };
        for (let state = ''; state !== 'done'; await sleep(20)) {
          ({ state } = (await (await fetch(own.server.url + job.href, { headers: write })).json()) as {
            state: string;
          });
          expect(state).not.to.equal('failed');
        }
      };
      const warnings = async (id: string, ...groups: string[]) => {
        const headers = { authorization: `Bearer ${await own.person(...groups)}` };
        const reply = await fetch(own.server.url + sample(id), { headers });
        return ((await reply.json()) as { state: string; warnings: unknown }).warnings;
      };
      const same = (names: string) => [
        { code: 'same-file', message: `The same file was given for ${names}: were samples mixed up?` },
      ];
      await register('heart', 'cardio/heart.d4');
      await register('copied', 'neuro/copied.d4', 'cardio/heart.d4');
      expect(await warnings('heart', '/cardio')).to.deep.equal([]);
      expect(await warnings('copied', '/neuro')).to.deep.equal([]);
      expect(await warnings('heart', '/cardio', '/neuro')).to.deep.equal(same('copied and heart'));
      expect(await warnings('copied', '/cardio', '/neuro')).to.deep.equal(same('copied and heart'));
      await register('again', 'cardio/again.d4', 'cardio/heart.d4');
      expect(await warnings('heart', '/cardio')).to.deep.equal(same('again and heart'));
      expect(await warnings('copied', '/neuro')).to.deep.equal([]);
      const gone = await fetch(own.server.url + sample('again'), { method: 'DELETE', headers: write });
      expect(gone.status).to.equal(200);
      expect(await warnings('heart', '/cardio')).to.deep.equal([]);
    } finally {
      await own.close();
    }
  });

  it('have ids of their own, if these begin in a way of their own: what is refused says nothing', async () => {
    const own = await openWorld({}, { cardio: 'c-' });
    try {
      const token = async (tenant: string) => ({
        'x-auth-token': await own.server.token(`coverage:register:${tenant}`),
      });
      const put = async (id: string, tenant: string, path: string) => {
        const sent = { method: 'PUT', headers: await token(tenant), json: { build, coverage_file_path: path } };
        const { status, text } = await request(own.server.url + sample(id), sent);
        return { status, body: text.replaceAll(`\\"${id}\\"`, '\\"ID\\"') };
      };
      const refused = { status: 409, body: JSON.stringify({ detail: 'The id "ID" cannot be used: choose another' }) };
      const [heart, brain] = ['cardio/heart.d4', 'neuro/brain.d4'];
      // Taken by another tenant, free, and of another beginning: all alike.
      for (const id of ['brain', 'free', 'C-1', 'xc-1'])
        expect(await put(id, 'cardio', heart), id).to.deep.equal(refused);
      expect((await put('c-1', 'cardio', heart)).status).to.equal(202);
      for (const id of ['c-1', 'c-2']) expect(await put(id, 'neuro', brain), id).to.deep.equal(refused);
      expect((await put('n-1', 'neuro', brain)).status).to.equal(202);
      // What it has already stays its own, however the id begins.
      expect((await put('heart', 'cardio', heart)).status).to.equal(202);
      // Whoever registers for the whole server may use any.
      const all = { 'x-auth-token': await own.server.token('coverage:register'), 'content-type': 'application/json' };
      const body = JSON.stringify({ build, coverage_file_path: heart });
      expect((await fetch(own.server.url + sample('any'), { method: 'PUT', headers: all, body })).status).to.equal(202);
    } finally {
      await own.close();
    }
  });

  it('need no right where nothing is divided, but tokens for a tenant reach nothing there', async () => {
    const { serveCoverage } = await import('../support/serve.js');
    const undivided = await serveCoverage({ settings: { roots: [world.folder] } });
    try {
      const body = JSON.stringify({
        coverage_file_path: 'neuro/brain.d4',
        chromosome: '1',
        start: 1,
        end: 2,
        completeness_thresholds: [1],
      });
      const open = await fetch(`${undivided.url}/coverage/d4/interval/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      expect(open.status).to.equal(200);
      for (const [scope, status] of [
        ['coverage:read:cardio', 403],
        ['coverage:read', 200],
      ] as const) {
        const headers = { 'x-auth-token': await undivided.token(scope) };
        expect((await fetch(`${undivided.url}/coverage/registry/samples`, { headers })).status, scope).to.equal(status);
      }
    } finally {
      await undivided.close();
    }
  });
});
