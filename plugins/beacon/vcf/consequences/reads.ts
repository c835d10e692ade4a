/** What is published of alleles, and of genes. */
import type { Tables } from '../../../../core/storage.js';
import { type Allele, byAllele, type Contig, contigs } from '../../domain/allele.js';
import { isPlain } from '../../domain/allele-query.js';
import { symbolKey } from '../../genes/contract.js';
import { blocksWithin, linesOf } from './blocks.js';
import type {
  AlleleAnnotation,
  AnnotatedAllele,
  AnnotationSource,
  GeneAlleles,
  GeneConsequence,
  GeneCursor,
  GeneIdentity,
  GeneQuestion,
} from './contract.js';
import { proteinChange } from './hgvs.js';
import { type AlleleLine, annotationOf, identityOfName, isOfGene, placeOfAllele, proteinsOfLine } from './lines.js';
import { genesWithTranscript, mayHaveAny } from './names.js';
import { genesWithChange, mayHaveChange } from './proteins.js';
import { blocks, sources } from './tables.js';
import { statedTerms, worstRank } from './terms.js';

/** By chromosome, the alleles that start on it. */
export function byContig<Value extends { contig: Contig }>(alleles: readonly Value[]): Map<number, Value[]> {
  const found = new Map<number, Value[]>();
  for (const allele of alleles) {
    const number = contigs.indexOf(allele.contig);
    const others = found.get(number);
    if (others) others.push(allele);
    else found.set(number, [allele]);
  }
  return found;
}

/** The lines of these alleles, of those that have one. */
export async function linesOfAlleles(
  tables: Tables,
  dataset: string,
  alleles: readonly Allele[],
): Promise<{ allele: Allele; line: AlleleLine }[]> {
  const found: { allele: Allele; line: AlleleLine }[] = [];
  for (const [contig, own] of byContig(alleles)) {
    const wanted = new Map(own.map((allele) => [placeOfAllele(allele), allele]));
    const starts = own.map(({ start }) => start);
    const [from, to] = [Math.min(...starts), Math.max(...starts)];
    const firsts = await blocksWithin(tables, dataset, contig, { from, to });
    const needed = firsts.filter((first, i) => {
      const end = firsts[i + 1] ?? Number.POSITIVE_INFINITY;
      return starts.some((start) => start >= first && start < end);
    });
    for await (const { lines } of linesOf(tables, dataset, contig, needed)) {
      for (const line of lines) {
        const allele = wanted.get(line.place);
        if (allele) found.push({ allele, line });
      }
    }
  }
  return found;
}

const unknownSource: AnnotationSource = { annotator: 'VEP', version: '', databases: {} };

async function sourcesOf(tables: Tables, dataset: string): Promise<(line: AlleleLine) => AnnotationSource> {
  const known = await tables.table(sources).find({ where: { dataset } });
  const byNumber = new Map(known.map(({ number, source }) => [number, source]));
  return (line) => byNumber.get(line.source) ?? unknownSource;
}

export async function annotationsAt(
  tables: Tables,
  dataset: string,
  alleles: readonly Allele[],
): Promise<AnnotatedAllele[]> {
  const found = await linesOfAlleles(tables, dataset, alleles);
  if (found.length === 0) return [];
  const source = await sourcesOf(tables, dataset);
  return found
    .map(({ allele, line }) => ({ ...annotationOf(allele.contig, line), source: source(line) }))
    .sort((one, other) => byAllele(one.allele, other.allele));
}

export async function genesOfTranscript(tables: Tables, dataset: string, accession: string): Promise<GeneIdentity[]> {
  if (!/^N[MR]_\d+$/.test(accession)) return [];
  const found = new Map<string, GeneIdentity>();
  for await (const { names } of tables.table(blocks).each({ where: { dataset }, without: ['proteins', 'content'] })) {
    for (const { hgnc, symbol = '' } of genesWithTranscript(names, accession)) {
      if (hgnc === undefined) found.set(symbolKey(symbol), { symbol });
      else found.set(`#${hgnc}`, { hgnc });
    }
  }
  return [...found.values()];
}

/** The lines that name one of the genes, each once, by chromosome and start. */
async function* linesOfGenes(
  tables: Tables,
  dataset: string,
  genes: readonly GeneIdentity[],
): AsyncGenerator<{ contig: Contig; line: AlleleLine; isNamed(name: string): boolean }> {
  const known = new Map<string, boolean>();
  const isNamed = (name: string) => {
    const identity = identityOfName(name);
    const isOne = known.get(name) ?? genes.some((gene) => isOfGene(identity, gene));
    known.set(name, isOne);
    return isOne;
  };
  const mayHave = mayHaveAny(genes);
  const rows = tables.table(blocks).each({ where: { dataset }, without: ['proteins', 'content'] });
  for (const [contig, firsts] of await firstsByContig(rows, ({ names }) => mayHave(names))) {
    for await (const { lines } of linesOf(tables, dataset, contig, firsts)) {
      for (const line of lines)
        if (line.genes.some(({ name }) => isNamed(name))) yield { contig: contigs[contig] as Contig, line, isNamed };
    }
  }
}

