/** What is loaded into and deleted from protected datasets shows in batches. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openSource } from '../../../../core/files.js';
import type { Storage } from '../../../../core/storage.js';
import {
  type BeaconRepository,
  beacon,
  beaconConsequences,
  beaconDepths,
  beaconProtection,
  type Dataset,
  type ProtectionRepository,
} from '../../../../plugins/beacon/contract.js';
import { referenceForm } from '../../../../plugins/beacon/domain/dataset-forms.js';
import { beaconEraser } from '../../../../plugins/beacon/eraser.js';
import { loadVariants } from '../../../../plugins/beacon/loading/load.js';
import { permitAll } from '../../../../plugins/beacon/loading/permit.js';
import { waitingText } from '../../../../plugins/beacon/protection/changes.js';
import type { Generations } from '../../../../plugins/beacon/protection/generations.js';
import { protectionSettings } from '../../../../plugins/beacon/protection/profiles.js';
import { formsBy, withReferences } from '../../../../plugins/beacon/vcf/reference/aligned.js';
import { referencesIn } from '../../../../plugins/beacon/vcf/reference/packed.js';
import { once } from '../../../adapters/storage/support/alleles.js';
import { memorySubject } from '../../../kit/memory.js';
import { command } from '../../../support/command.js';
import { dealt } from '../../../support/dealt.js';
import { faultOf } from '../../../support/fault.js';
import { useFolder } from '../../../support/folder.js';
import { beaconBin } from '../../../support/trefoil.js';
import { engines } from '../support/engines.js';
import { type GenerationOptions, generationsOn } from '../support/generations.js';
import { fastaOf, loadFasta, referenceOf } from '../support/reference.js';
import { dataset, type Json } from '../support/serve.js';
import { vcf } from '../support/vcf.js';
import { serveWriter } from '../support/write.js';

/** No depths are kept here, and there are no consequences. */
const nothing = async () => undefined;
const kept = { depths: { remove: nothing }, consequences: { forget: nothing } };
const settings = protectionSettings.parse({ datasets: { d: { batch: 3 } } });
const now = () => new Date('2026-03-01T08:00:00Z');

