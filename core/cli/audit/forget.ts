/** `trefoil audit forget`. */
import { recordForgotten } from '../../audit/eraser.js';
import { callerNames, isPersonal } from '../../audit/names.js';
import { confirmed } from '../../command-input.js';
import { Fault } from '../../fault.js';
import type { CoreCommand } from '../core-command.js';
import { aboutOptions, namesIn } from './selection.js';
import { withAudit } from './session.js';

export const forget: CoreCommand = {
  name: 'audit forget',
  summary: 'destroy the key by which the audit names a person',
  description:
    'The entries stay and can still be verified, but nobody can tell any more whom they are about, or whose they are: ' +
    'neither by this command nor with the key of the server. This cannot be undone, except from a backup. `trefoil erase` ' +
    'does it for the people that it erases.',
  options: [
    ...aboutOptions.filter(({ flags }) => !flags.startsWith('--dataset')),
    { flags: '--actor <name...>', description: 'callers, as `audit list` shows them', repeatable: true },
    { flags: '--yes', description: 'do not ask for confirmation' },
  ],
  examples: ['audit forget --sample ADM1059A1', 'audit forget --actor token:erna'],
  async run(context, { options }) {
    const { terminal } = context;
    const people = await namesIn(options);
    const callers = ((options.actor as string[] | undefined) ?? []).map((name) => callerNames(name));
    if (people.length + callers.length === 0) {
      throw new Fault('invalid', 'Say whom: --sample, --sample-file, --case, --patient or --actor');
    }
    const question = 'The audit will never name them again. Do you want to continue?';
    const yes = options.yes === true;
    if (!(await confirmed(terminal, { question, yes, otherwise: 'Nobody was forgotten' }))) return 1;
    const wanted = [...people.map((name) => [name]), ...callers];
    const count = await withAudit(context, async (session) => {
      const { repository, keys, record } = session;
      const lookups = wanted
        .flat()
        .filter(isPersonal)
        .map((name) => keys.lookup(name));
      const known = await repository.people([...new Set(lookups)]);
      if (known.length === 0) throw new Fault('not-found', 'No entry of the audit names them');
      const event = { action: 'audit.forget', because: undefined, outcome: 'done', detail: { people: known.length } };
      await recordForgotten(known, event, record);
      let forgotten = 0;
      for (const { lookup } of known) if (await repository.forget(lookup)) forgotten += 1;
      return forgotten;
    });
    terminal.data({ forgotten: count });
    terminal.print(`Forgotten: ${count} of ${wanted.length}`);
    return 0;
  },
};
