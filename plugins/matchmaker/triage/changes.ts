/** What people note about a row, and the hand-over of a submission to another contact. */
import { Fault } from '../../../core/plugin.js';
import {
  type Contact,
  matchmaker,
  matchmakerTriage,
  type StoredPatient,
  type TriageEntry,
  type TriageRow,
  type TriageStatus,
  type TriageWork,
} from '../contract.js';
import { savePatients } from '../patient/saving.js';
import { readPatient, refusal } from '../patient/schema.js';
import { byOf, type Caller, changedSince, type Desk } from './desk.js';

/** What is left out stays as it is; an empty assignee is none. */
export interface Noted {
  revision: number;
  status?: TriageStatus | undefined;
  assignee?: string | undefined;
  note?: string | undefined;
}

export interface Place {
  caller: Caller;
  submission: StoredPatient;
}

export function note(desk: Desk, { caller, submission }: Place, row: TriageRow, noted: Noted): Promise<TriageRow> {
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

export interface HandOver {
  /** The version of the patient that was seen. */
  version: number;
  name: string;
  /** An e-mail address or a web address. */
  href: string;
  institution?: string | undefined;
  comment?: string | undefined;
}

/** Replaces the contact of the stored patient, which its owner's matches and mails then name. */
export async function handOver(desk: Desk, { caller, submission }: Place, given: HandOver): Promise<void> {
  const { trail, resources, now } = desk;
  const { number, patient, owner } = submission;
  const { name, href, institution, comment } = given;
  const { institution: _, email: __, ...rest } = patient.contact;
  const contact: Contact = { ...rest, name, href, ...(institution !== undefined && { institution }) };
  const read = readPatient({ ...patient, contact }, '');
  if ('faults' in read)
    throw refusal(read.faults.map((fault) => ({ ...fault, path: fault.path.replace(/^contact\./, '') })));
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
