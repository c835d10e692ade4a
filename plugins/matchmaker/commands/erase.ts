/** `erase`. */
import { type Command, confirmed, counted } from '../../../core/commands.js';
import { Fault, isFault } from '../../../core/plugin.js';
import { type Erased, erasePatient, personOf, type Whose } from '../removal/erasure.js';
import type { MatchmakerSettings } from '../settings.js';

interface EraseOptions {
  patient: string;
  of?: string;
  everywhere?: boolean;
  yes?: boolean;
}

export const erase: Command<MatchmakerSettings> = {
  name: 'erase',
  summary: 'Erase all data about a person',
  description:
    'Deletes the patient, the records of matches in which it was the query, its part of all others, and pending ' +
    'notifications. The audit trail keeps its entries, and the erasure, under a random name in place of the id. Ids are ' +
    'unique on one node only: what other nodes returned or other clients queried under the same id is not erased but ' +
    'reported; --of erases that of one of them, --everywhere that of all. Other nodes have to erase what they were sent; ' +
    '"list audit" shows which they are, before the erasure. Other plugins first erase what they store about the person; ' +
    'if one fails, nothing is erased here and the command can be repeated. On SQLite the database file and its log are rewritten ' +
    'without the deleted data; servers cannot write meanwhile, and if it fails the command says so and can be repeated. ' +
    'On PostgreSQL traces remain in its files until an administrator runs "vacuum full" and its log has been recycled ' +
    '(see config/README.md). Backups are not changed.',
  examples: ['erase --patient P0001058', 'erase --patient P0001058 --of partner'],
  options: [
    { flags: '--patient <id>', description: 'id of the patient', required: true },
    { flags: '--of <name>', description: 'erase the patient of this other node or client instead' },
    { flags: '--everywhere', description: 'erase the patients of all nodes and clients with this id' },
    { flags: '--yes', description: 'do not ask for confirmation' },
  ],
  async run(context, input) {
    const { patient, yes, ...options } = input.options as unknown as EraseOptions;
    const asked = whoseOf(options);
    const { terminal } = context;
    const question = 'Erasing cannot be undone. Do you want to continue?';
    if (!(await confirmed(terminal, { question, yes, otherwise: 'Nothing was erased' }))) return 1;
    // First what other plugins store: if one fails, the patient is still here and the command can be repeated.
    const about = { ...context, isRecorded: context.audit.enabled, triage: context.settings.triage !== undefined };
    const { whose, erasure } = await personOf(about, patient, asked);
    await context.announceErasure(erasure);
    const erased = await erasePatient(about, patient, whose);
    const { left } = erased;
    // Even if nothing was erased now: a repeated command may have only this left to do.
    const purged = await context.purge().catch((error: unknown) => {
      if (!isFault(error)) throw error;
      const sentence = 'Deleted data may have left traces in the files of the database: repeat the command';
      throw new Fault(error.code, `${sentence} (${error.message})`, { cause: error });
    });
    if (!erased.patient && erased.records === 0 && erased.rows === 0) throw nothingErased(erased);
    terminal.print(
      `Erased ${erased.patient ? 'the patient' : 'no patient'} and its part of ${counted(erased.records, 'record')} of matches`,
    );
    if (erased.rows > 0) terminal.note(`Rows of matches with it, with what people noted: ${erased.rows}.`);
    terminal.note(`Entries of the audit trail that no longer name it: ${erased.entries}.`);
    if (!purged)
      terminal.note(
        'The files of the database server keep traces until an administrator removes them (see config/README.md).',
      );
    for (const [name, records] of Object.entries(left)) {
      terminal.note(
        `"${name}" also has a patient with this id, in ${counted(records, 'record')}, which was not erased (see --of).`,
      );
    }
    terminal.data(erased);
    return 0;
  },
};

function whoseOf({ of, everywhere }: Pick<EraseOptions, 'of' | 'everywhere'>): Whose | undefined {
  if (of !== undefined && everywhere) throw new Fault('invalid', 'Use either --of or --everywhere, not both');
  if (everywhere) return 'anybody';
  return of === undefined ? undefined : { of };
}

function nothingErased({ left }: Erased): Fault {
  const others = Object.keys(left).map((name) => `"${name}"`);
  const more = others.length === 0 ? '' : `; ${others.join(' and ')} may have one (see --of)`;
  return new Fault(
    'not-found',
    `There is no patient with this id, and no record of one (anything else under this id was erased)${more}`,
  );
}
