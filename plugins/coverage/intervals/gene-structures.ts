/**
 * Looks genes up in the interval sets that are loaded: by name, by place, and by the ids of their transcripts, which storages
 * do not know as names of genes.
 */
import { ensemblId } from '../../../core/genome.js';
import type { GeneStructure, GeneStructures } from '../../services/coverage.js';
import type { Build, Chromosome, Gene, GeneAnswer, IntervalRepository, ReadOptions, Span } from '../contract.js';
import { select } from '../measure/select.js';
import { choose } from '../measure/transcripts.js';

/** `NM_005957` or `ENST00000376590`, if a text is the id of a transcript, with or without version. */
function transcriptId(asked: string): string | undefined {
  const text = asked.trim();
  return /^([NX][MR]_\d{6,})(?:\.\d+)?$/i.exec(text)?.[1]?.toUpperCase() ?? ensemblId(text, 'ENST');
}

/** Ids of genes by those of transcripts, without versions. */
type Genes = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * The same repository, whose `findGenes` accepts ids of transcripts as well. The first name from another catalogue (RefSeq, in a set
 * of Ensembl) reads all transcripts of the build: about two seconds of processor time for 250,000, once for each set.
 */
export function withTranscriptNames(inner: IntervalRepository): IntervalRepository {
  const references = new ReferenceNames(inner);

  /** The gene ids of each transcript; undefined if no transcripts are loaded. */
  async function genesOf(build: Build, ids: readonly string[], options?: ReadOptions): Promise<Genes | undefined> {
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
  readonly #known = new Map<Build, { version: string; genes: Promise<Genes> }>();

  constructor(intervals: Pick<IntervalRepository, 'each' | 'sets'>) {
    this.#intervals = intervals;
  }

  /** Undefined if the build has no transcripts. */
  async of(build: Build, options?: ReadOptions): Promise<Genes | undefined> {
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

  async #read(build: Build): Promise<Genes> {
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

// Looks genes up by name and by place, in the interval sets that are loaded.

type GeneReads = Pick<IntervalRepository, 'findGenes' | 'select' | 'transcriptsOf' | 'each' | 'sets'>;

export function createGeneStructures(intervals: GeneReads): GeneStructures {
  const places = new GenePlaces(intervals);

  /** With the exons of the transcript that is drawn. */
  async function structuresOf(build: Build, genes: readonly Gene[], signal: AbortSignal): Promise<GeneStructure[]> {
    if (genes.length === 0) return [];
    const ids = [...new Set(genes.map(({ ensembl }) => ensembl))];
    const { transcripts } = await intervals.transcriptsOf(build, ids, { signal });
    return genes.map(({ biotype, ...gene }) => {
      const own = transcripts.filter((one) => one.gene === gene.ensembl && one.chromosome === gene.chromosome);
      const [drawn] = choose(own, 'preferred');
      const exons = (drawn?.exons ?? []).map(({ start, end }) => ({ start, end })).sort((a, b) => a.start - b.start);
      return { ...gene, ...(drawn && { transcript: drawn.ensembl }), exons };
    });
  }

  return {
    async named(build, name, signal) {
      const { answers } = await intervals.findGenes(build, [name], { signal });
      return structuresOf(
        build,
        answers.flatMap((answer) => ('genes' in answer ? answer.genes : [])),
        signal,
      );
    },

    async at(build: Build, chromosome: Chromosome, stretch: Span, { most, signal }) {
      const ids = await places.at(build, chromosome, stretch, signal);
      const found = await intervals.select('genes', build, { ids }, { signal });
      const here = found.filter(
        (gene) => gene.chromosome === chromosome && gene.start < stretch.end && gene.end > stretch.start,
      );
      const [coding, others] = [here.filter(isCoding), here.filter((gene) => !isCoding(gene))];
      return structuresOf(build, [...coding, ...others].slice(0, most), signal);
    },

    async exonsOf(build, wanted, { choice, signal }) {
      const names = new Map(wanted.map(({ hgnc }) => [`HGNC:${hgnc}`, hgnc]));
      const named = new Map(wanted.map(({ hgnc, transcripts = [] }) => [`HGNC:${hgnc}`, transcripts]));
      const asked = { build, genes: [...names.keys()], type: 'transcripts', transcripts: choice, named } as const;
      const { targets, found, notMeasured, unmet, sets } = await select(intervals, asked, { signal });
      const idOf = (name: string) => names.get(name) as number;
      /** Two ids may mean one gene of an interval set. */
      const idsOf = new Map<Gene, number[]>();
      for (const { asked: name, genes } of found) {
        for (const gene of genes) {
          const ids = idsOf.get(gene);
          if (ids === undefined) idsOf.set(gene, [idOf(name)]);
          else ids.push(idOf(name));
        }
      }
      return {
        transcripts: targets.flatMap(({ gene, transcript }) => {
          if (transcript === undefined) return [];
          const exons = transcript.exons.map(({ start, end, rank }) => ({ start, end, rank }));
          const { chromosome, ensembl } = transcript;
          return (idsOf.get(gene) ?? []).map((hgnc) => ({ hgnc, chromosome, transcript: ensembl, exons }));
        }),
        missing: notMeasured.map(({ asked: name, reason }) => ({ hgnc: idOf(name), reason })),
        unmet: unmet.map(({ asked: name, ...one }) => ({ hgnc: idOf(name), ...one })),
        sets,
      };
    },
  };
}

function isCoding({ biotype }: Gene): boolean {
  return biotype === 'protein_coding';
}

// Which genes lie where: their ids by place, kept in memory for each build, and read again once its set is replaced.

/** The genes of one chromosome, by start. */
interface ChromosomeGenes {
  starts: readonly number[];
  ends: readonly number[];
  ids: readonly string[];
  /** Of the longest gene. */
  longest: number;
}

interface PlacesOfSet {
  /** When the set was loaded, and its checksum. */
  version: string;
  places: Promise<ReadonlyMap<Chromosome, ChromosomeGenes>>;
}

class GenePlaces {
  readonly #intervals: Pick<IntervalRepository, 'each' | 'sets'>;
  readonly #known = new Map<Build, PlacesOfSet>();

  constructor(intervals: Pick<IntervalRepository, 'each' | 'sets'>) {
    this.#intervals = intervals;
  }

  /** Ids of genes that share a base with the stretch, each once; none if the build has no genes. */
  async at(build: Build, chromosome: Chromosome, { start, end }: Span, signal: AbortSignal): Promise<string[]> {
    const placed = (await this.#placesOf(build, signal)).get(chromosome);
    if (!placed) return [];
    const found = new Set<string>();
    for (let i = firstFrom(placed.starts, start - placed.longest); i < placed.ids.length; i++) {
      if ((placed.starts[i] as number) >= end) break;
      if ((placed.ends[i] as number) > start) found.add(placed.ids[i] as string);
    }
    return [...found];
  }

  async #placesOf(build: Build, signal: AbortSignal): Promise<ReadonlyMap<Chromosome, ChromosomeGenes>> {
    const sets = await this.#intervals.sets({ signal });
    const set = sets.find((one) => one.kind === 'genes' && one.build === build);
    if (!set) return new Map();
    const version = `${set.loaded.getTime()} ${set.checksum}`;
    const known = this.#known.get(build);
    if (known?.version === version) return known.places;
    const fresh = { version, places: this.#read(build) };
    this.#known.set(build, fresh);
    // A failed read is not kept: the next question reads again.
    fresh.places.catch(() => {
      if (this.#known.get(build) === fresh) this.#known.delete(build);
    });
    return fresh.places;
  }

  async #read(build: Build): Promise<ReadonlyMap<Chromosome, ChromosomeGenes>> {
    const all = new Map<Chromosome, { start: number; end: number; id: string }[]>();
    await this.#intervals.each('genes', build, undefined, async (genes) => {
      for (const { chromosome, start, end, ensembl } of genes) {
        const here = all.get(chromosome) ?? [];
        here.push({ start, end, id: ensembl });
        all.set(chromosome, here);
      }
    });
    return new Map([...all].map(([chromosome, genes]) => [chromosome, placedOf(genes)]));
  }
}

function placedOf(genes: { start: number; end: number; id: string }[]): ChromosomeGenes {
  genes.sort((one, other) => one.start - other.start);
  return {
    starts: genes.map(({ start }) => start),
    ends: genes.map(({ end }) => end),
    ids: genes.map(({ id }) => id),
    longest: genes.reduce((longest, { start, end }) => Math.max(longest, end - start), 0),
  };
}

/** The index of the first number that is not less than `least`. */
export function firstFrom(ascending: readonly number[], least: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] as number) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
