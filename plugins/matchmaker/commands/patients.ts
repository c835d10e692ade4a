/** `list patients`, `export`, `update contact`, `remove patient`, `erase`: the stored patients. */
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Command, command, confirmed, counted, printTable } from '../../../core/commands.js';
import { writeWhole } from '../../../core/files.js';
import { Fault } from '../../../core/plugin.js';
import { trailOfCommand } from '../audit/trail.js';
import { type Contact, type MatchmakerRepository, matchmaker, type StoredPatient } from '../contract.js';
import { deletePatient, type ErasedCounts, erasePatient, type PatientScope, personOfId } from '../erasure.js';
import { contactHref, submitterOfAddress } from '../patients/patient.js';
import type { MatchmakerSettings } from '../settings.js';

const by = { owner: 'cli', isOperator: true, because: 'command line' };
const operator = { owner: 'cli', all: true, by };
const pageSize = 500;

export const removePatient: Command<MatchmakerSettings> = command({
  name: 'remove patient',
  summary: 'Delete a patient and the records of matches in which it was the query',
  options: [
    { flags: '-i, --id <id>', description: 'id of the patient' },
    { flags: '-l, --label <label>', description: 'label; all patients with this label are deleted' },
    { flags: '--remove_matches', description: 'delete the records too (the default)' },
    { flags: '--leave_matches', description: 'keep the records' },
  ],
  async run(context, { options }) {
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
});

async function chosenPatients(
  repository: Pick<MatchmakerRepository, 'patient' | 'patients'>,
  { id, label }: { id?: string; label?: string },
): Promise<string[]> {
  if (id !== undefined) {
    const stored = await repository.patient(id);
    const fits = stored !== undefined && (label === undefined || stored.patient.label === label);
    return fits ? [id] : [];
  }
  const ids: string[] = [];
  for await (const page of patientPages(repository, { label })) ids.push(...page.map(({ patient }) => patient.id));
  return ids;
}

/** By number. */
export async function* patientPages(
  repository: Pick<MatchmakerRepository, 'patients'>,
  only: { owner?: string; label?: string },
): AsyncGenerator<StoredPatient[]> {
  for (let after: number | undefined; ; ) {
    const page = await repository.patients({ ...only, after, limit: pageSize });
    after = page.at(-1)?.number;
    if (after === undefined) return;
    yield page;
  }
}

export const listPatients: Command<unknown> = command({
  name: 'list patients',
  summary: 'List the patients, without their data',
  options: [
    { flags: '--owner <client>', description: 'only patients of this client' },
    { flags: '-l, --label <label>', description: 'only patients with exactly this label' },
  ],
  async run(context, { options: only }) {
    const { terminal } = context;
    const shown: { id: string; label?: string; owner: string; contact: string; updated: string }[] = [];
    for await (const page of patientPages(await context.repository(matchmaker), only)) {
      for (const { patient, owner, updated } of page) {
        const { id, label, contact } = patient;
        shown.push({ id, label, owner, contact: contact.href, updated: updated.toISOString() });
      }
    }
    const trail = trailOfCommand(context);
    // The matchmaker's own trail never had such lists.
    if (trail.joined && shown.length > 0)
      await trail.add([{ by, action: 'read', patients: shown.map(({ id }) => id) }]);
    const columns = { ID: 'id', LABEL: 'label', OWNER: 'owner', CONTACT: 'contact', UPDATED: 'updated' } as const;
    printTable(terminal, shown, columns, 'There are no patients', '');
    terminal.data(shown);
    return 0;
  },
});

export const updateContact: Command<unknown> = command({
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
  async run(context, { options: { oldHref, href: sent, name, institution, yes } }) {
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
    const updated = await repository.replaceContact(old.href, contact, submitterOfAddress(href), context.now());
    terminal.print(`Contact of ${counted(updated, 'patient')} was updated`);
    terminal.data({ old: old.href, contact, updated });
    return 0;
  },
});

// `export`.

export const exportPatients: Command<unknown> = command({
  name: 'export',
  summary: 'Export patients as a JSON list, as they were sent',
  options: [
    { flags: '--owner <client>', description: 'only patients of this client' },
    {
      flags: '--out <file>',
      description: 'file to write, compressed if its name ends in .gz; if omitted, standard output',
    },
  ],
  async run(context, { options: { owner, out } }) {
    const { terminal, signal } = context;
    if (terminal.json && out === undefined)
      throw new Fault('invalid', '--json needs --out, the file to write the patients to');
    const repository = await context.repository(matchmaker);
    const trail = trailOfCommand(context);
    const noted = (page: readonly StoredPatient[]) =>
      trail.add([{ by, action: 'read', patients: page.map(({ patient }) => patient.id) }]);
    const tally = { patients: 0 };
    const text = Readable.from(exportedPatients(patientPages(repository, { owner }), noted, tally));
    if (out === undefined) await pipeline(text, process.stdout, { signal, end: false });
    else await writeWhole(out, (target) => writeExport(text, target, out.endsWith('.gz'), signal), signal);
    const summary = `Exported ${counted(tally.patients, 'patient')}`;
    if (out === undefined) terminal.note(summary);
    else terminal.print(`${summary} to ${out}`);
    terminal.data({ patients: tally.patients, out });
    return 0;
  },
});

/** Each patient is in the audit trail before it is written. */
async function* exportedPatients(
  pages: AsyncIterable<readonly StoredPatient[]>,
  noted: (page: readonly StoredPatient[]) => Promise<void>,
  tally: { patients: number },
): AsyncGenerator<string> {
  yield '[';
  for await (const page of pages) {
    await noted(page);
    for (const { patient } of page) yield `${tally.patients++ === 0 ? '' : ','}\n${JSON.stringify(patient)}`;
  }
  yield '\n]\n';
}

async function writeExport(text: Readable, target: Writable, gzip: boolean, signal: AbortSignal): Promise<void> {
  if (gzip) await pipeline(text, createGzip(), target, { signal });
  else await pipeline(text, target, { signal });
}

// `erase`.

export const erase: Command<MatchmakerSettings> = command({
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
    '(see config/erasure.md). Backups are not changed.',
  examples: ['erase --patient P0001058', 'erase --patient P0001058 --of partner'],
  options: [
    { flags: '--patient <id>', description: 'id of the patient', required: true },
    { flags: '--of <name>', description: 'erase the patient of this other node or client instead' },
    { flags: '--everywhere', description: 'erase the patients of all nodes and clients with this id' },
    { flags: '--yes', description: 'do not ask for confirmation' },
  ],
  async run(context, { options: { patient, yes, ...options } }) {
    const asked = whoseOf(options);
    const { terminal } = context;
    const question = 'Erasing cannot be undone. Do you want to continue?';
    if (!(await confirmed(terminal, { question, yes, otherwise: 'Nothing was erased' }))) return 1;
    // First what other plugins store: if one fails, the patient is still here and the command can be repeated.
    const about = { ...context, isRecorded: context.audit.enabled, triage: context.settings.triage !== undefined };
    const { whose, erasure } = await personOfId(about, patient, asked);
    await context.announceErasure(erasure);
    const erased = await erasePatient(about, patient, whose);
    const { left } = erased;
    // Even if nothing was erased now: a repeated command may have only this left to do.
    const purged = await context.purge();
    if (!erased.patient && erased.records === 0 && erased.rows === 0) throw nothingErased(erased);
    terminal.print(
      `Erased ${erased.patient ? 'the patient' : 'no patient'} and its part of ${counted(erased.records, 'record')} of matches`,
    );
    if (erased.rows > 0) terminal.note(`Rows of matches with it, with what people noted: ${erased.rows}.`);
    terminal.note(`Entries of the audit trail that no longer name it: ${erased.entries}.`);
    if (!purged)
      terminal.note(
        'The files of the database server keep traces until an administrator removes them (see config/erasure.md).',
      );
    for (const [name, records] of Object.entries(left)) {
      terminal.note(
        `"${name}" also has a patient with this id, in ${counted(records, 'record')}, which was not erased (see --of).`,
      );
    }
    terminal.data(erased);
    return 0;
  },
});

function whoseOf({ of, everywhere }: { of?: string; everywhere?: boolean }): PatientScope | undefined {
  if (of !== undefined && everywhere) throw new Fault('invalid', 'Use either --of or --everywhere, not both');
  if (everywhere) return 'anybody';
  return of === undefined ? undefined : { of };
}

function nothingErased({ left }: ErasedCounts): Fault {
  const others = Object.keys(left).map((name) => `"${name}"`);
  const more = others.length === 0 ? '' : `; ${others.join(' and ')} may have one (see --of)`;
  return new Fault(
    'not-found',
    `There is no patient with this id, and no record of one (anything else under this id was erased)${more}`,
  );
}
