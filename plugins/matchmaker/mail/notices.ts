/**
 * Notices about the matches of a search: written for the submitters of the patients, queued, and rendered as plain text and
 * HTML.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { sendsMail } from '../../../core/outgoing.js';
import { html, type StorageScope } from '../../../core/plugin.js';
import {
  type Contact,
  type MatchedPatient,
  matchmakerMail,
  type NewNotice,
  type NewReportedMatch,
  type NodeName,
  type Notice,
  type Patient,
  type ReportedMatch,
  type StoredPatient,
  thisNode,
} from '../contract.js';
import { readingText } from '../matching/calibration.js';
import { explain } from '../matching/explanation.js';
import type { Profiler } from '../matching/profile.js';
import { simGic } from '../matching/score.js';
import type { StoredSharer } from '../matching/service.js';
import { stepsOfComparing, Work } from '../matching/work.js';
import { geneKey, purposeOfPatient, withoutSample } from '../patients/patient.js';
import { inheritanceWords, statedFeatures } from '../patients/presentation.js';
import type { GeneTable } from '../resources/genes.js';
import type { MailSettings, NotifySettings } from '../settings.js';
import { addressesOfContact, patientPair, readersOfPatient, readersPairOf } from './readers.js';

/** A patient stored here, and the matches found for it. */
interface PatientMatches {
  patient: Patient;
  matches: { node: NodeName; found: MatchedPatient; leftOut?: ReportedMatch['leftOut'] }[];
}

/**
 * Writes notices about matches. There are none for tests, for contacts without an e-mail address, for matches not worth a
 * notification, and if no mail is sent. With the name of a search that continues, they wait for its end
 * (`Outbox.over`). Compares patients, so it must not be called inside a transaction.
 */
export type WriteNotices = (findings: readonly PatientMatches[], search?: string) => Promise<NewNotice[]>;

interface NoticeOptions {
  settings: MailSettings;
  notify: NotifySettings;
  now(): Date;
  profiler(): Profiler;
}

const reading = z.object({ higherThan: z.number().min(0).max(100), pairs: z.int().min(1) });

/** Milliseconds after which notices are due even if the process never ends the search. */
const longestSearch = 5 * 60 * 1000;

export function noticeWriter({ settings, notify, now, profiler }: NoticeOptions): WriteNotices {
  return async (findings, search) => {
    if (!sendsMail(settings)) return [];
    const notices: NewNotice[] = [];
    const created = now();
    const name = search ?? randomUUID();
    const latest = search === undefined ? created : new Date(created.getTime() + longestSearch);
    const due = settings.digest ? nextHour(created, settings.digestHour) : latest;
    const work = new Work();
    for (const { patient, matches } of findings) {
      const to = addressesOfContact(patient.contact);
      if (patient.test === true || to.length === 0) continue;
      const told: NewReportedMatch[] = [];
      for (const { node, found, leftOut } of matches) {
        work.spend(stepsOfComparing);
        await work.turn();
        const match = toldMatch(patient, found, node);
        if (match && leftOut === undefined) told.push(match);
        else if (match)
          told.push({ ...match, leftOut, pair: readersPairOf(patient, found.patient, profiler().resources.genes) });
      }
      if (told.length === 0) continue;
      const own = { id: patient.id, label: patient.label };
      notices.push({ id: randomUUID(), created, due, search: name, to, patient: own, matches: told });
    }
    return notices;
  };

  function toldMatch(patient: Patient, found: MatchedPatient, node: NodeName): NewReportedMatch | undefined {
    if (found.patient.test === true) return undefined;
    const compared = profiler();
    const common = commonFindings(compared, patient, found.patient);
    if (!isWorthTelling(common, found, notify.minScore)) return undefined;
    return {
      pair: patientPair(patient, found.patient, compared.resources.genes),
      node: { id: node.id, label: node.label },
      patient: { id: found.patient.id, contact: mailContact(found.patient.contact) },
      score: found.score.patient,
      ...readingOfScore(found),
      genes: common.genes,
      terms: common.terms,
      inheritance: inheritanceIn(found.patient, common.genes, compared),
      purpose: purposeOfPatient(found.patient),
      complete: settings.complete ? { patient: withoutSample(found.patient) } : undefined,
    };
  }
}

