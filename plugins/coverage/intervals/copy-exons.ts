/** Coding exons by which the copies of X and Y are counted in samples of which only exons were captured. */

import { type Build, codingParts, type Gene, type IntervalRepository, type TranscriptWithExons } from '../contract.js';
import { countedPlaces } from '../domain/copy-places.js';
import type { Region } from '../domain/region.js';
import { union } from '../domain/region.js';
import { choose } from '../domain/transcripts.js';

export interface CopyExons {
  autosomes: readonly Region[];
  x: readonly Region[];
  y: readonly Region[];
}

/** Undefined if no exons are loaded for the build. */
export type FindCopyExons = (build: Build, signal: AbortSignal) => Promise<CopyExons | undefined>;

/** Genes whose exons are taken, evenly spread over the list. */
const mostGenes = { autosomes: 600, x: 500, y: 500 };

/** Looks them up once for each version of the interval sets. */
export function createFindCopyExons(
  intervals: Pick<IntervalRepository, 'sets' | 'each' | 'transcriptsOf'>,
): FindCopyExons {
  const known = new Map<Build, { sets: string; exons: CopyExons }>();
  return async (build, signal) => {
    const own = (await intervals.sets({ signal })).filter((set) => set.build === build);
    if (!own.some(({ kind }) => kind === 'exons')) return undefined;
    const sets = own.map(({ kind, checksum, loaded }) => `${kind} ${checksum} ${loaded.toISOString()}`).join(';');
    const found = known.get(build);
    if (found?.sets === sets) return found.exons;
    const exons = await readExons(intervals, build, signal);
    known.set(build, { sets, exons });
    return exons;
  };
}

async function readExons(
  intervals: Pick<IntervalRepository, 'each' | 'transcriptsOf'>,
  build: Build,
  signal: AbortSignal,
): Promise<CopyExons> {
  const genes: Record<keyof CopyExons, Gene[]> = { autosomes: [], x: [], y: [] };
  const take = async (rows: readonly Gene[]) => {
    for (const gene of rows) {
      const part = partOf(gene, build);
      if (part !== undefined && (gene.biotype ?? 'protein_coding') === 'protein_coding') genes[part].push(gene);
    }
  };
  await intervals.each('genes', build, undefined, take, { signal });
  const chosen = {
    autosomes: spread(genes.autosomes, mostGenes.autosomes),
    x: spread(genes.x, mostGenes.x),
    y: spread(genes.y, mostGenes.y),
  };
  const ids = Object.values(chosen).flatMap((list) => list.map(({ ensembl }) => ensembl));
  const { transcripts } = await intervals.transcriptsOf(build, [...new Set(ids)], { signal });
  const byGene = new Map<string, TranscriptWithExons[]>();
  for (const transcript of transcripts) {
    const key = `${transcript.gene} ${transcript.chromosome}`;
    const known = byGene.get(key);
    if (known === undefined) byGene.set(key, [transcript]);
    else known.push(transcript);
  }
  const exonsOf = (list: readonly Gene[]): Region[] =>
    union(
      list.flatMap(({ ensembl, chromosome }) =>
        choose(byGene.get(`${ensembl} ${chromosome}`) ?? [], 'preferred').flatMap((transcript) => {
          const isMessenger = transcript.isManeSelect || transcript.references.refseqMrna.length > 0;
          const coding = isMessenger ? codingParts(transcript) : [];
          return (coding ?? []).map(({ start, end }) => ({ chromosome, start, end }));
        }),
      ),
    );
  return { autosomes: exonsOf(chosen.autosomes), x: exonsOf(chosen.x), y: exonsOf(chosen.y) };
}

/** Which copies the gene counts for; undefined for genes with copies elsewhere, and for those of the mitochondrion. */
function partOf({ chromosome, start, end }: Gene, build: Build): keyof CopyExons | undefined {
  if (chromosome === 'MT') return undefined;
  if (chromosome !== 'X' && chromosome !== 'Y') return 'autosomes';
  const places = countedPlaces(chromosome, Number.POSITIVE_INFINITY, build);
  const isWithin = places.some((place) => place.start <= start && end <= place.end);
  if (!isWithin) return undefined;
  return chromosome === 'X' ? 'x' : 'y';
}

function spread<One>(list: readonly One[], most: number): One[] {
  const step = Math.max(1, list.length / most);
  return Array.from({ length: Math.min(most, list.length) }, (_, i) => list[Math.floor(i * step)] as One);
}
