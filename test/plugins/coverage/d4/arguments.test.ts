/** What callers in plain JavaScript pass by mistake: one readable error each, and never a number. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { openD4 as openInPage } from '../../../../plugins/coverage/d4/browser.js';
import * as library from '../../../../plugins/coverage/d4/index.js';
import { sampled } from '../../../support/sample.js';
import { temporaryFolder } from './support/folder.js';

// As plain JavaScript sees the library: without types.
type Loose = (...given: unknown[]) => unknown;
const d4 = library as unknown as Record<string, Loose>;
type LooseFile = Record<string, Loose>;

const good = { chromosome: 'chr1', begin: 0, end: 150 };
const batch = { chromosome: 'chr1', begins: [0, 100], ends: [100, 200], depths: [10, 20] };
const chromosomes = [{ name: 'chr1', size: 200 }];
const span = 'An interval needs whole numbers with 0 <= begin <= end';
const noInterval = 'An interval must be { chromosome, begin, end }';
const noTest = 'must be { below } or { atLeast } with a finite number';

/** The error's code and sentence, or what came instead of it. */
async function outcome(call: () => unknown): Promise<string> {
  try {
    const value = await call();
    if (value !== null && typeof value === 'object' && Symbol.asyncIterator in value) {
      for await (const _ of value as AsyncIterable<unknown>);
    }
    return `no error: ${typeof value}`;
  } catch (error) {
    return library.isD4Error(error) ? `${error.code}: ${error.message}` : `not ours: ${error}`;
  }
}

