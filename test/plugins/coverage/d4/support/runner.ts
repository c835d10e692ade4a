import { PassThrough } from 'node:stream';
import { Command, Option } from 'commander';
import { readBedFile, readGenome, readTextFile } from '../../../../../core/files.js';
import { isFault } from '../../../../../core/plugin.js';
import { d4Commands } from '../../../../../plugins/coverage/commands/d4/index.js';
import { isD4Error } from '../../../../../plugins/coverage/d4/index.js';

/** How the command line reads the files of others. */
export const readers = {
  readBed: readBedFile,
  readGenome: async (path: string) => readGenome(await readTextFile(path)),
};

export interface Ran {
  status: number;
  out: string;
  err: string;
}

/** Runs `d4 …` like the command line, and returns its output. */
export async function runD4(...line: string[]): Promise<Ran> {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const printed = { out: '', err: '' };
  out.on('data', (text: Buffer) => {
    printed.out += text;
  });
  err.on('data', (text: Buffer) => {
    printed.err += text;
  });
  let status = 0;
  const program = new Command('d4').exitOverride().configureOutput({ writeErr: (text) => err.write(text) });
  for (const command of d4Commands) {
    const sub = program.command(command.name).summary(command.summary);
    for (const { name, description, required, variadic } of command.arguments) {
      const inner = `${name}${variadic ? '...' : ''}`;
      sub.argument(required ? `<${inner}>` : `[${inner}]`, description);
    }
    for (const { flags, description, repeatable } of command.options) {
      const option = new Option(flags, description);
      if (repeatable) option.argParser((text: string, before: string[] = []) => [...before, text]);
      sub.addOption(option);
    }
    sub.action(async () => {
      status = await command.run({ arguments: sub.args, options: sub.opts() }, { out, err, isTTY: false, ...readers });
    });
  }
  try {
    await program.parseAsync(line, { from: 'user' });
  } catch (error) {
    if (!isD4Error(error) && !isFault(error)) throw error;
    printed.err += `${error.code}: ${error.message}`;
    status = 2;
  }
  return { status, ...printed };
}
