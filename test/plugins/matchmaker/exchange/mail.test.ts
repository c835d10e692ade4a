/** Recipients and text of notifications. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { mailSettings } from '../../../../plugins/matchmaker/settings.js';
import { dealt } from '../../../support/dealt.js';
import { engines } from '../../../support/engines.js';
import { useEach } from '../../../support/use.js';
import { type Json, patient } from '../support/serve.js';
import { type LabNode, makeNode, until, waitSeconds } from './support/lab.js';
import { found, servePeer } from './support/peer.js';
import { read, serveSink, type TakenMail } from './support/sink.js';

const contact = (name: string, href = `mailto:${name}@example.org`, more: Json = {}) => ({
  contact: { name, href, ...more },
});

for (const engine of dealt(engines, 'sqlite')) {
  describe(`matchmaker: notifications on ${engine.name}`, function () {
    this.timeout(300_000); // several servers
    let node: LabNode | undefined;
    const peer = useEach(() => servePeer());
    const sink = useEach(() => serveSink());
    afterEach(async () => {
      await node?.discard();
      node = undefined;
    });
    const start = async (mail: Json = {}): Promise<{ node: LabNode; token: string }> => {
      const own = { server: '127.0.0.1', port: sink.port, useTls: false, sender: 'mme@example.org', retrySeconds: 0.5 };
      node = await makeNode(engine, { matchmaker: { mail: { ...own, ...mail } } });
      await node.start();
      return { node, token: await node.client('scout') };
    };
    const mailTo = (name: string) => sink.mails.filter(({ to }) => to.includes(`${name}@example.org`));

    it('notifies submitters of new matches once, by e-mail only, and says what the patients have in common', async () => {
      const { node, token } = await start({ link: 'https://scout.example.org/case/{id}' });
      const evil = '<img src=x onerror=alert(1)>';
      peer.behave(
        found(
          patient('G/1', {
            label: 'secret label',
            features: [{ id: 'HP:0001250' }, { id: 'HP:0000252' }],
            ...contact(`Dr ${evil}`, 'mailto:g@example.org', { institution: 'A & B' }),
          }),
        ),
      );
      await node.connect('peer', peer.url);
      await node.add(token, patient('P 1', { label: 'case "one"', ...contact('own') }));
      const [mail] = await until(() => mailTo('own').length > 0 && mailTo('own'));
      const text = read(mail as TakenMail);
      expect(text).to.match(/^Subject: MatchMaker Exchange: new patient match available\.\r$/m);
      expect(text).to.include('Your submission P 1 (case "one") has a new match.');
      expect(text).to.include('Genes in common: SCN1A');
      expect(text).to.include('Patient: G/1');
      expect(text).to.include('https://scout.example.org/case/P%201');
      expect(text).to.include('Dr &lt;img src=x onerror=alert(1)&gt;').and.include('A &amp; B');
      expect(text.slice(text.indexOf('<!doctype'))).to.not.include(evil);
      expect(text).to.match(/^ {2}Score: 0\.500\r$/m);
      expect(text).to.match(/^ {2}Phenotype terms in common: HP:0001250 Seizure\r$/m);
      expect(text, 'nothing that the other has alone').to.not.include('HP:0000252').and.not.include('secret label');

      // A manual search, an update and a search by the other side: that match is known.
      await node.request('POST', '/match/external/P%201', token);
      await node.add(token, patient('P 1', { label: 'changed', ...contact('own') }));
      await peer.question(3);
      await waitSeconds(3);
      expect(sink.mails).to.have.length(1);

      // The submitter of a patient that a query finds is notified, except for a test or without an e-mail address.
      const asker = await node.client('partner', '--scope', 'query');
      await node.connect('quiet', peer.url);
      await node.add(token, patient('web', contact('web', 'https://web.example.org')));
      await node.add(token, patient('tested', { test: true, ...contact('tested') }));
      await node.add(token, patient('listed', contact('x', 'mailto:first@example.org,second@example.org')));
      await node.add(token, patient('named', contact('y', 'https://y.example.org', { email: 'named@example.org' })));
      const query = patient('Q', contact('stranger'));
      const asked = await node.request('POST', '/match', asker, { patient: query });
      expect(asked.body.results).to.have.length(5);
      for (let i = 0; i < 3; i++) await node.request('POST', '/match', asker, { patient: query });
      await node.request('POST', '/match', asker, { patient: { ...query, id: 'Q2', test: true } });
      await until(() => mailTo('own').some((one) => read(one).includes('Patient: Q')));
      await waitSeconds(3);
      const about = sink.mails.filter((one) => /Patient: Q\b/.test(read(one)));
      expect(about.map(({ to }) => to.sort().join(' ')).sort()).to.deep.equal([
        'first@example.org second@example.org',
        'named@example.org',
        'own@example.org',
      ]);
      expect(sink.mails.some((one) => read(one).includes('Q2'))).to.equal(false);
      expect(mailTo('stranger').concat(mailTo('tested'), mailTo('web'))).to.deep.equal([]);
      expect(node.log()).to.not.match(/own@example\.org|first@|P 1|G\/1/);
    });

    it('includes all details if configured, in one mail a day if configured', async () => {
      const { node, token } = await start({ complete: true });
      const variant = { assembly: 'GRCh37', referenceName: '2', start: 100, referenceBases: 'A', alternateBases: 'T' };
      const genomicFeatures = [{ gene: { id: 'SCN1A' }, variant, zygosity: 1 }];
      peer.behave(found(patient('G', { genomicFeatures, sex: 'FEMALE' })));
      await node.connect('peer', peer.url);
      await node.add(token, patient('P', contact('own')));
      const [mail] = await until(() => mailTo('own').length > 0 && mailTo('own'));
      expect(read(mail as TakenMail))
        .to.include('Features: HP:0001250')
        .and.include('SCN1A GRCh37 2:100 A>T')
        .and.include('Sex: FEMALE');
    });

    it('a mail that fails delays nothing, and is sent later', async () => {
      const { node, token } = await start();
      peer.behave((response, asked) => found(patient(`G-${asked.body.patient.id}`))(response, asked));
      await node.connect('peer', peer.url);
      sink.refuses = /bad@/;
      await node.add(token, patient('B', contact('bad')));
      await node.add(token, patient('A', contact('good')));
      await until(() => mailTo('good').length === 1);
      expect(await node.matches(token, 'B')).to.have.length(1);
      const failing = async () => (await (await fetch(`${node.url}/-/metrics`)).text()).match(/mail_failing (\d)/)?.[1];
      await until(async () => (await failing()) === '1');
      sink.refuses = undefined;
      await until(() => mailTo('bad').length === 1);

      // A mail server that does not respond delays no search.
      let greet = () => {};
      const silence = new Promise<void>((resolve) => {
        greet = resolve;
      });
      sink.onConnect = () => silence;
      const before = sink.connections;
      await node.add(token, patient('C', contact('late')));
      await until(() => sink.connections > before);
      await node.add(token, patient('D', contact('later')));
      await until(async () => (await node.matches(token, 'D')).length === 1);
      sink.onConnect = undefined;
      greet();
      await until(() => mailTo('late').length === 1 && mailTo('later').length === 1);
      await waitSeconds(2);
      expect(sink.mails).to.have.length(4);
    });

    it('sends a test mail', async () => {
      const { node } = await start();
      await node.done('test', 'email', '--recipient', 'me@example.org');
      expect(mailTo('me')).to.have.length(1);
      const { code, stderr } = await node.run('test', 'email', '--recipient', 'nobody');
      expect([code, stderr]).to.deep.equal([1, 'trefoil: --recipient must be an e-mail address; got "nobody"\n']);
    });

    it('appends mails to a file in place of a server, as mbox', async () => {
      const own = { server: undefined, port: undefined, file: 'mails.mbox' };
      const { node } = await start(own);
      for (const name of ['one', 'two']) await node.done('test', 'email', '--recipient', `${name}@example.org`);
      expect(sink.mails).to.deep.equal([]);
      const file = join(node.folder, 'mails.mbox');
      const mails = (await readFile(file, 'utf8')).split(/^From mme@example\.org \w{3} \w{3} \d\d [\d:]{8} \d{4}$/m);
      expect(mails.map((text) => /^To: (.*)$/m.exec(text)?.[1])).to.deep.equal([
        undefined,
        'one@example.org',
        'two@example.org',
      ]);
      expect(mails[2]).to.include('\nSubject: MatchMaker Exchange: test\n').and.include('\nThis is a test. ');
      // The file has patients' data.
      expect((await stat(file)).mode & 0o077).to.equal(0);
      const { error } = mailSettings.safeParse({ server: 'mail.example.org', file: 'mails.mbox' });
      expect(error?.issues.map(({ path }) => path)).to.deep.equal([['file']]);
    });
  });
}
