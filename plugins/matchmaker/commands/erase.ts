/** `erase`. */
import { type Command, Fault } from '../../../core/plugin.js';
import { erasePatient } from '../patient/deletion.js';
import { many } from './table.js';

export const erase: Command<unknown> = {
  name: 'erase',
  summary: 'Take out everything there is about a person, whoever asked or was answered',
  description:
    'Deletes the patient, the records of matches in which it was the query, and its part of the others; notifications that ' +
    'wait; its id in the audit trail, but for the entry of the erasure. What other nodes were sent is theirs to erase: the ' +
    'audit trail says which were ("list audit", before erasing). On PostgreSQL the rows are gone from the files after the ' +
    'next vacuum; on SQLite after the write-ahead log is put back, at the latest when the servers have stopped. Backups ' +
    'are not touched.',
  examples: ['erase --patient P0001058'],
  options: [
    { flags: '--patient <id>', description: 'id of the patient', required: true },
    { flags: '--yes', description: 'do not ask' },
  ],
  async run(context, input) {
    const { patient, yes } = input.options as { patient: string; yes?: boolean };
    const { terminal } = context;
    if (!yes && !(await terminal.confirm('Erasing cannot be undone. Do you want to continue?'))) {
      terminal.note('Nothing was erased. (Where nobody can be asked, --yes stands for the answer.)');
      return 1;
    }
    const erased = await erasePatient(context, patient);
    if (!erased.patient && erased.records === 0) {
      throw new Fault(
        'not-found',
        'There is no patient of this id, and no record of one (what there was beside is erased)',
      );
    }
    terminal.print(
      `Erased ${erased.patient ? 'the patient' : 'no patient'} and its part of ${many(erased.records, 'record')} of matches`,
    );
    terminal.note(`The audit trail names it ${erased.name} from here on.`);
    terminal.data(erased);
    return 0;
  },
};
