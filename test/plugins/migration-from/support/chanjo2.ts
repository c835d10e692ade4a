/** Tables of chanjo2 as `mysql --batch` prints them. */
import { readFile } from 'node:fs/promises';

export const tables = {
  genes: ['id', 'chromosome', 'start', 'stop', 'ensembl_ids', 'hgnc_id', 'hgnc_symbol', 'build'],
  transcripts: [
    'id', 'chromosome', 'start', 'stop', 'ensembl_id', 'refseq_mrna', 'refseq_mrna_pred', 'refseq_ncrna',
    'refseq_mane_select', 'refseq_mane_plus_clinical', 'ensembl_gene_id', 'build',
  ], // biome-ignore format: as in the database
  exons: [
    'id', 'chromosome', 'start', 'stop', 'rank_in_transcript', 'ensembl_id', 'ensembl_transcript_id',
    'ensembl_gene_id', 'build',
  ], // biome-ignore format: as in the database
} as const;

export type Kind = keyof typeof tables;
export type Row = Record<string, string | number | undefined>;

export function table(kind: Kind, rows: readonly Row[]): string {
  const body = rows.map((row, i) =>
    tables[kind].map((column) => String(row[column] ?? (column === 'id' ? i + 1 : 'NULL'))),
  );
  return `${[tables[kind], ...body].map((cells) => cells.join('\t')).join('\n')}\n`;
}

const columns: Readonly<Record<string, string>> = {
  'Chromosome/scaffold name': 'chromosome',
  'Gene start (bp)': 'start',
  'Gene end (bp)': 'stop',
  'HGNC symbol': 'hgnc_symbol',
  'HGNC ID': 'hgnc_id',
  'Transcript start (bp)': 'start',
  'Transcript end (bp)': 'stop',
  'RefSeq mRNA ID': 'refseq_mrna',
  'RefSeq mRNA predicted ID': 'refseq_mrna_pred',
  'RefSeq ncRNA ID': 'refseq_ncrna',
  'RefSeq match transcript (MANE Select)': 'refseq_mane_select',
  'RefSeq match transcript (MANE Plus Clinical)': 'refseq_mane_plus_clinical',
  'Exon region start (bp)': 'start',
  'Exon region end (bp)': 'stop',
  'Exon rank in transcript': 'rank_in_transcript',
};

const idColumns: Readonly<Record<Kind, Readonly<Record<string, string>>>> = {
  genes: {},
  transcripts: { 'Gene stable ID': 'ensembl_gene_id', 'Transcript stable ID': 'ensembl_id' },
  exons: {
    'Gene stable ID': 'ensembl_gene_id',
    'Transcript stable ID': 'ensembl_transcript_id',
    'Exon stable ID': 'ensembl_id',
  },
};

/** The rows that chanjo2 creates from a BioMart file: one each, nothing corrected, empty cells NULL. */
export async function rowsOf(kind: Kind, file: string, build: string): Promise<Row[]> {
  const [header = '', ...body] = (await readFile(file, 'utf8')).split('\n');
  const names = header.split('\t');
  return body
    .filter((line) => line.trim() !== '' && line !== '[success]')
    .map((line) => {
      const row: Row = { build };
      for (const [i, cell] of line.split('\t').entries()) {
        const name = names[i] ?? '';
        if (cell.trim() === '') continue;
        if (kind === 'genes' && name === 'Gene stable ID') row.ensembl_ids = JSON.stringify([cell]);
        const column = columns[name] ?? idColumns[kind][name];
        if (column !== undefined) row[column] = column === 'hgnc_id' ? cell.replace('HGNC:', '') : cell;
      }
      return row;
    });
}