/** A search on this node. */
export interface LocalSearch {
  patient: Patient;
  /** The stored patient that was the query, if any. */
  own: Pick<StoredPatient, 'number' | 'owner' | 'patient'> | undefined;
  /** The client. */
  asker: string;
  matches: readonly (MatchedPatient & Pick<StoredPatient, 'number' | 'owner'>)[];
}

/** A stored patient has the same name whether it was the query or was found: each pair is reported once. */
export function nodeOfAsker(isStored: boolean, asker: string): NodeName {
  return isStored ? thisNode : { id: asker, label: asker };
}

/** Notifications for the submitters of the patients that were found or left out and, if the query is stored here, of its own. */
export function searchFindings(
  { patient, own, asker, matches }: LocalSearch,
  leftOut: readonly StoredSharer[],
): PatientMatches[] {
  if (patient.test === true) return [];
  const node = nodeOfAsker(own !== undefined, asker);
  const others = matches.filter(({ number }) => number !== own?.number);
  const findings: PatientMatches[] = others.map(({ patient: found, score }) => {
    return { patient: found, matches: [{ node, found: { patient, score } }] };
  });
  if (own) findings.push({ patient: own.patient, matches: others.map((found) => ({ node: thisNode, found })) });
  return [...findings, ...leftOutFindings(patient, node, leftOut)];
}

/** Notifications for the submitters of patients that were left out: one for each query, about one of their patients. */
export function leftOutFindings(query: Patient, node: NodeName, sharers: readonly StoredSharer[]): PatientMatches[] {
  const byReaders = new Map<string, StoredSharer[]>();
  for (const sharer of sharers) {
    const readers = readersOfPatient(sharer.stored.patient);
    const known = byReaders.get(readers);
    if (known) known.push(sharer);
    else byReaders.set(readers, [sharer]);
  }
  // Long lists of genes have no sharers (`PatientIndex.sharers`): there are few different ones.
  const counts = new Map<string, number>();
  return [...byReaders.values()].flatMap((own): PatientMatches[] => {
    const [first] = own;
    if (first === undefined) return [];
    const shares = ({ genes }: StoredSharer) => genes.some((gene) => first.genes.includes(gene));
    const yours = own.filter(shares).map(({ stored }) => stored.patient.id);
    const genes = first.genes.join(' ');
    const patients = counts.get(genes) ?? sharers.filter(shares).length;
    counts.set(genes, patients);
    const found = { patient: query, score: { patient: first.score.total } };
    return [{ patient: first.stored.patient, matches: [{ node, found, leftOut: { patients, yours } }] }];
  });
}

/** Other nodes may send anything. */
function readingOfScore({ score: { _reading } }: MatchedPatient): Pick<NewReportedMatch, 'reading'> {
  const { success, data } = reading.safeParse(_reading);
  return success ? { reading: data } : {};
}

/** Of the genes that both have. */
function inheritanceIn(patient: Patient, shared: readonly string[], { resources }: Profiler): string[] | undefined {
  const { genes, ontology } = resources;
  const all = statedFeatures(patient, genes, shared).flatMap((stated) => {
    const words = inheritanceWords(stated, ontology);
    return shared.includes(stated.gene) && words !== '' ? [`${stated.gene}: ${words}`] : [];
  });
  return all.length === 0 ? undefined : all;
}

/** Puts notices into the outbox, in the transaction that records the search. */
export async function queueNotices(scope: StorageScope, notices: readonly NewNotice[]): Promise<boolean> {
  return notices.length > 0 && scope.repository(matchmakerMail).add(notices);
}

/** The part of a contact that is needed to write to it. */
function mailContact({ name, href, institution, email }: Contact): Contact {
  return { name, href, institution, email };
}

/** The next time at this hour, in UTC. */
export function nextHour(now: Date, hour: number): Date {
  const next = new Date(now);
  next.setUTCHours(hour, 0, 0, 0);
  if (next <= now) next.setUTCDate(next.getUTCDate() + 1);
  return next;
}

interface CommonFindings {
  /** Symbols or ids. */
  genes: string[];
  /** `HP:0001250 Seizure`, the most informative first. */
  terms: string[];
  /** Share of the information of both phenotypes that both have (simGIC), by the ontology of this node, 0 to 1. */
  phenotype: number;
}

/** Terms that a mail names. */
const mostTerms = 10;

