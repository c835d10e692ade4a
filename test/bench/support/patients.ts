/** Synthetic patients: diseases drawn unevenly, terms drawn by the frequencies in the annotations. */

import { readTextFile } from '../../../core/files.js';
import type { Feature, Patient } from '../../../plugins/matchmaker/contract.js';
import { random } from './vcf.js';

export interface AnnotatedDisease {
  id: string;
  terms: { id: string; share: number }[];
}

/** Shares for HPO's frequency terms (HP:0040280 …): the middle of their ranges. */
const words: Readonly<Record<string, number>> = {
  'HP:0040280': 1,
  'HP:0040281': 0.9,
  'HP:0040282': 0.55,
  'HP:0040283': 0.17,
  'HP:0040284': 0.025,
  'HP:0040285': 0,
};
/** If none is stated: about the average of the stated ones. */
const unstated = 0.5;

export function shareOf(frequency: string): number {
  const word = words[frequency];
  if (word !== undefined) return word;
  const [, some, all] = /^(\d+)\/(\d+)$/.exec(frequency) ?? [];
  if (some !== undefined && Number(all) > 0) return Math.min(1, Number(some) / Number(all));
  const [, percent] = /^([\d.]+)%$/.exec(frequency) ?? [];
  return percent === undefined ? unstated : Math.min(1, Number(percent) / 100);
}

/** Diseases of phenotype.hpoa with their phenotypes. */
export async function annotatedDiseases(path: string): Promise<AnnotatedDisease[]> {
  const { text } = await readTextFile(path);
  const diseases = new Map<string, Map<string, number>>();
  for (const line of text.split('\n')) {
    const [id = '', , not = '', term = '', , , , frequency = '', , , aspect] = line.split('\t');
    if (line.startsWith('#') || aspect !== 'P' || not !== '') continue;
    const terms = diseases.get(id) ?? new Map<string, number>();
    diseases.set(id, terms.set(term, Math.max(shareOf(frequency), terms.get(term) ?? 0)));
  }
  return [...diseases].map(([id, terms]) => ({ id, terms: [...terms].map(([id, share]) => ({ id, share })) }));
}

export interface DrawnPatient {
  disease: string;
  patient: Patient;
}

/** How patients differ from their disease; not at all if all are omitted. */
export interface Blur {
  /** Probability that a parent replaces a term. */
  imprecision?: number;
  /** Probability of adding an unrelated term for each of its own. */
  noise?: number;
  /** A parent of the term, chosen by a number 0 ≤ x < 1. */
  parent?: (term: string, draw: number) => string;
}

/** Endless patients with up to 30 terms, one gene and one variant of it each; the same seed gives the same ones. */
export function* patients(
  diseases: readonly AnnotatedDisease[],
  seed: number,
  { imprecision = 0, noise = 0, parent = (term) => term }: Blur = {},
): Generator<DrawnPatient, never> {
  const next = random(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)] as Item;
  for (let number = 1; ; number++) {
    const rank = Math.floor(next() ** 2 * diseases.length);
    const disease = diseases[rank] as AnnotatedDisease;
    const features: Feature[] = [];
    for (const { id, share } of disease.terms) {
      if (next() >= share || features.length === 30) continue;
      features.push({ id: next() < imprecision ? parent(id, next()) : id });
      if (next() < noise) features.push({ id: pick(pick(diseases).terms).id });
    }
    if (features.length === 0) features.push({ id: pick(disease.terms).id });
    const start = 10_000 * (rank + 1) + Math.floor(next() < 0.3 ? next() * 3 : next() * 9000);
    const change = pick(['AG', 'CT', 'GA', 'TC']);
    const patient: Patient = {
      id: `patient-${seed}-${number}`,
      contact: { name: 'Bench', href: 'mailto:bench@example.org' },
      features,
      genomicFeatures: [
        {
          gene: { id: `${1 + rank}` },
          zygosity: next() < 0.3 ? 2 : 1,
          type: { id: pick(['SO:0001583', 'SO:0001587', 'SO:0001589']) },
          variant: {
            assembly: 'GRCh37',
            referenceName: '2',
            start,
            end: start + 1,
            referenceBases: change.charAt(0),
            alternateBases: change.charAt(1),
          },
        },
      ],
    };
    yield { disease: disease.id, patient };
  }
}