describe('d4: arguments', () => {
  const { path } = temporaryFolder();
  let file: LooseFile;
  let track: unknown;
  /** Functions of the README's table that were called with a bad argument. */
  const called = new Set<string>();

  before(async () => {
    await library.createD4(path('a.d4'), [batch, { ...batch, chromosome: 'chr2' }]);
    const opened = await library.openD4(path('a.d4'));
    file = opened as unknown as LooseFile;
    track = opened.track();
  });

  after(() => file.close?.());

  /** Calls a function, or a method of the file. */
  const of = (name: string): Loose => {
    called.add(name);
    const own = file[name];
    return own ? own.bind(file) : (d4[name] as Loose);
  };

  const badIntervals: [unknown, string][] = [
    [{ chrom: 'chr2', begin: 0, end: 5 }, `${noInterval} ({ chrom: "chr2", begin: 0, end: 5 })`],
    [{ chromosome: undefined, begin: 0, end: 5 }, `${noInterval} ({ chromosome: undefined, begin: 0, end: 5 })`],
    [{ chromosome: 1, begin: 0, end: 5 }, `${noInterval} ({ chromosome: 1, begin: 0, end: 5 })`],
    ['chr1:1-5', `${noInterval} ("chr1:1-5")`],
    [null, `${noInterval} (null)`],
    [undefined, `${noInterval} (undefined)`],
    [{ chromosome: 'chr1', begin: '0', end: '5' }, `${span} (chr1:"0"-"5")`],
    [{ chromosome: 'chr1', begin: 0, end: '100' }, `${span} (chr1:0-"100")`],
    [{ chromosome: 'chr1', begin: null, end: 5 }, `${span} (chr1:null-5)`],
    [{ chromosome: 'chr1', begin: Number.NaN, end: 5 }, `${span} (chr1:NaN-5)`],
    [{ chromosome: 'chr1', begin: 0.5, end: 5 }, `${span} (chr1:0.5-5)`],
    [{ chromosome: 'chr1', begin: -1, end: 5 }, `${span} (chr1:-1-5)`],
    [{ chromosome: 'chr1', begin: 0, end: Number.POSITIVE_INFINITY }, `${span} (chr1:0-Infinity)`],
    [{ chromosome: 'chr1', begin: 150, end: 20 }, `${span} (chr1:150-20)`],
    [{ chromosome: 'chr1', begin: 0n, end: 5n }, `${span} (chr1:0n-5n)`],
    [{ chromosome: 'chr1', start: 0, end: 200 }, `${span} (chr1:undefined-200)`],
  ];
  const ofInterval: Record<string, (interval: unknown) => unknown> = {
    statistics: (interval) => of('statistics')({ intervals: [good, interval] }),
    columns: (interval) => of('columns')({ intervals: [good, interval], alias: true }),
    rows: (interval) => of('rows')({ intervals: [interval] }),
    histogram: (interval) => of('histogram')({ intervals: [interval] }),
    firstExcess: (interval) => of('firstExcess')(track, track, { intervals: [interval] }),
    depths: (interval) => of('depths')(track, interval, { alias: true }),
    runs: (interval) => of('runs')(track, interval),
    stretches: (interval) => of('stretches')(track, interval, { below: 15 }),
    profile: (interval) => of('profile')({ interval, parts: 2 }),
    bins: (interval) => of('bins')(interval, 2),
  };
  for (const [name, ask] of Object.entries(ofInterval)) {
    it(`${name} refuses what is no interval`, async () => {
      for (const [interval, sentence] of badIntervals) {
        expect(await outcome(() => ask(interval))).to.equal(`invalid: ${sentence}`);
      }
      for (const end of name === 'bins' ? [] : [7, 9]) {
        const unknown = { chromosome: 'chr9', begin: 7, end };
        expect(await outcome(() => ask(unknown))).to.match(/^unknown-chromosome: The file has no chromosome "chr9" \(/);
      }
    });
  }

  // V8 collects all of its garbage before it gives up.
  for (const name of sampled(['statistics', 'columns', 'histogram'], 3)) {
    it(`refuses more intervals than fit memory in ${name}`, async () => {
      expect(await outcome(() => of(name)({ intervals: { length: 1e15, at: () => good } }))).to.equal(
        'invalid: The intervals or their results do not fit memory (4000000000000000 bytes)',
      );
    });
  }

  it('refuses lists of intervals that are none', async () => {
    const noList = 'invalid: intervals must be an array of intervals, or a list with length and at';
    const lists: [unknown, string][] = [
      [undefined, `${noList} (undefined)`],
      [null, `${noList} (null)`],
      [good, `${noList} ({ chromosome: "chr1", begin: 0, end: 150 })`],
      ['chr1:1-5', `${noList} ("chr1:1-5")`],
      [new Set([good]), `${noList} (Set)`],
      [new Map([[1, good]]), `${noList} (Map)`],
      [{ length: -1, at: () => good }, `${noList} ({ length: -1, at: a function })`],
      [{ length: 1.5, at: () => good }, `${noList} ({ length: 1.5, at: a function })`],
      [{ length: 2, at: () => undefined }, `invalid: ${noInterval} (undefined)`],
    ];
    const columns = (begins: unknown, ends: unknown, from = 0, to = 1) => ({
      length: 1,
      at: () => good,
      columns: { begins, ends, stretches: [{ name: 'chr1', from, to }] },
    });
    const [ten, twenty] = [Uint32Array.of(10), Uint32Array.of(20)];
    lists.push(
      [columns(twenty, ten), `invalid: ${span} (chr1:20-10)`],
      [
        columns([10], [20]),
        'invalid: begins and ends of columns must be Uint32Arrays of 1 values ({ begins: Array, ends: Array })',
      ],
      [
        columns(ten, new Uint32Array()),
        'invalid: begins and ends of columns must be Uint32Arrays of 1 values ({ begins: Uint32Array, ends: Uint32Array })',
      ],
      [columns(ten, twenty, 0, 2), 'invalid: stretches of columns must be one after the other, from 0 to 1 ([Object])'],
      [columns(ten, twenty, 1, 1), 'invalid: stretches of columns must be one after the other, from 0 to 1 ([Object])'],
    );
    for (const [intervals, sentence] of lists) {
      for (const name of ['statistics', 'columns', 'histogram']) {
        expect(await outcome(() => of(name)({ intervals })), name).to.equal(sentence);
      }
    }
    for (const name of ['statistics', 'columns', 'rows', 'histogram', 'profile']) {
      expect(await outcome(() => of(name)()), name).to.equal('invalid: request must be an object (undefined)');
    }
    expect(await outcome(() => of('firstExcess')(track, track))).to.equal(
      'invalid: request must be an object (undefined)',
    );
  });

  it('answers for the intervals as they were when it was asked', async () => {
    const intervals = [good, { ...good, end: 100 }];
    const asked = of('statistics')({ intervals }) as Promise<{ sum: number }[]>;
    intervals.length = 0;
    // 100 bases of depth 10, and 50 of 20.
    expect((await asked).map(({ sum }) => sum)).to.deep.equal([2000, 1000]);
  });

  it('refuses other members of a request', async () => {
    const number = 'Each of thresholds must be a finite number';
    const percent = 'Each of percentiles must be a number from 0 to 100';
    const members: [object, string][] = [
      [{ thresholds: [undefined] }, `${number} (undefined)`],
      [{ thresholds: [10, '5'] }, `${number} ("5")`],
      [{ thresholds: [Number.NaN] }, `${number} (NaN)`],
      [{ thresholds: [Number.NEGATIVE_INFINITY] }, `${number} (-Infinity)`],
      [{ thresholds: 10 }, 'thresholds must be an array of numbers (10)'],
      [{ thresholds: '10' }, 'thresholds must be an array of numbers ("10")'],
      [{ percentiles: [undefined] }, `${percent} (undefined)`],
      [{ percentiles: [50, null] }, `${percent} (null)`],
      [{ percentiles: ['10'] }, `${percent} ("10")`],
      [{ percentiles: [true] }, `${percent} (true)`],
      [{ percentiles: [101] }, `${percent} (101)`],
      [{ runs: {} }, `runs ${noTest} ({})`],
      [{ runs: { under: 10 } }, `runs ${noTest} ({ under: 10 })`],
      [{ runs: { below: 15, minLength: Number.NaN } }, 'minLength must be a number from 0 on (NaN)'],
      [{ runs: { below: 15, minLength: '5' } }, 'minLength must be a number from 0 on ("5")'],
      [{ runs: { below: 15, most: -1 } }, 'most must be a number from 0 on (-1)'],
      [{ signal: {} }, 'signal must be an AbortSignal ({})'],
    ];
    for (const [member, sentence] of members) {
      for (const name of ['statistics', 'columns', 'rows']) {
        expect(await outcome(() => of(name)({ intervals: [good], ...member })), name).to.equal(`invalid: ${sentence}`);
      }
    }
    const many = { intervals: new Array(100_000).fill(good), thresholds: new Array(100_000).fill(1) };
    expect(await outcome(() => of('columns')(many))).to.match(
      /^invalid: The intervals or their results do not fit memory/,
    );
  });

  it('refuses tests of stretches, parts of profiles and tracks', async () => {
    const test = (given: unknown, options?: object) => () => of('stretches')(track, good, given, options);
    const noTrack = 'track must be a track of a D4File';
    const end = 2 ** 40 + 10;
    const calls: [() => unknown, string][] = [
      [test({}), `test ${noTest} ({})`],
      [test(undefined), `test ${noTest} (undefined)`],
      [test(10), `test ${noTest} (10)`],
      [test({ under: 10 }), `test ${noTest} ({ under: 10 })`],
      [test({ below: undefined }), `test ${noTest} ({ below: undefined })`],
      [test({ below: '15' }), `test ${noTest} ({ below: "15" })`],
      [test({ below: Number.NaN }), `test ${noTest} ({ below: NaN })`],
      [test({ below: 10, atLeast: 5 }), `test ${noTest} ({ below: 10, atLeast: 5 })`],
      [test({ below: 10 }, { minLength: Number.NaN }), 'minLength must be a number from 0 on (NaN)'],
      [() => of('bins')(good, 1.5), 'count must be a whole number from 1 to 33554432 (1.5)'],
      [() => of('bins')(good), 'count must be a whole number from 1 to 33554432 (undefined)'],
      [() => of('profile')({ interval: good, parts: '3' }), 'parts must be a whole number from 1 to 1000000 ("3")'],
      [
        () => of('profile')({ interval: { chromosome: 'chr1', begin: end - 10, end }, parts: 2 }),
        'The end of a profile must be at most 4294967295 (1099511627786)',
      ],
      [() => of('depths')(file, good), `${noTrack} (D4File)`],
      [() => of('runs')(undefined, good), `${noTrack} (undefined)`],
      [() => of('stretches')(null, good, { below: 1 }), `${noTrack} (null)`],
      [() => of('firstExcess')(file, track, { intervals: [good] }), `${noTrack} (D4File)`],
      [() => of('firstExcess')(track, file, { intervals: [good] }), `${noTrack} (D4File)`],
      [() => of('quickFindings')(file), `${noTrack} (D4File)`],
      [() => of('depths')(track, good, { signal: {} }), 'signal must be an AbortSignal ({})'],
      [() => of('track')('0'), `The file has no track "0" (${path('a.d4')})`],
      [() => of('track')(0.5), `The file has no track 0.5 (${path('a.d4')})`],
      [() => of('only')(), `The file has no track undefined; it has: one without a name (${path('a.d4')})`],
    ];
    for (const [call, sentence] of calls) expect(await outcome(call)).to.equal(`invalid: ${sentence}`);
  });

  it('refuses chromosomes, builds and files', async () => {
    const noList = 'chromosomes must be a list of chromosomes (undefined)';
    const noBuild = 'build must be one of GRCh37, GRCh38 ("hg19")';
    const noPlace = 'location must be a path, a URL, a Blob, a file handle, bytes or a source';
    const calls: [() => unknown, string][] = [
      [() => of('chromosomeIndex')(undefined, 'chr1'), noList],
      [() => of('chromosomeIndex')(chromosomes, 5, true), 'The name of a chromosome must be text (5)'],
      [() => of('findChromosome')(['chr1'], 'chr1'), 'Each of chromosomes must be an object with a name ("chr1")'],
      [() => of('spelledLike')(chromosomes), 'The name of a chromosome must be text (undefined)'],
      [() => of('detectBuild')(), noList],
      [() => of('contigFindings')(chromosomes, 'hg19'), noBuild],
      [() => of('sizeIn')('hg19', '1'), noBuild],
      [() => of('quickFindings')(track, 'hg19'), noBuild],
      [() => of('verifyD4')(path('a.d4'), { build: 'hg19' }), noBuild],
      [() => of('verifyD4')(path('a.d4'), { perBase: 5 }), 'path must be text (5)'],
      [() => of('verifyD4')(), `${noPlace} (undefined)`],
      [() => of('openD4')(), `${noPlace} (undefined)`],
      [() => of('openD4')({}), `${noPlace} ({})`],
      [() => of('openD4')([]), `${noPlace} ([])`],
      [() => of('openD4')(5), `${noPlace} (5)`],
      [() => of('openD4')('file://host/a.d4'), 'The URL names no file of this machine (file://host/a.d4)'],
      [() => of('openD4')(new URL('file://host/a.d4')), 'The URL names no file of this machine (file://host/a.d4)'],
      [() => of('fingerprintD4')({}), 'file must be a D4File ({})'],
      [() => of('versionOfSource')(undefined), 'source must be an object (undefined)'],
      [() => new library.D4Pool({ threads: Number.NaN }), 'threads must be a whole number from 1 on (NaN)'],
      [() => new library.D4Pool({ threads: 1.5 }), 'threads must be a whole number from 1 on (1.5)'],
      [() => new library.D4Pool({ inlineBases: '1' as never }), 'inlineBases must be a number from 0 on ("1")'],
      [() => new library.D4Cache({ files: 0 }), 'files must be a whole number from 1 on (0)'],
      [() => new library.D4Cache().use(path('a.d4'), 5 as never), 'work must be a function (5)'],
    ];
    for (const [call, sentence] of calls) expect(await outcome(call)).to.equal(`invalid: ${sentence}`);
    for (const name of ['D4Pool', 'D4Cache']) called.add(name);
    expect(await outcome(() => of('findChromosome')(chromosomes, 'chr9'))).to.equal(
      'unknown-chromosome: The file has no chromosome "chr9" (chromosomes)',
    );
    const cache = new library.D4Cache();
    cache.close();
    expect(await outcome(() => cache.use(path('a.d4'), async () => 1))).to.equal(
      `failed: The cache was closed (${path('a.d4')})`,
    );
  });

  it('refuses runs and options of files to be written', async () => {
    const write =
      (runs: unknown, options: object = { chromosomes }) =>
      () =>
        of('createD4')(path('w.d4'), runs, options);
    const order = 'Runs must ascend without overlap, at whole positions, and have a finite depth';
    const one = (begin: unknown, end: unknown, depth: unknown = 1) => ({
      chromosome: 'chr1',
      begins: [begin],
      ends: [end],
      depths: [depth],
    });
    const round = (denominator: number) =>
      `times the denominator ${denominator} is not whole: round it, or give round (chr1:0-3)`;
    const noRuns = 'runs must be an array or a stream of runs, or what textInput returns';
    const noName = 'The name of a chromosome must be text without tabs, line ends and NULs';
    const uneven = 'begins, ends and depths must be equally long, unlike';
    const calls: [() => unknown, string][] = [
      [write(undefined), `${noRuns} (undefined)`],
      [write('a.bed'), `${noRuns} ("a.bed")`],
      [write(batch), `${noRuns} ({ chromosome: "chr1", begins: Array, ends: Array, depths: Array })`],
      [write([5]), 'A batch of runs must be { chromosome, begins, ends, depths } (5)'],
      [
        write([{ ...batch, chromosome: 5 }], {}),
        'A batch of runs must be { chromosome, begins, ends, depths } ({ chromosome: 5, begins: Array, ends: Array, depths: Array })',
      ],
      [write([{ ...batch, begins: [0] }]), `${uneven} 1, 2 and 2 (chr1)`],
      [write([{ ...batch, depths: [1, 2, 3] }]), `${uneven} 2, 2 and 3 (chr1)`],
      [write([{ ...batch, ends: undefined }]), `${uneven} 2, undefined and 2 (chr1)`],
      [write([one(0, 3.7)]), `${order} (chr1:0-3.7, depth 1)`],
      [write([one(0.5, 3)], {}), `${order} (chr1:0.5-3, depth 1)`],
      [write([one('0', '3')]), `${order} (chr1:"0"-"3", depth 1)`],
      [write([one(0, 3, '1')]), `${order} (chr1:0-3, depth "1")`],
      [write([one(0, 3, Number.NaN)]), `${order} (chr1:0-3, depth NaN)`],
      [write([one(0, 3, 0.25)], { denominator: 1 }), `The depth 0.25 ${round(1)}`],
      [write([one(0, 3, 0.25)], { denominator: 10 }), `The depth 0.25 ${round(10)}`],
      [write([one(0, 3, 1 / 3)], {}), `The depth 0.3333333333333333 ${round(1e9)}`],
      [write([one(0, 3, 2 ** 31)], { denominator: 1 }), 'The depth 2147483648 does not fit 32 bits (chr1:0-3)'],
      [write([batch], { denominator: '10' }), 'denominator must be a positive number ("10")'],
      [write([batch], { denominator: 0 }), 'denominator must be a positive number (0)'],
      [write([batch], { deflate: 10 }), 'deflate must be a whole number from 1 to 9 (10)'],
      [write([batch], { dictionary: 5 }), 'dictionary must be an object (5)'],
      [write([batch], { dictionary: { low: 0 } }), 'A dictionary from 0 to undefined is not possible (dictionary)'],
      [
        write([batch], { dictionary: { low: '0', high: 64 } }),
        'A dictionary from "0" to 64 is not possible (dictionary)',
      ],
      [write([batch], { dictionary: { values: [1, 2] } }), 'The values of a dictionary must be an Int32Array ([1, 2])'],
      [write([], {}), 'There are no chromosomes to write (chromosomes)'],
      [write([batch], { chromosomes: 5 }), 'There is no list of chromosomes: 5 (chromosomes)'],
      [
        write([batch], { chromosomes: [{ name: 'chr1', size: Number.NaN }] }),
        'Chromosome 0 of the list has no name or no size: { name: "chr1", size: NaN } (chromosomes)',
      ],
      [
        write([batch], { chromosomes: [...chromosomes, ...chromosomes] }),
        'Chromosome chr1 is listed twice (chromosomes)',
      ],
      [write([batch], { chromosomes: [{ name: '', size: 5 }] }), `${noName} ("")`],
      [write([{ ...batch, chromosome: 'a\tb' }], {}), `${noName} ("a\\tb")`],
      [() => of('createD4')(undefined, [batch]), 'path must be text (undefined)'],
      [() => of('textInput')(undefined), 'path must be text (undefined)'],
      [
        () => of('mergeD4')(path('m.d4'), [{ path: path('a.d4') }]),
        'Track names must be unique text, without slash (undefined)',
      ],
      [() => of('mergeD4')(path('m.d4'), path('a.d4')), `inputs must be an array (${JSON.stringify(path('a.d4'))})`],
    ];
    for (const [call, sentence] of calls) expect(await outcome(call)).to.equal(`invalid: ${sentence}`);
    expect(await outcome(() => library.openD4(path('w.d4')))).to.match(/^not-found: /);
    // What only the rounding of numbers keeps from being whole is written: 12.34 * 100 is 1234, and 0.29 * 100 less than 29.
    await library.createD4(path('w.d4'), [{ ...batch, depths: [12.34, 0.29] }], { denominator: 100 });
    const written = await library.openD4(path('w.d4'));
    const both = { chromosome: 'chr1', begin: 99, end: 101 };
    expect([...(await library.depths(written.track(), both))]).to.deep.equal([12.34, 0.29]);
    written.close();
  });

  it('refuses options that are no object, and signals that are none, everywhere', async () => {
    const inputs = [{ path: path('a.d4'), name: 'a' }];
    const none = async function* () {};
    const calls: Record<string, (options: unknown) => unknown> = {
      openD4: (options) => of('openD4')(path('a.d4'), options),
      'openD4 of a page': (options) => openInPage(new Blob([]), options as never),
      'file.checkFrames': (options) => of('checkFrames')(options),
      depths: (options) => of('depths')(track, good, options),
      runs: (options) => of('runs')(track, good, options),
      stretches: (options) => of('stretches')(track, good, { below: 15 }, options),
      verifyD4: (options) => of('verifyD4')(path('a.d4'), options),
      createD4: (options) => of('createD4')(path('never.d4'), [batch], options),
      mergeD4: (options) => of('mergeD4')(path('never.d4'), inputs, undefined, options),
    };
    const withoutSignal: typeof calls = {
      parseRuns: (options) => of('parseRuns')(none(), options),
      textInput: (options) => of('textInput')(path('a.d4'), options),
      findChromosome: (options) => of('findChromosome')(chromosomes, 'chr1', options),
      D4Cache: (options) => new library.D4Cache(options as never),
      D4Pool: (options) => new library.D4Pool(options as never),
    };
    for (const [name, call] of Object.entries({ ...calls, ...withoutSignal })) {
      for (const options of [null, 5, 'alias']) {
        const shown = JSON.stringify(options);
        expect(await outcome(() => call(options)), name).to.equal(`invalid: options must be an object (${shown})`);
      }
    }
    calls.statistics = (options) => of('statistics')({ intervals: [good], ...(options as object) });
    calls.firstExcess = (options) => of('firstExcess')(track, track, { intervals: [good], ...(options as object) });
    calls['cache.use'] = (options) =>
      new library.D4Cache().use(path('a.d4'), async () => 1, (options as { signal: never }).signal);
    for (const [name, call] of Object.entries(calls)) {
      const given = () => call({ signal: { aborted: false } });
      const sentence = 'invalid: signal must be an AbortSignal ({ aborted: false })';
      expect(await outcome(given), name).to.equal(sentence);
    }
    for (const name of ['http', 's3']) {
      for (const wrong of [null, 5]) {
        const sentence = `invalid: ${name} must be an object (${wrong})`;
        expect(await outcome(() => of('openD4')('s3://bucket/a.d4', { s3: {}, [name]: wrong }))).to.equal(sentence);
      }
    }
    expect(await outcome(() => library.openD4(path('never.d4')))).to.match(/^not-found: /);
  });

  it('refuses what is no stream of text, and names its own options', async () => {
    const parse = (text: unknown, options?: unknown) => () => {
      async function* chunks() {
        yield text;
      }
      return of('parseRuns')(chunks(), options);
    };
    const [place, line] = ['pipe', Buffer.from('chr1\t100\t3\t4\n')];
    const calls: [() => unknown, string][] = [
      [parse(line), 'options must be an object (undefined)'],
      [() => of('parseRuns')('chr1\t0\t5\t1\n', { place }), 'chunks must be a stream of bytes ("chr1\\t0\\t5\\t1\\n")'],
      [parse('chr1\t0\t5\t1\n', { place }), 'Each of chunks must be bytes ("chr1\\t0\\t5\\t1\\n")'],
      [parse(line, { place, format: 'bed' }), 'format must be one of bedgraph, depth ("bed")'],
      [parse(line, { place, format: 'depth', column: -1 }), 'column must be a whole number from 0 on (-1)'],
      [
        parse(line, { place, chromosomes: ['chr1'] }),
        'Chromosome 0 of the list has no name or no size: "chr1" (chromosomes)',
      ],
      [parse(Uint8Array.of(0x1f, 0x8b, 8, 0), { place }), 'The text is gzipped (pipe: line 1)'],
      [
        parse(Buffer.from('chr1\t0\t5\t1'), { place }),
        'The last line has no line end and may be cut: complete it, or use --allow-cut of d4 create (in the library: allowCut) (pipe: line 1)',
      ],
      [
        parse(Buffer.from('#\n'), { place }),
        'The file has no depths; --allow-empty of d4 create (in the library: allowEmpty) reads it as depth 0 everywhere (pipe)',
      ],
    ];
    for (const [call, sentence] of calls) expect(await outcome(call)).to.equal(`invalid: ${sentence}`);
  });

  it('has all functions of the README', () => {
    const readme = readFileSync(new URL('../../../../plugins/coverage/d4/README.md', import.meta.url), 'utf8');
    const tables = readme.slice(readme.indexOf('## Functions'), readme.indexOf('Functions that wait take'));
    const calls = [...tables.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) => {
      const [, name = code] = /^(?:for await .* of )?(?:file\.)?(\w+)/.exec(code) ?? [];
      return name in d4 || name in file ? [name] : [];
    });
    const without = ['close', 'tracks', 'checkFrames', 'D4File'];
    expect([...new Set(calls)].filter((name) => !called.has(name) && !without.includes(name))).to.deep.equal([]);
    expect(calls.length).to.be.greaterThan(25);
  });
});
