/**
 * How many pairs of published patients with such a score have one disease, for a submission of such a kind: shown on pages
 * beside the share of random pairs, which says nothing of that. It depends on what is stored, so it is not a probability, and
 * other nodes do not get it.
 *
 * `npm run bench -- retrieval --pairs` computes the table from the 5,794 published individuals of half of the diseases of
 * phenopacket-store (Monarch Initiative, BSD-3-Clause), with HPO 2024-08-13 and annotations of 2023-01-27: up to 8 patients
 * of each disease are compared with one patient of their disease from another publication, and with all of other diseases
 * from other publications. Genes and variants are as published. Half of the queries with genes have another gene in place
 * of that of the disease; a list of genes has five.
 */
import type { StoredPatient, TriageRow } from '../contract.js';
import type { Resources } from '../resources/resources.js';
import type { MatchmakerSettings } from '../settings.js';
import { genesOfPatient } from './json.js';

/** The least number of terms and of genes, and the least score, of each part of the table. */
export const termBins = [1, 3, 6, 10, 15];
export const geneBins = [0, 1, 2];
export const scoreBands = [0, 0.1, 0.15, 0.175, 0.2, 0.225, 0.25, 0.3, 0.4, 0.6];
const mostGenes = 10;

/** Of the scores in the table. */
const weights = { genotype: 0.75, phenotype: 0.25 };

/**
 * Lines by genes, then by terms; in a line by score: pairs of one disease, pairs in all, and so many independent pairs as
 * would say as much, since pairs of patients of one disease are alike.
 */
const counted = `
8/105367/105367 6/5773/5773 10/892/882 10/548/540 6/302/173 6/80/26 1/6/6 0/0/0 0/0/0 0/0/0
15/403110/403110 15/36413/36413 19/7405/7168 22/3225/1666 33/1129/529 27/315/47 4/14/14 0/0/0 0/0/0 0/0/0
18/611510/611510 32/95306/95306 29/18577/11344 40/6721/3715 39/1289/558 21/105/39 0/0/0 0/0/0 0/0/0 0/0/0
9/517621/475185 37/100417/100417 26/17336/15179 32/4833/2835 28/659/364 6/12/7 0/0/0 0/0/0 0/0/0 0/0/0
9/487525/487525 23/107129/72971 25/14587/11993 36/2363/1501 24/103/28 0/0/0 0/0/0 0/0/0 0/0/0 0/0/0
2/105186/102903 4/5741/5741 7/920/920 7/605/605 3/323/225 5/156/126 5/130/76 4/34/16 11/14/4 1/2/1
7/402653/402653 8/36309/36309 8/7366/7366 9/3273/2460 15/1148/839 14/531/271 11/257/191 18/256/101 39/109/18 6/7/6
7/610747/498296 17/95093/81796 14/18507/17264 22/6687/5928 19/1284/846 10/480/180 10/479/220 35/389/101 40/148/15 5/10/3
3/517119/517119 19/100247/100247 14/17278/16349 19/4849/4414 11/672/476 1/137/116 6/230/139 32/316/84 28/129/12 5/11/2
3/486672/486672 11/107006/60108 14/14570/14570 20/2419/1926 9/224/125 2/210/153 4/500/181 26/184/54 21/36/7 8/9/9
3/104903/103150 4/8187/8180 9/1092/971 6/717/717 5/399/285 6/97/73 8/23/11 7/11/5 1/2/1 0/0/0
8/399202/399202 8/42044/42044 11/8386/8386 8/3804/3212 18/1469/1279 24/555/170 25/380/71 32/123/11 2/4/3 0/0/0
8/605500/605500 17/101233/101233 15/19610/17569 20/7323/6050 25/1846/1372 21/575/249 40/711/81 28/89/11 5/6/4 0/0/0
7/510723/510723 20/105297/98756 13/18746/18746 14/5966/4767 20/1537/1502 15/585/252 35/353/74 12/21/6 3/3/1 0/0/0
4/482619/482619 10/109608/78387 12/15521/13135 15/3122/3122 15/830/830 16/581/252 27/404/74 8/27/8 10/10/7 0/0/0
`;
const table = counted
  .trim()
  .split('\n')
  .map((line) => line.split(' ').map((cell) => cell.split('/').map(Number)));

