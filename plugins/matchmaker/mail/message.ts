/** Renders a notification as plain text and as HTML. All values come from submitters and are escaped. */
import { html } from '../../../core/plugin.js';
import type { Notice, Patient, ReportedMatch } from '../contract.js';
import { readingText } from '../matching/calibration.js';
import type { MailSettings } from './settings.js';

/** The subject of patientMatcher, which recipients' mail filters may use. */
const subject = 'MatchMaker Exchange: new patient match available.';

export interface Message {
  subject: string;
  text: string;
  html: string;
}

interface Line {
  title: string;
  value: string;
}

/** The mail for notices with the same recipients. */
export function messageOf(
  notices: readonly Pick<Notice, 'patient' | 'matches'>[],
  { link }: Pick<MailSettings, 'link'>,
): Message {
  const parts = bySubmission(notices).map(({ patient, matches }) => ({
    title: `Your submission ${plain(patient.id)}${patient.label === undefined ? '' : ` (${plain(patient.label)})`}`,
    link: link?.replaceAll('{id}', encodeURIComponent(patient.id)),
    matches: matches.map(linesOf),
  }));
  const text = parts.map(({ title, link, matches }) =>
    [
      `${title} has ${count(matches.length)}.`,
      ...(link === undefined ? [] : [`View the match at ${link}`]),
      ...matches.map((lines) => lines.map((line) => `  ${line.title}: ${line.value}`).join('\n')),
    ].join('\n\n'),
  );
  const body = parts.map(
    ({ title, link, matches }) => html`<h2>${title}</h2>
<p>It has ${count(matches.length)}.</p>
${link !== undefined && html`<p><a href="${link}">View the match</a></p>`}
${matches.map((lines) => html`<ul>${lines.map(({ title, value }) => html`<li>${title}: ${value}</li>`)}</ul>`)}`,
  );
  return {
    subject,
    text: `${text.join('\n\n')}\n\n${closing}\n`,
    html: html`<!doctype html><html lang="en"><body>${body}<p>${closing}</p></body></html>`.toString(),
  };
}

/** Merges the notices of a search for one patient, of which there is one for each node with a match. */
function bySubmission(notices: readonly Pick<Notice, 'patient' | 'matches'>[]): Pick<Notice, 'patient' | 'matches'>[] {
  const byId = new Map<string, { patient: Notice['patient']; matches: ReportedMatch[] }>();
  for (const { patient, matches } of notices) {
    const known = byId.get(patient.id);
    if (known === undefined) byId.set(patient.id, { patient, matches: [...matches] });
    else {
      known.patient = patient;
      for (const match of matches) known.matches.push(match);
    }
  }
  return [...byId.values()];
}

const closing =
  'You receive this message because a patient that you submitted to the Matchmaker Exchange has a match. ' +
  'Please write to the contact named above; replies to this address are not read.';

const count = (matches: number) => (matches === 1 ? 'a new match' : `${matches} new matches`);

function linesOf(match: ReportedMatch): Line[] {
  const { node, patient, score, reading, genes, inheritance, terms, purpose, leftOut, complete } = match;
  const { id, contact } = patient;
  const email = Array.isArray(contact.email) ? contact.email.join(', ') : contact.email;
  const lines: [string, string | undefined][] = [
    ['Node', node.label === node.id ? node.id : `${node.label} (${node.id})`],
    ['Patient', id],
    [
      'Score',
      score === undefined || reading === undefined
        ? score?.toFixed(3)
        : `${score.toFixed(3)}, ${readingText(reading, 'the node that found it')}`,
    ],
    ['Genes in common', genes.length === 0 ? 'none' : genes.join(', ')],
    ['Left out of the results', leftOut && leftOutText(leftOut, genes)],
    ['Inheritance that it states', inheritance?.join('; ')],
    ['Phenotype terms in common', terms.length === 0 ? 'none' : terms.join('; ')],
    ['Purpose', purpose],
    ['Contact', contact.name],
    ['Address', contact.href],
    ['E-mail', email],
    ['Institution', contact.institution],
    ...(complete ? completeLines(complete.patient) : []),
  ];
  return lines.flatMap(([title, value]) => (value === undefined ? [] : [{ title, value: plain(value) }]));
}

/** "3 patients, one of them yours, share KCNT2". */
function leftOutText(
  { patients, yours }: { patients: number; yours: readonly string[] },
  genes: readonly string[],
): string {
  const shared = `share ${genes.join(' or ')}`;
  const own = `${yours.length === 1 ? 'one' : yours.length} of them yours`;
  if (patients === 1) return `one patient, yours, shares ${genes.join(' or ')}`;
  return `${patients} patients, ${own}, ${shared}${yours.length > 1 ? ` (${yours.join(', ')})` : ''}`;
}

function completeLines(patient: Patient): [string, string | undefined][] {
  const features = (patient.features ?? []).map(
    ({ id, label, observed }) => `${id}${label ? ` ${label}` : ''}${observed === 'no' ? ' (excluded)' : ''}`,
  );
  const variants = (patient.genomicFeatures ?? []).map(({ gene, variant, zygosity }) => {
    const { assembly, referenceName, start, referenceBases = '?', alternateBases = '?' } = variant ?? {};
    const place = variant
      ? ` ${assembly} ${referenceName}:${start ?? '?'} ${referenceBases}>${alternateBases} (0-based start)`
      : '';
    return `${gene._geneName ?? gene.id}${place}${zygosity === undefined ? '' : `, zygosity ${zygosity}`}`;
  });
  const disorders = (patient.disorders ?? []).map(({ id, label }) => `${id}${label ? ` ${label}` : ''}`);
  return [
    ['Label', patient.label],
    ['Sex', patient.sex],
    ['Features', features.length === 0 ? undefined : features.join('; ')],
    ['Genes and variants', variants.length === 0 ? undefined : variants.join('; ')],
    ['Disorders', disorders.length === 0 ? undefined : disorders.join('; ')],
  ];
}

/** The text as one line of limited length. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').slice(0, 2000);
}