for (const engine of dealt(engines, 'postgres')) {
  describe(`beacon: generations of protected datasets (${engine.name})`, () => {
    let storage: Storage;
    let close: () => Promise<void>;
    let repository: BeaconRepository;
    let protection: ProtectionRepository;
    let made: Generations;
    let folder: string;

    beforeEach(async () => {
      const opened = await engine.open([beacon, beaconConsequences, beaconDepths, beaconProtection]);
      storage = opened.storage;
      folder = await mkdtemp(join(tmpdir(), 'trefoil-generations-'));
      close = async () => {
        await storage.close();
        await opened.discard?.();
        await rm(folder, { recursive: true });
      };
      repository = storage.repository(beacon);
      protection = storage.repository(beaconProtection);
      made = generationsOf();
      for (const id of ['d', 'open']) await repository.addDataset(dataset(id), now());
    });
    afterEach(() => close());

    const generationsOf = (other: Partial<GenerationOptions> = {}) =>
      generationsOn(storage, { repository, settings, now, ...other });
    /** Without any protection. */
    const unprotected = () => generationsOf({ settings: protectionSettings.parse({}) });

    const stored = async (id = 'd') => (await repository.dataset(id)) as Dataset;

    async function load(names: string[], id = 'd') {
      const path = join(folder, `${names.join('-')}.vcf`);
      await writeFile(
        path,
        vcf({ samples: names, records: [`1 1 . A C . . . GT ${names.map(() => '0/1').join(' ')}`] }),
      );
      const source = await openSource(path);
      return loadVariants({
        permit: permitAll,
        ...{ repository, generations: made, dataset: await stored(id), sources: [source], samples: [], now: now() },
      });
    }

    const published = async () => (await protection.published('d'))?.samples;

    it('publish new samples together, with the totals of that moment', async () => {
      expect((await load(['a'])).waiting).to.deep.equal({ added: 1, leaving: 0, batch: 3 });
      expect(await published()).to.deep.equal([]);
      expect((await load(['b'])).waiting).to.deep.equal({ added: 2, leaving: 0, batch: 3 });
      expect((await load(['c', 'e'])).waiting).to.deep.equal({ added: 0, leaving: 0, batch: 3 });
      expect(await published()).to.deep.equal(['a', 'b', 'c', 'e']);
      await load(['f']);
      const [publication] = await protection.publications();
      expect(publication).to.deep.include({ people: 4, totals: { alleles: 1, calls: 4, samples: 4 } });
    });

    it('publish names and totals of one moment, although a load ends in between', async () => {
      await load(['a', 'b']);
      let late = true;
      const during = async (id: string) => {
        const names = await repository.samples(id);
        if (late) {
          late = false;
          const file = join(folder, 'late.vcf');
          await writeFile(file, vcf({ samples: ['z'], records: ['1 9 . A C . . . GT 1/1'] }));
          const open = unprotected();
          const request = { repository, generations: open, dataset: await stored(), samples: [], now: new Date() };
          await loadVariants({ permit: permitAll, ...request, sources: [await openSource(file)] });
        }
        return names;
      };
      const watched = { ...repository, samples: during };
      await generationsOf({ repository: watched }).publish(await stored());
      const [publication] = await protection.publications();
      expect(await published()).to.deep.equal(['a', 'b', 'z']);
      expect(publication?.totals).to.deep.equal({ alleles: 2, calls: 4, samples: 3 });
    });

    const erase = (names: string[], store: BeaconRepository = repository) =>
      beaconEraser({ repository: store, generations: made, ...kept, now }).erase(
        names.map((id) => ({ id, holder: 'own', scope: 'all' })),
      );

    /** Generations during whose first publication something happens once its names are read. */
    function interrupted(work: () => Promise<unknown>): Generations {
      let waits = true;
      const watched: ProtectionRepository = {
        ...protection,
        publish: async (...publishing) => {
          if (waits) {
            waits = false;
            await work();
          }
          return protection.publish(...publishing);
        },
      };
      return generationsOf({ protection: watched });
    }

    it('do not publish people who are erased during a publication', async () => {
      await load(['a', 'b', 'c']);
      await load(['x', 'y']);
      await interrupted(() => erase(['a', 'x'])).publish(await stored());
      expect(await published()).to.deep.equal(['b', 'c', 'y']);
      const [publication] = await protection.publications();
      expect(publication).to.deep.include({ people: 3, totals: { alleles: 1, calls: 3, samples: 3 } });
    });

    it('do not begin with people who are erased in the meantime', async () => {
      const open = unprotected();
      const file = join(folder, 'begin.vcf');
      await writeFile(file, vcf({ samples: ['a', 'b'], records: ['1 1 . A C . . . GT 0/1 0/1'] }));
      const request = { repository, generations: open, dataset: await stored(), samples: [], now: now() };
      await loadVariants({ permit: permitAll, ...request, sources: [await openSource(file)] });
      await interrupted(() => erase(['a'])).begin();
      expect(await published()).to.deep.equal(['b']);
    });

    it('forget people who are published while they are erased', async () => {
      await load(['a', 'b', 'c']);
      await load(['x']);
      const late: BeaconRepository = {
        ...repository,
        removeSamples: async (...removal) => {
          await made.publish(await stored());
          expect(await published()).to.deep.equal(['a', 'b', 'c', 'x']);
          return repository.removeSamples(...removal);
        },
      };
      await erase(['a', 'x'], late);
      expect(await published()).to.deep.equal(['b', 'c']);
    });

    it('spare a person who was added again after a dated erasure', async () => {
      await load(['a', 'b', 'c']);
      const before = new Date(now().getTime() - 1);
      const eraser = beaconEraser({ repository, generations: made, ...kept, now });
      await eraser.erase([{ id: 'a', holder: 'own', scope: 'all', before }]);
      expect(await published()).to.deep.equal(['a', 'b', 'c']);
    });

    it('delete a sample that is to leave during a publication', async () => {
      await load(['a', 'b', 'c', 'e']);
      await interrupted(() => protection.withdraw('d', ['a'])).publish(await stored());
      expect(await protection.leaving('d')).to.deep.equal(['a']);
      await made.publish(await stored());
      expect(await repository.samples('d')).to.deep.equal(['b', 'c', 'e']);
    });

    it('begin with what a dataset has when it is protected', async () => {
      await made.publish(await stored('open'));
      const before = unprotected();
      const path = join(folder, 'x.vcf');
      await writeFile(path, vcf({ samples: ['a', 'b'], records: ['1 1 . A C . . . GT 0/1 0/1'] }));
      const source = await openSource(path);
      const request = { repository, generations: before, dataset: await stored(), samples: [], now: now() };
      expect(await loadVariants({ permit: permitAll, ...request, sources: [source] })).to.not.have.property('waiting');
      await made.begin();
      expect(await published()).to.deep.equal(['a', 'b']);
      await load(['c']);
      await made.begin();
      expect(await published()).to.deep.equal(['a', 'b']);
      expect((await protection.publications()).map(({ dataset: id }) => id)).to.deep.equal(['d']);
    });

    it('keep deleted samples until enough changes wait', async () => {
      await load(['a', 'b', 'c', 'e']);
      const removal = await made.remove(await stored(), ['a', 'nobody']);
      expect(removal).to.deep.equal({
        removed: { alleles: 0, calls: 0, samples: 0 },
        ...{ postponed: 1, waiting: { added: 0, leaving: 1, batch: 3 } },
      });
      expect(waitingText({ added: 0, leaving: 1, batch: 3 })).to.equal(
        'Protected dataset: 1 deletion waits for 2 more changes to be published',
      );
      expect(await repository.samples('d')).to.deep.equal(['a', 'b', 'c', 'e']);
      expect((await load(['f'])).waiting).to.deep.equal({ added: 1, leaving: 1, batch: 3 });
      expect((await made.remove(await stored(), ['b'])).waiting).to.deep.equal({ added: 0, leaving: 0, batch: 3 });
      expect(await repository.samples('d')).to.deep.equal(['c', 'e', 'f']);
      expect(await published()).to.deep.equal(['c', 'e', 'f']);
      const [publication] = await protection.publications();
      expect(publication?.totals).to.deep.equal({ alleles: 1, calls: 3, samples: 3 });
    });

    it('delete at once what was never published, and in open datasets everything', async () => {
      await load(['a', 'b', 'c']);
      await load(['e']);
      const { removed, postponed } = await made.remove(await stored(), ['e']);
      expect([removed.samples, postponed]).to.deep.equal([1, 0]);
      await load(['a', 'b'], 'open');
      const open = await made.remove(await stored('open'), ['a']);
      expect(open).to.deep.equal({ removed: { alleles: 0, calls: 1, samples: 1 }, postponed: 0, waiting: undefined });
    });

    it('refuse to load samples that are to be deleted', async () => {
      await load(['a', 'b', 'c']);
      await made.remove(await stored(), ['a']);
      const { code, message } = await faultOf(load(['a', 'f']));
      expect([code, message]).to.deep.equal([
        'unprocessable',
        "A sample that is to be loaded waits for deletion from the protected dataset 'd': load after its next publication (beacon publish dataset)",
      ]);
      await made.publish(await stored());
      await load(['a']);
      expect(await repository.samples('d')).to.deep.equal(['a', 'b', 'c']);
      expect(await published()).to.deep.equal(['b', 'c']);
    });

    it('left-align alleles with the next publication, and in open datasets at once', async () => {
      const genome = referenceOf({ 1: 'GCACACAT' });
      const formed = generationsOf({ formOf: () => referenceForm(genome) });
      const records = ['1 5 . ACA A . . . GT 0/1', '1 2 . CAC C . . . GT 1/1', '1 7 . AT A . . . GT 0/1'];
      const path = join(folder, 'repeats.vcf');
      const add = async (id: string, name: string, own: Generations) => {
        await writeFile(path, vcf({ samples: [name], records }));
        const request = { repository, generations: own, dataset: await stored(id), samples: [], now: now() };
        return loadVariants({ permit: permitAll, ...request, sources: [await openSource(path)] });
      };
      for (const id of ['d', 'open']) for (const name of ['a', 'b', 'c']) await add(id, name, made);
      expect(await formed.outOfForm()).to.deep.equal(['open']);
      expect(await formed.rewrite(await stored('open'))).to.deep.equal({ moved: 2, alleles: 1, calls: 3 });
      expect(await formed.outOfForm()).to.deep.equal([]);
      expect(await formed.rewrite(await stored())).to.equal(undefined);
      expect((await stored()).alignedTo).to.equal(undefined);
      for (const name of ['e', 'f', 'g']) await add('d', name, formed);
      const [publication] = await protection.publications();
      expect((await stored()).alignedTo).to.equal(genome.digest);
      expect(publication).to.deep.include({ people: 6, totals: { alleles: 2, calls: 18, samples: 6 } });
      const { alleleCount, callCount, alignedTo } = await stored('open');
      expect([alleleCount, callCount, alignedTo]).to.deep.equal([2, 9, genome.digest]);
      const late = repository.importAlleles({ dataset: 'open', samples: ['z'], alleles: once([]) }, now());
      expect((await faultOf(late)).code).to.equal('conflict');
    });

    it('bring replacements that waited in the form that the dataset has by then', async () => {
      await load(['a', 'b', 'c']);
      const path = join(folder, 'again.vcf');
      await writeFile(path, vcf({ samples: ['a'], records: ['1 5 . ACA A . . . GT 1/1'] }));
      const request = { repository, generations: made, dataset: await stored(), samples: [], now: now() };
      const replace = { force: true };
      await loadVariants({ permit: permitAll, ...request, replace, sources: [await openSource(path)] });
      expect((await made.waiting(await stored()))?.replaced).to.equal(1);
      await loadFasta(folder, fastaOf({ chr1: 'GCACACAT' }));
      const loaded = referencesIn(folder);
      const own = withReferences(repository, loaded);
      const formOf = formsBy(loaded);
      const formed = generationsOf({ repository: own, formOf });
      await formed.publish(await stored());
      expect((await stored()).alignedTo).to.equal(loaded.of('GRCh37')?.digest);
      const first = { assembly: 'GRCh37', contig: '1', start: { min: 0, max: 0 } } as const;
      const [found] = await repository.found(first, ['d'], { limit: 9, carriers: true });
      expect(found?.alleles.map(({ reference, named }) => [reference, named])).to.deep.equal([
        [
          'A',
          [
            ['b', 1],
            ['c', 1],
          ],
        ],
        ['GCA', [['a', 2]]],
      ]);
    });

    it('give an empty dataset its form before a load reads for it', async () => {
      const genome = referenceOf({ 1: 'GCACACAT' });
      const formed = generationsOf({ formOf: () => referenceForm(genome) });
      for (const id of ['d', 'open']) {
        expect(await formed.outOfForm()).to.deep.equal([]);
        const { alignedTo } = await formed.beforeLoad(await stored(id));
        expect([alignedTo, (await stored(id)).alignedTo]).to.deep.equal([genome.digest, genome.digest]);
      }
      const alleles = once([]);
      await repository.importAlleles({ dataset: 'open', samples: ['a'], alleles, alignedTo: genome.digest }, now());
      expect((await formed.beforeLoad(await stored('open'))).alignedTo).to.equal(genome.digest);
    });

    it('finish a publication that was interrupted', async () => {
      await load(['a', 'b', 'c', 'e']);
      await protection.withdraw('d', ['a', 'b', 'c']);
      await repository.removeSamples('d', ['a', 'b', 'c'], now());
      expect(await made.due()).to.deep.equal(['d']);
      await made.settle(await stored());
      expect(await published()).to.deep.equal(['e']);
      expect(await made.due()).to.deep.equal([]);
      expect(await protection.leaving('d')).to.deep.equal([]);
    });

    it('forget an erased person at once, and a deleted dataset', async () => {
      await load(['a', 'b', 'c']);
      const rule = { allowed: { budget: 0.5, least: 1 }, people: 3, share: 0.5 };
      const region = { contig: '1', first: 0, last: 0 } as const;
      const asking = { dataset: 'd', account: 'x', event: '1', carriers: ['a'], region };
      expect(await protection.answer(asking, rule, now())).to.equal(true);
      const eraser = beaconEraser({ repository, generations: made, ...kept, now });
      await eraser.erase([{ id: 'a', holder: 'own', scope: 'sharing' }]);
      expect(await repository.samples('d')).to.deep.equal(['b', 'c']);
      expect(await published()).to.deep.equal(['b', 'c']);
      expect(await protection.spending('d')).to.deep.equal([]);
      expect(await made.waiting(await stored())).to.deep.equal({ added: 0, leaving: 0, batch: 3 });
      await repository.removeDataset('d');
      await made.drop('d');
      expect(await protection.publications()).to.deep.equal([]);
      await repository.addDataset(dataset('d'), new Date('2026-03-02T08:00:00Z'));
      await load(['z']);
      expect(await published()).to.deep.equal([]);
    });
  });
}

