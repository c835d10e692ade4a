/** Twenty nodes of which eight misbehave, and two nodes of ours with quirks, inheritance and purposes. */
import { expect } from 'chai';
import { dealt } from '../../../support/dealt.js';
import { engines } from '../../../support/engines.js';
import { type Json, patient } from '../support/serve.js';
import { type LabNode, until, useNodes } from './support/lab.js';
import { answering, type Behaviour, found, type Peer } from './support/peer.js';

const gene = (symbol: string) => ({ genomicFeatures: [{ gene: { id: symbol } }] });

for (const engine of dealt(engines, 'postgres')) {
  describe(`matchmaker: federation on ${engine.name}`, function () {
    this.timeout(300_000); // several servers
    const { node, peer: newPeer } = useNodes(engine);

    it('a client gets in time what came of twenty nodes; the rest is recorded, even if the server is killed', async () => {
      const exchange = { timeoutSeconds: 12, maxBytes: 2 ** 20 };
      const here = await node({ matchmaker: { exchange } });
      await here.startToKill();
      const token = await here.client('scout');
      await here.add(token, patient('P', gene('SCN1A')));
      const peers = new Map<string, Peer>();
      const connect = async (id: string, behaviour: Behaviour): Promise<void> => {
        const peer = await newPeer();
        peer.behave(behaviour);
        peers.set(id, peer);
        await here.connect(id, peer.url);
      };
      const named = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i + 1}`);
      const good = named('good', 10);
      const late = named('late', 2);
      const hanging = named('hangs', 5);
      const rubbish = ['garbage', 'drips', 'floods'];
      for (const id of good) await connect(id, found(patient(`of-${id}`)));
      const releases: (() => void)[] = [];
      for (const id of late) {
        await connect(id, (response, asked) => {
          releases.push(() => found(patient(`of-${id}`))(response, asked));
        });
      }
      for (const id of hanging) await connect(id, () => undefined);
      await connect('garbage', answering(200, `{"results":[${'[],'.repeat(10_000)}0]}`));
      await connect('drips', (response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write(' '), 50);
        response.on('close', () => clearInterval(timer));
      });
      await connect('floods', (response) => {
        response.writeHead(200);
        const chunk = Buffer.alloc(2 ** 18, '[');
        const more = () => {
          while (!response.destroyed && response.write(chunk));
        };
        response.on('drain', more);
        more();
      });
      const ids = (list: Json[]): string[] => list.map(({ node }) => node.id).sort();
      const recorded = async () =>
        (await here.matches(token, 'P'))
          .flatMap(({ results }: Json) => results.map(({ node }: Json) => node.id))
          .sort();

      // All that can respond have done so once the client has waited for a while, on a slow machine too.
      const { status, body } = await here.request('POST', '/match/external/P?timeout=6', token);
      expect(status).to.equal(200);
      expect(ids(body.results)).to.deep.equal([...good, 'garbage'].sort());
      expect(ids(body.errors)).to.deep.equal([...late, ...hanging, ...rubbish].sort());
      expect(body._pending.map(({ id }: Json) => id).sort()).to.deep.equal([...late, ...hanging, 'drips'].sort());
      const errorOf = Object.fromEntries(body.errors.map(({ node, error }: Json) => [node.id, error]));
      expect(errorOf.floods).to.equal('sent more than 1048576 bytes');
      expect(errorOf.garbage).to.match(/^results were dropped: .*; 1997 more; 8001 after 2000 were not read$/);
      expect(errorOf.late1).to.equal('has not responded after 6 s; a later response is recorded');

      // What comes after the answer is recorded.
      for (const release of releases) release();
      await until(async () => (await recorded()).length === 12);
      // No node is asked twice by a client that asks again.
      await here.request('POST', '/match/external/P?timeout=0&node=hangs1', token);
      expect(peers.get('hangs1')?.asked).to.have.length(1);

      await here.kill();
      for (const id of [...hanging, ...rubbish]) peers.get(id)?.behave(found(patient(`of-${id}`)));
      await here.start();
      await until(async () => (await recorded()).length >= 19);
      // One record of each: garbage was an answer without a patient, which is not repeated.
      expect(await recorded()).to.deep.equal([...good, ...late, ...hanging, 'drips', 'floods'].sort());
      for (const id of [...good, ...late, 'garbage']) expect(peers.get(id)?.asked, id).to.have.length(1);
      const states = await until(async () => {
        const all: Json[] = (await here.request('GET', '/nodes', token)).body;
        return all.every(({ _health }) => _health.state === 'responding' && _health.pending === 0) && all;
      });
      expect(states).to.have.length(20);
      expect(here.log()).to.not.match(/unhandled|"level":(50|60)/i);
    });

    it('a search of a client whose server is killed before it sends anything is made up for', async () => {
      const here = await node({ matchmaker: { exchange: { timeoutSeconds: 1, within: 'off' } } });
      await here.start();
      const token = await here.client('scout');
      // There is no node yet, so that this causes no search.
      await here.add(token, patient('P', gene('SCN1A')));
      await here.stop();
      const peer = await newPeer();
      peer.behave(found(patient('G')));
      await here.connect('peer', peer.url);
      const { ended } = await here.startKilled('matchmaker.exchange.audited');
      const answered = here.request('POST', '/match/external/P', token).then(
        () => true,
        () => false,
      );
      expect((await ended).signal).to.equal('SIGKILL');
      expect([await answered, peer.asked.length]).to.deep.equal([false, 0]);
      await here.start();
      const [record] = await until(async () => {
        const all = await here.matches(token, 'P');
        return all.length > 0 && all;
      });
      expect(record.results[0].patients.map((one: Json) => one.patient.id)).to.deep.equal(['G']);
    });

    it('two of our nodes exchange inheritance and purpose, each in the dialect of the other', async () => {
      const [a, b] = [await node(), await node({ matchmaker: { exchange: { purpose: 'research' } } })];
      await Promise.all([a.start(), b.start()]);
      const [ta, tb] = [await a.client('scout'), await b.client('scout')];
      const connect = async (from: LabNode, to: LabNode, id: string, ...quirks: string[]) => {
        const token = await to.client(`of-${id}`, '--scope', 'query');
        await from.done('add', 'node', '--id', id, '--token', token, '--matching_url', to.url, ...quirks);
      };
      // b takes a for a slow server of version 1.0 that compares genes only.
      await connect(a, b, 'b');
      await connect(b, a, 'a', '--quirks', 'version-1.0,genes-only,slow');
      const variant = {
        assembly: 'GRCh37',
        referenceName: '2',
        start: 166_848_646,
        end: 166_848_647,
        referenceBases: 'C',
        alternateBases: 'T',
      };
      const feature = (mode: string, origin: string) => ({
        gene: { id: 'SCN1A' },
        variant: { ...variant, _inheritance: origin },
        _inheritance: mode,
      });
      await a.add(ta, patient('PA', { genomicFeatures: [feature('HP:0000006', 'de novo')], _purpose: 'clinical' }));
      await until(async () => (await a.done('list', 'node'))[0].lastSuccess !== undefined);
      await b.add(tb, patient('PB', { genomicFeatures: [feature('HP:0000007', 'maternal')] }));
      const record = await until(async () => (await b.matches(tb, 'PB')).find((one) => one.match_type === 'external'));
      const [{ patient: theirs, score }] = record.results[0].patients;
      expect(theirs).to.include({ id: 'PA', _purpose: 'clinical' });
      expect(theirs.genomicFeatures[0]).to.deep.include({ _inheritance: 'HP:0000006' });
      expect(theirs.genomicFeatures[0].variant._inheritance).to.equal('de novo');
      // Inheritance is shown beside the gene and the variant, and counts for nothing.
      expect(score._matchedGenes[0]._inheritance).to.deep.equal({
        query: { mode: 'HP:0000007', origin: 'maternal' },
        patient: { mode: 'HP:0000006', origin: 'de novo' },
      });
      const unstated = patient('PB', { genomicFeatures: [{ gene: { id: 'SCN1A' }, variant }] });
      const [plain] = (await a.request('POST', '/match', ta, { patient: { ...unstated, features: [] } })).body.results;
      expect(plain.score._matchedGenes[0]._inheritance.query).to.deep.equal({});
      expect([score.patient, score._genotype]).to.deep.equal([plain.score.patient, plain.score._genotype]);
      const incoming = (await a.matches(ta, 'PA')).find((one) => one.data.patient._purpose === 'research');
      const { patient: query } = incoming.data;
      expect(query).to.include({ id: 'PB', _purpose: 'research' });
      expect(query.genomicFeatures[0]._inheritance).to.equal('HP:0000007');
      expect(query.features, 'b sends genes only').to.deep.equal([]);

      // The other way, and by a client that states its purpose beside the patient.
      const { body } = await a.request('POST', '/match/external/PA', ta);
      expect(body.results[0].patients[0].patient.id).to.equal('PB');
      const asker = await a.client('asker', '--scope', 'query');
      const asked = { patient: patient('Q', gene('SCN1A')), _purpose: 'clinical', _disclaimer: 'x' };
      expect((await a.request('POST', '/match', asker, asked)).body.results).to.have.length(1);
      expect((await a.matches(asker, 'Q'))[0].data.patient._purpose).to.equal('clinical');
      const odd = {
        patient: patient('O', { _purpose: 'fun', genomicFeatures: [{ gene: { id: 'SCN1A' }, _inheritance: 'AD' }] }),
      };
      const warned = (await a.request('POST', '/match', asker, odd)).body._warnings.map(({ path }: Json) => path);
      expect(warned).to.deep.equal(['patient._purpose', 'patient.genomicFeatures.0._inheritance']);
      const [listed] = await b.done('list', 'node');
      expect(listed.quirks).to.deep.equal(['version-1.0', 'genes-only', 'slow']);
      await b.done('update', 'node', '--id', 'a', '--quirks', 'none');
      expect((await b.done('list', 'node'))[0].quirks).to.equal(undefined);
      expect((await b.run('update', 'node', '--id', 'a', '--quirks', 'sequr')).stderr).to.match(
        /^.*"sequr" is neither a quirk nor a kind of server: choose "none", kinds \(.*seqr.*\n$/,
      );
      expect((await b.done('list', 'quirk')).kinds.seqr).to.deep.equal(['version-1.0', 'starts-at-1']);
    });
  });
}
