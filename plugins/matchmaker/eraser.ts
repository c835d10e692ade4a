/**
 * The matchmaker's part in erasures of the server: finds the patients of a person, and erases them with their matches,
 * notifications and entries of the audit trail.
 */
import {
  concerns,
  type Erased,
  type Eraser,
  type Erasure,
  eraserOf,
  peopleOf,
  type Revision,
  reaches,
} from '../../core/plugin.js';
import type {
  AuditEntry,
  AuditedOf,
  AuditRepository,
  MatchmakerRepository,
  MatchRepository,
  StoredPatient,
  TriageRepository,
  TriageRow,
} from './contract.js';
import { type ErasureOptions, erasePatient, namesIn, type PatientScope, selectionOf } from './erasure.js';
import { recordPages } from './matches/contract.js';
import { type SampleRule, sampleOfPatient } from './patients/patient.js';

export interface MatchmakerEraserTools extends ErasureOptions {
  patients: Pick<MatchmakerRepository, 'patient' | 'patients'>;
  /** How a patient is linked to a sample: with the sample it is erased, under whatever id. */
  samples: SampleRule;
  matches: Pick<MatchRepository, 'matches'>;
  audit: Pick<AuditRepository, 'entries'>;
  /** Undefined if people do not work with matches on this server. */
  rows: Pick<TriageRepository, 'rows' | 'rowsAbout'> | undefined;
}

const pageSize = 500;
const entriesText = 'entries of the audit trail, which stay under a random name';

/** A node of the exchange only shares its patients: both scopes erase them. */
export function matchmakerEraser(tools: MatchmakerEraserTools): Eraser {
  return eraserOf(async (erasures) => {
    const targets = await erasureTargets(tools, erasures);
    const traces = [];
    for (const one of targets) traces.push(await tracesOf(tools, one));
    return {
      found: erasureReport(traces),
      revisions: traces.flatMap((one) => one?.revisions ?? []),
      async erase() {
        const erased = [];
        for (const one of targets) {
          // Perhaps erased under another id meanwhile.
          if ((await tracesOf(tools, one)) === undefined) continue;
          const { patient, ...counts } = await erasePatient(tools, one.id, one.whose);
          erased.push({ ...counts, patients: Number(patient) });
        }
        return erasureReport(erased);
      },
    };
  });
}

type TraceCounts = Record<'patients' | 'records' | 'rows' | 'entries', number>;

function erasureReport(all: readonly (TraceCounts | undefined)[]): Erased[] {
  const sum = (kind: keyof TraceCounts) => all.reduce((count, one) => count + (one?.[kind] ?? 0), 0);
  const rows = sum('rows');
  return [
    { what: 'patients, with pending notifications about them', count: sum('patients') },
    { what: 'records of matches with the patients', count: sum('records') },
    ...(rows > 0 ? [{ what: 'rows of matches with the patients, with what people noted', count: rows }] : []),
    { what: entriesText, count: sum('entries') },
  ];
}

interface ErasureTarget {
  id: string;
  whose: PatientScope;
  /** The list may have several lines about one person: one of them suffices. */
  erasures: Erasure[];
}

/** By the id of the patient, and of the patients that are linked to a sample. */
async function erasureTargets(
  tools: Pick<MatchmakerEraserTools, 'patients' | 'samples'>,
  erasures: readonly Erasure[],
): Promise<ErasureTarget[]> {
  const all = new Map<string, ErasureTarget>();
  const add = (id: string, whose: PatientScope, by: readonly Erasure[]) => {
    const key = JSON.stringify([id, whose]);
    const known = all.get(key);
    if (known) known.erasures.push(...by);
    else all.set(key, { id, whose, erasures: [...by] });
  };
  for (const one of erasures) {
    const whose = whoseOf(one);
    if (whose !== undefined) add(one.id, whose, [one]);
  }
  for (const { id, by } of await linkedTo(tools, erasures)) add(id, 'here', by);
  return [...all.values()];
}

