import { spawnSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  type CreateOptions,
  createD4,
  type D4File,
  depths,
  firstExcess,
  isD4Error,
  mergeD4,
  openD4,
  type RunBatch,
  runs,
  stretches,
  textInput,
} from '../../../../plugins/coverage/d4/index.js';
import { chooseDictionary } from '../../../../plugins/coverage/d4/node/write/create.js';
import { fewer } from '../../../support/sample.js';
import { depthsArbitrary } from './support/arbitrary.js';
import { runsOf } from './support/brute.js';
import { temporaryFolder } from './support/folder.js';
import { readNaively, readTracksNaively } from './support/naive.js';

interface Genome {
  name: string;
  size: number;
  depths: Int32Array;
}

const genomeArbitrary: fc.Arbitrary<Genome[]> = fc
  .array(fc.nat(2500), { minLength: 1, maxLength: 3 })
  .chain((sizes) =>
    fc.tuple(...sizes.map((size, i) => depthsArbitrary(size).map((depths) => ({ name: `${i + 1}`, size, depths })))),
  );

const dictionaryArbitrary = fc.oneof(
  fc.constant(undefined),
  fc
    .record({ low: fc.integer({ min: -5, max: 30 }), width: fc.integer({ min: 0, max: 9 }) })
    .map(({ low, width }) => ({ low, high: low + 2 ** width })),
);

function batchesOf(genome: Genome[]): RunBatch[] {
  return genome.map(({ name, depths }) => {
    const found = runsOf(Array.from(depths), 0);
    return {
      chromosome: name,
      begins: found.map(([begin]) => begin),
      ends: found.map(([, end]) => end),
      depths: found.map(([, , depth]) => depth),
    };
  });
}

async function failure(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'none',
    (error: unknown) => (isD4Error(error) ? `${error.code}: ${error.message}` : `not ours: ${error}`),
  );
}

