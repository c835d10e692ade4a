/** Runs `trefoil d4 mosdepth`. */
import type { CommandInput, CommandIo } from '../d4/commands/command.js';
import { openTrack } from '../d4/commands/input.js';
import { D4Error, type D4File, D4Pool } from '../d4/index.js';
import { type MosdepthOptions, parseOptions } from './options.js';
import { Outputs } from './outputs.js';
import { parseBy } from './regions.js';
import { endingsOf, writeMosdepth } from './write.js';

/** Returns the exit status. Throws D4Error. */
export async function runMosdepth(input: CommandInput, io: CommandIo): Promise<number> {
  const [prefix = '', location = ''] = input.arguments;
  const options = parseOptions(input, process.env);
  const pool = new D4Pool({ threads: options.threads });
  let file: D4File | undefined;
  try {
    file = chosenTrack(await openTrack(location, { sweeper: pool.sweeper, http: io.http, s3: io.s3 }), options);
    await write(file, prefix, options, io, input.signal);
    return 0;
  } finally {
    file?.close();
    await pool.close();
  }
}

async function write(
  file: D4File,
  prefix: string,
  options: MosdepthOptions,
  io: CommandIo,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { chromosomes, denominator } = file.track();
  const place = file.source.name;
  if (denominator !== 1) {
    throw new D4Error('invalid', `mosdepth's depths are whole numbers; this file has 1/${denominator} of them`, place);
  }
  const { chromosome, by } = options;
  if (chromosome !== undefined && !chromosomes.some(({ name }) => name === chromosome)) {
    throw new D4Error('unknown-chromosome', `The file has no chromosome ${JSON.stringify(chromosome)}`, place);
  }
  const asked = by === undefined ? undefined : await parseBy(by, chromosomes);
  if (asked && 'regions' in asked) {
    const known = new Set(chromosomes.map(({ name }) => name));
    for (const [name, { length }] of asked.regions) {
      if (known.has(name) || chromosome !== undefined) continue;
      io.err.write(`The D4 file has no chromosome ${name}: its ${length} regions of the BED file are left out.\n`);
    }
  }
  const outputs = await Outputs.create(prefix, endingsOf(options), options.force);
  try {
    await writeMosdepth({ file, options, by: asked, outputs, progress: io.progress, signal });
    await outputs.commit();
  } catch (error) {
    throw signal?.aborted ? signal.reason : unwritable(error, prefix);
  } finally {
    await outputs.close();
  }
}

/** The file with one track. Throws D4Error `invalid` if it has several and none was named. */
function chosenTrack(file: D4File, { track }: MosdepthOptions): D4File {
  try {
    if (track !== undefined) return file.only(track);
    if (file.tracks.length === 1) return file;
    const names = file.tracks.map(({ name }) => name).join(', ');
    throw new D4Error('invalid', `The file has several tracks: choose one with --track (${names})`, file.source.name);
  } catch (error) {
    file.close();
    throw error;
  }
}

/** An error of the system as one of the library. */
function unwritable(error: unknown, prefix: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  return new D4Error('unreachable', `The output cannot be written: ${code}`, prefix, { cause: error });
}
