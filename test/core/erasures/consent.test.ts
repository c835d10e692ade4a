/** Objections to sharing: what they remove, what they keep, and what later loads skip. */
import { expect } from 'chai';
import { logTo } from '../../../core/log.js';
import { start } from '../../../core/start.js';
import type { Storage } from '../../../core/storage.js';
import { beacon } from '../../../plugins/beacon/contract.js';
import { matchmaker } from '../../../plugins/matchmaker/contract.js';
import { command } from '../../support/command.js';
import { dealt } from '../../support/dealt.js';
import { useFolder } from '../../support/folder.js';
import { type Home, storages } from '../../support/storages.js';
import { configurationOf, none, openWithBoth, otherId, personId, savePerson, tracesOf, whole } from './people.js';

const shared = { ...none, registered: true };

const vcf = (...samples: string[]) =>
  [
    '##fileformat=VCFv4.2',
    '##contig=<ID=1>',
    `#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t${samples.join('\t')}`,
    `1\t101\t.\tA\tC\t.\tPASS\t.\tGT${'\t0/1'.repeat(samples.length)}`,
    `1\t301\t.\tA\tC\t.\tPASS\t.\tGT\t1/1${'\t0/0'.repeat(samples.length - 1)}`,
    '',
  ].join('\n');

for (const engine of dealt(storages, 'postgres')) {
  describe(`objections to sharing on ${engine.name}`, function () {
    this.timeout(60_000);
    const folder = useFolder();
    let home: Home;
    let storage: Storage;
    beforeEach(async () => {
      ({ home, storage } = await openWithBoth(engine));
      const erasures = { file: `${folder.path()}/list` };
      await folder.write('trefoil.yaml', configurationOf(home, { erasures }));
    });
    afterEach(async () => {
      await storage.close();
      await home.discard();
    });

    const run = (...words: string[]) => command([...words, '--config', 'trefoil.yaml'], { cwd: folder.path() });
    const samplesOf = async (id: string) => (await storage.repository(beacon).samples(id)).toSorted();

    it('keep the clinical record, are listed and can be lifted', async () => {
      const withdrawn = await run('erase', '--sample', personId, '--from-sharing', '--yes', '--json');
      expect(withdrawn.code, withdrawn.stderr).to.equal(0);
      expect(await tracesOf(storage)).to.deep.equal(shared);
      const receipt = JSON.parse(withdrawn.stdout);
      expect(receipt.scope).to.equal('sharing');
      expect(receipt.stays).to.deep.equal([
        {
          plugin: 'coverage',
          what: 'registered samples',
          count: 1,
          why: 'the clinical record, of which reports are made',
        },
      ]);
      const listed = JSON.parse((await run('consent', 'list', '--json')).stdout);
      const row = (id: string) => ({ id, names: 'person', since: receipt.at, receipt: receipt.receipt });
      expect(listed).to.deep.equal([row(personId), row(`${personId}-depth`)]);
      const lifted = await run('consent', 'restore', '--sample', personId);
      expect([lifted.code, lifted.stdout], lifted.stderr).to.deep.equal([0, `Lifted: "${personId}"\n`]);
      expect(lifted.stderr).to.equal(`Recorded by the same command, and still standing: "${personId}-depth".\n`);
      expect(JSON.parse((await run('consent', 'list', '--json')).stdout)).to.deep.equal([row(`${personId}-depth`)]);
      const unknown = await run('consent', 'restore', '--sample', personId);
      expect([unknown.code, unknown.stderr]).to.deep.equal([
        1,
        `trefoil: There is no objection of "${personId}"; \`consent list\` shows the ids\n`,
      ]);
    });

    it('are kept by loads from the command line, also those of people who were never loaded', async () => {
      const withdrawn = await run('consent', 'withdraw', '--sample', 'Newborn', '--yes');
      expect(withdrawn.code, withdrawn.stderr).to.equal(0);
      await folder.write('two.vcf', vcf('Newborn', 'Parent'));
      const load = (...words: string[]) =>
        run('beacon', 'add', 'variants', '--ds', 'cardio', '--vcf', 'two.vcf', ...words);
      const loaded = await load();
      expect(loaded.code, loaded.stderr).to.equal(0);
      expect(loaded.stderr).to.match(
        /^Not loaded: sample Newborn, because of an objection to sharing \(20\d\d-\d\d-\d\d\)$/m,
      );
      expect(await samplesOf('cardio')).to.deep.equal([otherId, 'Parent', personId].toSorted());
      // By hand: the parent has one copy of the known allele, and none of what only the other sample has.
      const { alleleCount, callCount } = (await storage.repository(beacon).dataset('cardio')) ?? {};
      expect([alleleCount, callCount]).to.deep.equal([2, 6]);
      const alone = await load('--sample', 'Newborn', '--json');
      expect(alone.code, alone.stderr).to.equal(0);
      expect(JSON.parse(alone.stdout).added).to.deep.equal({ alleles: 0, calls: 0, samples: 0 });
      expect(JSON.parse(alone.stdout).barred[0]).to.include({ sample: 'Newborn', reason: 'objection' });

      // The registered sample of another name, too.
      expect((await run('consent', 'withdraw', '--sample', 'Depth-of-parent', '--yes')).code).to.equal(0);
      await folder.write('parent.vcf', vcf('Parent2'));
      const words = ['--ds', 'cardio', '--vcf', 'parent.vcf', '--coverage-id', 'Depth-of-parent'];
      expect((await run('beacon', 'add', 'variants', ...words)).stderr).to.match(/^Not loaded: sample Parent2, /m);
      expect(await samplesOf('cardio')).not.to.include('Parent2');
      expect((await run('consent', 'restore', '--sample', 'Newborn')).code).to.equal(0);
      expect((await load()).code).to.equal(0);
      expect(await samplesOf('cardio')).to.include('Newborn');
    });

    it('are kept by a server, which removes who came back with a restored database', async () => {
      expect((await run('consent', 'withdraw', '--sample', personId, '--yes')).code).to.equal(0);
      await savePerson(storage);
      expect(await tracesOf(storage)).to.deep.equal(whole);
      const log = logTo({ write: () => {} }, { level: 'warn' });
      const issued = await run('token', 'add', '--owner', 'lab', '--scope', 'beacon:*', '--scope', 'matchmaker:*');
      const running = await start({ file: `${folder.path()}/trefoil.yaml`, environment: {}, log });
      try {
        expect(await tracesOf(storage)).to.deep.equal(shared);
        const send = (path: string, headers: Record<string, string>, body: string) =>
          fetch(`${running.url}${path}`, {
            method: 'POST',
            headers: { 'X-Auth-Token': issued.stdout.trim(), ...headers },
            body,
          });
        const query = 'dataset_id=neuro&assemblyId=GRCh37';
        const type = { 'Content-Type': 'text/vcf' };
        const accepted = await send(`/apiv1.0/add?${query}`, type, vcf(personId, 'Newcomer'));
        const { job } = (await accepted.json()) as { job: { href: string } };
        expect(accepted.status, JSON.stringify(job)).to.equal(202);
        const result = await ended(running.url, job.href, issued.stdout.trim());
        expect(result).to.deep.include({ state: 'done' });
        expect(result.result).to.deep.include({ barred: 1 });
        expect(await samplesOf('neuro')).to.deep.equal([otherId, 'Newcomer'].toSorted());

        const patient = {
          id: personId,
          contact: { name: 'C', href: 'mailto:c@example.org' },
          features: [{ id: 'HP:0001251' }],
        };
        const json = { 'Content-Type': 'application/json' };
        const refused = await send('/patient/add', json, JSON.stringify({ patient }));
        expect([refused.status, ((await refused.json()) as { message: string }).message]).to.deep.equal([
          403,
          'A patient of this id objects to being shared, and is not stored',
        ]);
        const linked = { ...patient, id: 'P3', _sample: personId };
        const other = await send('/patient/add', json, JSON.stringify({ patient: linked }));
        expect([other.status, ((await other.json()) as { message: string }).message]).to.deep.equal([
          403,
          'A patient with this `_sample` objects to being shared, and is not stored',
        ]);
        const list = JSON.stringify([{ ...patient, id: 'P2' }, patient]);
        const imported = await send('/patient/import', json, list);
        expect(await imported.json()).to.deep.include({
          inserted: 1,
          _warnings: [{ path: '1', message: 'objects to being shared, and is not stored' }],
        });
        expect(await storage.repository(matchmaker).patient(personId)).to.equal(undefined);
      } finally {
        await running.stop();
      }
    });
  });
}

interface Ended {
  state: string;
  result?: Record<string, unknown>;
}

async function ended(url: string, href: string, token: string): Promise<Ended> {
  for (;;) {
    const response = await fetch(new URL(href, url), { headers: { 'X-Auth-Token': token } });
    const job = (await response.json()) as Ended;
    if (job.state !== 'queued' && job.state !== 'running') return job;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
