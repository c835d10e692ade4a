import { expect } from 'chai';
import { pino } from 'pino';
import type { TokenRepository } from '../../../core/auth/contract.js';
import { createApp } from '../../../core/http/app.js';
import { httpSettings } from '../../../core/http/settings.js';
import { get } from './support.js';

const answer = () => ({ body: null });

function app() {
  return createApp({
    settings: httpSettings.parse({}),
    log: pino({ level: 'silent' }),
    version: '0',
    now: () => new Date(),
    readiness: async () => ({ ready: true, checks: {} }),
    tokens: {} as TokenRepository,
    findJob: async () => undefined,
    countJobs: async () => ({ queued: 3, running: 1, done: 0, failed: 2, cancelled: 0 }),
  });
}

describe('claims of paths', () => {
  it('names both owners of every path that two plugins claim, all at once', () => {
    const one = app();
    const a = one.host({ name: 'beacon', summary: '' });
    const b = one.host({ name: 'matchmaker', summary: '' });
    a.route(get('/query', answer));
    b.route(get('/query/', answer, { method: 'POST' }));
    a.route(get('/match/:id', answer));
    b.route(get('/match/list', answer));
    b.route(get('/-/live', answer));
    a.route(get('/', answer, { operation: 'front' }));
    a.errorBody('/nodes', () => ({ body: null }));
    b.route(get('/nodes/all', answer));
    b.use('/', (_, next) => next());
    const faults = one.seal();
    expect(faults).to.include('plugin beacon and plugin matchmaker both claim /query');
    expect(faults).to.include('plugin matchmaker and plugin beacon both claim /match/list and /match/:id');
    expect(faults).to.include('the core and plugin matchmaker both claim /-/live');
    expect(faults).to.include('the core and plugin beacon both claim /');
    expect(faults).to.include('plugin beacon claims all of /nodes, but /nodes/all belongs to plugin matchmaker');
    expect(faults).to.include('plugin matchmaker claims all of /, but /query belongs to plugin beacon');
    expect(faults).to.include('plugin matchmaker and plugin beacon both claim / and /nodes');
  });

  it('rejects duplicate claims of one plugin and invalid paths', () => {
    const one = app();
    const host = one.host({ name: 'beacon', summary: '' });
    host.route(get('/a/:id', answer, { operation: 'x' }));
    host.route(get('/a/:other', answer, { operation: 'y' }));
    host.route(get('/b', answer, { operation: 'x' }));
    host.route(get('no-slash', answer));
    host.route(get('/a b/*', answer));
    host.errorBody('nowhere', () => ({ body: null }));
    expect(one.seal().sort()).to.deep.equal([
      'plugin beacon claims "nowhere", which is not a path',
      'plugin beacon declares GET /a/:id twice',
      'plugin beacon has a route "/a b/*", which is not a path such as /things/:id',
      'plugin beacon has a route "no-slash", which is not a path such as /things/:id',
      'plugin beacon has two routes named x: /b and /a/:id',
    ]);
  });

  it('allows one plugin a literal beside a parameter, and several methods on one path', () => {
    const one = app();
    const host = one.host({ name: 'beacon', summary: '' });
    host.route(get('/a/:id', answer));
    host.route(get('/a/list', answer));
    host.route(get('/a/list', answer, { method: 'POST', operation: 'post' }));
    expect(one.seal()).to.deep.equal([]);
  });

  it('accepts no route after sealing, and listens only if there is no fault', async () => {
    const one = app();
    const host = one.host({ name: 'beacon', summary: '' });
    host.route(get('/', answer));
    expect(one.seal()).to.have.length(1);
    expect(() => host.route(get('/late', answer))).to.throw('while a plugin registers');
    let refused: unknown;
    await one.listen('127.0.0.1', 0).catch((error: unknown) => {
      refused = error;
    });
    expect(String(refused)).to.include('without faults');
  });
});