export function commonFindings(profiler: Profiler, one: Patient, other: Patient): CommonFindings {
  const [mine, theirs] = [one, other].map((patient) => {
    const compared = comparable(patient);
    return { patient: compared, profile: profiler.profile(compared) };
  }) as [Parameters<typeof explain>[0], Parameters<typeof explain>[0]];
  const { profile } = mine;
  const { ontology } = profiler.resources;
  const phenotype =
    profile.species === theirs.profile.species
      ? simGic(profile, theirs.profile, (term) => ontology.information(term))
      : 0;
  const { _matchedFeatures: features = [] } = explain(mine, theirs, profiler);
  const terms = features.map(({ shared: { id, label } }) => `${id} ${label}`);
  return {
    genes: sharedGenes(one, other, profiler.resources.genes),
    terms: [...new Set(terms)].slice(0, mostTerms),
    phenotype,
  };
}

/** Only checked members: other nodes may send any others with any type, and withhold features and genes. */
function comparable({ id, contact, features, disorders, species }: Patient): Patient {
  return {
    id,
    contact,
    features: features ?? [],
    disorders: disorders ?? [],
    species: typeof species === 'string' ? species : undefined,
  };
}

/** Whether they share a gene, or the score of the match or of the phenotypes alone reaches `minScore`. */
function isWorthTelling({ genes, phenotype }: CommonFindings, { score }: MatchedPatient, minScore: number): boolean {
  return genes.length > 0 || phenotype >= minScore || score.patient >= minScore;
}

/** Genes in common: symbols, or ids of unknown genes, in the order of the first patient. */
function sharedGenes(one: Patient, other: Patient, genes: GeneTable): string[] {
  const keys = new Set((other.genomicFeatures ?? []).map(({ gene }) => geneKey(gene, genes)));
  const shared = (one.genomicFeatures ?? [])
    .filter(({ gene }) => gene.id.trim() !== '' && keys.has(geneKey(gene, genes)))
    .map(({ gene }) => genes.resolve(gene.id)?.symbol ?? gene.id);
  return [...new Set(shared)];
}

// Renders a notification as plain text and as HTML. All values come from submitters and are escaped.

/** The subject of patientMatcher, which recipients' mail filters may use. */
const subject = 'MatchMaker Exchange: new patient match available.';

interface RenderedMail {
  subject: string;
  text: string;
  html: string;
}

interface MailLine {
  title: string;
  value: string;
}

/** The mail for notices with the same recipients. */
export function mailOfNotices(
  notices: readonly Pick<Notice, 'patient' | 'matches'>[],
  { link }: Pick<MailSettings, 'link'>,
): RenderedMail {
  const parts = bySubmission(notices).map(({ patient, matches }) => ({
    title: `Your submission ${plainLine(patient.id)}${patient.label === undefined ? '' : ` (${plainLine(patient.label)})`}`,
    link: link?.replaceAll('{id}', encodeURIComponent(patient.id)),
    matches: matches.map(linesOf),
  }));
  const text = parts.map(({ title, link, matches }) =>
    [
      `${title} has ${matchCount(matches.length)}.`,
      ...(link === undefined ? [] : [`View the match at ${link}`]),
      ...matches.map((lines) => lines.map((line) => `  ${line.title}: ${line.value}`).join('\n')),
    ].join('\n\n'),
  );
  const body = parts.map(
    ({ title, link, matches }) => html`<h2>${title}</h2>
<p>It has ${matchCount(matches.length)}.</p>
${link !== undefined && html`<p><a href="${link}">View the match</a></p>`}
${matches.map((lines) => html`<ul>${lines.map(({ title, value }) => html`<li>${title}: ${value}</li>`)}</ul>`)}`,
  );
  return {
    subject,
    text: `${text.join('\n\n')}\n\n${closingText}\n`,
    html: html`<!doctype html><html lang="en"><body>${body}<p>${closingText}</p></body></html>`.toString(),
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

const closingText =
  'You receive this message because a patient that you submitted to the Matchmaker Exchange has a match. ' +
  'Please write to the contact named above; replies to this address are not read.';

const matchCount = (matches: number) => (matches === 1 ? 'a new match' : `${matches} new matches`);

function linesOf(match: ReportedMatch): MailLine[] {
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
  return lines.flatMap(([title, value]) => (value === undefined ? [] : [{ title, value: plainLine(value) }]));
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
function plainLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').slice(0, 2000);
}
