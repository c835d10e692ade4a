/** `export`. */
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Command, counted } from '../../../core/commands.js';
import { unwritable, writeWhole } from '../../../core/files.js';
import { Fault } from '../../../core/plugin.js';
import { type BeaconRepository, beacon, type Dataset } from '../contract.js';
import { datasetNamed } from '../domain/dataset.js';
import type { BeaconSettings } from '../settings.js';
import { siteLine, sitesHeader } from '../vcf/sites.js';

export const exportSites: Command<BeaconSettings> = {
  name: 'export',
  summary: 'Write the alleles of a dataset as a sites-only VCF with AC and AN',
  description:
    'The records are sorted. AC counts the alternate alleles called; AN is a convention, two for each sample of the ' +
    'dataset on chromosomes 1 to 22 and X, one on Y and MT, and never less than AC. Samples are not named.',
  examples: ['export --ds rare_public --out sites.vcf.gz', 'export --ds rare_public | bgzip > sites.vcf.gz'],
  options: [
    { flags: '--ds <id>', description: 'id of the dataset', required: true, aliases: ['-ds'] },
    { flags: '--out <file>', description: 'file to write, compressed if it ends in .gz (default: standard output)' },
  ],
  async run(context, input) {
    const { ds, out } = input.options as { ds: string; out?: string };
    const { terminal, signal } = context;
    if (terminal.json && out === undefined)
      throw new Fault('invalid', '--json needs --out, since standard output cannot hold both');
    const repository = await context.repository(beacon);
    const dataset = await datasetNamed(repository, ds);
    const alleles =
      out === undefined
        ? await writeOut(repository, dataset, signal)
        : await writeWhole(
            out,
            (target) => write(repository, dataset, target, { gzip: out.endsWith('.gz'), signal }),
            signal,
          );
    const summary = `Exported ${counted(alleles, 'allele')} of dataset '${ds}'`;
    if (out === undefined) terminal.note(summary);
    else terminal.print(`${summary} to ${out}`);
    terminal.data({ dataset: ds, alleles, out });
    return 0;
  },
};

/**
 * Writes to standard output, and reports its errors: part of a VCF is a failure, also if the reader closed the pipe, which
 * other commands ignore.
 */
async function writeOut(repository: BeaconRepository, dataset: Dataset, signal: AbortSignal): Promise<number> {
  const { stdout } = process;
  const others = stdout.listeners('error') as ((error: Error) => void)[];
  const ignore = () => undefined;
  stdout.removeAllListeners('error').on('error', ignore);
  try {
    return await write(repository, dataset, stdout, { signal });
  } catch (error) {
    throw unwritable('standard output', error, signal);
  } finally {
    if (!stdout.errored) {
      stdout.off('error', ignore);
      for (const other of others) stdout.on('error', other);
    }
  }
}

/** Returns the number of alleles written. */
async function write(
  repository: BeaconRepository,
  dataset: Dataset,
  target: NodeJS.WritableStream,
  { gzip = false, signal }: { gzip?: boolean; signal: AbortSignal },
): Promise<number> {
  const text = new PassThrough();
  const end = target !== process.stdout;
  const written = gzip
    ? pipeline(text, createGzip(), target, { signal, end })
    : pipeline(text, target, { signal, end });
  // A failure is thrown when it is awaited, which may be later.
  written.catch(() => undefined);
  let alleles = 0;
  try {
    text.write(sitesHeader(dataset));
    await repository.eachAllele(dataset.id, async (portion) => {
      signal.throwIfAborted();
      alleles += portion.length;
      const lines = portion.map((allele) => siteLine(allele, dataset.sampleCount)).join('');
      if (!text.write(lines)) await Promise.race([once(text, 'drain'), written]);
    });
    text.end();
  } catch (error) {
    // If the target failed, its error is the cause of this one.
    text.destroy();
    await written;
    throw error;
  }
  await written;
  return alleles;
}
