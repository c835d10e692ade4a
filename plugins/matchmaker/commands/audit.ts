/** `list audit`: who saw or changed which patients. */
import { type Command, dayOf, table } from '../../../core/commands.js';
import { matchmakerAudit } from '../contract.js';

interface AuditOptions {
  patient?: string;
  actor?: string;
  since?: string;
}

const pageSize = 1000;

export const listAudit: Command<unknown> = {
  name: 'list audit',
  summary: 'List who saw or changed which patients',
  description:
    'Actions: add and delete (a client changed the patient), match (a query found it), send (it was sent to a node), ' +
    'receive (a node returned it), read (the patient or its matches were read or exported), erase. If the configuration has ' +
    'an audit, new entries are there (`trefoil audit list --action matchmaker`), and this list has those from before.',
  examples: ['list audit --patient P0001058', 'list audit --actor scout --since 2026-01-01'],
  options: [
    { flags: '--patient <id>', description: 'only entries about this patient' },
    { flags: '--actor <id>', description: 'only entries of this client, or of node:<id>' },
    { flags: '--since <date>', description: 'only entries from this day on, such as 2030-01-31' },
  ],
  async run(context, input) {
    const { patient, actor, since } = input.options as AuditOptions;
    const from = since === undefined ? undefined : dayOf(since);
    const repository = await context.repository(matchmakerAudit);
    const shown: { at: string; actor: string; action: string; patient: string; query?: string; purpose?: string }[] =
      [];
    for (let after = 0; ; ) {
      const page = await repository.entries({ patient, actor, since: from, after, limit: pageSize });
      for (const { number, at, ...entry } of page) {
        shown.push({ at: at.toISOString(), ...entry });
        after = number;
      }
      if (page.length < pageSize) break;
    }
    const rows = shown.map(({ at, actor, action, patient, query = '', purpose = '' }) => {
      return [at, actor, action, patient, query, purpose];
    });
    const headings = ['TIME', 'ACTOR', 'ACTION', 'PATIENT', 'QUERY', 'PURPOSE'];
    for (const line of rows.length === 0 ? ['There are no entries'] : table(headings, rows))
      context.terminal.print(line);
    if (context.audit.enabled) {
      context.terminal.note('New entries are in the audit of the server: trefoil audit list --action matchmaker');
    }
    context.terminal.data(shown);
    return 0;
  },
};