/** By chromosome, the starts of those blocks, in their order. */
async function firstsByContig<Row extends { contig: number; first: number }>(
  rows: AsyncIterable<Row>,
  isCandidate: (row: Row) => boolean,
): Promise<Map<number, number[]>> {
  const found = new Map<number, number[]>();
  for await (const row of rows) {
    if (!isCandidate(row)) continue;
    const firsts = found.get(row.contig);
    if (firsts) firsts.push(row.first);
    else found.set(row.contig, [row.first]);
  }
  return found;
}

/** What is stored of the gene alone, if the question asks for it; undefined if not. */
function answering(
  annotation: AlleleAnnotation,
  name: GeneIdentity,
  { terms, protein, coding, maxFrequency }: GeneQuestion,
): GeneConsequence[] | undefined {
  if (maxFrequency !== undefined && (annotation.frequency?.value ?? 0) > maxFrequency) return undefined;
  const own = annotation.genes.filter((gene) => isOfGene(gene, name));
  const transcripts = own.flatMap((gene) => gene.transcripts);
  const isAsked =
    (terms === undefined || transcripts.some((one) => one.terms.some((term) => terms.has(term)))) &&
    (protein === undefined || transcripts.some((one) => one.protein === protein)) &&
    (coding === undefined || transcripts.some((one) => one.coding === coding));
  return own.length > 0 && isAsked ? own : undefined;
}

function byRank(one: GeneCursor, other: GeneCursor): number {
  return one.rank - other.rank || byAllele(one.allele, other.allele);
}

export async function annotationsOfGene(
  tables: Tables,
  dataset: string,
  name: GeneIdentity,
  question: GeneQuestion,
): Promise<GeneAlleles> {
  const found: (AlleleAnnotation & GeneCursor & { line: AlleleLine })[] = [];
  for await (const { contig, line } of linesOfGenes(tables, dataset, [name])) {
    const annotation = annotationOf(contig, line);
    const own = answering(annotation, name, question);
    if (own === undefined) continue;
    const rank = worstRank(statedTerms({ genes: own }));
    found.push({ ...annotation, genes: own, rank, line });
  }
  const { after, limit = Number.POSITIVE_INFINITY } = question;
  const ordered = found.sort(byRank).filter((one) => after === undefined || byRank(one, after) > 0);
  const page = ordered.slice(0, limit);
  const source = page.length > 0 ? await sourcesOf(tables, dataset) : undefined;
  const last = page.at(-1);
  return {
    alleles: page.map(({ rank: _, line, ...rest }) => ({
      ...rest,
      source: source?.(line) ?? unknownSource,
    })),
    ...(last && ordered.length > page.length && { next: { rank: last.rank, allele: last.allele } }),
  };
}

export async function annotationsOfGenes(
  tables: Tables,
  dataset: string,
  genes: readonly GeneIdentity[],
  { terms, maxFrequency = Number.POSITIVE_INFINITY }: Pick<GeneQuestion, 'terms' | 'maxFrequency'>,
): Promise<AnnotatedAllele[]> {
  const found: AnnotatedAllele[] = [];
  const source = await sourcesOf(tables, dataset);
  const known = new Map<string, boolean>();
  const isAsked = (text: string) => {
    const isOne = known.get(text) ?? text.split('&').some((term) => terms?.has(term) ?? true);
    known.set(text, isOne);
    return isOne;
  };
  // Most lines are not asked for, and are not worth an object.
  for await (const { contig, line, isNamed } of linesOfGenes(tables, dataset, genes)) {
    if (line.frequency !== '' && Number(line.frequency) > maxFrequency) continue;
    const own = line.genes.filter(({ name }) => isNamed(name)).flatMap(({ transcripts }) => transcripts);
    if (terms === undefined || own.some((one) => isAsked(one.terms)))
      found.push({ ...annotationOf(contig, line), source: source(line) });
  }
  return found.sort((one, other) => byAllele(one.allele, other.allele));
}

/** Only blocks whose digest may have the change are read, and no more of them once enough alleles are found. */
export async function annotationsOfProtein(
  tables: Tables,
  dataset: string,
  change: string,
  limit: number,
): Promise<AnnotatedAllele[]> {
  const digests = tables.table(blocks).each({ where: { dataset }, without: ['names', 'content'] });
  const candidates = await firstsByContig(digests, ({ proteins }) => mayHaveChange(proteins, change));
  const source = candidates.size > 0 ? await sourcesOf(tables, dataset) : undefined;
  const found: AnnotatedAllele[] = [];
  for (const [contig, firsts] of candidates) {
    for await (const { lines } of linesOf(tables, dataset, contig, firsts)) {
      for (const line of lines) {
        if (!proteinsOfLine(line).some((one) => proteinChange(one) === change)) continue;
        const annotation = annotationOf(contigs[contig] as Contig, line);
        const { reference, alternate } = annotation.allele;
        const own = genesWithChange(annotation, change);
        if (own.length === 0 || !isPlain(reference) || !isPlain(alternate)) continue;
        found.push({ ...annotation, genes: own, source: source?.(line) ?? unknownSource });
      }
      if (found.length >= limit) return found.sort((one, other) => byAllele(one.allele, other.allele)).slice(0, limit);
    }
  }
  return found.sort((one, other) => byAllele(one.allele, other.allele));
}
