import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { tokens } from '../../../core/auth/contract.js';
import { erasures } from '../../../core/erasures/contract.js';
import { openSource, sourceOf } from '../../../core/files.js';
import { jobs } from '../../../core/jobs/contract.js';
import {
  type BeaconRepository,
  beacon,
  beaconConsequences,
  beaconDepths,
  beaconGenes,
} from '../../../plugins/beacon/contract.js';
import { addDemo, wantsDemo } from '../../../plugins/beacon/demo/demo.js';
import { ahead, loadVariants } from '../../../plugins/beacon/loading/load.js';
import { permitAll } from '../../../plugins/beacon/loading/permit.js';
import { dealt } from '../../support/dealt.js';
import { useFolder } from '../../support/folder.js';
import { storages } from '../../support/storages.js';
import { beaconBin, Running } from '../../support/trefoil.js';
import { engines } from './support/engines.js';
import { dataset, load } from './support/serve.js';
import { vcf } from './support/vcf.js';

const now = new Date('2026-01-02T03:04:05Z');

describe('beacon: reading ahead', () => {
  it('requests the next value while the last is in use, and passes on values, ends and errors', async () => {
    const events: string[] = [];
    async function* values() {
      for (const value of [1, 2, 3]) {
        events.push(`made ${value}`);
        yield value;
      }
      throw new Error('broken');
    }
    const seen: number[] = [];
    try {
      for await (const value of ahead(values())) {
        seen.push(value);
        await new Promise((resolve) => setImmediate(resolve));
        events.push(`used ${value}`);
      }
      expect.fail('the error was lost');
    } catch (error) {
      expect((error as Error).message).to.equal('broken');
    }
    expect(seen).to.deep.equal([1, 2, 3]);
    expect(events).to.deep.equal(['made 1', 'made 2', 'used 1', 'made 3', 'used 2', 'used 3']);
  });

  it('ends the producer if the consumer stops early', async () => {
    let ended = false;
    async function* values() {
      try {
        for (let value = 0; ; value++) yield value;
      } finally {
        ended = true;
      }
    }
    for await (const value of ahead(values())) if (value === 2) break;
    expect(ended).to.equal(true);
  });
});

