/** `erase`. */
import type { Command } from '../../../core/commands.js';
import { Fault, isFault } from '../../../core/plugin.js';
import { type Erased, erasePatient, type Whose } from '../removal/erasure.js';
import { many } from './text.js';

interface EraseOptions {
  patient: string;
  of?: string;
  everywhere?: boolean;
  yes?: boolean;
}

export const erase: Command<unknown> = {
  name: 'erase',
  summary: 'Take out everything there is about a person, whoever asked or was answered',
  description:
    'Deletes the patient, the records of matches in which it was the query, and its part of the others; notifications that ' +
    'wait; its id in the audit trail, which keeps what was done, and the erasure, under a name that leads back to no id. ' +
    'An id is unique on one node only: of what other ' +
    'nodes answered and other clients asked under the same id nothing is erased, and the command says what there is; ' +
    '--of erases that of one of them, --everywhere all. What other nodes were sent is theirs to erase: the ' +
    'audit trail says which were ("list audit", before erasing). On SQLite the database file and its log are then ' +
    'rewritten without what was deleted; writes of servers wait meanwhile, and if it fails the command says so and may be ' +
    'repeated. On PostgreSQL traces are left in its files until its administrator runs "vacuum full" and its log has ' +
    'moved on (see config/README.md). Backups are not touched.',
  examples: ['erase --patient P0001058', 'erase --patient P0001058 --of partner'],
  options: [
    { flags: '--patient <id>', description: 'id of the patient', required: true },
    { flags: '--of <name>', description: 'not the patient of this node, but that of this other node or client' },
    { flags: '--everywhere', description: 'whoever calls a patient so: all of them are one person' },
    { flags: '--yes', description: 'do not ask' },
  ],
  async run(context, input) {
    const { patient, yes, ...options } = input.options as unknown as EraseOptions;
    const whose = whoseOf(options);
    const { terminal } = context;
    if (!yes && !(await terminal.confirm('Erasing cannot be undone. Do you want to continue?'))) {
      terminal.note('Nothing was erased. (Where nobody can be asked, --yes stands for the answer.)');
      return 1;
    }
    const erased = await erasePatient(context, patient, whose);
    const { left } = erased;
    // Also if nothing was erased now: a command that was repeated has this left to do.
    const purged = await context.purge().catch((error: unknown) => {
      if (!isFault(error)) throw error;
      const sentence = 'What was deleted may have left traces in the files of the database: repeat the command';
      throw new Fault(error.code, `${sentence} (${error.message})`, { cause: error });
    });
    if (!erased.patient && erased.records === 0) throw nothingErased(erased);
    terminal.print(
      `Erased ${erased.patient ? 'the patient' : 'no patient'} and its part of ${many(erased.records, 'record')} of matches`,
    );
    terminal.note(`Entries of the audit trail that name it no more: ${erased.entries}.`);
    if (!purged)
      terminal.note(
        'The files of the database server hold traces until its administrator removes them (see config/README.md).',
      );
    for (const [name, records] of Object.entries(left)) {
      terminal.note(`"${name}" has a patient of this id, too, in ${many(records, 'record')}, which stays (see --of).`);
    }
    terminal.data(erased);
    return 0;
  },
};

function whoseOf({ of, everywhere }: Pick<EraseOptions, 'of' | 'everywhere'>): Whose | undefined {
  if (of !== undefined && everywhere) throw new Fault('invalid', 'Either --of or --everywhere, not both');
  if (everywhere) return 'anybody';
  return of === undefined ? undefined : { of };
}

function nothingErased({ left }: Erased): Fault {
  const others = Object.keys(left).map((name) => `"${name}"`);
  const more = others.length === 0 ? '' : `; ${others.join(' and ')} may have one (see --of)`;
  return new Fault(
    'not-found',
    `There is no patient of this id, and no record of one (what there was beside is erased, from files, too)${more}`,
  );
}
