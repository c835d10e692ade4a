/** Texts of the pages in English. */
import { readingText, type ScoreReading } from '../../matching/calibration.js';
import type { AlleleOrigin, Purpose } from '../../patients/patient.js';
import type { SameDisease, SubmissionKind } from '../same-disease.js';

const plural = (count: number, one: string, many: string) =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

export interface CarrierNumbers {
  carriers: number;
  homozygotes: number;
}

const carriersOf = (carriers: number, homozygotes: number) =>
  plural(carriers, 'carrier', 'carriers') +
  (homozygotes > 0 ? ` (${homozygotes.toLocaleString('en')} homozygous)` : '');

export const en = {
  language: 'en' as 'en' | 'sv',
  score: (value: number) => value.toFixed(3),
  reading: (reading: Pick<ScoreReading, 'higherThan' | 'pairs'>): string => readingText(reading),
  sameDisease: {
    share: ({ share, low, high }: SameDisease) => `same disease: ${share} % (95 % interval ${low}–${high} %)`,
    note: ({ terms: [from, to], genes }: SubmissionKind) =>
      'Same disease: the share of pairs of one disease, of all pairs with such a score, among published cases with a second ' +
      `case stored, for submissions with ${to === undefined ? `${from} or more` : `${from}–${to}`} terms and ` +
      `${{ none: 'no genes', one: 'one gene', several: '2–10 genes' }[genes]}.`,
  },
  purposes: { clinical: 'clinical', research: 'research' } satisfies Record<Purpose, string>,
  origins: {
    'de novo': 'de novo',
    maternal: 'from the mother',
    paternal: 'from the father',
    biparental: 'from both parents',
    inherited: 'inherited',
    unknown: 'of unknown origin',
  } satisfies Record<AlleleOrigin, string>,
  zygosity: (copies: number) => {
    if (copies === 1) return 'heterozygous or hemizygous';
    return copies === 2 ? 'homozygous' : plural(copies, 'copy', 'copies');
  },
  stated: { gene: 'Gene', variant: 'Variant (one-based position)', zygosity: 'Zygosity', inheritance: 'Inheritance' },
  local: {
    title: 'Coverage and counts on this server',
    hint: 'Whether the other one of the two patients is covered at the variant, and how often the allele was seen here.',
    columns: { variant: 'Variant', coverage: 'Coverage', counts: 'Local counts' },
    sampleOf: { submission: 'in the other patient', counterpart: 'in our patient' },
    covered: (threshold: number) => `covered (≥ ${threshold}x)`,
    notCovered: (threshold: number) => `not covered (≥ ${threshold}x)`,
    lifted: (build: string) => `lifted over to ${build}`,
    unknown: (why: string) => `coverage unknown: ${why}`,
    reasons: {
      unregistered: 'the linked sample is not registered',
      unchecked: 'the file of the sample is not checked yet',
      unusable: 'the file of the sample cannot be used',
      'other-build': 'the sample is of another genome build, to which the variant cannot be lifted over',
      'other-threshold': 'the threshold is not stored for the sample',
      unavailable: 'it cannot be read now',
    },
    /** `within`: carriers among the covered samples. */
    among: ({
      carriers,
      homozygotes,
      within,
      covered,
      total,
    }: CarrierNumbers & Record<'within' | 'covered' | 'total', number>) =>
      `${carriersOf(carriers, homozygotes)}${within < carriers ? `, ${within.toLocaleString('en')} of them` : ''} among ${plural(covered, 'covered sample', 'covered samples')} of ${total.toLocaleString('en')}`,
    ofSamples: ({ carriers, homozygotes, samples }: CarrierNumbers & { samples: number }) =>
      `${carriersOf(carriers, homozygotes)} among ${plural(samples, 'sample', 'samples')}; coverage unknown`,
    oneBased: 'if its start is one-based',
    more: (count: number) => `and ${plural(count, 'more variant', 'more variants')}`,
  },
  links: 'Matchmaker',
  dashboard: 'Matchmaker: state of the node',
  none: 'none',
  new: 'new',
  statuses: {
    new: 'new',
    contacted: 'contacted',
    'they-contacted': 'they contacted us',
    'follow-up': 'follow up',
    irrelevant: 'irrelevant',
    solved: 'solved',
  },
  /** UTC, to the minute. */
  time: (at: Date) => at.toISOString().slice(0, 16).replace('T', ' '),
  list: {
    title: 'Submissions',
    intro: 'Patients that were submitted to the Matchmaker Exchange, and what came back. The latest match is first.',
    text: 'Search in matches',
    textHint: 'Id or contact of the other patient, node, matched gene, or id or label of the submission.',
    gene: 'Gene of the submission',
    term: 'HPO term',
    termHint: 'Also finds more specific terms.',
    label: 'Label or id',
    submitter: 'Contact',
    status: 'With a match that is',
    anyStatus: 'of any status',
    assignee: 'Assignee',
    node: 'Node',
    anyNode: 'any node',
    since: 'Last match since',
    all: 'Also submissions without matches',
    search: 'Search',
    filters: 'More conditions',
    found: (count: number) => plural(count, 'submission', 'submissions'),
    nothing: 'No submission is found.',
    more: 'There are more.',
    readMore: 'Not all submissions were looked through.',
    next: 'Continue',
    columns: {
      submission: 'Submission',
      contact: 'Contact',
      genes: 'Genes',
      last: 'Last match (UTC)',
      matches: 'Matches',
      unseen: 'New to you',
    },
  },
  submission: {
    title: (id: string) => `Submission ${id}`,
    facts: {
      label: 'Label',
      owner: 'Submitted by',
      contact: 'Contact',
      genes: 'Genes',
      purpose: 'Purpose',
      terms: 'HPO terms',
      changed: 'Changed (UTC)',
    },
    stated: 'Its genes and variants',
    matches: (count: number) => plural(count, 'match', 'matches'),
    noMatches: 'There are no matches yet.',
    requireGene: 'Require a shared gene',
    hide: 'Hide matches by phenotype alone from',
    apply: 'Show',
    hidden: (count: number) => `${plural(count, 'match is', 'matches are')} hidden by the choice above.`,
    columns: {
      patient: 'Other patient',
      node: 'Node',
      genes: 'Matched genes',
      score: 'Score',
      local: 'On this server',
      seen: 'First and last seen (UTC)',
      status: 'Status',
      assignee: 'Assignee',
    },
    noGene: 'phenotype only',
    found: 'found by our search',
    asked: 'searched for here',
    both: 'found by our search, and searched for here',
    higher: (percent: number) => `higher than ${percent} % of random pairs`,
    was: (score: string) => `was ${score}`,
    changed: 'score changed',
    here: 'This server',
    unknownNode: 'not connected now',
    responded: (at: string) => `last response ${at}`,
    never: 'no response yet',
    failed: (why: string, at: string) => `${why} (${at})`,
    handOver: 'Hand over to another contact',
    handOverHint:
      'The new contact is shown to other nodes from now on and gets the mails about new matches. The patient is sent to the connected nodes again.',
    name: 'Name',
    href: 'E-mail address or web address',
    institution: 'Institution',
    comment: 'Comment',
    save: 'Hand over',
    history: 'History',
  },
  row: {
    title: (patient: string, node: string) => `${patient} on ${node}`,
    facts: {
      contact: 'Contact',
      node: 'Node',
      genes: 'Matched genes',
      terms: 'HPO terms in common',
      former: 'Former ids',
      seen: 'First and last seen (UTC)',
      way: 'Match',
      purpose: 'Purpose of the other side',
    },
    stated: 'Genes and variants of the other patient',
    scores: 'Scores',
    scoreColumns: {
      at: 'Since (UTC)',
      score: 'Score',
      genotype: 'Genotype',
      phenotype: 'Phenotype',
      reading: 'Compared with chance',
    },
    work: 'Status and notes',
    status: 'Status',
    assignee: 'Assignee',
    note: 'Note',
    save: 'Save',
    mail: 'Write to the contact',
    to: 'To',
    replies: (addresses: string) => `Replies go to ${addresses}.`,
    noReplies: 'The contact of the submission has no e-mail address: say in the text where replies should go.',
    noAddress: 'The contact has no e-mail address. Use its web address:',
    noServer: 'This server sends no mail: write to this address with your own mail program.',
    subject: 'Subject',
    text: 'Text',
    keep: 'Save as draft',
    send: 'Send',
    history: 'History',
    nothing: 'Nothing was noted yet.',
    columns: { at: 'Time (UTC)', by: 'By', what: 'What' },
  },
  entries: {
    status: (from: string, to: string) => `status: ${from} → ${to}`,
    assignee: (from: string, to: string) => `assignee: ${from} → ${to}`,
    note: 'note',
    draft: 'draft of a mail saved',
    contact: (from: string, to: string) => `contact: ${from} → ${to}`,
    mail: {
      sending: (to: string) => `mail to ${to}: not confirmed; it may have been sent or not`,
      sent: (to: string) => `mail sent to ${to}`,
      failed: (to: string, why: string) => `mail to ${to} was not sent: ${why}`,
    },
  },
};

export type TriageTexts = typeof en;
