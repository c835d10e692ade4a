/** Looks genes up by name and by place, in the interval sets that are loaded. */
import type { Build, Chromosome, Gene, IntervalRepository, Span } from '../contract.js';
import { choose } from '../domain/transcripts.js';
import { GenePlaces } from './gene-places.js';
import type { GeneStructure, GeneStructures } from './service.js';

type Reads = Pick<IntervalRepository, 'findGenes' | 'select' | 'transcriptsOf' | 'each' | 'sets'>;

export function createGeneStructures(intervals: Reads): GeneStructures {
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
  };
}

function isCoding({ biotype }: Gene): boolean {
  return biotype === 'protein_coding';
}
