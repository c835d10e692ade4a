/**
 * What people do with submissions and their rows: find the one that they may have, note what became of it, write to its
 * contact, hand the submission over.
 */
import { randomUUID } from 'node:crypto';
import { sendsMail } from '../../../core/outgoing.js';
import {
  accountOf,
  Fault,
  html,
  isFault,
  type PluginContext,
  type Principal,
  type RouteRequest,
} from '../../../core/plugin.js';
import {
  type Contact,
  type KnownNode,
  matchmaker,
  matchmakerTriage,
  type StoredPatient,
  type TriageEntry,
  type TriageMail,
  type TriageRow,
  type TriageStatus,
  type TriageWork,
} from '../contract.js';
import { type Accesses, type CallerReach, reaches } from '../http/access.js';
import { sendMail } from '../mail/outbox.js';
import { addressesOfContact } from '../mail/readers.js';
import { patientRefusal, readPatient } from '../patients/reading.js';
import { savePatients } from '../patients/saving.js';
import type { MatchmakerServices, Triage } from '../services.js';
import type { CountsService, CoveredSamplesService, LocalFindings, LocalRequest } from './local.js';

type PageUse = Accesses['pages']['read'];

type CallerRequest = Pick<RouteRequest<unknown, unknown, unknown, PageUse['access']>, 'principal' | 'id'>;

/** The caller of a request, and whose submissions it may use. */
export interface TriageCaller extends CallerReach {
  principal: Principal;
  /** Under which visits are kept. */
  person: string;
}

export type Desk = ReturnType<typeof deskOfTriage>;

interface RowChange {
  caller: TriageCaller;
  submission: StoredPatient;
  row: TriageRow;
  work: Omit<TriageWork, 'history'>;
  entries: readonly TriageEntry[];
}

/** Entries of one row. */
const mostEntries = 1000;

export function deskOfTriage(services: MatchmakerServices, triage: Triage, find: PluginContext<unknown>['find']) {
  const { patients, trail, log } = services;

  return {
    ...services,
    triage,

    async callerOf(use: PageUse, { principal, id }: CallerRequest): Promise<TriageCaller> {
      return { ...(await use.reachOf({ principal, id })), principal, person: accountOf(principal) };
    },

    /** Whether the caller may use the submission in this way, too. */
    async mayUse(use: PageUse, { principal, id }: CallerRequest, submission: StoredPatient): Promise<boolean> {
      return use.reachOf({ principal, id }).then(
        (reach) => reaches(reach, submission),
        (error: unknown) => {
          if (!isFault(error) || error.code !== 'forbidden') throw error;
          return false;
        },
      );
    },

    /** The stored patient; one that the caller may not use is answered like one that does not exist. */
    async submission(caller: TriageCaller, number: number): Promise<StoredPatient> {
      // Of the caller's own alone: one of another owner takes no longer than one that does not exist.
      const owned = (owner: string) => patients.patients({ owner, after: number - 1, limit: 1 });
      const found = await (caller.all ? patients.patientsByNumber([number]) : Promise.all(caller.owners.map(owned)));
      const stored = found.flat().find((one) => one.number === number);
      if (!stored) throw new Fault('not-found', 'There is no such submission');
      return stored;
    },

    /** A row of the submission, which the caller may use. */
    async row({ number }: StoredPatient, id: string): Promise<TriageRow> {
      const row = await triage.repository.row(id);
      if (row?.submission !== number) throw new Fault('not-found', 'The submission has no such row');
      return row;
    },

    /** The connected nodes, by id: also those that are not queried any more. */
    peers: async (): Promise<ReadonlyMap<string, KnownNode>> =>
      new Map((await services.nodes.nodes()).map((node) => [node.id, node])),

    /** What the other plugins of this server know about the variants of the rows, as far as the caller may know it. */
    async local(request: LocalRequest, submission: StoredPatient, rows: readonly TriageRow[]): Promise<LocalFindings> {
      const coverage = find<CoveredSamplesService>('coverage/covered-samples@1');
      const beacon = find<CountsService>('beacon/counts@1');
      if (coverage === undefined && beacon === undefined) return new Map();
      const { findLocally } = await import('./local-findings.js');
      const tools = { coverage, beacon, patients, log, settings: triage.settings, resources: services.resources() };
      return findLocally(tools, request, submission, rows);
    },

    /** Replaces what is noted about the row that was seen, and adds the entries. */
    async change({ caller, submission, row, work, entries }: RowChange): Promise<TriageRow> {
      const history = [...row.work.history, ...entries];
      if (history.length > mostEntries) {
        throw new Fault('conflict', `The row has ${mostEntries} entries in its history, and takes no more`);
      }
      const after: TriageWork = { ...work, history };
      await trail.transaction(async (scope) => {
        if (!(await scope.repository(matchmakerTriage).change(row.id, row.revision, after))) throw changedSince();
        await scope.trace([{ by: caller.by, action: 'work', patients: [submission.patient.id] }]);
        scope.matched([submission.patient.id]);
      });
      return { ...row, revision: row.revision + 1, work: after };
    },
  };
}

