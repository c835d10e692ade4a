/**
 * What is measured for the names of a request, ids of transcripts among them. A gene is the HGNC gene, and is measured once: its
 * pseudoautosomal copy on Y is measured on X, and Ensembl genes that share an HGNC id are one gene. An Ensembl id means that
 * Ensembl gene alone.
 */
import { ensemblId, type GenomeRegion, pseudoautosomal } from '../../../core/genome.js';
import type { Build, Gene, GeneAnswer, GeneLookup, IntervalRepository, Place, ReadOptions } from '../contract.js';
import { groupedBy, type Region, union } from './region.js';

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
  const keyOf = ({ hgnc, ensembl, chromosome }: Gene) =>
    `${hgnc === undefined ? ensembl : `HGNC:${hgnc}`} ${chromosome}`;
  return [...groupedBy(genes, keyOf).values()];
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

// Ids of transcripts as names of genes.

/** `NM_005957` or `ENST00000376590`, if a text is the id of a transcript, with or without version. */
function transcriptId(asked: string): string | undefined {
  const text = asked.trim();
  return /^([NX][MR]_\d{6,})(?:\.\d+)?$/i.exec(text)?.[1]?.toUpperCase() ?? ensemblId(text, 'ENST');
}

/** Ids of genes by those of transcripts, without versions. */
type GenesOfTranscripts = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * The same repository, whose `findGenes` accepts ids of transcripts as well. The first name from another catalogue (RefSeq, in a set
 * of Ensembl) reads all transcripts of the build: about two seconds of processor time for 250,000, once for each set.
 */
export function withTranscriptNames(inner: IntervalRepository): IntervalRepository {
  const references = new ReferenceNames(inner);

  /** The gene ids of each transcript; undefined if no transcripts are loaded. */
  async function genesOf(
    build: Build,
    ids: readonly string[],
    options?: ReadOptions,
  ): Promise<GenesOfTranscripts | undefined> {
    const found = new Map(ids.map((id) => [id, new Set<string>()]));
    for (const { ensembl, gene } of await inner.select('transcripts', build, { ids }, options))
      found.get(ensembl)?.add(gene);
    if ([...found.values()].every(({ size }) => size > 0)) return found;
    const named = await references.of(build, options);
    return named && new Map([...found].map(([id, genes]) => [id, genes.size > 0 ? genes : (named.get(id) ?? genes)]));
  }

  const findGenes: IntervalRepository['findGenes'] = async (build, asked, options) => {
    const ids = asked.map(transcriptId);
    const wanted = [...new Set(ids.flatMap((id) => id ?? []))];
    if (wanted.length === 0) return inner.findGenes(build, asked, options);
    const known = await genesOf(build, wanted, options);
    const genesAt = asked.map((name, i) => (ids[i] === undefined ? [name] : [...(known?.get(ids[i]) ?? [])]));
    const { answers, ...sets } = await inner.findGenes(build, genesAt.flat(), options);
    let at = 0;
    const own = genesAt.map((names, i): GeneAnswer => {
      const found = answers.slice(at, at + names.length);
      at += names.length;
      const [only] = found;
      if (ids[i] === undefined && only !== undefined) return only;
      const name = asked[i] ?? '';
      const genes = [...new Set(found.flatMap((answer) => ('genes' in answer ? answer.genes : [])))];
      if (genes.length > 0) return { asked: name, by: 'transcript', genes };
      return { asked: name, reason: known === undefined ? 'no-transcripts-loaded' : 'unknown-transcript' };
    });
    return { answers: own, ...sets };
  };

  return {
    findGenes,
    load: (request, now) => inner.load(request, now),
    sets: (options) => inner.sets(options),
    transcriptsOf: (build, genes, options) => inner.transcriptsOf(build, genes, options),
    select: (kind, build, filter, options) => inner.select(kind, build, filter, options),
    each: (kind, build, limit, take, options) => inner.each(kind, build, limit, take, options),
    sweep: (idleSince) => inner.sweep(idleSince),
  };
}

/** The names of transcripts in other catalogues, kept in memory for each build, and read again once their set is replaced. */
class ReferenceNames {
  readonly #intervals: Pick<IntervalRepository, 'each' | 'sets'>;
  readonly #known = new Map<Build, { version: string; genes: Promise<GenesOfTranscripts> }>();

  constructor(intervals: Pick<IntervalRepository, 'each' | 'sets'>) {
    this.#intervals = intervals;
  }

  /** Undefined if the build has no transcripts. */
  async of(build: Build, options?: ReadOptions): Promise<GenesOfTranscripts | undefined> {
    const sets = await this.#intervals.sets(options);
    const set = sets.find((one) => one.kind === 'transcripts' && one.build === build);
    if (set === undefined) return undefined;
    const version = `${set.loaded.getTime()} ${set.checksum}`;
    const known = this.#known.get(build);
    if (known?.version === version) return known.genes;
    const fresh = { version, genes: this.#read(build) };
    this.#known.set(build, fresh);
    // A failed read is not kept: the next question reads again.
    fresh.genes.catch(() => {
      if (this.#known.get(build) === fresh) this.#known.delete(build);
    });
    return fresh.genes;
  }

  async #read(build: Build): Promise<GenesOfTranscripts> {
    const genes = new Map<string, Set<string>>();
    await this.#intervals.each('transcripts', build, undefined, async (transcripts) => {
      for (const { gene, references } of transcripts) {
        for (const name of Object.values(references).flat()) {
          const id = transcriptId(name);
          if (id === undefined) continue;
          const own = genes.get(id);
          if (own === undefined) genes.set(id, new Set([gene]));
          else own.add(gene);
        }
      }
    });
    return genes;
  }
}