/** Of fewer independent pairs nothing is said. */
const fewest = 10;

export interface SubmissionKind {
  /** How many there are at least, and at most; a list of genes has 2 to 10. */
  terms: readonly [from: number, to: number | undefined];
  genes: 'none' | 'one' | 'several';
}

/** Percent, below 10 with one decimal. */
export interface SameDisease {
  kind: SubmissionKind;
  share: number;
  /** The 95 % interval, rounded outwards. */
  low: number;
  high: number;
}

/** Undefined if too few published patients are like that. */
export function sameDisease(terms: number, genes: number, score: number): SameDisease | undefined {
  const [kind, bin] = [binOf(geneBins, genes), binOf(termBins, terms)];
  const from = termBins[bin];
  if (from === undefined || genes > mostGenes) return undefined;
  const [same = 0, all = 0, worth = 0] = table[kind * termBins.length + bin]?.[binOf(scoreBands, score)] ?? [];
  if (worth < fewest) return undefined;
  const next = termBins[bin + 1];
  const [low, high] = wilson(same / all, worth);
  return {
    kind: { terms: [from, next && next - 1], genes: (['none', 'one', 'several'] as const)[kind] ?? 'several' },
    share: percent(same / all, Math.round),
    low: percent(low, Math.floor),
    high: percent(high, Math.ceil),
  };
}

/** The 95 % interval of a share in so many trials (Wilson 1927, doi:10.1080/01621459.1927.10502953). */
export function wilson(share: number, trials: number): [low: number, high: number] {
  const z = 1.959964;
  const square = z ** 2 / trials;
  const spread = z * Math.sqrt((share * (1 - share)) / trials + square / (4 * trials));
  return [-spread, spread].map((part) => (share + square / 2 + part) / (1 + square)) as [number, number];
}

function binOf(bins: readonly number[], value: number): number {
  return bins.findLastIndex((least) => least <= value);
}

function percent(share: number, round: (value: number) => number): number {
  const digits = share < 0.1 ? 10 : 1;
  // Shares of 0 and 1 are exact but for how their interval rounds.
  return round(Number((100 * digits * share).toFixed(6))) / digits;
}

/**
 * For rows of the submission. Nothing is said of scores of other nodes, of a submission that has changed since, or that
 * states a disorder, since published patients are compared without theirs; nor with other weights, or the excerpt of HPO.
 */
export function sameDiseaseOf(
  stored: StoredPatient,
  resources: Resources,
  { maxGenotypeScore, maxPhenotypeScore }: MatchmakerSettings,
): (row: TriageRow) => SameDisease | undefined {
  const { patient, updated } = stored;
  const { features = [], genomicFeatures = [], disorders = [], species = human } = patient;
  const isUsual = maxGenotypeScore === weights.genotype && maxPhenotypeScore === weights.phenotype;
  const genes = genesOfPatient(stored, resources).length;
  const isLike = disorders.length === 0 && species === human && (genes > 0 || genomicFeatures.length === 0);
  if (!isUsual || !isLike || resources.excerpt) return () => undefined;
  const observed = features.filter((feature) => feature.observed !== 'no');
  const terms = new Set(observed.flatMap(({ id }) => resources.ontology.resolve(id)?.term ?? [])).size;
  return ({ lastSeen, score: { reading, genotype, phenotype } }) => {
    if (!reading || genotype === undefined || phenotype === undefined || lastSeen < updated) return undefined;
    return sameDisease(terms, genes, genotype + phenotype);
  };
}

const human = 'NCBITaxon:9606';
