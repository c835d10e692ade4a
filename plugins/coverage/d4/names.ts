/** Finds chromosomes by name, also in another spelling: chr1 for 1, M for MT. */
import { D4Error } from './error.js';
import type { Chromosome } from './metadata.js';

const mitochondrial = ['MT', 'chrM', 'M', 'chrMT'];

/** Other spellings of a chromosome's name: chr1 for 1 and back, and the four of the mitochondrial one. */
function spellings(name: string): string[] {
  if (mitochondrial.includes(name)) return mitochondrial;
  return [name.startsWith('chr') ? name.slice(3) : `chr${name}`];
}

/** A chromosome's place in a list by its exact name or else, with `alias`, another spelling; −1 when it is not there. */
export function chromosomeIndex(chromosomes: readonly Chromosome[], name: string, alias = false): number {
  for (const candidate of alias ? [name, ...spellings(name)] : [name]) {
    const found = chromosomes.findIndex((chromosome) => chromosome.name === candidate);
    if (found >= 0) return found;
  }
  return -1;
}

/** What a list that has these names calls a chromosome, also one that it lacks: `chrY` beside `chr1` and `chr2`. */
export function spelledLike(chromosomes: readonly Chromosome[], name: string): string {
  const own = chromosomes[chromosomeIndex(chromosomes, name, true)];
  if (own !== undefined) return own.name;
  const prefixed = chromosomes.some((one) => /^chr([0-9]+|X|Y)$/.test(one.name));
  if (mitochondrial.includes(name)) return prefixed ? 'chrM' : 'MT';
  const plain = name.replace(/^chr/, '');
  return prefixed ? `chr${plain}` : plain;
}

/** The same, but throws D4Error `unknown-chromosome`. */
export function findChromosome(
  chromosomes: readonly Chromosome[],
  name: string,
  options: { alias?: boolean | undefined; place: string },
): number {
  const found = chromosomeIndex(chromosomes, name, options.alias);
  if (found >= 0) return found;
  throw new D4Error('unknown-chromosome', `The file has no chromosome ${JSON.stringify(name)}`, options.place);
}

/** The same for many look-ups: each name is searched for once. */
export function chromosomeFinder(
  chromosomes: readonly Chromosome[],
  options: { alias?: boolean | undefined; place: string },
): (name: string) => number {
  const known = new Map<string, number>();
  return (name) => {
    let ordinal = known.get(name);
    if (ordinal === undefined) {
      ordinal = findChromosome(chromosomes, name, options);
      known.set(name, ordinal);
    }
    return ordinal;
  };
}
