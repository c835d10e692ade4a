/** `ls-track` and `merge`: the tracks of files. */
import { existsSync } from 'node:fs';
import { parse } from 'node:path';
import { openD4 } from '../file.js';
import { type MergeInput, mergeD4 } from '../write/merge.js';
import type { D4Command } from './command.js';
import { fileArgument, fileOf, filesArgument, forceOption, inputsAndOutput } from './input.js';
import { Lines } from './output.js';

/** Lists the tracks of a file. */
export const listTracksCommand: D4Command = {
  name: 'ls-track',
  summary: 'list the tracks of a D4 file',
  description: 'Each is printed as FILE:TRACK; the only track of most files has no name.',
  arguments: [fileArgument],
  options: [],
  async run(input, io) {
    const file = await openD4(fileOf(input), { http: io.http, s3: io.s3 });
    const lines = new Lines(io.out);
    const given = fileOf(input);
    for (const { name } of file.tracks) await lines.line(name === '' ? given : `${given}:${name}`);
    await lines.flush();
    file.close();
    return 0;
  },
};

/** Merges several files into one. */
export const mergeCommand: D4Command = {
  name: 'merge',
  summary: 'merge D4 files into one file with a track for each',
  description: 'A track is named after its file, or by a name that follows the file after a colon: FILE:NAME.',
  arguments: [filesArgument],
  options: [forceOption],
  async run(input, io) {
    const { inputs, output } = inputsAndOutput(input);
    await mergeD4(output, inputs.map(named), io.progress, { http: io.http, s3: io.s3 });
    return 0;
  },
};

function named(given: string): MergeInput {
  const [, path, name] = existsSync(given) ? [] : (/^(.+):([^:/]+)$/.exec(given) ?? []);
  return path && name ? { path, name } : { path: given, name: parse(given).name };
}
