/**
 * Looks up the variants of a match on this server: whether the patient on the other side is covered there, and how often the
 * allele was seen. Each service is asked once for all rows and each assembly.
 */
import { isFault } from '../../../core/plugin.js';
import type { AlleleCounts } from '../../services/beacon.js';
import type { CoveredAnswer } from '../../services/coverage.js';
import { type StoredPatient, type TriageRow, thisNode } from '../contract.js';
import { reaches } from '../http/access.js';
import { sampleOfPatient } from '../patients/patient.js';
import { type StatedFeature, statedFeatures } from '../patients/presentation.js';
import {
  type LocalFinding,
  type LocalFindings,
  type LocalPlace,
  type LocalRequest,
  type LocalTools,
  liftedPlace,
  placeOfVariant,
  type VariantLookup,
} from './local.js';

export async function findLocally(
  tools: LocalTools,
  request: LocalRequest,
  submission: StoredPatient,
  rows: readonly TriageRow[],
): Promise<LocalFindings> {
  const found = new Map<string, LocalFinding[]>();
  const all: VariantLookup[] = [];
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
  await Promise.all([covers(tools, request, all), addCounts(tools, request, all)]);
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
): VariantLookup[] {
  const looked: VariantLookup[] = [];
  if (row.found && row.node === thisNode.id && candidate) {
    const sample = sampleOfPatient(candidate.patient, settings.samples);
    const mayKnowLink = reaches(caller, candidate);
    const own = statedFeatures(patient, resources.genes, row.genes);
    looked.push(...lookedFor('submission', own, { sample, mayKnowLink }));
  }
  if (row.asked) {
    const sample = sampleOfPatient(patient, settings.samples);
    looked.push(...lookedFor('counterpart', row.stated, { sample, mayKnowLink: true }));
  }
  return looked;
}

function lookedFor(
  from: LocalFinding['from'],
  stated: readonly StatedFeature[],
  where: Pick<VariantLookup, 'sample' | 'mayKnowLink'>,
): VariantLookup[] {
  return stated.flatMap(({ gene, variant }): VariantLookup[] => {
    const place = variant && placeOfVariant(variant);
    return place ? [{ finding: { from, gene, variant }, place, ...where }] : [];
  });
}

/** Alleles in one question. */
const mostAlleles = 5000;

/** Adds to each finding the counts of its allele. */
async function addCounts(
  { beacon }: LocalTools,
  { caller, id, signal }: LocalRequest,
  all: readonly VariantLookup[],
): Promise<void> {
  if (beacon === undefined) return;
  for (const assembly of ['GRCh37', 'GRCh38'] as const) {
    const alleles = new Map<string, { chromosome: string; start: number; reference: string; alternate: string }>();
    const looked = all.filter(({ place }) => place.assembly === assembly);
    for (const { place } of looked) {
      for (const allele of place.alleles) {
        alleles.set(keyOfAllele(place.chromosome, allele), { chromosome: place.chromosome, ...allele });
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
      const [stated, shifted] = place.alleles.map((allele) => found.get(keyOfAllele(place.chromosome, allele)));
      if (stated === undefined || stated.length === 0) continue;
      finding.counts = stated.map((counts) => {
        const other = shifted?.find(({ dataset }) => dataset === counts.dataset);
        return counts.carriers === 0 && other && other.carriers > 0 ? { ...other, oneBased: true } : counts;
      });
    }
  }
}

function keyOfAllele(
  chromosome: string,
  { start, reference, alternate }: VariantLookup['place']['alleles'][number],
): string {
  return [chromosome, start, reference, alternate].join(' ');
}

// Whether samples are covered at variants, as the coverage plugin knows it.

/** Places in one question. */
const mostPlaces = 10_000;

/** A variant with its bases, in its own build or lifted over to the other one. */
type CoverageTarget = VariantLookup & { at: Omit<LocalPlace, 'alleles'> };

/** Adds to each finding whether its sample is covered; samples of the other build are asked where the variant is there. */
async function covers(tools: LocalTools, request: LocalRequest, all: readonly VariantLookup[]): Promise<void> {
  await coversAt(
    tools,
    request,
    all.map((looked): CoverageTarget => ({ ...looked, at: looked.place })),
  );
  const apart = all.filter(({ finding }) => finding.coverage?.reason === 'other-build');
  await coversAt(
    tools,
    request,
    apart.flatMap((looked): CoverageTarget[] => {
      const at = liftedPlace(looked.place, tools.resources.lift);
      return at ? [{ ...looked, at }] : [];
    }),
  );
}

async function coversAt(
  { coverage, settings: { threshold }, log }: LocalTools,
  request: LocalRequest,
  all: readonly CoverageTarget[],
): Promise<void> {
  if (coverage === undefined) return;
  for (const build of ['GRCh37', 'GRCh38'] as const) {
    const byPlace = new Map<string, { place: CoverageTarget['at']; looked: CoverageTarget[] }>();
    for (const looked of all) {
      if (looked.at.assembly !== build || looked.sample === undefined) continue;
      const key = JSON.stringify([looked.at.chromosome, looked.at.intervals]);
      const known = byPlace.get(key);
      if (known) known.looked.push(looked);
      else byPlace.set(key, { place: looked.at, looked: [looked] });
    }
    const places = [...byPlace.values()];
    for (let from = 0; from < places.length; from += mostPlaces) {
      const part = places.slice(from, from + mostPlaces);
      const samplesOf = (looked: readonly VariantLookup[]) => [
        ...new Set(looked.flatMap(({ sample }) => sample ?? [])),
      ];
      const question = {
        ...{ build, threshold, groups: [samplesOf(part.flatMap(({ looked }) => looked))] },
        places: part.map(({ place: { chromosome, intervals }, looked }) => {
          return { chromosome, intervals, named: samplesOf(looked) };
        }),
      };
      const asked = { principal: request.caller.principal, id: request.id };
      const answer = await coverage.covered(asked, question, request.signal).catch((error: unknown) => {
        if (!isFault(error) || error.code !== 'unavailable') throw error;
        log.warn({ reason: error.message }, 'the coverage of samples is unknown for now');
        return 'unavailable' as const;
      });
      if (answer === undefined) return;
      for (const [i, { looked }] of part.entries()) addCoverage(looked, answer, i, threshold);
    }
  }
}

function addCoverage(
  all: readonly CoverageTarget[],
  answer: CoveredAnswer | 'unavailable',
  place: number,
  threshold: number,
): void {
  const below = new Set(answer === 'unavailable' ? [] : answer.places[place]?.below);
  const reasons = new Map(answer === 'unavailable' ? [] : answer.unknown.map(({ sample, reason }) => [sample, reason]));
  for (const { finding, sample = '', mayKnowLink, place: stated, at } of all) {
    const reason = answer === 'unavailable' ? answer : reasons.get(sample);
    // Of another client's patient not even that a sample is linked.
    if ((reason === 'unregistered' || reason === 'unavailable') && !mayKnowLink) continue;
    if (reason !== undefined) finding.coverage = { state: 'unknown', threshold, reason };
    else {
      const lifted = at.assembly === stated.assembly ? {} : { lifted: at.assembly };
      finding.coverage = { state: below.has(sample) ? 'not-covered' : 'covered', threshold, ...lifted };
    }
  }
}
