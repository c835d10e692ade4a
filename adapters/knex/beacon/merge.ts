/** Brings together what one import says of the same allele, in bounded memory. */
import {
  alleleKey,
  type CalledAllele,
  type Contig,
  statedOfCarriers,
  widened,
} from '../../../plugins/beacon/contract.js';
import { addCarriers } from './carriers.js';

/**
 * How far, in bases, a start may lag behind the highest seen and still count as sorted: trimming a multi-allelic record
 * moves its alleles' starts past those of later records.
 */
const slack = 1000;

/** Alleles pass through in batches; those near the end of what was seen wait for their like. */
export class MergeWindow {
  #contig: Contig | undefined;
  readonly #finished = new Set<Contig>();
  #waiting = new Map<string, CalledAllele>();
  #highest = -1;
  #released = -1;

  /** Alleles came out of order, so that the same allele may have been released twice. */
  disordered = false;

  /** Takes a batch in and gives out what is complete. */
  *pass(batch: readonly CalledAllele[]): Generator<CalledAllele> {
    for (const record of batch) {
      const allele = statedOfCarriers(record);
      if (allele.contig !== this.#contig) {
        yield* this.finish();
        if (this.#contig) this.#finished.add(this.#contig);
        if (this.#finished.has(allele.contig)) this.disordered = true;
        this.#contig = allele.contig;
        this.#highest = this.#released = -1;
      }
      if (allele.start <= this.#released) this.disordered = true;
      if (allele.start > this.#highest) this.#highest = allele.start;
      const key = alleleKey(allele);
      const known = this.#waiting.get(key);
      this.#waiting.set(key, known ? this.#merged(known, allele) : allele);
    }
    const waiting = this.#waiting;
    this.#waiting = new Map();
    for (const [key, allele] of waiting) {
      if (allele.start > this.#highest - slack) {
        this.#waiting.set(key, allele);
        continue;
      }
      if (allele.start > this.#released) this.#released = allele.start;
      yield allele;
    }
  }

  /** Gives out the rest. */
  *finish(): Generator<CalledAllele> {
    yield* this.#waiting.values();
    this.#waiting = new Map();
  }

  #merged(known: CalledAllele, again: CalledAllele): CalledAllele {
    const carriers = new Map(known.carriers);
    addCarriers(carriers, again.carriers);
    const uncalled = new Set([...(known.uncalled ?? []), ...(again.uncalled ?? [])]);
    return { ...widened(known, again), carriers: [...carriers], ...(uncalled.size > 0 && { uncalled: [...uncalled] }) };
  }
}