for (const engine of dealt(engines, 'postgres')) {
  describe(`beacon: loading (${engine.name})`, () => {
    const folder = useFolder();
    let repository: BeaconRepository;
    let close: () => Promise<void>;

    beforeEach(async () => {
      const opened = await engine.open([erasures, jobs, tokens, beacon, beaconGenes, beaconDepths, beaconConsequences]);
      repository = opened.storage.repository(beacon);
      close = async () => {
        await opened.storage.close();
        await opened.discard?.();
      };
      await repository.addDataset(dataset('ds'), now);
    });

    afterEach(() => close?.());

    const totals = async () => {
      const found = await repository.dataset('ds');
      return found && [found.alleleCount, found.callCount, found.sampleCount];
    };

    it('adds samples one by one or together, with the same result', async () => {
      const records = [
        '1 1 . A C . . . GT 0/1 1/1 0/0',
        '1 2 . A C . . . GT 0/0 0/0 1',
        '1 3 . AT A,C . . . GT 1/2 0/1 0/2',
      ];
      const file = await folder.write('a.vcf', vcf({ samples: ['a', 'b', 'c'], records }));
      for (const sample of ['a', 'b', 'c']) await load(repository, 'ds', [file], [sample]);
      // Copies: 1+2, 1, then 1+1 of the first and 1+1 of the second alternate.
      expect(await totals()).to.deep.equal([4, 8, 3]);
      await repository.addDataset(dataset('at-once'), now);
      await load(repository, 'at-once', [file]);
      expect(await repository.dataset('at-once')).to.deep.include({ alleleCount: 4, callCount: 8, sampleCount: 3 });
    });

    it('counts a sample that carries nothing', async () => {
      const file = await folder.write('a.vcf', vcf({ records: ['1 1 . A C . . . GT 0/0'] }));
      expect((await load(repository, 'ds', [file])).added).to.deep.equal({ alleles: 0, calls: 0, samples: 1 });
      expect(await totals()).to.deep.equal([0, 0, 1]);
    });

    it('adds nothing of a file that is damaged, or has no record', async () => {
      const good = Array.from({ length: 30_000 }, (_, i) => `1 ${i + 1} . A C . . . GT 0/1`);
      for (const [records, message] of [
        [[...good, '1 nine . A C . . . GT 0/1'], 'line 30003: POS must be a whole number up to 2147483647; got "nine"'],
        [[], ": the VCF file doesn't contain any variant"],
        [['1 5 . A <DEL> . . . GT 0/1'], 'line 3: the only record cannot be read; neither END nor SVLEN gives'],
        [
          ['1 5 . A <DEL>,* . . END=99999999999 GT 1/2', '1 0 . A C . . . GT 0/1', '1 6 . A C . . . GT 0/9'],
          'line 3: none of the 3 records can be read; the allele ends, or has its mate, beyond 2147483647',
        ],
        [
          ['scaffold_1 5 . A C . . . GT 0/1'],
          ': none of the records (1) can be used: 1 is on other contigs than 1 to 22, X, Y and MT, such as "scaffold_1"',
        ],
        [
          ['c1 5 . A C . . . GT 0/1', 'c2 5 . A C . . . GT 0/1', '1 0 . A C . . . GT 0/1'],
          'such as "c1", 1 is unreadable (line 5: position 0, before the first base)',
        ],
        [['25 5 . A C . . . GT 0/1'], ': chromosome 25 means the pseudoautosomal regions'],
      ] as const) {
        const file = await folder.write('a.vcf', vcf({ records: [...records] }));
        const error = await load(repository, 'ds', [file]).catch((thrown: unknown) => thrown);
        expect((error as Error).message).to.contain(message);
        expect(await totals()).to.deep.equal([0, 0, 0]);
        expect(await repository.samples('ds')).to.deep.equal([]);
      }
    });

    it('takes a file whose structural variants are all on decoys for one without, beside another', async () => {
      const small = await folder.write('s.vcf', vcf({ records: ['1 5 . A C . . . GT 0/1'] }));
      const records = ['hs37d5 5 . A <DEL> . . END=90 GT 0/1'];
      const structural = (header: string[]) => folder.write('sv.vcf', vcf({ header, records }));
      const decoys = await structural(['##contig=<ID=1,length=249250621>', '##contig=<ID=hs37d5>']);
      expect((await load(repository, 'ds', [small, decoys])).added).to.deep.equal({ alleles: 1, calls: 1, samples: 1 });
      for (const [files, name] of [
        [[decoys], 'a file alone'],
        [[small, await structural([])], 'names that the header does not explain'],
      ] as const) {
        const error = await load(repository, 'ds', [...files] as [string]).catch((thrown: unknown) => thrown);
        expect((error as Error).message, name).to.contain('can be used: 1 is on other contigs');
      }
    });

    it('counts an allele that several records of a file write as it is stored', async () => {
      const records = [
        '1 5 . A C . . . GT 0/1 0/0',
        '1 5 . A C . . . GT 1/1 0/1',
        '1 8 . GAT GA . . . GT 0/1 0/1',
        // Without the bases that REF and ALT share, the one before.
        '1 8 . GATC GAC,GTC . . . GT 0/1 1/2',
        '1 9 . AT A . . . GT 0/1 0/1',
        '1 9 . AT A . . SVTYPE=DEL GT 0/1 0/0',
        '2 9 . AT A . . . GT 0/1 0/0',
      ];
      const file = await folder.write('a.vcf', vcf({ samples: ['a', 'b'], records }));
      const { added, files } = await load(repository, 'ds', [file]);
      // A>C (1 of a, 1 of b), AT>A (1, 1), with or without SVTYPE, GA>G (b), and that on 2 (a).
      expect(added).to.deep.equal({ alleles: 4, calls: 6, samples: 2 });
      expect(files[0]?.summary).to.include({ records: 7, alleles: 4, calls: 6 });
    });

    it('stops when aborted, also while the file stalls', async () => {
      const slow = new PassThrough();
      slow.write(vcf({ records: ['1 1 . A C . . . GT 0/1'] }));
      const found = await repository.dataset('ds');
      if (!found) throw new Error('there is no dataset');
      const stop = new AbortController();
      const reason = new Error('stop it');
      setTimeout(() => stop.abort(reason), 50);
      const sources = [sourceOf('slow.vcf', 0, () => slow)] as const;
      const request = { repository, dataset: found, sources, permit: permitAll, samples: [], now, signal: stop.signal };
      expect(await loadVariants(request).catch((thrown: unknown) => thrown)).to.equal(reason);
      expect(await totals()).to.deep.equal([0, 0, 0]);
    });

    it('reports its progress', async () => {
      const records = Array.from({ length: 60_000 }, (_, i) => `1 ${i + 1} . A C . . . GT 0/1`);
      const file = await folder.write('a.vcf', vcf({ records }));
      const found = await repository.dataset('ds');
      if (!found) throw new Error('there is no dataset');
      const seen: [number, number][] = [];
      const sources = [await openSource(file)] as const;
      const onProgress = (fraction: number, alleles: number) => seen.push([fraction, alleles]);
      await loadVariants({ repository, dataset: found, sources, permit: permitAll, samples: [], now, onProgress });
      expect(seen.length).to.be.greaterThan(1);
      expect(seen).to.deep.equal([...seen].sort(([a], [b]) => a - b));
      expect(seen.at(-1)).to.deep.equal([1, 60_000]);
    });

    describe('the demo data', () => {
      it('are added once, and do not affect other datasets', async () => {
        const file = await folder.write('a.vcf', vcf({ records: ['1 1 . A C . . . GT 0/1'] }));
        await load(repository, 'ds', [file]);
        // Counted in the files: 16 and 7 records, two of them with two alternates.
        expect((await addDemo(repository, now)).added).to.deep.equal({ alleles: 25, calls: 50, samples: 3 });
        expect((await addDemo(repository, now)).added).to.deep.equal({ alleles: 0, calls: 0, samples: 0 });
        expect(await totals()).to.deep.equal([1, 1, 1]);
        expect(await repository.recount('test_public')).to.deep.equal({ alleles: 25, calls: 50, samples: 3 });
      });

      it('are not mixed with data of another origin', async () => {
        await repository.addDataset(dataset('test_public'), now);
        const file = await folder.write('a.vcf', vcf({ records: ['1 1 . A C . . . GT 0/1'] }));
        await load(repository, 'test_public', [file]);
        const error = await addDemo(repository, now).catch((thrown: unknown) => thrown);
        expect(error).to.deep.include({ code: 'conflict' });
        expect((await repository.dataset('test_public'))?.alleleCount).to.equal(1);
      });

      it('fill only an empty storage, and one whose filling was interrupted', async () => {
        expect(wantsDemo(await repository.datasets())).to.equal(false);
        await repository.removeDataset('ds');
        expect(wantsDemo(await repository.datasets())).to.equal(true);
        await repository.addDataset(dataset('test_public'), now);
        expect(wantsDemo(await repository.datasets())).to.equal(true);
        await addDemo(repository, now);
        expect(wantsDemo(await repository.datasets())).to.equal(false);
      });
    });
  });
}

