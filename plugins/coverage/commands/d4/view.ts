/** `view`: prints depths. */
import { posix } from 'node:path';
import { chromosomeIndex, type D4Track, type Interval, type RunBatch, runs } from '../../d4/index.js';
import { type D4Command, fileOfInput, openTrack, trackArgument } from './command.js';
import { Lines } from './output.js';
import { parseRegion, wholeGenome } from './regions.js';

/** Prints depths as runs, one column per track. */
export const viewCommand: D4Command = {
  name: 'view',
  aliases: ['show'],
  summary: 'print the depths of a D4 file as runs of equal depth',
  description:
    'Regions are chr, chr:begin-end or chr:begin- (zero-based, half-open; 1,000 is 1000); without any, the whole genome.',
  arguments: [trackArgument, { name: 'regions', description: 'regions to print', variadic: true }],
  options: [
    { flags: '-g, --genome', description: 'print the chromosomes and their sizes instead' },
    { flags: '-H, --header', description: 'print a header line' },
  ],
  async run(input, io) {
    const file = await openTrack(fileOfInput(input), { http: io.http, s3: io.s3 });
    const lines = new Lines(io.out);
    try {
      const first = file.track();
      if (input.options.genome) {
        for (const { name, size } of first.chromosomes) await lines.line(`${name}\t${size}`);
        return 0;
      }
      const asked = input.arguments.slice(1);
      const wanted = asked.length === 0 ? wholeGenome(first) : asked.map((region) => parseRegion(region, first));
      if (input.options.header) {
        const names = file.tracks.map(({ name }) => posix.basename(name) || '<null>');
        await lines.line(`#Chr\tStart\tEnd\t${names.join('\t')}`);
      }
      const place = ({ chromosome }: Interval) => chromosomeIndex(first.chromosomes, chromosome);
      for (const interval of [...wanted].sort((a, b) => place(a) - place(b) || a.begin - b.begin || a.end - b.end)) {
        await printRuns(lines, file.tracks, interval, input.signal);
      }
      return 0;
    } finally {
      await lines.flush();
      file.close();
    }
  },
};

async function printRuns(
  lines: Lines,
  tracks: readonly D4Track[],
  interval: Interval,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { chromosome } = interval;
  const columns = tracks.map((track) => new RunColumn(runs(track, interval, { signal })));
  for (let begin = interval.begin; ; ) {
    let end = Number.POSITIVE_INFINITY;
    for (const column of columns) {
      const next = column.reach(begin);
      if (next) await next;
      end = Math.min(end, column.end);
    }
    if (end === Number.POSITIVE_INFINITY) return;
    lines.addRegion(chromosome, begin, end);
    for (const { depth } of columns) lines.addDepth(depth);
    const full = lines.end();
    if (full) await full;
    begin = end;
  }
}

/** One track's runs, one at a time. */
class RunColumn {
  end = -1;
  depth = 0;
  readonly #batches: AsyncGenerator<RunBatch>;
  #batch: RunBatch = { chromosome: '', begins: [], ends: [], depths: [] };
  #i = 0;

  constructor(batches: AsyncGenerator<RunBatch>) {
    this.#batches = batches;
  }

  /** Advances to the run that ends after a position; to be awaited if it returns a promise. */
  reach(position: number): Promise<void> | undefined {
    const { ends, depths } = this.#batch;
    while (this.end <= position) {
      if (this.#i === ends.length) return this.#next(position);
      this.end = ends[this.#i] as number;
      this.depth = depths[this.#i] as number;
      this.#i++;
    }
    return undefined;
  }

  async #next(position: number): Promise<void> {
    const next = await this.#batches.next();
    if (next.done) {
      this.end = Number.POSITIVE_INFINITY;
      return;
    }
    this.#batch = next.value;
    this.#i = 0;
    await this.reach(position);
  }
}
