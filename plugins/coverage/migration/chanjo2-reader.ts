/**
 * Tables of chanjo2 as `mysql --batch` prints them: a header line with the names of the columns, cells separated by tabs,
 * NULL for no value. chanjo2 copied them from BioMart files, coordinates and repeated rows included, so that each row is
 * turned back into a line of such a file and read as one.
 */
import { type Build, builds, type IntervalKind } from '../contract.js';
import { BiomartReader, type Column, columnNames } from '../intervals/biomart.js';
import { Refusal } from '../intervals/cells.js';
import type { IntervalReader, Rows, Skip } from '../intervals/reader.js';

/** BioMart's columns and those of chanjo2's tables; chanjo2 keeps no strand. */
const columns: Readonly<Record<IntervalKind, readonly (readonly [Column, string | undefined])[]>> = {
  genes: [
    ['chromosome', 'chromosome'],
    ['geneStart', 'start'],
    ['geneEnd', 'stop'],
    ['gene', 'ensembl_ids'],
    ['symbol', 'hgnc_symbol'],
    ['hgnc', 'hgnc_id'],
  ],
  transcripts: [
    ['chromosome', 'chromosome'],
    ['gene', 'ensembl_gene_id'],
    ['transcript', 'ensembl_id'],
    ['transcriptStart', 'start'],
    ['transcriptEnd', 'stop'],
    ['refseqMrna', 'refseq_mrna'],
    ['refseqMrnaPredicted', 'refseq_mrna_pred'],
    ['refseqNcrna', 'refseq_ncrna'],
    ['maneSelect', 'refseq_mane_select'],
    ['manePlusClinical', 'refseq_mane_plus_clinical'],
  ],
  exons: [
    ['chromosome', 'chromosome'],
    ['gene', 'ensembl_gene_id'],
    ['transcript', 'ensembl_transcript_id'],
    ['exon', 'ensembl_id'],
    ['exonStart', 'start'],
    ['exonEnd', 'stop'],
    ['strand', undefined],
    ['rank', 'rank_in_transcript'],
  ],
};

/** The header line of a table: which column is where. */
export class Header {
  readonly #places: ReadonlyMap<string, number>;

  /** Throws a Refusal if the line is not the header of such a table. */
  constructor(kind: IntervalKind, line: string) {
    const names = line.split('\t');
    this.#places = new Map(names.map((name, i) => [name.trim().toLowerCase(), i]));
    const wanted = ['build', ...columns[kind].flatMap(([, column]) => column ?? [])];
    const missing = wanted.filter((column) => !this.#places.has(column));
    if (missing.length === 0) return;
    throw new Refusal(`not the header of chanjo2's table ${kind}: ${missing.join(', ')} missing`);
  }

  /** The cell of a column; empty for NULL. */
  cell(values: readonly string[], column: string): string {
    const cell = values[this.#places.get(column) ?? -1]?.trim() ?? '';
    return cell === 'NULL' || cell === '\\N' ? '' : cell;
  }

  /** The build of a row, stored as `GRCh37` or by its name in the program, `build_37`. */
  build(values: readonly string[]): Build | undefined {
    const number = /^(?:GRCh|build_)(37|38)$/i.exec(this.cell(values, 'build'))?.[1];
    return builds.find((build) => number !== undefined && build.endsWith(number));
  }
}

/** Reads the rows of one build, and ignores those of the other. */
export class Chanjo2Reader implements IntervalReader {
  readonly kinds: readonly IntervalKind[];
  readonly kind: IntervalKind;
  readonly #build: Build;
  readonly #biomart: BiomartReader;
  readonly #onSkip: (skip: Skip, row: string) => void;
  #header: Header | undefined;

  /** `onSkip` is called for each skipped row, with its id in the table. */
  constructor(kind: IntervalKind, build: Build, onSkip: (skip: Skip, row: string) => void) {
    this.kinds = [kind];
    this.kind = kind;
    this.#build = build;
    this.#biomart = new BiomartReader(kind, build);
    this.#onSkip = onSkip;
  }

  line(text: string, rows: Rows): Skip | 'read' | undefined {
    if (text.trim() === '') return undefined;
    if (!this.#header) {
      this.#header = new Header(this.kind, text);
      return this.#biomart.line(columns[this.kind].map(([name]) => columnNames[name]).join('\t'), rows);
    }
    const header = this.#header;
    const values = text.split('\t');
    if (header.build(values) !== this.#build) return undefined;
    let outcome: Skip | 'read' = 'incomplete';
    for (const line of this.#biomartLines(header, values)) outcome = this.#biomart.line(line, rows) ?? outcome;
    if (outcome !== 'read') this.#onSkip(outcome, `${this.kind} id ${header.cell(values, 'id')}`);
    return outcome;
  }

  finish(rows: Rows): void {
    if (!this.#header) throw new Refusal('the file is empty');
    this.#biomart.finish(rows);
  }

  warnings(): string[] {
    return [];
  }

  /** One line, or one per Ensembl id for a gene with several. */
  #biomartLines(header: Header, values: readonly string[]): string[] {
    const cells = columns[this.kind].map(([, column]) => (column === undefined ? '' : header.cell(values, column)));
    if (this.kind !== 'genes') return [cells.join('\t')];
    const place = columns.genes.findIndex(([, column]) => column === 'ensembl_ids');
    return idsOf(cells[place] ?? '').map((id) => cells.with(place, id).join('\t'));
  }
}

/** The ids of a JSON list; one empty id if there is none. */
function idsOf(cell: string): string[] {
  const ids = cell.match(/ENSG\d{11}(?:\.\d+)?/g) ?? [];
  return ids.length > 0 ? ids : [''];
}
