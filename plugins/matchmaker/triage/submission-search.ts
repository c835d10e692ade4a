/** Finds submissions by their patients and by their rows. */
import { z } from 'zod';
import { Fault } from '../../../core/plugin.js';
import {
  type MatchmakerRepository,
  type StoredPatient,
  type TriageRepository,
  type TriageStatus,
  type TriageSummary,
  triageStatuses,
} from '../contract.js';
import { lastNumber } from '../exchange/protocol.js';
import { geneKey } from '../patients/patient.js';
import type { Resources } from '../resources/resources.js';

const words = z.string().trim().max(255, 'is longer than 255 characters').optional().transform(unlessEmpty);

/** Unknown conditions are refused: ignored ones would find submissions that were not asked for. */
export const filters = z.strictObject({
  gene: words.describe('Submissions with this gene: symbol, HGNC or Ensembl id.'),
  term: words.describe('Submissions with this HPO term, or a more specific one.'),
  status: z
    .enum(['', ...triageStatuses])
    .optional()
    .transform((status) => (status === '' ? undefined : status))
    .describe('Submissions with a row of this status.'),
  assignee: words.describe('Submissions with a row of this assignee.'),
  node: words.describe('Submissions with a row of this node.'),
  since: z
    .union([z.literal(''), z.iso.date('must be a date such as 2026-11-23')])
    .optional()
    .transform(unlessEmpty)
    .describe('Submissions with a row last seen on this day or later, in UTC.'),
  all: z
    .enum(['', 'yes'])
    .optional()
    .transform((all) => all === 'yes')
    .describe('`yes`: also submissions without matches, in the order in which they were added.'),
  after: z
    .string()
    .regex(/^(-?\d{1,13}\.)?\d{1,10}$|^$/, 'must be the `next` of a page')
    .refine((text) => Number(text.split('.').at(-1)) <= lastNumber, 'must be the `next` of a page')
    .optional()
    .transform(unlessEmpty)
    .describe('`next` of the previous page.'),
  lang: z.string().max(35).optional(),
  // These name people: pages send them by POST, so that they are in no URL of ours.
  text: words.describe(
    'Rows with this text in the id of the counterpart, also a former one, its contact, node, or matched genes; or in the id or the label of the submission.',
  ),
  label: words.describe('Submissions with this text in their label or id.'),
  submitter: words.describe('Submissions with this text in the name or address of their contact.'),
});
export type SubmissionFilters = z.output<typeof filters>;

/** A condition that cannot be searched for. Its message begins with the name of the parameter. */
export class FilterFault extends Fault {
  readonly parameter: keyof SubmissionFilters;
  readonly rule: string;

  constructor(parameter: keyof SubmissionFilters, rule: string) {
    super('invalid', `${parameter}: ${rule}`);
    this.parameter = parameter;
    this.rule = rule;
  }
}

export interface ListedSubmission {
  stored: StoredPatient;
  summary: Omit<TriageSummary, 'owner' | 'last'> & { last?: Date };
}

export interface SubmissionResults {
  submissions: ListedSubmission[];
  /** Where the next page begins: it may be empty, if many had to be looked through. */
  next: string | undefined;
}

/** Submissions on a page. */
export const pageSize = 50;
/** Submissions that one request looks through. */
const mostRead = 2000;

export interface SubmissionSearchTools {
  triage: { repository: Pick<TriageRepository, 'submissions' | 'summaries'> };
  patients: Pick<MatchmakerRepository, 'patients' | 'patientsByNumber'>;
  resources(): Resources;
}

/** Whose submissions are searched, and for whom rows are new. */
export interface Searcher {
  all: boolean;
  owners: readonly string[];
  person: string;
}

export async function searchSubmissions(
  desk: SubmissionSearchTools,
  caller: Searcher,
  asked: SubmissionFilters,
  signal: AbortSignal,
): Promise<SubmissionResults> {
  const wanted = patientFilter(asked, desk.resources());
  const pages = asked.all ? allPages(desk, caller, asked, signal) : matchedPages(desk, caller, asked, signal);
  const submissions: ListedSubmission[] = [];
  let [read, next]: [number, string | undefined] = [0, undefined];
  for await (const { listed, cursor } of pages) {
    if (submissions.length === pageSize || read === mostRead) return { submissions, next };
    read += 1;
    next = cursor;
    if (listed && wanted(listed.stored)) submissions.push(listed);
  }
  return { submissions, next: undefined };
}

interface ReadSubmission {
  /** Undefined if the patient is gone. */
  listed: ListedSubmission | undefined;
  cursor: string;
}