describe('d4: writing', () => {
  const folder = temporaryFolder();

  it('written files read back the same, byte by byte and through the reader', async () => {
    await fc.assert(
      fc.asyncProperty(
        genomeArbitrary,
        dictionaryArbitrary,
        fc.constantFrom(undefined, 1, 5),
        async (genome, dictionary, deflate) => {
          const path = folder.path('random.d4');
          const chromosomes = genome.map(({ name, size }) => ({ name, size }));
          const options: CreateOptions = { chromosomes, dictionary, deflate };
          await createD4(path, { open: () => batchesOf(genome) }, options);
          const naive = readNaively(readFileSync(path));
          expect(naive.chromosomes.map(({ depths }) => [...depths])).to.deep.equal(
            genome.map(({ depths }) => [...depths]),
          );
          const file = await openD4(path);
          expect(file.track().warnings).to.deep.equal([]);
          for (const batch of batchesOf(genome)) {
            const all: number[][] = [];
            const interval = { chromosome: batch.chromosome, begin: 0, end: 2 ** 31 };
            for await (const { begins, ends, depths } of runs(file.track(), interval)) {
              for (let i = 0; i < begins.length; i++) all.push([begins[i], ends[i], depths[i]] as number[]);
            }
            expect(all).to.deep.equal(
              Array.from(batch.begins, (begin, i) => [begin, batch.ends[i], batch.depths[i]] as number[]),
            );
          }
          file.close();
        },
      ),
      { numRuns: fewer(80, 3) },
    );
  });

  it('reads bedGraph, per-base BED and samtools-depth text, plain, gzipped and in gzip blocks', async () => {
    const bedgraph = '#c\ntrack type=bedGraph\n1\t0\t3\t5\r\n1\t3\t4\t0\n1 4 10 70\n\n2\t2\t5\t1\n';
    const expected = [
      ['1', [5, 5, 5, 0, 70, 70, 70, 70, 70, 70]],
      ['2', [0, 0, 1, 1, 1]],
    ];
    const half = bedgraph.indexOf('1\t3');
    const blocks = Buffer.concat([gzipSync(bedgraph.slice(0, half)), gzipSync(bedgraph.slice(half)), gzipSync('')]);
    const depth =
      '1\t1\t5\n1\t2\t5\n1\t3\t5\n1\t5\t70\n1\t6\t70\n1\t7\t70\n1\t8\t70\n1\t9\t70\n1\t10\t70\n2\t3\t1\n2\t4\t1\n2\t5\t1\n';
    for (const [name, bytes] of Object.entries({ plain: bedgraph, gz: gzipSync(bedgraph), blocks, depth })) {
      writeFileSync(folder.path(name), bytes);
      await createD4(folder.path('text.d4'), textInput(folder.path(name)));
      const { chromosomes } = readNaively(readFileSync(folder.path('text.d4')));
      expect(chromosomes.map((c) => [c.name, [...c.depths]])).to.deep.equal(expected);
    }
  });

  it('keeps decimals by a denominator: the smallest power of ten or the given one', async () => {
    writeFileSync(folder.path('decimals'), '1\t0\t2\t0.7\n1\t2\t4\t12.25\n1\t4\t5\t3\n1\t5\t6\t1e1\n');
    await createD4(folder.path('decimals.d4'), textInput(folder.path('decimals')));
    const naive = readNaively(readFileSync(folder.path('decimals.d4')));
    expect(naive.denominator).to.deep.equal({ Value: 100 });
    expect([...(naive.chromosomes[0]?.depths ?? [])]).to.deep.equal([70, 70, 1225, 1225, 300, 1000]);
    const file = await openD4(folder.path('decimals.d4'));
    const [row] = await file.statistics({
      intervals: [{ chromosome: '1', begin: 0, end: 6 }],
      thresholds: [0.7, 0.71, 12.25],
    });
    expect(row?.counts).to.deep.equal([6, 4, 2]);
    expect(row?.mean).to.be.closeTo((0.7 * 2 + 12.25 * 2 + 3 + 10) / 6, 1e-12);
  });

  it('chooses the dictionary by cost', () => {
    // 1000 bases, runs: 0 → 400, 1 → 300, 2 → 200, 3 → 50, 9 → 1. Cost with 0 bits: 551·4 = 2204 bytes; 1 bit: 125 + 251·4 = 1129;
    // 2 bits: 250 + 1·4 = 254; 3 bits: 375 and nothing missing.
    const chosen = chooseDictionary(
      new Map([
        [0, 400],
        [1, 300],
        [2, 200],
        [3, 50],
        [9, 1],
      ]),
      1000,
    );
    expect([...chosen.values]).to.deep.equal([0, 1, 2, 3]);
    // Few runs on a long genome: any primary table costs more than all records.
    expect(
      chooseDictionary(
        new Map([
          [0, 3],
          [30, 2],
        ]),
        1_000_000,
      ).width,
    ).to.equal(0);
    // Only two depths, far apart.
    expect([
      ...chooseDictionary(
        new Map([
          [0, 5000],
          [40, 5000],
        ]),
        1000,
      ).values,
    ]).to.deep.equal([0, 40]);
  });

  it('splits runs at 65,536 bases and at partitions', async () => {
    const batch = { chromosome: '1', begins: [5], ends: [10_200_000], depths: [300] };
    const options: CreateOptions = { chromosomes: [{ name: '1', size: 10_300_000 }], dictionary: { low: 0, high: 1 } };
    await createD4(folder.path('long.d4'), { open: () => [batch] }, options);
    const file = await openD4(folder.path('long.d4'));
    const [row] = await file.statistics({
      intervals: [{ chromosome: '1', begin: 0, end: 10_300_000 }],
      thresholds: [1],
    });
    expect(row).to.include({ sum: 300 * 10_199_995, bases: 10_300_000 });
    expect(row?.counts).to.deep.equal([10_199_995]);
  });

  it('keeps the places of what follows long stretches without depth', async () => {
    const [size, at, until] = [700_000, [70_001, 400_000, 699_998], 2];
    const begins = [0, ...at.flatMap((begin) => [begin, begin + until])];
    const ends = [...begins.slice(1), size];
    const depths = begins.map((_, i) => (i % 2 === 0 ? 0 : 3 * i));
    for (const width of [1, 3, 9]) {
      const options: CreateOptions = { chromosomes: [{ name: '1', size }], dictionary: { low: 0, high: 2 ** width } };
      await createD4(folder.path('sparse.d4'), { open: () => [{ chromosome: '1', begins, ends, depths }] }, options);
      const [only] = readNaively(readFileSync(folder.path('sparse.d4'))).chromosomes;
      expect(runsOf([...(only?.depths ?? [])], 0), `width ${width}`).to.deep.equal(
        begins.map((begin, i) => [begin, ends[i], depths[i]]).filter(([begin, end]) => begin !== end),
      );
    }
  });

  it('merges files as tracks', async () => {
    const inputs = [];
    for (const [name, depth] of [
      ['mother', 7],
      ['father', 99],
    ] as const) {
      const batch = { chromosome: '1', begins: [0], ends: [20], depths: [depth] };
      await createD4(folder.path(`${name}.d4`), { open: () => [batch] }, { dictionary: { low: 0, high: 64 } });
      inputs.push({ name, path: folder.path(`${name}.d4`) });
    }
    await mergeD4(folder.path('both.d4'), inputs);
    const naive = readTracksNaively(readFileSync(folder.path('both.d4')));
    expect([...(naive.get('father')?.chromosomes[0]?.depths ?? [])]).to.deep.equal(Array(20).fill(99));
    const file = await openD4(folder.path('both.d4'));
    expect(file.tracks.map(({ name }) => name)).to.deep.equal(['mother', 'father']);
    const interval = { chromosome: '1', begin: 3, end: 9 };
    expect((await file.statistics({ intervals: [interval] }, 1))[0]?.mean).to.equal(99);
    expect(await failure(mergeD4(folder.path('no.d4'), [...inputs, ...inputs]))).to.match(/^invalid/);
  });

  it('replaces a file, also through a link, and never what is no file', async () => {
    const [kept, link, pipe, pointer] = ['kept.d4', 'link.d4', 'pipe.d4', 'nowhere.d4'].map(folder.path) as [
      string,
      string,
      string,
      string,
    ];
    const write = (path: string, depth: number) =>
      createD4(path, [{ chromosome: '1', begins: [0], ends: [5], depths: [depth] }], {
        chromosomes: [{ name: '1', size: 5 }],
      });
    await write(kept, 3);
    symlinkSync(kept, link);
    await write(link, 4);
    expect(lstatSync(link).isSymbolicLink()).to.equal(true);
    expect(readNaively(readFileSync(kept)).chromosomes[0]?.depths[0]).to.equal(4);
    spawnSync('mkfifo', [pipe]);
    for (const path of [pipe, dirname(kept)]) {
      const error = await write(path, 5).catch((failure: unknown) => failure);
      expect(isD4Error(error) && error.message).to.equal(
        `The output is there already, and is not a regular file (${path})`,
      );
    }
    expect(lstatSync(pipe).isFIFO()).to.equal(true);
    // Two links to each other lead nowhere.
    const [one, other] = ['one.d4', 'other.link'].map(folder.path) as [string, string];
    symlinkSync(other, one);
    symlinkSync(one, other);
    const circular = await write(one, 5).catch((failure: unknown) => failure);
    expect(isD4Error(circular) && circular.message).to.equal(`The file cannot be created (${one})`);
    symlinkSync(folder.path('absent.d4'), pointer);
    await write(pointer, 6);
    expect(readNaively(readFileSync(pointer)).chromosomes[0]?.depths[0]).to.equal(6);
  });

  describe('a file that is overwritten in place', () => {
    const whole = { chromosome: '1', begin: 0, end: 50_000 };
    let path = '';
    // Every other base has another depth, so that all of it is a run of its own.
    const write = (to: string, depth: number) => {
      const begins = Uint32Array.from({ length: whole.end }, (_, i) => i);
      const depths = begins.map((begin) => depth + (begin % 2));
      const batch = { chromosome: '1', begins, ends: begins.map((begin) => begin + 1), depths };
      return createD4(to, [batch], { chromosomes: [{ name: '1', size: whole.end }] });
    };
    let times = 1;
    const overwrite = () => {
      writeFileSync(path, readFileSync(folder.path('other.d4')));
      utimesSync(path, 1, times++);
    };
    async function takeAll(values: AsyncIterable<unknown>): Promise<void> {
      let taken = 0;
      for await (const _ of values) if (taken++ === 0) overwrite();
    }
    const changed = () => `changed: The file was overwritten since it was opened (${path})`;
    const request = { intervals: [whole] };
    const ways: Record<string, (file: D4File) => Promise<unknown>> = {
      statistics: (file) => file.statistics(request),
      rows: (file) => takeAll(file.rows(request)),
      columns: (file) => file.columns(request),
      histogram: (file) => file.histogram(request),
      profile: (file) => file.profile({ interval: whole, parts: 5 }),
      depths: (file) => depths(file.track(), whole),
      excess: (file) => firstExcess(file.track(), file.track(), request),
      merge: () => mergeD4(folder.path('merged.d4'), [{ path, name: 'one' }], () => overwrite()),
    };

    beforeEach(async () => {
      path = folder.path('overwritten.d4');
      await write(path, 3);
      await write(folder.path('other.d4'), 9);
    });

    for (const [name, ask] of Object.entries(ways)) {
      it(`is not measured by tables of former bytes: ${name}`, async () => {
        const file = await openD4(path);
        try {
          overwrite();
          expect(await failure(ask(file))).to.equal(changed());
        } finally {
          file.close();
        }
      });
    }

    for (const [name, values] of Object.entries({
      runs: (file: D4File) => runs(file.track(), whole),
      stretches: (file: D4File) => stretches(file.track(), whole, { below: 4 }),
    })) {
      it(`ends in an error if that happens while they are taken: ${name}`, async () => {
        const file = await openD4(path);
        try {
          expect(await failure(takeAll(values(file)))).to.equal(changed());
        } finally {
          file.close();
        }
      });
    }
  });

  it('leaves no file behind if the input is invalid, and names the place', async () => {
    const wrong = {
      order: '1\t5\t9\t1\n1\t3\t6\t1\n',
      again: '1\t0\t9\t1\n2\t0\t6\t1\n1\t10\t12\t1\n',
      number: '1\t0\t9\t1\n1\t9\t10\tmany\n',
      columns: '1\t0\n',
      position: '1\tx\t9\t3\n',
      huge: `1\t0\t9\t1\n1\t9\t10\t${'9'.repeat(20)}\n`,
      endless: 'A'.repeat(200_000),
    };
    for (const [name, text] of Object.entries(wrong)) {
      writeFileSync(folder.path(name), text);
      expect(await failure(createD4(folder.path('wrong.d4'), textInput(folder.path(name)))), name).to.match(/^invalid/);
    }
    writeFileSync(folder.path('cut.gz'), gzipSync('1\t0\t9\t1\n'.repeat(1)).subarray(0, 15));
    expect(await failure(createD4(folder.path('wrong.d4'), textInput(folder.path('cut.gz'))))).to.match(/^invalid/);
    const beyond = { open: () => [{ chromosome: '1', begins: [0], ends: [30], depths: [1] }] };
    const options = { chromosomes: [{ name: '1', size: 20 }] };
    expect(await failure(createD4(folder.path('wrong.d4'), beyond, options))).to.match(/^invalid/);
    const other = { chromosomes: [{ name: 'X', size: 20 }], dictionary: { low: 0, high: 1 }, denominator: 1 };
    expect(await failure(createD4(folder.path('wrong.d4'), beyond, other))).to.match(/^unknown-chromosome/);
    expect(readdirSync(dirname(folder.path('x'))).filter((name) => /wrong|tmp/.test(name))).to.deep.equal([]);
  });
});