function changedSince(): Fault {
  return new Fault('conflict', 'The row was changed since it was read: read it again, then repeat the change');
}

/** The beginning of an entry by the caller. */
function byOf({ principal }: TriageCaller, at: Date): Pick<TriageEntry, 'at' | 'by' | 'name'> {
  const name = principal.kind === 'subject' ? principal.name : undefined;
  return { at, by: principal.owner, ...(name !== undefined && { name }) };
}

/** What people call themselves, as assignees are named. */
export function nameOfPerson({ by, name }: Pick<TriageEntry, 'by' | 'name'>): string {
  return name ?? by;
}

export const submissionsPath = '/matchmaker/submissions';

export function submissionPath(number: number): string {
  return `${submissionsPath}/${number}`;
}

export function rowPath({ submission, id }: { submission: number; id: string }): string {
  return `${submissionPath(submission)}/rows/${id}`;
}

// What people do with a row: they note what became of it, write to its contact, or hand the submission over to another.

/** What is left out stays as it is; an empty assignee removes the present one. */
interface RowNote {
  revision: number;
  status?: TriageStatus | undefined;
  assignee?: string | undefined;
  note?: string | undefined;
}

interface CallerSubmission {
  caller: TriageCaller;
  submission: StoredPatient;
}

export function noteRow(
  desk: Desk,
  { caller, submission }: CallerSubmission,
  row: TriageRow,
  noted: RowNote,
): Promise<TriageRow> {
  if (row.revision !== noted.revision) throw changedSince();
  const { status = row.work.status, assignee = row.work.assignee ?? '', note: text = '' } = noted;
  const by = byOf(caller, desk.now());
  const before = row.work.assignee ?? '';
  const entries: TriageEntry[] = [];
  if (status !== row.work.status) entries.push({ ...by, what: 'status', from: row.work.status, to: status });
  if (assignee !== before) entries.push({ ...by, what: 'assignee', from: before, to: assignee });
  if (text !== '') entries.push({ ...by, what: 'note', text });
  if (entries.length === 0) return Promise.resolve(row);
  const { assignee: _, ...rest } = row.work;
  const work: TriageWork = { ...rest, status, ...(assignee !== '' && { assignee }) };
  return desk.change({ caller, submission, row, work, entries });
}

interface HandOver {
  /** The version of the patient that was seen. */
  version: number;
  name: string;
  /** An e-mail address or a web address. */
  href: string;
  institution?: string | undefined;
  comment?: string | undefined;
}

/** Replaces the contact of the stored patient, which its owner's matches and mails then name. */
export async function handOver(desk: Desk, { caller, submission }: CallerSubmission, given: HandOver): Promise<void> {
  const { trail, resources, now } = desk;
  const { number, patient, owner } = submission;
  const { name, href, institution, comment } = given;
  const { institution: _, email: __, ...rest } = patient.contact;
  const contact: Contact = { ...rest, name, href, ...(institution !== undefined && { institution }) };
  const read = readPatient({ ...patient, contact }, '');
  if ('faults' in read)
    throw patientRefusal(read.faults.map((fault) => ({ ...fault, path: fault.path.replace(/^contact\./, '') })));
  const entry: TriageEntry = {
    ...byOf(caller, now()),
    ...{ what: 'contact', from: contactText(patient.contact), to: contactText(read.patient.contact) },
    ...(comment !== undefined && { text: comment }),
  };
  const checked: Pick<typeof trail, 'transaction'> = {
    transaction: (work) =>
      trail.transaction(async (scope) => {
        const current = await scope.repository(matchmaker).held(number);
        if (current?.version !== given.version) {
          throw new Fault(
            'conflict',
            'The submission was changed since it was read: read it again, then repeat the change',
          );
        }
        const result = await work(scope);
        await scope.repository(matchmakerTriage).note(number, entry);
        return result;
      }),
  };
  const submitter = { by: caller.by, owner, all: caller.all };
  await savePatients({ ...desk, trail: checked, genes: () => resources().genes }, [read.patient], submitter);
}

function contactText({ name, href }: Pick<Contact, 'name' | 'href'>): string {
  return `${name} <${href.replace(/^mailto:/i, '')}>`;
}

interface MailDraft {
  subject: string;
  text: string;
}

/** The text that a person begins with. It names no phenotypes and no variants: those are for the person to add. */
export function firstDraft({ patient }: StoredPatient, row: TriageRow): MailDraft {
  const genes = row.genes.join(', ');
  const shared = genes === '' ? 'have similar phenotypes' : `have ${genes} in common`;
  const own = patient.contact;
  return {
    subject: `Matchmaker Exchange: ${row.patient} and ${patient.id}${genes === '' ? '' : ` (${genes})`}`.slice(0, 200),
    text: `Dear ${row.contact.name},

a search of the Matchmaker Exchange found that your patient ${row.patient} and our patient ${patient.id} ${shared}.

May we compare the two?

Kind regards
${own.name}${typeof own.institution === 'string' ? `\n${own.institution}` : ''}
`,
  };
}

