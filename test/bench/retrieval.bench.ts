/**
 * How well patients with the same disease are found: mean reciprocal rank of the first patient with the disease of the
 * query from another publication, among all patients of other publications, and how often it is among the first five, by our
 * formula and others in one run. Ties are broken at random, alike for all. "ours" gives two of five places to patients that
 * share a gene, as searches do (plugins/matchmaker/matching/score.ts); "by score" does not, and "longer list" divides
 * otherwise if there are no terms (core/decisions/0030-lists-of-genes.md). Then the same formula with its constant chosen by cross-validation: on four fifths
 * of the diseases for the remaining fifth.
 * Options: `--each=8` queries of a disease at most, `--rows=lists` whose name has this, `--seed=1`; `--pairs` counts pairs of
 * one disease instead, for the table of plugins/matchmaker/triage/same-disease.ts. Needs ../shared/data/matchmaker.
 */
import type { GenomicFeature } from '../../plugins/matchmaker/contract.js';
import { type Profile, Profiler } from '../../plugins/matchmaker/matching/profile.js';
import { genePlaces, unsharedWeight } from '../../plugins/matchmaker/matching/score.js';
import { geneBins, scoreBands, termBins } from '../../plugins/matchmaker/triage/same-disease.js';
import { completeResources } from '../plugins/matchmaker/resources/support/shared.js';
import type { Print } from './run.js';
import { placeInAnswer, placeOf, type Sought } from './support/retrieval/order.js';
import { PairCounts } from './support/retrieval/pairs.js';
import { exactOfBare, interval, Phenotypes, type Terms } from './support/retrieval/phenotypes.js';
import { type Published, published, submission } from './support/retrieval/published.js';
import { byLongerList, type Compared, others, oursWith, type Ranker } from './support/retrieval/rankers.js';
import {
  blurred,
  candidates,
  chosenQueries,
  geneScenarios,
  listOfVariants,
  type Scenario,
  scenarios,
} from './support/retrieval/scenarios.js';
import { random } from './support/vcf.js';

/** Candidates of the constant, for cross-validation. */
const constants = [0.03, 0.05, 0.08, 0.12, 0.2, 1];
const folds = 5;

/** By ranker, the reciprocal rank of each query; 0 if nothing is to be found. */
type Ranks = Map<string, number[]>;

/** Of the answer of a search, as the settings have it by default. */
const answer = { limit: 5, places: genePlaces(5, 0.4) };

export default async function retrieval(print: Print, options: Readonly<Record<string, string>>): Promise<void> {
  const seed = Number(options.seed ?? 1);
  const cases = await published();
  const queries = chosenQueries(cases, Number(options.each ?? 8), seed);
  const bench = new Retrieval(cases, queries, new Profiler(await completeResources()), seed);
  print(`${cases.length} patients, ${queries.length} queries of ${bench.diseases.length} diseases, seed ${seed}`);
  const fused = 'z(simGIC)+z(LR)+z(LSA)';
  if (options.pairs !== undefined) return bench.pairs(print);
  const names = ['ours', 'by score', 'longer list', fused, ...Object.keys(others)];
  const title = names.map((name) => name.slice(0, 14).padStart(15)).join('');
  print(`${'MRR / among the first five'.padEnd(34)}${title}  ours − best other, and − longer list, in both`);
  const byConstant: Ranks[] = [];
  const chosen = [...scenarios, ...geneScenarios].filter(({ name }) => name.includes(options.rows ?? ''));
  for (const scenario of chosen) {
    const ranks = bench.ranks(scenario, scenario.genes === 0 ? fused : undefined);
    if (scenarios.includes(scenario)) byConstant.push(ranks);
    const cells = names.map((name) => {
      const [mrr, five] = measures.map((measure) => mean(ranks.get(name)?.map(measure)));
      return (mrr === undefined || Number.isNaN(mrr) ? '–' : `${mrr.toFixed(3)}/${five?.toFixed(3)}`).padStart(15);
    });
    const rivals = [names.slice(3).filter((name) => ranks.has(name)), ['longer list']];
    const differences = rivals.flatMap((names) =>
      measures.map((measure) => {
        const value = (name: string) => mean(ranks.get(name)?.map(measure));
        const best = names.reduce((one, other) => (value(other) > value(one) ? other : one));
        const ours = ranks.get('ours')?.map(measure) ?? [];
        const all = ours.map((rank, i) => rank - measure(ranks.get(best)?.[i] ?? 0));
        const [low, high] = interval(all, seed);
        return `  ${signed(mean(all))} [${signed(low)}, ${signed(high)}] ${best}`;
      }),
    );
    print(scenario.name.padEnd(34) + cells.join('') + differences.join(''));
  }
  if (byConstant.length < scenarios.length) return;
  print(`cross-validation of the constant, which is ${unsharedWeight}:`);
  bench.crossValidate(byConstant, print);
}

