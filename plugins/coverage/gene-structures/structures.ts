/** Looks genes up by name and by place, in the interval sets that are loaded. */
import type { GeneStructure, GeneStructures } from '../../services/coverage.js';
import type { Build, Chromosome, Gene, IntervalRepository, Span } from '../contract.js';
import { select } from '../domain/select.js';
import { choose } from '../domain/transcripts.js';
import { GenePlaces } from './gene-places.js';

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
