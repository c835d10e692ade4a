/** `trefoil erasures …`: the list of erasures. */
import { confirmed } from '../command-input.js';
import { listName } from '../erasures/confirm.js';
import { Fault } from '../fault.js';
import { counted } from '../terminal-text.js';
import { type Assembled, withAll } from './assembled.js';
import type { CoreCommand, CoreContext } from './core-command.js';
import { noList } from './erasing.js';

const accept: CoreCommand = {
  name: 'erasures accept',
  summary: 'accept the list of erasures as it is, although it lost lines',
  description:
    'A server does not start if the key file of the list, the database or the audit knows more lines than the list has, or if ' +
    'a line is damaged: people whose lines are lost come back with an older backup. Restore the list if you can. If not, this ' +
    'command goes on with the lines that can be read, and the audit has that. Erase people of whom you know by other means again.',
  options: [{ flags: '--yes', description: 'do not ask for confirmation' }],
  examples: ['erasures accept'],
  run: (context, { options }) =>
    withAll(context.configuration, { now: context.now }, (all) => acceptList(context, all, options.yes === true)),
};

async function acceptList({ terminal }: CoreContext, all: Assembled, yes: boolean): Promise<number> {
  const { list, now, knownToAudit } = all.erasing;
  if (list.file === undefined) throw noList();
  const found = await list.look();
  const known = Math.max(found.known, await knownToAudit());
  if (found.problem === undefined && found.end.number >= known) {
    throw new Fault('conflict', `Nothing is wrong with the list of erasures ${list.file}: there is nothing to accept`);
  }
  const [read, unreadable] = [found.records.length, found.unreadable];
  const line = known + 1;
  terminal.note(
    `The list of erasures ${list.file} has ${counted(read, 'line')} that can be read, and ${unreadable} that cannot.`,
  );
  terminal.note(`It has or had at least ${counted(known, 'line')}.`);
  const question = 'People of the other lines will come back with an older backup. Do you want to continue?';
  if (!(await confirmed(terminal, { question, yes, otherwise: 'Nothing was accepted' }))) return 1;
  // First the audit: a list that was accepted has an entry.
  const detail = { read, unreadable, known, line };
  await all.audit.record({
    action: 'erasures.accept',
    about: [listName],
    because: 'command line',
    outcome: 'accepted',
    detail,
  });
  await list.accept(now(), known);
  terminal.print(`Accepted: ${counted(read, 'line')} of ${list.file}`);
  terminal.data({ list: list.file, ...detail });
  return 0;
}

export const erasuresCommands: readonly CoreCommand[] = [accept];
