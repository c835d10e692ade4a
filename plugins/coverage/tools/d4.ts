/**
 * `trefoil d4 …`: the commands of the D4 library as a tool of Trefoil, and `mosdepth`, which writes the files that mosdepth
 * would write, from depths instead of reads.
 */
import { Fault, type Progress, type Tool, type ToolCommand } from '../../../core/commands.js';
import { type D4Command, d4Commands } from '../commands/d4/index.js';
import { mosdepthOptions } from '../commands/mosdepth/options.js';
import { type D4Error, isD4Error } from '../d4/index.js';

// `trefoil d4 mosdepth`.

export const mosdepthCommand: D4Command = {
  name: 'mosdepth',
  summary: "write mosdepth's files: summary, distributions, regions, thresholds",
  description:
    'Writes PREFIX.mosdepth.summary.txt and PREFIX.mosdepth.global.dist.txt; PREFIX.per-base.bed.gz unless --no-per-base; ' +
    'with --by PREFIX.mosdepth.region.dist.txt and PREFIX.regions.bed.gz, with --thresholds PREFIX.thresholds.bed.gz, with ' +
    '--quantize PREFIX.quantized.bed.gz; each .bed.gz with its .csi index. They are those of mosdepth 0.3.3 for the same ' +
    'depths, so that MultiQC, Athena and scripts read them; MOSDEPTH_PRECISION and MOSDEPTH_Q0 … work as there. The files ' +
    'appear only when all are complete.',
  arguments: [
    { name: 'prefix', description: 'the names of the output files begin with it', required: true },
    { name: 'file', description: 'D4 file, URL or s3://bucket/key, or one track of it as FILE:TRACK', required: true },
  ],
  options: mosdepthOptions,
  // Loaded only with this command: compressing and indexing would slow the start of all others.
  run: async (input, io) => (await import('../commands/mosdepth/run.js')).runMosdepth(input, io),
};

const tool: Tool = {
  summary: 'make, read and check D4 depth files',
  commands: [...d4Commands, mosdepthCommand].flatMap((command) => [
    toolCommand(command),
    ...(command.aliases ?? []).map((name) => ({
      ...toolCommand(command),
      name,
      summary: `the same as ${command.name}`,
    })),
  ]),
};

export default tool;

function toolCommand(command: D4Command): ToolCommand {
  const { name, summary, description, options } = command;
  return {
    name,
    summary,
    ...(description && { description }),
    arguments: command.arguments,
    options,
    async run({ terminal, signal, readBed, readGenome }, input) {
      let bar: Progress | undefined;
      const isRemote = input.arguments.some((text) => /^(?:https?|s3):\/\//i.test(text));
      const reading = isRemote ? (await import('../measure/s3.js')).operatorReading() : undefined;
      const progress = (fraction: number, label: string) => {
        bar ??= terminal.progress(label);
        bar.update(fraction);
      };
      // The reader of the output may close it early, as `head` does.
      const closed = (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1);
      process.stdout.once('error', closed);
      try {
        const io = {
          out: process.stdout,
          err: process.stderr,
          isTTY: process.stderr.isTTY,
          readBed,
          readGenome,
          progress,
          http: reading?.http,
          s3: reading?.s3,
        };
        return await command.run({ ...input, signal }, io);
      } catch (error) {
        throw isD4Error(error) ? faultOf(error) : error;
      } finally {
        process.stdout.off('error', closed);
        bar?.stop();
        reading?.close();
      }
    },
  };
}

function faultOf(error: D4Error): Fault {
  const isUsage = error.code === 'invalid' || error.code === 'unknown-chromosome';
  return new Fault(isUsage ? 'invalid' : 'unprocessable', error.message, { cause: error });
}
