/**
 * What is measured for the names of a request. A gene is the HGNC gene, and is measured once: its pseudoautosomal copy on Y is
 * measured on X, and Ensembl genes that share an HGNC id are one gene. An Ensembl id means that Ensembl gene alone.
 */
import { type GenomeRegion, pseudoautosomal } from '../../../core/genome.js';
import type { Build, Gene, GeneAnswer, GeneLookup, IntervalRepository, Place, ReadOptions } from '../contract.js';
import { type Region, union } from './region.js';

// What is measured for the names of a request. A gene is the HGNC gene, and is measured once: its pseudoautosomal copy on Y is
// measured on X, and Ensembl genes that share an HGNC id are one gene. An Ensembl id means that Ensembl gene alone.

export type FoundGenes = Extract<GeneAnswer, { genes: Gene[] }>;

/** An Ensembl gene that was requested by its id, and the other Ensembl genes of its HGNC gene. */
export interface RelatedGenes {
  asked: string;
  hgnc: number;
  symbol?: string;
  /** Their Ensembl ids. */
  others: readonly string[];
}

interface ResolvedGenes {
  /** One for each name, in order, without the genes that are not measured for it. */
  answers: GeneAnswer[];
  relatives: RelatedGenes[];
  sets: Pick<GeneLookup, 'genes' | 'names'>;
}

export async function resolveNames(
  intervals: Pick<IntervalRepository, 'findGenes'>,
  build: Build,
  names: readonly string[],
  options: ReadOptions,
): Promise<ResolvedGenes> {
  const { answers, ...sets } = await intervals.findGenes(build, names, options);
  const relatives: RelatedGenes[] = [];
  const whole = await wholeGenes(intervals, build, answers, options);
  const resolved = answers.map((answer): GeneAnswer => {
    if (!('genes' in answer)) return answer;
    const [hgnc] = answer.by === 'ensembl' ? hgncOf(answer) : [];
    if (hgnc === undefined) return { ...answer, genes: withoutCopies(build, answer.genes) };
    const all = withoutCopies(build, [...answer.genes, ...(whole.get(hgnc) ?? [])]);
    const ids = new Set(answer.genes.map(({ ensembl }) => ensembl));
    const own = all.filter(({ ensembl }) => ids.has(ensembl));
    const genes = own.length > 0 ? own : withCopies(build, all, answer.genes);
    const kept = new Set(genes);
    const others = new Set(all.filter((gene) => !kept.has(gene)).map(({ ensembl }) => ensembl));
    const symbol = genes[0]?.symbol;
    if (others.size > 0) relatives.push({ asked: answer.asked, hgnc, ...(symbol && { symbol }), others: [...others] });
    return { ...answer, genes };
  });
  return { answers: resolved, relatives, sets };
}

/** The genes of each HGNC id of which a gene was requested by Ensembl id, with all Ensembl genes that share the id. */
async function wholeGenes(
  intervals: Pick<IntervalRepository, 'findGenes'>,
  build: Build,
  answers: readonly GeneAnswer[],
  options: ReadOptions,
): Promise<Map<number, Gene[]>> {
  const numbers = answers.flatMap((one) => ('genes' in one && one.by === 'ensembl' ? hgncOf(one) : []));
  if (numbers.length === 0) return new Map();
  const asked = [...new Set(numbers)];
  const lookup = await intervals.findGenes(
    build,
    asked.map((hgnc) => `HGNC:${hgnc}`),
    options,
  );
  return new Map(asked.map((hgnc, i) => [hgnc, genesOfAnswer(lookup.answers[i])]));
}

function hgncOf({ genes }: FoundGenes): number[] {
  return genes.flatMap(({ hgnc }) => hgnc ?? []);
}

function genesOfAnswer(answer: GeneAnswer | undefined): Gene[] {
  return answer !== undefined && 'genes' in answer ? answer.genes : [];
}

/** Each gene once, without copies on Y of genes on X. */
function withoutCopies(build: Build, genes: readonly Gene[]): Gene[] {
  const places = new Map<string, Gene>();
  for (const gene of genes) if (!places.has(placeKey(gene))) places.set(placeKey(gene), gene);
  const distinct = [...places.values()];
  const isCopy = meeting(pseudoautosomalCopies(build, distinct));
  return distinct.filter((gene) => !isCopy(gene));
}

/** The genes on X at whose place in a pseudoautosomal region of Y one of `others` lies. */
function withCopies(build: Build, genes: readonly Gene[], others: readonly Gene[]): Gene[] {
  const isThere = meeting(others);
  return genes.filter((gene) => pseudoautosomalCopies(build, [gene]).some(isThere));
}

/** Whether a place is on Y and meets one of these regions of Y. */
function meeting(regions: readonly Region[]): (place: Region) => boolean {
  const onY = union(regions.filter(({ chromosome }) => chromosome === 'Y'));
  return ({ chromosome, start, end }) => {
    if (chromosome !== 'Y') return false;
    let [from, to] = [0, onY.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((onY[middle] as Region).end <= start) from = middle + 1;
      else to = middle;
    }
    const next = onY[from];
    return next !== undefined && next.start < end;
  };
}

/** Genes that are measured together: of one HGNC id and one chromosome, or one Ensembl gene. */
export function measuredTogether(genes: readonly Gene[]): Gene[][] {
  const groups = new Map<string, Gene[]>();
  for (const gene of genes) {
    const { hgnc, ensembl, chromosome } = gene;
    const key = `${hgnc === undefined ? ensembl : `HGNC:${hgnc}`} ${chromosome}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [gene]);
    else group.push(gene);
  }
  return [...groups.values()];
}

export function placeKey({ ensembl, chromosome, start, end }: Place & { ensembl: string }): string {
  return `${ensembl} ${chromosome}:${start}-${end}`;
}

// The pseudo-autosomal regions of X and Y: both sexes have two copies of them.

/** A chromosome of this length without its PARs; all of it if the build is unknown. */
export function withoutPars(chromosome: 'X' | 'Y', size: number, build: Build | undefined): Region[] {
  const left: Region[] = [];
  let at = 0;
  for (const par of build === undefined ? [] : parsOf(build, chromosome)) {
    if (at < Math.min(par.start, size)) left.push({ chromosome, start: at, end: Math.min(par.start, size) });
    at = par.end;
  }
  if (at < size) left.push({ chromosome, start: at, end: size });
  return left;
}

/** Where the pseudoautosomal bases of regions of X are on Y; regions of other chromosomes have none. */
export function pseudoautosomalCopies(build: Build, regions: readonly Region[]): Region[] {
  const copies = parsOf(build, 'Y');
  return regions.flatMap(({ chromosome, start, end }) =>
    chromosome !== 'X'
      ? []
      : parsOf(build, 'X').flatMap((par, i) => {
          const [from, to] = [Math.max(start, par.start), Math.min(end, par.end)];
          const shift = (copies[i]?.start ?? 0) - par.start;
          return from < to ? [{ chromosome: 'Y', start: from + shift, end: to + shift }] : [];
        }),
  );
}

/** In the order of the chromosome: the first, then the second. */
function parsOf(build: Build, chromosome: 'X' | 'Y'): GenomeRegion[] {
  return pseudoautosomal[build].filter((par) => par.chromosome === chromosome);
}
