/** `erase`. */
import { type Command, Fault } from '../../../core/plugin.js';
import { type Erased, erasePatient, type Whose } from '../patient/erasure.js';
import { many } from './table.js';

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
    'wait; its id in the audit trail, but for the entry of the erasure. An id is unique on one node only: of what other ' +
    'nodes answered and other clients asked under the same id nothing is erased, and the command says what there is; ' +
    '--of erases that of one of them, --everywhere all. What other nodes were sent is theirs to erase: the ' +
    'audit trail says which were ("list audit", before erasing). On PostgreSQL the rows are gone from the files after the ' +
    'next vacuum; on SQLite after the write-ahead log is put back, at the latest when the servers have stopped. Backups ' +
    'are not touched.',
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
    if (!erased.patient && erased.records === 0) throw nothingErased(erased);
    terminal.print(
      `Erased ${erased.patient ? 'the patient' : 'no patient'} and its part of ${many(erased.records, 'record')} of matches`,
    );
    terminal.note(`The audit trail names it ${erased.name} from here on.`);
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
    `There is no patient of this id, and no record of one (what there was beside is erased)${more}`,
  );
}
