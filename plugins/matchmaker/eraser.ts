/**
 * The matchmaker's part in erasures of the server: finds the patients of a person, and erases them with their matches,
 * notifications and entries of the audit trail.
 */
import {
  concerns,
  type Erased,
  type Eraser,
  type Erasure,
  erasuresById,
  type Revision,
  reaches,
} from '../../core/plugin.js';
import {
  type AuditEntry,
  type AuditRepository,
  type MatchmakerRepository,
  type MatchRepository,
  type StoredPatient,
  type TriageRepository,
  type TriageRow,
  thisNode,
} from './contract.js';
import { type ErasureOptions, erasePatient, namesIn, nodesOfScope, type PatientScope } from './erasure.js';
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
  return {
    async find(erasures) {
      const all = { ...noTraces };
      for (const one of await erasureTargets(tools, erasures)) {
        const found = await tracesOf(tools, one);
        for (const kind of traceKinds) all[kind] += found[kind];
      }
      return erasureReport(all);
    },
    async revisions(erasures) {
      const found: Revision[] = [];
      for (const one of await erasureTargets(tools, erasures)) found.push(...(await tracesOf(tools, one)).revisions);
      return found;
    },
    async erase(erasures) {
      const all = { ...noTraces };
      for (const one of await erasureTargets(tools, erasures)) {
        const { id, whose } = one;
        const found = await tracesOf(tools, one);
        if (traceKinds.every((kind) => found[kind] === 0)) continue;
        const erased = await erasePatient(tools, id, whose);
        all.patients += Number(erased.patient);
        all.records += erased.records;
        all.rows += erased.rows;
        all.entries += erased.entries;
      }
      return erasureReport(all);
    },
  };
}

const traceKinds = ['patients', 'records', 'rows', 'entries'] as const;
type TraceCounts = Record<(typeof traceKinds)[number], number>;
const noTraces: Readonly<TraceCounts> = { patients: 0, records: 0, rows: 0, entries: 0 };

function erasureReport({ patients, records, rows, entries }: TraceCounts): Erased[] {
  return [
    { what: 'patients, with pending notifications about them', count: patients },
    { what: 'records of matches with the patients', count: records },
    ...(rows > 0 ? [{ what: 'rows of matches with the patients, with what people noted', count: rows }] : []),
    { what: entriesText, count: entries },
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
  const samples = erasuresById(erasures.filter((one) => concerns(one, 'sample')));
  const linked: { id: string; by: readonly Erasure[] }[] = [];
  for (let after: number | undefined; samples.size > 0; ) {
    const page = await patients.patients({ ...(after !== undefined && { after }), limit: pageSize });
    for (const { patient } of page) {
      const by = samples.get(sampleOfPatient(patient, rule) ?? '');
      if (by) linked.push({ id: patient.id, by });
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

/** Nothing, if all of it was stored after an erasure that is repeated. */
async function tracesOf(
  { patients, matches, audit, rows: triage }: MatchmakerEraserTools,
  { id, whose, erasures }: ErasureTarget,
): Promise<TraceCounts & { revisions: readonly Revision[] }> {
  const stored = await patients.patient(id);
  const own = typeof whose === 'object' ? undefined : stored;
  const rows = (await triage?.rowsAbout(id, nodesOfScope(whose, stored))) ?? [];
  if (own) rows.push(...((await triage?.rows(own.number)) ?? []));
  let [records, entries] = [0, 0];
  const revisions = [...(own ? [patientRevision(own)] : []), ...rows.map(rowRevision)];
  for await (const page of recordPages(matches, { patient: id, limit: pageSize })) {
    for (const record of page) {
      const names = namesIn(record, id, stored);
      if (whose !== 'anybody' && !names.has(typeof whose === 'object' ? whose.of : thisNode.id)) continue;
      records += 1;
      revisions.push({ name: `match ${record.id}`, stored: record.created });
    }
  }
  for (let after: number | undefined; ; ) {
    const page = await audit.entries({ patient: id, ...(after !== undefined && { after }), limit: pageSize });
    const about = page.filter((entry) => isAbout(entry, id, whose, stored));
    entries += about.length;
    revisions.push(...about.map((entry) => entryRevision(id, entry)));
    after = page.at(-1)?.number;
    if (page.length < pageSize) break;
  }
  // A patient that was added again is another one, with records of its own.
  const isReached = (revision: Revision) => erasures.some((one) => reaches(one, revision));
  if (own !== undefined && !isReached(patientRevision(own))) return { ...noTraces, revisions: [] };
  if (!revisions.some(isReached)) return { ...noTraces, revisions: [] };
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

/** Whose patient an entry is about; see `AuditRepository.rename`. */
function isAbout(
  { actor, action, patient, query }: AuditEntry,
  id: string,
  whose: PatientScope,
  stored: StoredPatient | undefined,
): boolean {
  if (whose === 'anybody') return true;
  if (whose !== 'here') {
    if (patient === id) return action === 'receive' && actor === `node:${whose.of}`;
    return query === id && action === 'match' && actor === whose.of;
  }
  return patient === id ? action !== 'receive' : query === id && (action !== 'match' || actor === stored?.owner);
}
