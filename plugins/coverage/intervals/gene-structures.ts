/** Looks genes up by name and by place, in the interval sets that are loaded. */
import type { GeneStructure, GeneStructures, TranscriptChoice, WantedGene } from '../../services/coverage.js';
import type { Build, Chromosome, Gene, IntervalRepository, Span } from '../contract.js';
import { select } from '../measure/select.js';
import { choose } from '../measure/transcripts.js';

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

  /** What is measured of each gene by its transcripts. */
  async function transcriptsOf(
    build: Build,
    wanted: readonly WantedGene[],
    { type, choice }: { type: 'transcripts' | 'coding'; choice: TranscriptChoice },
    signal: AbortSignal,
  ) {
    const names = new Map(wanted.map(({ hgnc }) => [`HGNC:${hgnc}`, hgnc]));
    const named = new Map(wanted.map(({ hgnc, transcripts = [] }) => [`HGNC:${hgnc}`, transcripts]));
    const asked = { build, genes: [...names.keys()], type, transcripts: choice, named };
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
      rows: targets.flatMap(({ gene, transcript, regions, coding }) => {
        if (transcript === undefined) return [];
        return (idsOf.get(gene) ?? []).map((hgnc) => ({ hgnc, transcript, regions, coding }));
      }),
      missing: notMeasured.map(({ asked: name, reason }) => ({ hgnc: idOf(name), reason })),
      unmet: unmet.map(({ asked: name, ...one }) => ({ hgnc: idOf(name), ...one })),
      sets,
    };
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
      const { rows, missing, unmet, sets } = await transcriptsOf(
        build,
        wanted,
        { type: 'transcripts', choice },
        signal,
      );
      return {
        transcripts: rows.map(({ hgnc, transcript: { chromosome, ensembl, exons } }) => ({
          ...{ hgnc, chromosome, transcript: ensembl },
          exons: exons.map(({ start, end, rank }) => ({ start, end, rank })),
        })),
        ...{ missing, unmet, sets },
      };
    },

    async codingOf(build, wanted, signal) {
      const asked = { type: 'coding', choice: 'preferred' } as const;
      const { rows, missing, sets } = await transcriptsOf(build, wanted, asked, signal);
      const spans = (regions: readonly Span[]) =>
        regions.map(({ start, end }) => ({ start, end })).sort((one, other) => one.start - other.start);
      return {
        genes: rows.map(({ hgnc, transcript: { chromosome, ensembl }, regions, coding = [] }) => ({
          ...{ hgnc, chromosome, transcript: ensembl },
          coding: spans(coding.length > 0 ? coding : regions),
          counted: spans(regions),
        })),
        ...{ missing, sets },
      };
    },
  };
}

function isCoding({ biotype }: Gene): boolean {
  return biotype === 'protein_coding';
}

// The genes at each place: their ids, kept in memory for each build, and read again once its set is replaced.

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
