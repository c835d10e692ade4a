/** Finds chromosomes by name, also in another spelling: chr1 for 1, M for MT. */
import { D4Error } from './error.js';
import type { Chromosome } from './metadata.js';

const mitochondrial = ['MT', 'chrM', 'M', 'chrMT'];

/** Other spellings of a chromosome's name: chr1 for 1 and back, and the four of the mitochondrial one. */
function spellings(name: string): string[] {
  if (mitochondrial.includes(name)) return mitochondrial;
  return [name.startsWith('chr') ? name.slice(3) : `chr${name}`];
}

/** The index of a chromosome by its exact name or, with `alias`, by another spelling; −1 if it is not in the list. */
export function chromosomeIndex(chromosomes: readonly Chromosome[], name: string, alias = false): number {
  return firstFound(name, alias, (one) => chromosomes.findIndex((chromosome) => chromosome.name === one));
}

function firstFound(name: string, alias: boolean | undefined, find: (name: string) => number): number {
  for (const candidate of alias ? [name, ...spellings(name)] : [name]) {
    const found = find(candidate);
    if (found >= 0) return found;
  }
  return -1;
}

/** The name of a chromosome in the style of a list, even if it is not in the list: `chrY` beside `chr1` and `chr2`. */
export function spelledLike(chromosomes: readonly Chromosome[], name: string): string {
  const own = chromosomes[chromosomeIndex(chromosomes, name, true)];
  if (own !== undefined) return own.name;
  const prefixed = chromosomes.some((one) => /^chr([0-9]+|X|Y)$/.test(one.name));
  if (mitochondrial.includes(name)) return prefixed ? 'chrM' : 'MT';
  const plain = name.replace(/^chr/, '');
  return prefixed ? `chr${plain}` : plain;
}

/** The index of a chromosome by name. Throws D4Error `unknown-chromosome` if it is not in the list. */
export function findChromosome(
  chromosomes: readonly Chromosome[],
  name: string,
  options: { alias?: boolean | undefined; place: string },
): number {
  return existing(chromosomeIndex(chromosomes, name, options.alias), name, options.place);
}

function existing(found: number, name: string, place: string): number {
  if (found >= 0) return found;
  throw new D4Error('unknown-chromosome', `The file has no chromosome ${JSON.stringify(name)}`, place);
}

/** The same for many look-ups. */
export function chromosomeFinder(
  chromosomes: readonly Chromosome[],
  options: { alias?: boolean | undefined; place: string },
): (name: string) => number {
  const known = new Map<string, number>();
  for (const [i, { name }] of chromosomes.entries()) if (!known.has(name)) known.set(name, i);
  const find = (name: string) => known.get(name) ?? -1;
  return (name) => existing(firstFound(name, options.alias, find), name, options.place);
}
