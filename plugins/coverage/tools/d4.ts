/** `trefoil d4 …`: the commands of the D4 library as a tool of Trefoil. */
import { Fault, type Progress, type Tool, type ToolCommand } from '../../../core/commands.js';
import { type CommandIo, type D4Command, d4Commands } from '../d4/commands/index.js';
import { type D4Error, isD4Error } from '../d4/error.js';
import { mosdepthCommand } from '../mosdepth/command.js';

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

/** How commands read the files of others, as the server does. */
export const readers: Pick<CommandIo, 'readBed' | 'readGenome'> = {
  async readBed(path) {
    return (await import('../../../core/files.js')).readBedFile(path);
  },
  async readGenome(path) {
    const { readGenome, readTextFile } = await import('../../../core/files.js');
    return readGenome(await readTextFile(path));
  },
};

function toolCommand(command: D4Command): ToolCommand {
  const { name, summary, description, options } = command;
  return {
    name,
    summary,
    ...(description && { description }),
    arguments: command.arguments,
    options,
    async run({ terminal, signal }, input) {
      let bar: Progress | undefined;
      const isRemote = input.arguments.some((text) => /^(?:https?|s3):\/\//i.test(text));
      const reading = isRemote ? (await import('../sources/s3.js')).operatorReading() : undefined;
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
          ...readers,
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
