/** A credential grants no more than its scopes, and none is needed for queries. Of invalid ones: test/plugins/rights.test.ts. */
import { expect } from 'chai';
import { issueToken } from '../../../core/auth/access.js';
import { dealt } from '../../support/dealt.js';
import { useOnce } from '../../support/use.js';
import { engines } from './support/engines.js';
import { dataset, type Json } from './support/serve.js';
import { vcf } from './support/vcf.js';
import { serveWriter } from './support/write.js';

const query = 'assemblyId=GRCh37&referenceName=1&start=0&referenceBases=A&alternateBases=C';

for (const engine of dealt(engines, 'postgres')) {
  describe(`beacon: credentials (${engine.name})`, () => {
    const server = useOnce(() => serveWriter(engine));

    const token = async (scopes: string[]) =>
      (await issueToken(server.tokens, { owner: 'Lab', scopes }, new Date())).token;

    before(async () => {
      await server.repository.addDataset(dataset('open'), new Date());
    });

    const routes: [method: string, path: string, body?: Json][] = [
      ['GET', ''],
      ['GET', 'info'],
      ['GET', `query?${query}`],
      ['POST', 'query', Object.fromEntries(new URLSearchParams(query))],
    ];

    it('are not needed for queries by pages of other origins, and no such page may change anything', async () => {
      const origin = { origin: 'https://portal.example.org' };
      for (const [method, path, body] of routes) {
        const reply = await fetch(`${server.url}/apiv1.0/${path}`, {
          method,
          headers: { ...origin, 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        });
        expect([reply.status, reply.headers.get('access-control-allow-origin')], path).to.deep.equal([200, '*']);
      }
      const wrong = await fetch(`${server.url}/apiv1.0/query`, { headers: origin });
      expect([wrong.status, wrong.headers.get('access-control-allow-origin')]).to.deep.equal([400, '*']);
      for (const path of ['add', 'delete', 'add_dataset']) {
        for (const method of ['OPTIONS', 'POST']) {
          const reply = await fetch(`${server.url}/apiv1.0/${path}`, {
            method,
            headers: { ...origin, 'access-control-request-method': 'POST', 'x-auth-token': server.token },
          });
          expect(reply.headers.get('access-control-allow-origin'), `${method} ${path}`).to.equal(null);
        }
      }
    });

    it('for one dataset can change that one, and reveal nothing of others', async () => {
      const mine = await token(['beacon:write:mine:too']);
      const file = await server.file('x.vcf', vcf({ records: ['1 1 . A C . . . GT 0/1'] }));
      const words = (id: string) => ({ id, name: id, build: 'GRCh37', authlevel: 'registered' });
      const bodies = (id: string): [string, Json][] => [
        ['add_dataset', words(id)],
        ['add', { dataset_id: id, vcf_path: file, assemblyId: 'GRCh37' }],
        ['delete', { dataset_id: id, samples: ['s'] }],
      ];
      const no = { message: 'The API token does not allow changes to this dataset' };
      for (const id of ['open', 'nowhere', 'mine', 'mine:too2', 'mine:TOO']) {
        for (const [path, body] of bodies(id)) {
          const reply = await server.send(path, body, { token: mine });
          expect([reply.status, reply.body], `${path} ${id}`).to.deep.equal([403, no]);
        }
      }
      const upload = `add?dataset_id=open&assemblyId=GRCh37`;
      const sent = await server.send(upload, 'x', { token: mine, headers: { 'content-type': 'text/vcf' } });
      expect([sent.status, sent.body]).to.deep.equal([403, no]);
      expect(await server.uploads()).to.deep.equal([]);

      expect((await server.send('add_dataset', words('mine:too'), { token: mine })).status).to.equal(200);
      const [, add = ['', {}] as [string, Json]] = bodies('mine:too');
      const accepted = await server.send(...add, { token: mine });
      expect(accepted.status).to.equal(202);
      expect((await server.ended(accepted)).state).to.equal('done');
      expect(await server.repository.dataset('open')).to.include({ access: 'PUBLIC', sampleCount: 0 });
      await server.repository.removeDataset('mine:too');
    });

    it('may close a dataset, and open it only with the scope beacon:admin', async () => {
      const change = async (authlevel: string, scopes: string[]) => {
        const body = { id: 'level', name: 'x', build: 'GRCh37', authlevel, update: true };
        const { status: code, body: answer } = await server.send('add_dataset', body, { token: await token(scopes) });
        return [code, (await server.repository.dataset('level'))?.access, answer.message];
      };
      const done = 'Dataset collection was successfully updated';
      const no = (level: string) => `To open a ${level} dataset the API token needs the scope beacon:admin`;
      await server.repository.addDataset(dataset('level'), new Date());
      const write = ['beacon:write'];
      const one = ['beacon:write:level'];
      expect(await change('registered', one)).to.deep.equal([200, 'REGISTERED', done]);
      expect(await change('registered', write)).to.deep.equal([200, 'REGISTERED', done]);
      expect(await change('public', write)).to.deep.equal([403, 'REGISTERED', no('registered')]);
      expect(await change('controlled', write)).to.deep.equal([200, 'CONTROLLED', done]);
      expect(await change('registered', one)).to.deep.equal([403, 'CONTROLLED', no('controlled')]);
      expect(await change('public', write)).to.deep.equal([403, 'CONTROLLED', no('controlled')]);
      expect(await change('public', ['beacon:admin'])).to.include.members([403, 'CONTROLLED']);
      expect(await change('registered', [...one, 'beacon:admin'])).to.deep.equal([200, 'REGISTERED', done]);
      expect(await change('controlled', one)).to.deep.equal([200, 'CONTROLLED', done]);
      expect(await change('public', ['beacon:*'])).to.deep.equal([200, 'PUBLIC', done]);
    });
  });
}
