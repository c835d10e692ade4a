/** Which lines of a BED file name a gene and do not lie on it: a shifted column, a renamed file, another build. */
import { counted } from '../../../core/commands.js';
import { type Contig, contigNamed } from '../../../core/genome.js';
import type { GeneStructures } from '../../services/coverage.js';
import { type Build, builds } from '../exports/exons.js';
import type { NamedLine } from '../formats/given-panel.js';
import type { GeneTable } from '../genes/gene-table.js';

/** Bases beside the exons of a gene that still count as its own: kits have promoters and flanks. */
const beside = 10_000;
/** Genes of one question. */
const portion = 500;
/** Genes that are named. */
const most = 50;

interface Line extends NamedLine {
  hgnc: number;
}

interface Extent {
  contig: Contig | undefined;
  start: number;
  end: number;
}

/** Sentences by the build that fits most lines, of those of which genes are loaded; none if no build has genes. */
export async function misplacedLines(
  structures: Pick<GeneStructures, 'exonsOf'>,
  named: readonly NamedLine[],
  table: Pick<GeneTable, 'resolve' | 'gene'>,
  signal: AbortSignal,
): Promise<string[]> {
  const lines = named.flatMap((line): Line[] => {
    const found = table.resolve(line.given);
    return 'gene' in found ? [{ ...line, hgnc: found.gene.hgnc }] : [];
  });
  let best: { build: Build; wrong: readonly Line[] } | undefined;
  for (const build of lines.length === 0 ? [] : builds) {
    const extents = await extentsOf(structures, new Set(lines.map(({ hgnc }) => hgnc)), build, signal);
    if (extents === undefined) continue;
    const wrong = lines.filter((line) => !isOn(line, extents.get(line.hgnc)));
    if (best === undefined || wrong.length < best.wrong.length) best = { build, wrong };
  }
  return best === undefined ? [] : sentencesOf(best.wrong, best.build, table);
}

/** By gene; undefined if no genes of the build are loaded. */
async function extentsOf(
  structures: Pick<GeneStructures, 'exonsOf'>,
  ids: ReadonlySet<number>,
  build: Build,
  signal: AbortSignal,
): Promise<Map<number, Extent[]> | undefined> {
  const all = [...ids];
  const found = new Map<number, Extent[]>();
  for (let from = 0; from < all.length; from += portion) {
    signal.throwIfAborted();
    const genes = all.slice(from, from + portion).map((hgnc) => ({ hgnc }));
    const { transcripts, missing } = await structures.exonsOf(build, genes, { choice: 'all', signal });
    if (missing.some(({ reason }) => reason === 'no-genes-loaded')) return undefined;
    for (const { hgnc, chromosome, exons } of transcripts) {
      const own = found.get(hgnc) ?? [];
      found.set(hgnc, own);
      for (const { start, end } of exons) own.push({ contig: contigNamed(chromosome), start, end });
    }
  }
  return found;
}

/** Whether it lies within the gene and a little beside it. Of a gene without exons nothing is known. */
function isOn({ chromosome, start, end }: NamedLine, exons: readonly Extent[] = []): boolean {
  const contig = contigNamed(chromosome);
  const here = exons.filter((exon) => exon.contig === contig);
  if (exons.length === 0) return true;
  if (here.length === 0) return false;
  const first = here.reduce((least, exon) => Math.min(least, exon.start), Number.POSITIVE_INFINITY);
  const last = here.reduce((greatest, exon) => Math.max(greatest, exon.end), 0);
  return start < last + beside && end > first - beside;
}

function sentencesOf(wrong: readonly Line[], build: Build, table: Pick<GeneTable, 'gene'>): string[] {
  const byGene = new Map<number, Line[]>();
  for (const line of wrong) {
    const own = byGene.get(line.hgnc);
    if (own === undefined) byGene.set(line.hgnc, [line]);
    else own.push(line);
  }
  const sentences = [...byGene].slice(0, most).map(([hgnc, [first, ...more]]) => {
    const { at = '', chromosome = '', start = 0, end = 0 } = first ?? {};
    const others = more.length === 0 ? '' : `, and ${counted(more.length, 'more line')} of it`;
    return `${at}: ${chromosome}:${start + 1}-${end} is not on ${table.gene(hgnc)?.symbol ?? hgnc} in ${build}${others}`;
  });
  const further = byGene.size - sentences.length;
  return further > 0 ? [...sentences, `${counted(further, 'more gene')} with lines elsewhere in ${build}`] : sentences;
}
