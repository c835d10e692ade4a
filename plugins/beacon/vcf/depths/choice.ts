/** Takes the depths by which calls and coverage files are compared, and phases, from the records of a VCF file. */
import { isPlaceholder } from '../../../../core/vcf.js';
import type { CalledDepth } from '../../../services/beacon.js';
import { isAutosome } from '../../domain/genotypes.js';
import { Copies, startOfField, type TypedRecord, wholeNumberAt } from '../site-genotypes.js';
import { chosenDepths, type DepthsOfSamples, mostDepths, type PhasesOfSamples, rankOfPlace } from './contract.js';
import { PhaseChoice } from './phases.js';

/** Collects the depths of the chosen samples: of called genotypes at records with one single-base alternate of an autosome. */
export class DepthChoice {
  readonly #depths: CalledDepth[][];
  readonly #copies = new Copies();
  /** For each sample the rank above which places are not needed any more, and the highest of them. */
  readonly #limits: number[];
  #highest = Number.POSITIVE_INFINITY;
  readonly #phases: PhaseChoice;

  constructor(samples: number) {
    this.#depths = Array.from({ length: samples }, () => []);
    this.#limits = this.#depths.map(() => Number.POSITIVE_INFINITY);
    this.#phases = new PhaseChoice(samples);
  }

  /** `chosen`: the columns of the samples from left to right. */
  take(block: string, chosen: readonly { column: number; sample: number }[], record: TypedRecord): void {
    this.#phases.take(block, chosen, record);
    const { begins, end, contig, position, reference, alternates, fields } = record;
    const [alternate = ''] = alternates;
    if (fields.depth < 0 || alternates.length !== 1 || alternate.length !== 1 || reference.length !== 1) return;
    if (isPlaceholder(alternate) || !isAutosome(contig)) return;
    const place = { chromosome: contig, start: position - 1 };
    const rank = rankOfPlace(place);
    if (rank > this.#highest) return;
    this.#copies.resize(1);
    let [at, column] = [begins[9] ?? 0, 0];
    for (const { column: wanted, sample } of chosen) {
      for (; column < wanted; column++) at = block.indexOf('\t', at) + 1;
      if (rank > (this.#limits[sample] as number)) continue;
      const [genotype, from] = [
        startOfField(block, at, end, fields.genotype),
        startOfField(block, at, end, fields.depth),
      ];
      if (genotype < 0 || from < 0 || !this.#copies.count(block, genotype, end)) continue;
      if (this.#copies.of(0) + this.#copies.of(1) === 0) continue;
      const depth = wholeNumberAt(block, from, end);
      if (depth > 0) this.#add(sample, { ...place, depth });
    }
  }

  #add(sample: number, depth: CalledDepth): void {
    const own = this.#depths[sample] as CalledDepth[];
    own.push(depth);
    if (own.length < 2 * mostDepths) return;
    const chosen = chosenDepths(own);
    this.#depths[sample] = chosen;
    if (chosen.length === mostDepths) this.#limits[sample] = rankOfPlace(chosen.at(-1) as CalledDepth);
    this.#highest = Math.max(...this.#limits);
  }

  /** By name, given the names by number. */
  depths(names: readonly string[]): DepthsOfSamples {
    const own = this.#depths.map((depths, sample) => [names[sample] ?? '', chosenDepths(depths)] as const);
    return new Map(own.filter(([, { length }]) => length > 0));
  }

  /** The same of phases. */
  phases(names: readonly string[]): PhasesOfSamples {
    return this.#phases.phases(names);
  }
}
