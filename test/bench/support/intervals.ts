/** BioMart tables of any size: each gene has five transcripts of five exons each. */

import { chromosomes } from '../../../plugins/coverage/contract.js';
import { sizeIn } from '../../../plugins/coverage/d4/index.js';

const transcripts = 5;
const exons = 5;
const chunk = 1000;

export function idOf(prefix: string, number: number): string {
  return `${prefix}${String(number).padStart(11, '0')}`;
}

/** One-based start of a gene, by chromosome in order as in real files. */
function placeOf(gene: number, genes: number): { chromosome: string; start: number } {
  const each = Math.ceil(genes / chromosomes.length);
  const chromosome = chromosomes[Math.floor(gene / each)] ?? 'MT';
  const size = sizeIn('GRCh38', chromosome) ?? 0;
  // MT is short: its genes overlap.
  return { chromosome, start: 1 + Math.floor(((gene % each) / each) * (size - 5200)) };
}

function* table(header: string, genes: number, rowsOf: (gene: number) => string[]): Generator<string> {
  let rows = [header];
  for (let gene = 0; gene < genes; gene++) {
    rows.push(...rowsOf(gene));
    if (gene % chunk !== chunk - 1 && gene !== genes - 1) continue;
    yield `${rows.join('\n')}\n`;
    rows = [];
  }
}

export function geneLines(genes: number): Generator<string> {
  const header =
    'Chromosome/scaffold name\tGene start (bp)\tGene end (bp)\tGene stable ID\tHGNC symbol\tHGNC ID\tGene type';
  return table(header, genes, (gene) => {
    const { chromosome, start } = placeOf(gene, genes);
    return [
      `${chromosome}\t${start}\t${start + 5000}\t${idOf('ENSG', gene)}\tGENE${gene}\tHGNC:${gene + 1}\tprotein_coding`,
    ];
  });
}

export function transcriptLines(genes: number): Generator<string> {
  const header = [
    'Chromosome/scaffold name',
    'Gene stable ID',
    'Transcript stable ID',
    'Transcript start (bp)',
    'Transcript end (bp)',
    'RefSeq mRNA ID',
    'RefSeq mRNA predicted ID',
    'RefSeq ncRNA ID',
    'RefSeq match transcript (MANE Select)',
    'RefSeq match transcript (MANE Plus Clinical)',
  ].join('\t');
  return table(header, genes, (gene) => {
    const { chromosome, start } = placeOf(gene, genes);
    return Array.from({ length: transcripts }, (_, i) => {
      const id = idOf('ENST', scattered(gene * transcripts + i));
      const mane = i === 0 ? `\tNM_${gene}\tXM_${gene}\t\tNM_${gene}.1` : '';
      return `${chromosome}\t${idOf('ENSG', gene)}\t${id}\t${start}\t${start + 5000}${mane}`;
    });
  });
}

export function exonLines(genes: number): Generator<string> {
  const header = [
    'Chromosome/scaffold name',
    'Gene stable ID',
    'Transcript stable ID',
    'Exon stable ID',
    'Exon region start (bp)',
    'Exon region end (bp)',
    "5' UTR start",
    "5' UTR end",
    "3' UTR start",
    "3' UTR end",
    'Strand',
    'Exon rank in transcript',
  ].join('\t');
  return table(header, genes, (gene) => {
    const { chromosome, start } = placeOf(gene, genes);
    return Array.from({ length: transcripts * exons }, (_, i) => {
      const [transcript, rank] = [Math.floor(i / exons), (i % exons) + 1];
      const id = idOf('ENST', scattered(gene * transcripts + transcript));
      const from = start + (rank - 1) * 1000;
      const utr = rank === 1 ? `${from}\t${from + 30}\t\t` : '\t\t\t';
      const exon = idOf('ENSE', scattered(gene * transcripts * exons + i));
      return `${chromosome}\t${idOf('ENSG', gene)}\t${id}\t${exon}\t${from}\t${from + 150}\t${utr}\t1\t${rank}`;
    });
  });
}

/** Ids of transcripts and exons are not in the order of their places: the same numbers, permuted. */
function scattered(number: number): number {
  return (number * 7_368_787) % 15_485_863;
}