async function* matchedPages(
  { triage: { repository }, patients }: SubmissionSearchTools,
  { all, owners, person }: Searcher,
  { text, status, assignee, node, since, after }: SubmissionFilters,
  signal: AbortSignal,
): AsyncGenerator<ReadSubmission> {
  const rows = { text, status, assignee, node, ...(since !== undefined && { since: new Date(since) }) };
  const conditions = Object.fromEntries(Object.entries(rows).filter(([, value]) => value !== undefined));
  let place = after === undefined ? undefined : placeIn(after);
  for (;;) {
    const page = { ...conditions, ...(!all && { owners }), ...(place && { after: place }), limit: 2 * pageSize };
    const found = await repository.submissions(page, person);
    const numbers = found.map(({ submission }) => submission);
    const stored = new Map((await patients.patientsByNumber(numbers, { signal })).map((one) => [one.number, one]));
    for (const summary of found) {
      const { submission, last } = summary;
      place = { last, submission };
      const patient = stored.get(submission);
      yield { listed: patient && { stored: patient, summary }, cursor: `${last.getTime()}.${submission}` };
    }
    if (found.length < page.limit) return;
  }
}

async function* allPages(
  { triage: { repository }, patients }: SubmissionSearchTools,
  { all, owners, person }: Searcher,
  { text, status, assignee, node, since, after }: SubmissionFilters,
  signal: AbortSignal,
): AsyncGenerator<ReadSubmission> {
  if ([status, assignee, node, since].some((one) => one !== undefined)) {
    throw new FilterFault('all', 'submissions without matches have no status, assignee, node or last match');
  }
  let place = after === undefined ? 0 : Number(after);
  if (!Number.isInteger(place)) throw notAPage();
  for (;;) {
    const wanted = { limit: 2 * pageSize, signal, ...(place > 0 && { after: place }) };
    const ofOwners = (all ? [undefined] : owners).map((owner) =>
      patients.patients({ ...wanted, ...(owner !== undefined && { owner }) }),
    );
    const found = (await Promise.all(ofOwners)).flat().sort((one, other) => one.number - other.number);
    const page = found.slice(0, wanted.limit);
    const numbers = page.map(({ number }) => number);
    const summaries = new Map((await repository.summaries(numbers, person)).map((one) => [one.submission, one]));
    for (const stored of page) {
      place = stored.number;
      const summary = summaries.get(stored.number) ?? { submission: stored.number, statuses: {}, unseen: 0 };
      const listed = { stored, summary };
      const shows = text === undefined || hasText([stored.patient.id, stored.patient.label], text);
      yield { listed: shows ? listed : undefined, cursor: String(place) };
    }
    if (found.length < wanted.limit) return;
  }
}

function placeIn(after: string): { last: Date; submission: number } {
  const [time, submission] = after.split('.').map(Number);
  if (time === undefined || submission === undefined) throw notAPage();
  return { last: new Date(time), submission };
}

function notAPage(): FilterFault {
  return new FilterFault('after', 'must be the `next` of a page with the same conditions');
}

function patientFilter(
  { gene, term, label, submitter }: SubmissionFilters,
  { genes, ontology }: Resources,
): (stored: StoredPatient) => boolean {
  const key = gene === undefined ? undefined : geneKey({ id: gene }, genes);
  const wanted = term === undefined ? undefined : ontology.resolve(term.toUpperCase())?.term;
  if (term !== undefined && wanted === undefined) {
    throw new FilterFault('term', 'must be an id of the HPO release in use, such as HP:0001250');
  }
  const hasTerm = (id: string) => {
    const own = ontology.resolve(id)?.term;
    return own !== undefined && (own === wanted || ontology.ancestors(own).some((one) => one === wanted));
  };
  return ({ patient: { id, label: own, contact, features = [], genomicFeatures = [] } }) =>
    (key === undefined || genomicFeatures.some((one) => geneKey(one.gene, genes) === key)) &&
    (wanted === undefined || features.some((one) => one.observed !== 'no' && hasTerm(one.id))) &&
    (label === undefined || hasText([id, own], label)) &&
    (submitter === undefined ||
      hasText([contact.name, contact.href, contact.institution, ...[contact.email].flat()], submitter));
}

function hasText(values: readonly (string | undefined)[], text: string): boolean {
  return values.some((value) => value?.toLowerCase().includes(text.toLowerCase()));
}

function unlessEmpty<Text extends string>(text: Text | undefined): Exclude<Text, ''> | undefined {
  return text === undefined || text === '' ? undefined : (text as Exclude<Text, ''>);
}

/** The statuses of a submission's rows, in their usual order. */
export function countsOfStatuses(statuses: TriageSummary['statuses']): [TriageStatus, number][] {
  return triageStatuses.flatMap((status): [TriageStatus, number][] => {
    const count = statuses[status] ?? 0;
    return count === 0 ? [] : [[status, count]];
  });
}
