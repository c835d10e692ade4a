/** `trefoil erase`. */
import { replayErasures } from '../erasures/replay.js';
import { Fault } from '../fault.js';
import { counted } from '../terminal-text.js';
import { type Assembled, withAll } from './assembled.js';
import type { CoreCommand, CoreContext } from './core-command.js';
import { erasePeople, linesOf, noList, purge } from './erasing.js';

interface Options {
  sample?: string[];
  patient?: string[];
  case?: string[];
  fromSharing?: boolean;
  receipt?: string;
  replay?: boolean;
  yes?: boolean;
}

export const erase: CoreCommand = {
  name: 'erase',
  summary: 'erase all data about a person, in all plugins',
  description:
    'Shows what would be erased, by plugin, and erases it once it is confirmed: samples of datasets and of the coverage ' +
    'registry with all that is kept of them, and the patient of the matchmaker. Further ids under which the server knows ' +
    'the same sample are included. Without --patient, the patient has the id of the sample. The erasure is first put on a ' +
    'list outside the database, which is replayed at the next start if an older backup was restored. On SQLite the ' +
    'database file is then rewritten without the erased data; servers cannot write meanwhile. Files that were loaded or ' +
    'registered, backups, and what other servers were sent are not changed. If it fails, the same command erases what is left.',
  options: [
    { flags: '--sample <id>', description: 'a sample', repeatable: true },
    { flags: '--case <id>', description: 'a case: all of its samples', repeatable: true },
    { flags: '--patient <id>', description: 'the patient of the matchmaker, if it has another id', repeatable: true },
    {
      flags: '--from-sharing',
      description:
        'keep the clinical record, erase from what others find, count or compare with, and note a standing objection',
    },
    { flags: '--receipt <file>', description: 'also write the receipt to this new file, as JSON' },
    { flags: '--replay', description: 'erase again what is on the list, after an older backup was restored' },
    { flags: '--yes', description: 'do not ask for confirmation' },
  ],
  examples: [
    'erase --sample ADM1059A1',
    'erase --sample ADM1059A1 --from-sharing',
    'erase --sample ADM1059A1 --patient P0001058 --receipt receipt.json --yes',
  ],
  async run(context, input) {
    const { replay, sample = [], patient = [], case: cases = [], receipt, yes, fromSharing } = input.options as Options;
    const ids = [...sample, ...patient, ...cases];
    if (replay ? ids.length > 0 : ids.length === 0) {
      throw new Fault('invalid', 'Give --sample, --case or --patient, or only --replay');
    }
    if (replay && fromSharing) throw new Fault('invalid', 'Use --replay alone: it repeats objections as well');
    if (ids.includes('')) throw new Fault('invalid', 'An id must not be empty');
    const tools = { now: context.now };
    const scope = fromSharing ? ('sharing' as const) : ('all' as const);
    const request = { samples: sample, patients: patient, cases, scope, receipt, yes };
    return withAll(context.configuration, tools, (all) =>
      replay ? replayList(context, all) : erasePeople(context, all, request),
    );
  },
};

async function replayList({ terminal }: CoreContext, all: Assembled): Promise<number> {
  if (all.erasing.list.file === undefined) throw noList();
  await all.erasing.confirm();
  const { listed, found, later } = await replayErasures(all.erasing);
  const purged = await purge(all);
  const number = `${counted(listed, 'erasure')} on the list`;
  terminal.print(found.length === 0 ? `Nothing to erase: ${number}` : `Erased again, by ${number}:`);
  for (const line of linesOf(found)) terminal.print(line);
  if (later.length > 0) terminal.print('Stored after the erasure, and not erased:');
  for (const line of linesOf(later)) terminal.print(line);
  terminal.data({ listed, erased: found, later, purged });
  return 0;
}
