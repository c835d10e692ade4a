/** `annotate` and `export`: VCF files that the command line writes from a dataset. */
import { rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { type Command, type CommandContext, command, counted } from '../../../core/commands.js';
import { BgzfWriter, bgzipped, type Source, TabixIndex, writeWhole } from '../../../core/files.js';
import { Fault } from '../../../core/plugin.js';
import { recordCommand } from '../audit.js';
import { beacon, type Dataset, type Observation, type Sample, totalsFor } from '../contract.js';
import { Denominators, findCallability } from '../counts/denominators.js';
import { datasetNamed, thresholdOfText } from '../domain/dataset.js';
import type { BeaconSettings } from '../settings.js';
import { type AnnotateCounts, type AnnotateRequest, annotatedPieces } from '../vcf/annotate.js';
import { type AnnotationMethod, annotationHeader, namesOfFields } from '../vcf/annotation.js';
import { alignedRepository, oneFormOf } from '../vcf/reference/aligned.js';
import { exportSites } from '../vcf/sites.js';
import { finishWriting, writeBytes, writeOutput, writeText } from './output.js';

export const annotate: Command<BeaconSettings> = command({
  name: 'annotate',
  summary: 'Add to each record of a VCF how often a dataset has seen its alleles',
  description:
    'INFO gets Obs (cases with a carrier), Hom (homozygous samples) and Frq (Obs divided by the cases that were searched ' +
    'for such alleles); earlier values of these names are replaced. Structural variants count those that are similar. If ' +
    'the coverage of the samples is known, it also gets ObsAC and ObsAN (allele count and allele number by depth), ObsCov, ' +
    'ObsNotCov and ObsUnk (samples that are covered at the place, that are not, and of which it is unknown). Records of MT get ' +
    'ObsHetPl (how many carriers have which level of heteroplasmy). The ' +
    'input is plain, gzip or bgzip; - reads standard input. A file whose name ends in .gz is written in bgzip, with an ' +
    'index for tabix beside it if --out names it.',
  examples: [
    'annotate case.vcf.gz --ds local --out case.annotated.vcf.gz',
    'annotate case.vcf.gz --ds local --compress > case.annotated.vcf.gz',
    'annotate case.vcf --ds local --prefix clinical_genomics_loqus | bcftools view -i "clinical_genomics_loqusObs<3"',
  ],
  arguments: [{ name: 'vcf', description: 'VCF file; samples are not needed', required: true }],
  options: [
    { flags: '--ds <id>', description: 'id of the dataset', required: true, aliases: ['-ds'] },
    { flags: '-o, --out <file>', description: 'file to write (default: standard output)' },
    { flags: '--prefix <text>', description: 'placed before the names Obs, Hom, Frq and the others', default: '' },
    {
      flags: '--threshold <reads>',
      description: 'reads from which on a base of a sample counts as covered (default: that of the dataset, or 10)',
    },
    { flags: '--compress', description: 'write standard output in bgzip' },
  ],
  async run(context, input) {
    const { ds, out, prefix, threshold, compress = false } = input.options;
    const path = input.arguments[0] as string;
    const { terminal, signal } = context;
    if (!/^[A-Za-z_][0-9A-Za-z_.]*$|^$/.test(prefix)) {
      throw new Fault('invalid', `--prefix must be letters, digits, _ and ., beginning with a letter; got "${prefix}"`);
    }
    if (terminal.json && out === undefined)
      throw new Fault('invalid', '--json needs --out, since standard output cannot hold both');
    const { repository, references } = await alignedRepository(context);
    const dataset = await datasetNamed(repository, ds);
    const reads = threshold === undefined ? undefined : thresholdOfText(threshold);
    await recordCommand(context, 'annotate', dataset);
    const service = await findCallability(context)(dataset);
    const oneForm = oneFormOf(references, dataset.assembly);
    const known = service && new Denominators({ repository, service, oneForm }, dataset, reads);
    const denominators = (await known?.knowsAny(signal)) ? known : undefined;
    const source = await context.openSource(path);
    const stop = () => source.close();
    signal.addEventListener('abort', stop);
    const progress = terminal.progress('Annotating');
    const counts: AnnotateCounts = { records: 0, alleles: 0, seen: 0 };
    const names = namesOfFields({ prefix });
    const levels = context.settings.observations.heteroplasmy;
    const header = await headerFor(context, dataset, {
      ...{ prefix, command: `annotate --ds ${ds}` },
      threshold: denominators?.threshold,
      levels,
    });
    const zipped = out === undefined ? compress : out.endsWith('.gz');
    const index = zipped && out !== undefined ? new TabixIndex() : undefined;
    const pieces = annotatedPieces(
      {
        source,
        assembly: dataset.assembly,
        names,
        levels,
        header,
        async ask(questions) {
          signal.throwIfAborted();
          progress.update(source.progress(), `${counts.records} records`);
          const carriers = denominators?.namesCarriers;
          const found = await repository.observe(dataset.assembly, questions, [dataset.id], { carriers, signal });
          const observations = found.map(([one]) => one ?? datasetGone(dataset));
          return { observations, denominators: await denominators?.of(questions, observations, signal) };
        },
        ...(index && { placed: indexing(index, source) }),
      },
      counts,
    );
    try {
      const encoded = await writeOutput(
        out,
        async (target) => {
          const made = zipped
            ? await writeCompressed(pieces, target, index, signal)
            : await writePlain(pieces, target, signal);
          await finishWriting(target, signal);
          // The index of an earlier file would not fit this one, which takes its name next.
          if (index) await rm(`${out}.tbi`, { force: true });
          return made;
        },
        signal,
      );
      if (encoded && out !== undefined) {
        const bytes = await bgzipped(encoded);
        const whole = async (target: Writable) => {
          await writeBytes(target, bytes, signal);
          await finishWriting(target, signal);
        };
        await writeWhole(`${out}.tbi`, whole, signal);
      }
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      progress.stop();
      signal.removeEventListener('abort', stop);
      source.close();
    }
    const summary = `Annotated ${counted(counts.records, 'record')}: ${counts.seen} of ${counted(counts.alleles, 'allele')} seen in dataset '${ds}'`;
    if (out === undefined) terminal.note(summary);
    else terminal.print(`${summary}; written to ${out}`);
    terminal.data({ dataset: ds, ...counts, out });
    return 0;
  },
});

function datasetGone({ id }: Dataset): Observation {
  throw new Fault('not-found', `Dataset '${id}' was removed or replaced meanwhile`);
}

async function headerFor(
  context: CommandContext<BeaconSettings>,
  dataset: Dataset,
  method: Pick<AnnotationMethod, 'prefix' | 'command' | 'threshold' | 'levels'>,
): Promise<(structural: boolean) => string> {
  const samples: Sample[] = await (await context.repository(beacon)).sampleFacts(dataset.id);
  const cases = { small: totalsFor(samples, 'sequence').cases, structural: totalsFor(samples, 'structural').cases };
  const { version } = context;
  return (structural) => annotationHeader({ ...method, dataset, cases, version, now: context.now() }, structural);
}

async function writePlain(pieces: AsyncIterable<string>, target: Writable, signal: AbortSignal): Promise<undefined> {
  for await (const text of pieces) await writeBytes(target, Buffer.from(text, 'latin1'), signal);
}

/** Returns the index, if one is made. */
async function writeCompressed(
  pieces: AsyncIterable<string>,
  target: Writable,
  index: TabixIndex | undefined,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  const writer = new BgzfWriter(target, { signal });
  for await (const text of pieces) await writer.write(Buffer.from(text, 'latin1'));
  await writer.end();
  return index?.encode((offset) => writer.virtualOffset(offset));
}

/** Adds each record to the index. */
function indexing(index: TabixIndex, { name }: Source): AnnotateRequest['placed'] {
  let records = 0;
  return (contig, start, end, from, to) => {
    records++;
    const reason = index.add(contig, start, end, from, to);
    if (reason) throw notIndexable(name, records, reason);
  };
}

function notIndexable(name: string, record: number, reason: 'order' | 'range'): Fault {
  const why =
    reason === 'order'
      ? 'is out of order, so that the result could not be indexed; sort the file first, for example with: bcftools sort'
      : 'lies beyond 536870912 bases, the last place that an index of tabix can hold';
  return new Fault('unprocessable', `${name}: record ${record} ${why}`);
}

// `export`.

export const exportCommand: Command<BeaconSettings> = command({
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
  async run(context, { options: { ds, out } }) {
    const { terminal, signal } = context;
    if (terminal.json && out === undefined)
      throw new Fault('invalid', '--json needs --out, since standard output cannot hold both');
    const repository = await context.repository(beacon);
    const dataset = await datasetNamed(repository, ds);
    await recordCommand(context, 'export', dataset);
    let alleles = 0;
    await writeText(out, signal, async (write) => {
      alleles = await exportSites(repository, dataset, write, signal);
    });
    const summary = `Exported ${counted(alleles, 'allele')} of dataset '${ds}'`;
    if (out === undefined) terminal.note(summary);
    else terminal.print(`${summary} to ${out}`);
    terminal.data({ dataset: ds, alleles, out });
    return 0;
  },
});
