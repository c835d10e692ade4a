/** `export`. */
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Command, counted } from '../../../core/commands.js';
import { writeWhole } from '../../../core/files.js';
import { Fault } from '../../../core/plugin.js';
import { trailOfCommand } from '../audit/trail.js';
import { type MatchmakerRepository, matchmaker, type Patient } from '../contract.js';
import { allPatients } from './patients.js';

export const exportPatients: Command<unknown> = {
  name: 'export',
  summary: 'Export patients as a JSON list, as they were sent',
  options: [
    { flags: '--owner <client>', description: 'only patients of this client' },
    {
      flags: '--out <file>',
      description: 'file to write, compressed if its name ends in .gz; if omitted, standard output',
    },
  ],
  async run(context, input) {
    const { owner, out } = input.options as { owner?: string; out?: string };
    const { terminal, signal } = context;
    if (terminal.json && out === undefined)
      throw new Fault('invalid', '--json needs --out, the file to write the patients to');
    const repository = await context.repository(matchmaker);
    const trail = trailOfCommand(context);
    const by = { owner: 'cli', isOperator: true, because: 'command line' };
    const noted = (portion: readonly Patient[]) =>
      trail.add([{ by, action: 'read', patients: portion.map(({ id }) => id) }]);
    const tally = { patients: 0 };
    const text = Readable.from(listed(portions(repository, { owner }), noted, tally));
    if (out === undefined) await pipeline(text, process.stdout, { signal, end: false });
    else await writeWhole(out, (target) => written(text, target, out.endsWith('.gz'), signal), signal);
    const summary = `Exported ${counted(tally.patients, 'patient')}`;
    if (out === undefined) terminal.note(summary);
    else terminal.print(`${summary} to ${out}`);
    terminal.data({ patients: tally.patients, out });
    return 0;
  },
};

/** Each patient is in the audit trail before it is written. */
async function* listed(
  all: AsyncIterable<readonly Patient[]>,
  noted: (portion: readonly Patient[]) => Promise<void>,
  tally: { patients: number },
): AsyncGenerator<string> {
  yield '[';
  for await (const portion of all) {
    await noted(portion);
    for (const patient of portion) yield `${tally.patients++ === 0 ? '' : ','}\n${JSON.stringify(patient)}`;
  }
  yield '\n]\n';
}

const portionSize = 500;

async function* portions(
  repository: Pick<MatchmakerRepository, 'patients'>,
  only: { owner?: string },
): AsyncGenerator<Patient[]> {
  let portion: Patient[] = [];
  for await (const { patient } of allPatients(repository, only)) {
    portion.push(patient);
    if (portion.length < portionSize) continue;
    yield portion;
    portion = [];
  }
  if (portion.length > 0) yield portion;
}

async function written(text: Readable, target: Writable, gzip: boolean, signal: AbortSignal): Promise<void> {
  if (gzip) await pipeline(text, createGzip(), target, { signal });
  else await pipeline(text, target, { signal });
}