describe('beacon: deletions from protected datasets over HTTP', () => {
  it('say in the result of their job what waits', async () => {
    const server = await serveWriter(memorySubject, { settings: { protection: { datasets: { d: { batch: 3 } } } } });
    try {
      await server.repository.addDataset(dataset('d'), now());
      const add = async (...names: string[]) => {
        const records = [`1 1 . A C . . . GT ${names.map(() => '0/1').join(' ')}`];
        const path = await server.file(`${names.join('')}.vcf`, vcf({ samples: names, records }));
        const reply = await server.send('add', { dataset_id: 'd', vcf_path: path, assemblyId: 'GRCh37' });
        return (await server.ended(reply)).result as Json;
      };
      expect((await add('a', 'b')).waiting).to.deep.equal({ added: 2, deletions: 0, publishedAt: 3 });
      expect((await add('c')).waiting).to.deep.equal({ added: 0, deletions: 0, publishedAt: 3 });
      const reply = await server.send('delete', { dataset_id: 'd', samples: ['a'] });
      expect(await server.ended(reply)).to.deep.include({
        state: 'done',
        result: {
          dataset: 'd',
          removed: { alleles: 0, calls: 0, samples: 0 },
          waiting: { added: 0, deletions: 1, publishedAt: 3 },
        },
      });
      expect(await server.repository.samples('d')).to.deep.equal(['a', 'b', 'c']);
    } finally {
      await server.close();
    }
  });
});