for (const engine of dealt(storages, 'postgres')) {
  describe(`beacon: a load that is killed (${engine.name})`, () => {
    const folder = useFolder();

    it('leaves the dataset unchanged, and can be run again', async () => {
      const home = await engine.home();
      const storage = await home.open([erasures, jobs, tokens, beacon, beaconGenes, beaconDepths, beaconConsequences]);
      try {
        await storage.migrate();
        const repository = storage.repository(beacon);
        await repository.addDataset(dataset('ds'), now);
        const config = { storage: home.section, plugins: { beacon: {} } };
        const file = await folder.write('trefoil.yaml', JSON.stringify(config));
        const text = vcf({ records: Array.from({ length: 50_000 }, (_, i) => `1 ${i + 1} . A C . . . GT 0/1`) });
        const pipe = join(folder.path(), 'pipe.vcf');
        execFileSync('mkfifo', [pipe]);
        const loading = new Running(['add', 'variants', '--ds', 'ds', '--vcf', pipe, '--config', file], {
          cwd: folder.path(),
          script: beaconBin,
        });
        const writer = createWriteStream(pipe);
        writer.on('error', () => undefined); // its reader is about to be killed
        writer.write(text.slice(0, -200));
        // Nearly all is read once the pipe has accepted it: the load then waits for the rest.
        await once(writer, 'drain');
        expect((await loading.kill('SIGKILL')).signal).to.equal('SIGKILL');
        writer.destroy();

        const before = { alleleCount: 0, callCount: 0, sampleCount: 0 };
        expect(await repository.dataset('ds')).to.deep.include(before);
        expect(await repository.recount('ds')).to.deep.equal({ alleles: 0, calls: 0, samples: 0 });
        const whole = await folder.write('whole.vcf', text);
        const { added } = await load(repository, 'ds', [whole]);
        expect(added).to.deep.equal({ alleles: 50_000, calls: 50_000, samples: 1 });
        expect(await repository.recount('ds')).to.deep.equal(added);
      } finally {
        await storage.close();
        await home.discard();
      }
    });
  });
}