/** Of a reciprocal rank: itself, and whether it is that of one of the first five. */
const measures = [(rank: number) => rank, (rank: number) => (rank >= 1 / answer.limit ? 1 : 0)];

/** Patients beside the published ones, for the scenarios that need some. */
const mostAlone = Math.max(...geneScenarios.map(({ alone = 0 }) => alone));

/** A query, and the stored patients compared with it. */
interface Asked {
  /** Of the case. */
  at: number;
  terms: Terms;
  compared: Compared;
  sought: Sought;
}

class Retrieval {
  readonly diseases: readonly string[];
  readonly #cases: readonly Published[];
  readonly #queries: readonly number[];
  readonly #profiler: Profiler;
  readonly #seed: number;
  readonly #phenotypes: Phenotypes;
  /** By terms of a query. */
  readonly #similarTo = new Map<string, Pick<Compared, 'simGic' | 'ours' | 'exact'>>();
  /** In nats, by term. */
  readonly #information: Float64Array;
  /** By case. */
  readonly #diseaseOf: Uint32Array;
  readonly #publicationOf: Uint32Array;
  readonly #genes: readonly string[];
  readonly #bare: readonly boolean[];

  constructor(cases: readonly Published[], queries: readonly number[], profiler: Profiler, seed: number) {
    const { ontology } = profiler.resources;
    this.#cases = cases;
    this.#queries = queries;
    this.#profiler = profiler;
    this.#seed = seed;
    this.#information = Float64Array.from({ length: ontology.size }, (_, term) => ontology.information(term));
    const terms = cases.map(({ terms }) => this.#terms(terms));
    this.#bare = terms.map(({ own }) => own.length === 0);
    this.#phenotypes = new Phenotypes(terms, this.#information, profiler.information);
    this.#diseaseOf = numbered(cases.map(({ disease }) => disease));
    this.#publicationOf = numbered(cases.map(({ publication }) => publication));
    this.#genes = [...new Set(cases.map(({ gene }) => gene))].sort();
    this.diseases = [...new Set(queries.map((at) => this.#case(at).disease))].sort();
  }

  /** Reciprocal ranks; `fused` names the sum of z-scores, which is left out if omitted. */
  ranks(scenario: Scenario, fused: string | undefined): Ranks {
    const rankers: [string, Ranker][] = [
      ...(scenario.genes === 0
        ? Object.entries(others).filter(([name]) => name === 'simGIC' || name === 'seqr')
        : Object.entries(others)),
      ...(scenarios.includes(scenario) ? constants.map((one): [string, Ranker] => [`${one}`, oursWith(one)]) : []),
    ];
    const ranks: Ranks = new Map();
    const note = (name: string, place: number) => {
      const noted = ranks.get(name);
      if (noted) noted.push(1 / place);
      else ranks.set(name, [1 / place]);
    };
    for (const { terms, compared, sought } of this.asked(scenario)) {
      const places = { ...answer, relatives: compared.relatives };
      const scores = oursWith(unsharedWeight)(compared);
      note('ours', placeInAnswer(scores, sought, places));
      note('longer list', placeInAnswer(oursWith(unsharedWeight, byLongerList)(compared), sought, places));
      note('by score', placeOf(scores, sought));
      for (const [name, ranker] of rankers) note(name, placeOf(ranker(compared), sought));
      if (fused !== undefined) note(fused, placeOf(this.#phenotypes.fused(terms, compared.simGic), sought));
    }
    return ranks;
  }

  /** The queries, and the stored patients that each is compared with. */
  *asked(scenario: Scenario): Generator<Asked> {
    const { stored, byGene } = this.#stored(scenario);
    const blur = random(this.#seed + 1);
    const draw = random(this.#seed + 2);
    const shuffle = random(this.#seed + 4);
    const known = this.#cases.length;
    for (const at of this.#queries) {
      const one = this.#case(at);
      const { bare, alone } = scenario;
      const isBareQuery = bare === 'query' || bare === 'both';
      const isBareStored = (at: number) => at >= known || ((bare === 'stored' || bare === 'both') && at % 2 === 1);
      const blurry = scenario.noisy ? blurred(one.terms, this.#profiler.resources.ontology, blur) : one.terms;
      const noted = isBareQuery ? [] : blurry;
      const isMissing = draw() < scenario.missing;
      const features = scenario.genes === 0 ? [] : candidates(one, scenario, isMissing, this.#genes, draw);
      const { genomic } = this.#profiler.profile(submission('query', noted, features));
      const relatives = [...new Set(genomic.flatMap(({ gene }) => byGene.get(gene) ?? []))];
      // The first of them has the gene of the case, which is the first of its features.
      const further = Array.from({ length: alone ?? 0 }, (_, i) => {
        const gene = features[i === 0 ? 0 : Math.floor(draw() * features.length)] as GenomicFeature;
        return this.#profiler.profile(submission(`alone ${i}`, [], [gene])).genomic;
      });
      const terms = this.#terms(noted);
      const isNoted = (value: number, at: number) => (isBareStored(at) ? 0 : value);
      const whole = (values: Float64Array) => {
        const all = new Float64Array(known + further.length);
        all.set(values);
        return all;
      };
      const { simGic, ours, exact } = this.#similar(terms);
      const compared: Compared = {
        simGic: whole(simGic).map(isNoted),
        ours: whole(ours).map(isNoted),
        exact: whole(exact).map((value, at) => (isBareStored(at) ? exactOfBare : value)),
        genomic,
        stored: [...stored.map(({ genomic }) => genomic), ...further],
        relatives: alone === undefined ? relatives : further.map((_, i) => known + i),
        isBare: (at) => terms.own.length === 0 || isBareStored(at) || this.#isBare(at),
      };
      const [disease, publication] = [this.#diseaseOf[at], this.#publicationOf[at]];
      const others = new Set(alone === undefined ? [] : relatives);
      const sought: Sought = {
        keys: new Float64Array(known + mostAlone).map(shuffle),
        isSought: (other) => (alone === undefined ? this.#diseaseOf[other] === disease : other === known),
        isLeftOut: (other) => this.#publicationOf[other] === publication || others.has(other),
      };
      yield { at, terms, compared, sought };
    }
  }

  /** The table of plugins/matchmaker/triage/same-disease.ts: by kind of query and score, how many pairs are of one disease. */
  pairs(print: Print): void {
    const bands = geneBins.map((genes) => {
      const bins = termBins.map(() => scoreBands.map(() => new PairCounts()));
      const scenario = { ...listOfVariants, genes: genes === 2 ? listOfVariants.genes : genes, missing: 0.5 };
      for (const { at, terms, compared, sought } of this.asked(scenario)) {
        const { keys, isSought, isLeftOut } = sought;
        const scores = oursWith(unsharedWeight)(compared);
        const cells = bins[termBins.findLastIndex((least) => least <= terms.own.length)];
        const others = [...scores.keys()].filter((other) => !isLeftOut(other));
        const second = others
          .filter(isSought)
          .reduce((one, other) => (Number(keys[other]) < Number(keys[one]) ? other : one));
        for (const other of others) {
          const score = Number(scores[other]);
          if (score === 0 || (isSought(other) && other !== second)) continue;
          cells?.[scoreBands.findLastIndex((least) => least <= score)]?.add(this.#case(at).disease, other === second);
        }
      }
      return bins;
    });
    for (const cells of bands.flat()) print(cells.map((counts) => counts.share().join('/')).join(' '));
  }

  /** For each fold of diseases, the constant that is best on the others, and what it gives. */
  crossValidate(rows: readonly Ranks[], print: Print): void {
    const fold = this.#queries.map((at) => this.diseases.indexOf(this.#case(at).disease) % folds);
    const part = (ranks: readonly number[] | undefined, isIn: (fold: number) => boolean) =>
      (ranks ?? []).filter((_, i) => isIn(fold[i] as number));
    const chosen = Array.from({ length: folds }, (_, left) => {
      const value = (constant: number) =>
        mean(rows.map((row) => mean(part(row.get(`${constant}`), (fold) => fold !== left))));
      return constants.reduce((one, other) => (value(other) > value(one) ? other : one));
    });
    print(`  best on the others of ${folds} folds: ${chosen.join(', ')}`);
    scenarios.forEach(({ name }, i) => {
      const held = chosen.flatMap((constant, left) => part(rows[i]?.get(`${constant}`), (fold) => fold === left));
      const all = constants.map((constant) => `${constant}: ${mean(rows[i]?.get(`${constant}`)).toFixed(3)}`);
      print(`  ${name.padEnd(34)}${mean(held).toFixed(3)}  (${all.join(', ')})`);
    });
  }

  /** Of all published patients; rows of the table ask for the same terms. */
  #similar(terms: Terms): Pick<Compared, 'simGic' | 'ours' | 'exact'> {
    const key = terms.own.join();
    const known = this.#similarTo.get(key);
    if (known) return known;
    const all = this.#phenotypes;
    const made = { simGic: all.simGic(terms), ours: all.ours(terms), exact: all.exact(terms) };
    this.#similarTo.set(key, made);
    return made;
  }

  #case(at: number): Published {
    return this.#cases[at] as Published;
  }

  /** Whether a published patient has no terms. */
  #isBare(at: number): boolean {
    return this.#bare[at] === true;
  }

  #terms(ids: readonly string[]): Terms {
    const { ontology } = this.#profiler.resources;
    const own = this.#profiler.observed(submission('', ids, []));
    const closure = new Set(own.flatMap((term) => [...ontology.ancestors(term)]));
    return { own, closure: Uint32Array.from(closure).filter((term) => ontology.information(term) > 0) };
  }

  #stored(scenario: Scenario): { stored: Profile[]; byGene: Map<number | string | undefined, number[]> } {
    const { wrong } = scenario;
    const next = random(this.#seed + 3);
    const stored = this.#cases.map((one, at) => {
      const genes = at % 2 === 1 ? scenario.stored : 1;
      const isWrong = wrong !== undefined && next() < wrong;
      const features = candidates(one, { ...scenario, genes }, isWrong, this.#genes, next);
      return this.#profiler.profile(submission(`${at}`, [], features));
    });
    const byGene = new Map<number | string | undefined, number[]>();
    for (const [at, { genomic }] of stored.entries()) {
      for (const { gene } of genomic) byGene.set(gene, [...(byGene.get(gene) ?? []), at]);
    }
    return { stored, byGene };
  }
}

/** Equal texts get equal numbers. */
function numbered(texts: readonly string[]): Uint32Array {
  const known = [...new Set(texts)];
  const numbers = new Map(known.map((text, at) => [text, at]));
  return Uint32Array.from(texts, (text) => numbers.get(text) ?? 0);
}

function mean(values: readonly number[] | undefined): number {
  return values && values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : Number.NaN;
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;
}