async function linkedTo(
  { patients, samples: rule }: Pick<MatchmakerEraserTools, 'patients' | 'samples'>,
  erasures: readonly Erasure[],
): Promise<{ id: string; by: readonly Erasure[] }[]> {
  const samples = peopleOf(erasures, 'sample');
  const linked: { id: string; by: readonly Erasure[] }[] = [];
  for (let after: number | undefined; samples.ids.length > 0; ) {
    const page = await patients.patients({ ...(after !== undefined && { after }), limit: pageSize });
    for (const { patient } of page) {
      const by = samples.of(sampleOfPatient(patient, rule) ?? '');
      if (by.length > 0) linked.push({ id: patient.id, by });
    }
    after = page.at(-1)?.number;
    if (page.length < pageSize) break;
  }
  return linked;
}

function whoseOf(erasure: Erasure): PatientScope | undefined {
  const { names, holder } = erasure;
  if (concerns(erasure, 'patient')) return holder === 'any' ? 'anybody' : 'here';
  return typeof holder === 'object' && names !== 'sample' ? { of: holder.name } : undefined;
}

/** Undefined if there is nothing, or all of it was stored after an erasure that is repeated. */
async function tracesOf(
  { patients, matches, audit, rows: triage }: MatchmakerEraserTools,
  { id, whose, erasures }: ErasureTarget,
): Promise<(TraceCounts & { revisions: readonly Revision[] }) | undefined> {
  const known = await patients.patient(id);
  const { stored: own, nodes, finder, audited } = selectionOf(whose, known);
  const rows = (await triage?.rowsAbout(id, nodes)) ?? [];
  if (own) rows.push(...((await triage?.rows(own.number)) ?? []));
  let [records, entries] = [0, 0];
  const revisions = [...(own ? [patientRevision(own)] : []), ...rows.map(rowRevision)];
  for await (const page of recordPages(matches, { patient: id, limit: pageSize })) {
    for (const record of page) {
      if (finder !== undefined && !namesIn(record, id, known).has(finder)) continue;
      records += 1;
      revisions.push({ name: `match ${record.id}`, stored: record.created });
    }
  }
  for (let after: number | undefined; ; ) {
    const page = await audit.entries({ patient: id, ...(after !== undefined && { after }), limit: pageSize });
    const about = page.filter((entry) => isAbout(entry, id, audited));
    entries += about.length;
    revisions.push(...about.map((entry) => entryRevision(id, entry)));
    after = page.at(-1)?.number;
    if (page.length < pageSize) break;
  }
  // A patient that was added again is another one, with records of its own.
  const isReached = (revision: Revision) => erasures.some((one) => reaches(one, revision));
  if (own !== undefined && !isReached(patientRevision(own))) return undefined;
  if (!revisions.some(isReached)) return undefined;
  return { patients: Number(own !== undefined), records, rows: rows.length, entries, revisions };
}

/** Numbers are given again after a restore; with the moment they are not. */
function patientRevision({ number, created }: StoredPatient): Revision {
  return { name: `patient ${number} ${created.toISOString()}`, stored: created };
}

function rowRevision({ id, firstSeen }: Pick<TriageRow, 'id' | 'firstSeen'>): Revision {
  return { name: `row ${id} ${firstSeen.toISOString()}`, stored: firstSeen };
}

function entryRevision(id: string, { at, actor, action }: AuditEntry): Revision {
  return { name: `entry ${JSON.stringify([id, actor, action])} ${at.toISOString()}`, stored: at };
}

/** Whether an entry is about the selected patient; see `AuditRepository.rename`. */
function isAbout({ actor, action, patient, query }: AuditEntry, id: string, of: AuditedOf | undefined): boolean {
  if (of === undefined) return true;
  if (patient === id) return of.own ? action !== 'receive' : action === 'receive' && actor === `node:${of.name}`;
  if (query !== id) return false;
  return of.own ? action !== 'match' || actor === of.owner : action === 'match' && actor === of.name;
}
