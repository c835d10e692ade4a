/** `remove patient`, `list patients`, `update contact`. */
import { type Command, confirmed, counted, table } from '../../../core/commands.js';
import { Fault } from '../../../core/plugin.js';
import { trailOfCommand } from '../audit/trail.js';
import { type Contact, type MatchmakerRepository, matchmaker, type StoredPatient } from '../contract.js';
import { contactHref } from '../patient/contact.js';
import { submitterOf } from '../patient/keys.js';
import { deletePatient } from '../removal/erasure.js';
import type { MatchmakerSettings } from '../settings.js';

interface RemoveOptions {
  id?: string;
  label?: string;
  remove_matches?: boolean;
  leave_matches?: boolean;
}

const by = { owner: 'cli', isOperator: true, because: 'command line' };
const operator = { owner: 'cli', all: true, by };
const pageSize = 500;

export const removePatient: Command<MatchmakerSettings> = {
  name: 'remove patient',
  summary: 'Delete a patient and the records of matches in which it was the query',
  options: [
    { flags: '-i, --id <id>', description: 'id of the patient' },
    { flags: '-l, --label <label>', description: 'label; all patients with this label are deleted' },
    { flags: '--remove_matches', description: 'delete the records too (the default)' },
    { flags: '--leave_matches', description: 'keep the records' },
  ],
  async run(context, input) {
    const options = input.options as RemoveOptions;
    if (options.id === undefined && options.label === undefined) {
      throw new Fault('invalid', 'The patient is required: --id or --label');
    }
    if (options.remove_matches && options.leave_matches) {
      throw new Fault('invalid', 'Use either --remove_matches or --leave_matches, not both');
    }
    const chosen = await chosenPatients(await context.repository(matchmaker), options);
    const trail = trailOfCommand(context);
    let [removed, records] = [0, 0];
    for (const id of chosen) {
      const deleted = await deletePatient(trail, id, operator, {
        leaveMatches: options.leave_matches === true,
        scrub: context.settings.scrubOnDelete,
        triage: context.settings.triage !== undefined,
      });
      if (deleted.patient) removed++;
      records += deleted.records;
    }
    context.terminal.data({ removed, records });
    if (removed === 0) throw new Fault('not-found', 'There is no such patient');
    context.terminal.print(`Number of patients removed: ${removed} (${counted(records, 'record')} of matches)`);
    return 0;
  },
};

async function chosenPatients(
  repository: Pick<MatchmakerRepository, 'patient' | 'patients'>,
  { id, label }: RemoveOptions,
): Promise<string[]> {
  if (id !== undefined) {
    const stored = await repository.patient(id);
    const fits = stored !== undefined && (label === undefined || stored.patient.label === label);
    return fits ? [id] : [];
  }
  const ids: string[] = [];
  for await (const stored of allPatients(repository, { label })) ids.push(stored.patient.id);
  return ids;
}

/** In pages, by number. */
export async function* allPatients(
  repository: Pick<MatchmakerRepository, 'patients'>,
  only: { owner?: string; label?: string },
): AsyncGenerator<StoredPatient> {
  let after: number | undefined;
  for (;;) {
    const page = await repository.patients({ ...only, after, limit: pageSize });
    yield* page;
    after = page.at(-1)?.number;
    if (after === undefined) return;
  }
}

export const listPatients: Command<unknown> = {
  name: 'list patients',
  summary: 'List the patients, without their data',
  options: [
    { flags: '--owner <client>', description: 'only patients of this client' },
    { flags: '-l, --label <label>', description: 'only patients with exactly this label' },
  ],
  async run(context, input) {
    const only = input.options as { owner?: string; label?: string };
    const { terminal } = context;
    const shown: { id: string; label?: string; owner: string; contact: string; updated: string }[] = [];
    for await (const { patient, owner, updated } of allPatients(await context.repository(matchmaker), only)) {
      const { id, label, contact } = patient;
      shown.push({ id, label, owner, contact: contact.href, updated: updated.toISOString() });
    }
    const trail = trailOfCommand(context);
    // The matchmaker's own trail never had such lists.
    if (trail.joined && shown.length > 0)
      await trail.add([{ by, action: 'read', patients: shown.map(({ id }) => id) }]);
    const rows = shown.map(({ id, label = '', owner, contact, updated }) => [id, label, owner, contact, updated]);
    const lines =
      rows.length === 0 ? ['There are no patients'] : table(['ID', 'LABEL', 'OWNER', 'CONTACT', 'UPDATED'], rows);
    for (const line of lines) terminal.print(line);
    terminal.data(shown);
    return 0;
  },
};

interface ContactOptions {
  oldHref: string;
  href: string;
  name: string;
  institution?: string;
  yes?: boolean;
}

export const updateContact: Command<unknown> = {
  name: 'update contact',
  summary: 'Replace a contact in all of its patients',
  options: [
    {
      flags: '-o, --old-href <text>',
      description: 'the old address, or a part of it that no other contact contains',
      required: true,
    },
    {
      flags: '-h, --href <href>',
      description: 'the new address: http(s), mailto: or an e-mail address',
      required: true,
    },
    { flags: '-n, --name <name>', description: 'the new name', required: true },
    { flags: '--institution <name>', description: 'the new institution' },
    { flags: '--yes', description: 'do not ask for confirmation' },
  ],
  async run(context, input) {
    const { oldHref, href: sent, name, institution, yes } = input.options as unknown as ContactOptions;
    const href = contactHref(sent);
    if (href === undefined) throw new Fault('invalid', `"${sent}" is neither an http(s) address nor an e-mail address`);
    if (name.trim() === '') throw new Fault('invalid', 'The name of a contact must not be empty');
    const repository = await context.repository(matchmaker);
    const all = await repository.contacts();
    const part = oldHref.toLowerCase();
    const exact = all.filter((contact) => contact.href === oldHref || contact.href === contactHref(oldHref));
    const found = exact.length > 0 ? exact : all.filter((contact) => contact.href.toLowerCase().includes(part));
    const [old] = found;
    if (!old) throw new Fault('not-found', `No patient has a contact whose address contains "${oldHref}"`);
    if (found.length > 1) {
      const named = found.map((contact) => contact.href).join(', ');
      throw new Fault(
        'unprocessable',
        `The addresses of several contacts contain "${oldHref}": ${named}. Nothing was changed`,
      );
    }
    const { terminal } = context;
    const question = `Replacing the contact ${old.href} of ${counted(old.patients, 'patient')}. Do you want to continue?`;
    if (!(await confirmed(terminal, { question, yes, otherwise: 'Nothing was changed' }))) return 1;
    const contact: Contact = { name, href, institution };
    const updated = await repository.replaceContact(old.href, contact, submitterOf(href), context.now());
    terminal.print(`Contact of ${counted(updated, 'patient')} was updated`);
    terminal.data({ old: old.href, contact, updated });
    return 0;
  },
};
