/**
 * What this server itself knows about the variants of a match: whether the patient on the other side is covered there, and
 * how often the allele was seen. Each service is asked once for all rows and each assembly.
 */
import type { AlleleCounts } from '../../../services/beacon.js';
import { type StoredPatient, type TriageRow, thisNode } from '../../contract.js';
import { reaches } from '../../http/access.js';
import { sampleOf } from '../../patient/extensions.js';
import { type StatedFeature, statedFeatures } from '../../patient/stated.js';
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

/** Alleles in one question. */
const mostAlleles = 5000;

/** Adds to each finding the counts of its allele. */
async function countsOf(
  { beacon }: LocalTools,
  { caller, id, signal }: LocalRequest,
  all: readonly Looked[],
): Promise<void> {
  if (beacon === undefined) return;
  for (const assembly of ['GRCh37', 'GRCh38'] as const) {
    const alleles = new Map<string, { chromosome: string; start: number; reference: string; alternate: string }>();
    const looked = all.filter(({ place }) => place.assembly === assembly);
    for (const { place } of looked) {
      for (const allele of place.alleles) {
        alleles.set(keyOf(place.chromosome, allele), { chromosome: place.chromosome, ...allele });
      }
    }
    const list = [...alleles.entries()];
    const found = new Map<string, readonly AlleleCounts[] | undefined>();
    for (let from = 0; from < list.length; from += mostAlleles) {
      const part = list.slice(from, from + mostAlleles);
      const asked = part.map(([, allele]) => allele);
      const counts = await beacon.counts({ principal: caller.principal, id }, assembly, asked, signal);
      for (const [i, [key]] of part.entries()) found.set(key, counts[i]);
    }
    for (const { finding, place } of looked) {
      const [stated, shifted] = place.alleles.map((allele) => found.get(keyOf(place.chromosome, allele)));
      if (stated === undefined || stated.length === 0) continue;
      finding.counts = stated.map((counts) => {
        const other = shifted?.find(({ dataset }) => dataset === counts.dataset);
        return counts.carriers === 0 && other && other.carriers > 0 ? { ...other, oneBased: true } : counts;
      });
    }
  }
}

function keyOf(chromosome: string, { start, reference, alternate }: Looked['place']['alleles'][number]): string {
  return [chromosome, start, reference, alternate].join(' ');
}