describe('beacon: commands for protected datasets', function () {
  this.timeout(120_000);
  const folder = useFolder();

  async function run(...args: string[]) {
    const env = { TREFOIL_SQLITE_FILE: join(folder.path(), 'beacon.sqlite') };
    const config = join(folder.path(), 'trefoil.yaml');
    const { code, stdout, stderr } = await command([...args, '--config', config], {
      cwd: folder.path(),
      script: beaconBin,
      env,
    });
    expect(stderr).to.not.match(/\n {4}at /);
    return { code, text: (stdout + stderr).trim() };
  }

  it('say what waits, publish it, and list budgets', async () => {
    await folder.write('trefoil.yaml', 'plugins:\n  beacon:\n    protection: { datasets: { d: { batch: 3 } } }\n');
    const names = ['a', 'b', 'c', 'e'];
    for (const name of names) {
      await folder.write(`${name}.vcf`, vcf({ samples: [name], records: ['1 1 . A C . . . GT 0/1'] }));
    }
    const add = (name: string) => run('add', 'variants', '--ds', 'd', '--vcf', join(folder.path(), `${name}.vcf`));
    await run('add', 'dataset', '--did', 'd', '--name', 'D', '--authlevel', 'public');
    await run('add', 'dataset', '--did', 'o', '--name', 'O', '--authlevel', 'public');
    expect((await add('a')).text).to.include(
      'Protected dataset: 1 new sample waits for 2 more changes to be published',
    );
    const waits = await run('publish', 'dataset', '--ds', 'd');
    expect(waits).to.deep.equal({
      ...{ code: 0, text: 'Protected dataset: 1 new sample waits for 2 more changes to be published' },
    });
    const unasked = await run('publish', 'dataset', '--ds', 'd', '--now');
    expect(unasked.code).to.equal(1);
    expect(unasked.text).to.include('Nothing was published');
    const published = await run('publish', 'dataset', '--ds', 'd', '--now', '--yes');
    expect(published).to.deep.equal({ code: 0, text: "Published: 1 new sample and 0 deletions of dataset 'd'" });
    const deleted = await run('delete', 'variants', '--ds', 'd', '--sample', 'a', '--yes');
    expect(deleted.text).to.equal(
      "Removed from dataset 'd': 0 alleles, 0 calls, 0 samples\n" +
        'Protected dataset: 1 deletion waits for 2 more changes to be published',
    );
    expect((await run('dataset', 'show', 'd')).text).to.match(/^Published: +Protected dataset: 1 deletion waits/m);
    expect((await run('list', 'budgets', '--ds', 'd')).text).to.equal("Nobody has asked about dataset 'd' yet");
    expect((await run('list', 'budgets', '--ds', 'o')).text).to.equal("Dataset 'o' is open: answers cost nothing");
    expect((await run('publish', 'dataset', '--ds', 'o')).text).to.equal(
      "Dataset 'o' is open: what is loaded and deleted shows at once",
    );
    expect((await run('publish', 'dataset', '--ds', 'nowhere')).code).to.equal(1);
  });
});