/** Keeps a draft for later; with empty fields there is none any more. */
export function keepDraft(
  desk: Desk,
  { caller, submission }: CallerSubmission,
  row: TriageRow,
  { revision, subject, text }: MailDraft & { revision: number },
): Promise<TriageRow> {
  if (row.revision !== revision) throw changedSince();
  const { draft: _, history: __, ...rest } = row.work;
  const isEmpty = subject === '' && text === '';
  const entry: TriageEntry = { ...byOf(caller, desk.now()), what: 'draft' };
  const work = { ...rest, ...(!isEmpty && { draft: { subject, text } }) };
  return desk.change({ caller, submission, row, work, entries: [entry] });
}

/**
 * Sends the mail, and keeps it in the history of the row, which becomes `contacted` if it was new. It is recorded before it is
 * sent, so that of two people who send at the same time one is refused, and so that no mail is sent that is not kept.
 */
export async function send(
  desk: Desk,
  { caller, submission }: CallerSubmission,
  row: TriageRow,
  { revision, subject, text }: MailDraft & { revision: number },
): Promise<TriageRow> {
  const { settings, trail, log } = desk;
  if (row.revision !== revision) throw changedSince();
  if (!sendsMail(settings.mail)) throw new Fault('conflict', 'This server sends no mail (MAIL_SERVER)');
  const to = addressesOfContact(row.contact);
  if (to.length === 0) throw new Fault('conflict', 'The contact has no e-mail address');
  const faults = (['subject', 'text'] as const).filter((field) => ({ subject, text })[field].trim() === '');
  if (faults.length > 0) {
    const fields = faults.map((path) => ({ path, message: 'must not be empty' }));
    throw new Fault('unprocessable', 'A mail needs a subject and a text', { fields });
  }
  const mail: TriageMail = { id: randomUUID(), to, subject, text, state: 'sending' };
  const by = byOf(caller, desk.now());
  const { history: _, ...work } = row.work;
  const draft = { ...work, draft: { subject, text } };
  const recorded = await desk.change({
    caller,
    submission,
    row,
    work: draft,
    entries: [{ ...by, what: 'mail', mail }],
  });
  const readers = { kind: 'reader' as const, owner: [...to].sort().join(', ') };
  const patients = [submission.patient.id];
  await trail.further({
    by: { ...caller.by, owner: 'matchmaker', actor: readers, because: 'mail written by a person' },
    action: 'mail',
    patients,
  });
  const replyTo = addressesOfContact(submission.patient.contact);
  try {
    const body = html`<!doctype html><html lang="en"><body>${text.split('\n').map((line) => html`${line}<br>`)}</body></html>`;
    await sendMail(settings.mail, { id: mail.id, to, subject, text, html: body.toString(), replyTo });
  } catch (error) {
    if (!isFault(error)) throw error;
    log.warn({ reason: error.message }, 'a mail that a person wrote could not be sent');
    await settle(desk, recorded, mail.id, { state: 'failed', reason: error.message });
    throw error;
  }
  return settle(desk, recorded, mail.id, { state: 'sent' });
}

/** Tries as often as others change the row at the same time. */
const attempts = 20;

/** Notes what became of the mail, in the row as it is by now. */
async function settle(
  { triage: { repository } }: Desk,
  sent: TriageRow,
  mail: string,
  outcome: Pick<TriageMail, 'state' | 'reason'>,
): Promise<TriageRow> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const row = attempt === 0 ? sent : await repository.row(sent.id);
    // The submission or the counterpart was deleted meanwhile.
    if (!row) return sent;
    const work = workAfter(row.work, mail, outcome);
    if (await repository.change(row.id, row.revision, work)) return { ...row, revision: row.revision + 1, work };
  }
  throw new Fault('unavailable', 'The mail was handed over, but its row is being changed: read it again');
}

function workAfter(work: TriageWork, id: string, outcome: Pick<TriageMail, 'state' | 'reason'>): TriageWork {
  const history = work.history.map((entry) =>
    entry.mail?.id === id ? { ...entry, mail: { ...entry.mail, ...outcome } } : entry,
  );
  if (outcome.state !== 'sent') return { ...work, history };
  const { draft: _, ...rest } = work;
  if (work.status !== 'new') return { ...rest, history };
  const sent = history.flatMap(({ at, by, name, mail }): TriageEntry[] =>
    mail?.id === id
      ? [{ at, by, ...(name !== undefined && { name }), what: 'status', from: 'new', to: 'contacted' }]
      : [],
  );
  return { ...rest, status: 'contacted', history: [...history, ...sent] };
}
