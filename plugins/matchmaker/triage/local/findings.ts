/**
 * What this server itself knows about the variants of a match: whether the patient on the other side is covered there, and
 * how often the allele was seen. Each service is asked once for all rows and each assembly.
 */
import { type StoredPatient, type TriageRow, thisNode } from '../../contract.js';
import { reaches } from '../../http/access.js';
import { sampleOf } from '../../patient/linked-sample.js';
import { type StatedFeature, statedFeatures } from '../../patient/stated.js';
import { countsOf } from './counts.js';
import { covers } from './coverage.js';
import type { LocalFinding, LocalFindings, LocalRequest, LocalTools, Looked } from './finding.js';
import { placeOf } from './places.js';

export async function findLocally(
  tools: LocalTools,
  request: LocalRequest,
  submission: StoredPatient,
  rows: readonly TriageRow[],
): Promise<LocalFindings> {
  const found = new Map<string, LocalFinding[]>();
  const all: Looked[] = [];
  const candidates = await candidatesOf(tools, rows);
  for (const row of rows) {
    const looked = lookedUp(tools, request, submission, row, candidates.get(row.patient));
    if (looked.length > 0)
      found.set(
        row.id,
        looked.map(({ finding }) => finding),
      );
    all.push(...looked);
  }
  if (all.length === 0) return found;
  await Promise.all([covers(tools, request, all), countsOf(tools, request, all)]);
  for (const [row, findings] of found) {
    const told = findings.filter(({ coverage, counts }) => coverage !== undefined || counts !== undefined);
    if (told.length === 0) found.delete(row);
    else found.set(row, told);
  }
  return found;
}

/** Patients of this node that searches with the submission found. */
async function candidatesOf(
  { patients }: Pick<LocalTools, 'patients'>,
  rows: readonly TriageRow[],
): Promise<Map<string, StoredPatient>> {
  const ids = rows.flatMap(({ node, found, patient }) => (node === thisNode.id && found ? [patient] : []));
  if (ids.length === 0) return new Map();
  return new Map((await patients.patientsById([...new Set(ids)])).map((stored) => [stored.patient.id, stored]));
}

function lookedUp(
  { resources, settings }: LocalTools,
  { caller }: LocalRequest,
  { patient }: StoredPatient,
  row: TriageRow,
  candidate: StoredPatient | undefined,
): Looked[] {
  const looked: Looked[] = [];
  if (row.found && row.node === thisNode.id && candidate) {
    const sample = sampleOf(candidate.patient, settings.samples);
    const mayKnowLink = reaches(caller, candidate);
    const own = statedFeatures(patient, resources.genes, row.genes);
    looked.push(...lookedFor('submission', own, { sample, mayKnowLink }));
  }
  if (row.asked) {
    const sample = sampleOf(patient, settings.samples);
    looked.push(...lookedFor('counterpart', row.stated, { sample, mayKnowLink: true }));
  }
  return looked;
}

function lookedFor(
  from: LocalFinding['from'],
  stated: readonly StatedFeature[],
  where: Pick<Looked, 'sample' | 'mayKnowLink'>,
): Looked[] {
  return stated.flatMap(({ gene, variant }): Looked[] => {
    const place = variant && placeOf(variant);
    return place ? [{ finding: { from, gene, variant }, place, ...where }] : [];
  });
}
