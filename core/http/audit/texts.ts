/** The languages of the page of the audit. */
import type { IncomingHttpHeaders } from 'node:http';
import { pageLanguage } from '../pages.js';

const en = {
  language: 'en',
  title: 'Audit',
  intro: 'Who asked for whose data, when, and by which right. What you look up here is recorded as well.',
  kind: 'Search by',
  kinds: {
    person: 'Samples, cases and patients',
    sample: 'Samples',
    case: 'Cases',
    patient: 'Patients',
    dataset: 'Datasets',
  },
  names: 'Ids, one on each line',
  namesHint: 'All entries if empty.',
  caller: 'Caller',
  callerHint: 'The owner of a token, or a name as the list shows it. All callers if empty.',
  from: 'From',
  to: 'To',
  search: 'Look up',
  download: 'Download as CSV',
  found: (count: number) => (count === 1 ? '1 entry' : `${count} entries`),
  first: (count: number) => `The first ${count} entries; the download has all of them.`,
  none: 'No entries.',
  unknown: (names: string) => `No entry names: ${names}`,
  columns: {
    time: 'Time (UTC)',
    caller: 'Caller',
    action: 'Action',
    about: 'About',
    because: 'Reason',
    outcome: 'Outcome',
  },
  more: (count: number) => `and ${count} more`,
  wrong: 'The dates are not valid: the first must not be after the second.',
  home: 'All services of this server',
};

const sv: typeof en = {
  language: 'sv',
  title: 'Åtkomstlogg',
  intro: 'Vem som har frågat efter vems data, när och med vilken behörighet. Det du söker här loggas också.',
  kind: 'Sök på',
  kinds: {
    person: 'Prover, fall och patienter',
    sample: 'Prover',
    case: 'Fall',
    patient: 'Patienter',
    dataset: 'Dataset',
  },
  names: 'Id:n, ett per rad',
  namesHint: 'Alla poster om fältet är tomt.',
  caller: 'Användare',
  callerHint: 'Innehavaren av en token, eller ett namn som det står i listan. Alla användare om fältet är tomt.',
  from: 'Från och med',
  to: 'Till och med',
  search: 'Sök',
  download: 'Hämta som CSV',
  found: (count) => (count === 1 ? '1 post' : `${count} poster`),
  first: (count) => `De första ${count} posterna; filen innehåller alla.`,
  none: 'Inga poster.',
  unknown: (names) => `Ingen post nämner: ${names}`,
  columns: {
    time: 'Tid (UTC)',
    caller: 'Användare',
    action: 'Händelse',
    about: 'Gäller',
    because: 'Behörighet',
    outcome: 'Utfall',
  },
  more: (count) => `och ${count} till`,
  wrong: 'Datumen är inte giltiga: det första får inte ligga efter det andra.',
  home: 'Alla tjänster på den här servern',
};

export type AuditTexts = typeof en;

const languages = { en, sv };

export function textsFor(named: 'en' | 'sv' | undefined, headers: IncomingHttpHeaders): AuditTexts {
  return languages[pageLanguage(named, headers)];
}
