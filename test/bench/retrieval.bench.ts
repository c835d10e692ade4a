/**
 * How well patients with the same disease are found: mean reciprocal rank of the first patient with the disease of the
 * query from another publication, among all patients of other publications, by our formula and others in one run. Ties
 * count as the mean of their order. Then the same formula with its constant chosen by cross-validation: on four fifths of
 * the diseases for the remaining fifth.
 * Options: `--each=8` queries of a disease at most, `--seed=1`. Needs ../shared/data/matchmaker.
 */
import { type Profile, Profiler } from '../../plugins/matchmaker/matching/profile.js';
import { unsharedWeight } from '../../plugins/matchmaker/matching/score.js';
import { completeResources } from '../plugins/matchmaker/resources/support/shared.js';
import type { Print } from './run.js';
import { interval, Phenotypes, type Terms } from './support/retrieval/phenotypes.js';
import { type Published, published, submission } from './support/retrieval/published.js';
import { type Compared, others, oursWith, type Ranker } from './support/retrieval/rankers.js';
import { blurred, candidates, chosenQueries, type Scenario, scenarios } from './support/retrieval/scenarios.js';
import { random } from './support/vcf.js';

/** Candidates of the constant, for cross-validation. */
const constants = [0.03, 0.05, 0.08, 0.12, 0.2, 1];
const folds = 5;

/** By ranker, the reciprocal rank of each query. */
type Ranks = Map<string, number[]>;

export default async function retrieval(print: Print, options: Readonly<Record<string, string>>): Promise<void> {
  const seed = Number(options.seed ?? 1);
  const cases = await published();
  const queries = chosenQueries(cases, Number(options.each ?? 8), seed);
  const bench = new Retrieval(cases, queries, new Profiler(await completeResources()), seed);
  print(`${cases.length} patients, ${queries.length} queries of ${bench.diseases.length} diseases, seed ${seed}`);
  const fused = 'z(simGIC)+z(LR)+z(LSA)';
  const names = ['ours', fused, ...Object.keys(others)];
  print(`${''.padEnd(34)}${names.map((name) => name.slice(0, 14).padStart(15)).join('')}  ours − best other`);
  const byConstant: Ranks[] = [];
  for (const scenario of scenarios) {
    const ranks = bench.ranks(scenario, scenario.genes === 0 ? fused : undefined);
    byConstant.push(ranks);
    const means = names.map((name) => mean(ranks.get(name)));
    const rivals = names.slice(1).filter((name) => ranks.has(name));
    const best = rivals.reduce((one, other) => (mean(ranks.get(other)) > mean(ranks.get(one)) ? other : one));
    const ours = ranks.get('ours') ?? [];
    const differences = ours.map((rank, i) => rank - (ranks.get(best)?.[i] ?? 0));
    const [low, high] = interval(differences, seed);
    print(
      scenario.name.padEnd(34) +
        means.map((value) => (Number.isNaN(value) ? '–' : value.toFixed(3)).padStart(15)).join('') +
        `  ${signed(mean(differences))} [${signed(low)}, ${signed(high)}] ${best}`,
    );
  }
  print(`cross-validation of the constant, which is ${unsharedWeight}:`);
  bench.crossValidate(byConstant, print);
}

class Retrieval {
  readonly diseases: readonly string[];
  readonly #cases: readonly Published[];
  readonly #queries: readonly number[];
  readonly #profiler: Profiler;
  readonly #seed: number;
  readonly #phenotypes: Phenotypes;
  /** In nats, by term. */
  readonly #information: Float64Array;
  /** By case. */
  readonly #diseaseOf: Uint32Array;
  readonly #publicationOf: Uint32Array;
  readonly #genes: readonly string[];

  constructor(cases: readonly Published[], queries: readonly number[], profiler: Profiler, seed: number) {
    const { ontology } = profiler.resources;
    this.#cases = cases;
    this.#queries = queries;
    this.#profiler = profiler;
    this.#seed = seed;
    this.#information = Float64Array.from({ length: ontology.size }, (_, term) => ontology.information(term));
    this.#phenotypes = new Phenotypes(
      cases.map(({ terms }) => this.#terms(terms)),
      this.#information,
      profiler.information,
    );
    this.#diseaseOf = numbered(cases.map(({ disease }) => disease));
    this.#publicationOf = numbered(cases.map(({ publication }) => publication));
    this.#genes = [...new Set(cases.map(({ gene }) => gene))].sort();
    this.diseases = [...new Set(queries.map((at) => this.#case(at).disease))].sort();
  }

  /** Reciprocal ranks; `fused` names the sum of z-scores, which is left out if omitted. */
  ranks(scenario: Scenario, fused: string | undefined): Ranks {
    const rankers: [string, Ranker][] = [
      ['ours', oursWith(unsharedWeight)],
      ...(scenario.genes === 0
        ? Object.entries(others).filter(([name]) => name === 'simGIC' || name === 'seqr')
        : Object.entries(others)),
      ...constants.map((constant): [string, Ranker] => [`${constant}`, oursWith(constant)]),
    ];
    const { stored, byGene } = this.#stored(scenario);
    const ranks: Ranks = new Map();
    const note = (name: string, at: number, scores: Float64Array) => {
      const noted = ranks.get(name);
      if (noted) noted.push(this.#reciprocalRank(at, scores));
      else ranks.set(name, [this.#reciprocalRank(at, scores)]);
    };
    const blur = random(this.#seed + 1);
    const draw = random(this.#seed + 2);
    for (const at of this.#queries) {
      const one = this.#case(at);
      const noted = scenario.noisy ? blurred(one.terms, this.#profiler.resources.ontology, blur) : one.terms;
      const isMissing = draw() < scenario.missing;
      const features = scenario.genes === 0 ? [] : candidates(one, scenario, isMissing, this.#genes, draw);
      const { genomic } = this.#profiler.profile(submission('query', noted, features));
      const terms = this.#terms(noted);
      const compared: Compared = {
        simGic: this.#phenotypes.simGic(terms),
        ours: this.#phenotypes.ours(terms),
        exact: this.#phenotypes.exact(terms),
        genomic,
        stored: stored.map(({ genomic }) => genomic),
        relatives: [...new Set(genomic.flatMap(({ gene }) => byGene.get(gene) ?? []))],
      };
      for (const [name, ranker] of rankers) note(name, at, ranker(compared));
      if (fused !== undefined) note(fused, at, this.#phenotypes.fused(terms, compared.simGic));
    }
    return ranks;
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

  #case(at: number): Published {
    return this.#cases[at] as Published;
  }

  #terms(ids: readonly string[]): Terms {
    const { ontology } = this.#profiler.resources;
    const own = this.#profiler.observed(submission('', ids, []));
    const closure = new Set(own.flatMap((term) => [...ontology.ancestors(term)]));
    return { own, closure: Uint32Array.from(closure).filter((term) => ontology.information(term) > 0) };
  }

  #stored(scenario: Scenario): { stored: Profile[]; byGene: Map<number | string | undefined, number[]> } {
    const next = random(this.#seed + 3);
    const stored = this.#cases.map((one, at) => {
      const genes = at % 2 === 1 ? scenario.stored : 1;
      return this.#profiler.profile(
        submission(`${at}`, [], candidates(one, { ...scenario, genes }, false, this.#genes, next)),
      );
    });
    const byGene = new Map<number | string | undefined, number[]>();
    for (const [at, { genomic }] of stored.entries()) {
      for (const { gene } of genomic) byGene.set(gene, [...(byGene.get(gene) ?? []), at]);
    }
    return { stored, byGene };
  }

  #reciprocalRank(query: number, scores: Float64Array): number {
    const [diseases, publications] = [this.#diseaseOf, this.#publicationOf];
    const [disease, publication] = [diseases[query], publications[query]];
    let best = -Infinity;
    for (let at = 0; at < scores.length; at++) {
      if (diseases[at] === disease && publications[at] !== publication) best = Math.max(best, scores[at] as number);
    }
    let [better, tied, tiedOthers] = [0, 0, 0];
    for (let at = 0; at < scores.length; at++) {
      const score = scores[at] as number;
      if (score < best || publications[at] === publication) continue;
      if (score > best) better++;
      else if (diseases[at] === disease) tied++;
      else tiedOthers++;
    }
    return 1 / (1 + better + tiedOthers / (tied + 1));
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
