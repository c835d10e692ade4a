/** Reads data lines of a VCF as called alleles. The inner loop of every load, hence the positions and char codes. */
import { Fault } from '../../../core/plugin.js';
import type { Allele, CalledAllele, Carrier, Contig } from '../domain/allele.js';
import { farthest } from '../domain/bounds.js';
import { canonical } from '../domain/canonical.js';
import { alternatesOf, isPlaceholder, readAlternate } from './alternate.js';
import type { Filter } from './filter.js';
import { countCopies, fieldOf, genotypeField } from './genotype.js';
import type { Header } from './header.js';
import type { Panel } from './panel.js';
import { bases } from './sequence.js';
import { type StructuralInfo, structuralInfo } from './structural.js';
import { countContig, countOddity, type VcfSummary } from './summary.js';

export interface RecordOptions {
  /** The file's name in faults. */
  name: string;
  header: Header;
  /** Columns of the chosen samples, counted from the first sample column; their order is the carriers' index. */
  columns: readonly number[];
  panel?: Panel | undefined;
  filter?: Filter | undefined;
}

const fixedColumns = 9;
const carriageReturn = 13;
const beyond = `the allele ends, or has its mate, beyond ${farthest}, the last position that can be stored`;
const nothing: StructuralInfo = { svtype: undefined, end: undefined, svlen: [], chr2: undefined, cipos: [], ciend: [] };

/** Reads records from blocks of lines, and keeps the summary. */
export class RecordReader {
  readonly #options: RecordOptions;
  readonly #summary: VcfSummary;
  /** The chosen columns from left to right, each with its place among the chosen samples. */
  readonly #chosen: readonly { column: number; sample: number }[];
  readonly #expectedColumns: number;
  /** Where each of the first columns of the current line begins. */
  readonly #begins = new Int32Array(fixedColumns + 1);
  /** The next `SVTYPE=` in the current block: INFO of a record before it need not be parsed. */
  #nextSvtype = -1;
  readonly #contigNamed = (name: string) => this.#options.header.contig(name);
  #lastName = '';
  #lastContig: Contig | undefined;

  constructor(options: RecordOptions, summary: VcfSummary) {
    this.#options = options;
    this.#summary = summary;
    this.#chosen = options.columns
      .map((column, sample) => ({ column, sample }))
      .sort((left, right) => left.column - right.column);
    this.#expectedColumns = fixedColumns + options.header.samples.length;
  }

  /**
   * Reads the lines of a block from `at` on, the first of which is line number `line`, and appends their called alleles.
   * Returns the number of the line after the last. Throws an `unprocessable` fault if the structure of the file is
   * damaged; a single unreadable record is counted and skipped.
   */
  read(block: string, at: number, line: number, into: CalledAllele[]): number {
    this.#nextSvtype = -1;
    let number = line;
    for (let from = at; from < block.length; number++) {
      const next = block.indexOf('\n', from);
      const end = next > from && block.charCodeAt(next - 1) === carriageReturn ? next - 1 : next;
      if (end > from) this.#record(block, from, end, number, into);
      from = next + 1;
    }
    return number;
  }

  #record(block: string, from: number, end: number, line: number, into: CalledAllele[]): void {
    const summary = this.#summary;
    const begins = this.#begins;
    begins[0] = from;
    for (let i = 1; i <= fixedColumns; i++) {
      const tab = block.indexOf('\t', begins[i - 1]);
      if (tab < 0 || tab > end) throw this.#damaged(line, `${i} columns instead of ${this.#expectedColumns}`);
      begins[i] = tab + 1;
    }
    summary.records++;
    const position = this.#position(block, line);
    const contig = this.#contig(block, from, line);
    if (!contig) {
      this.#countColumns(block, end, line);
      countContig(summary, this.#lastName);
      return;
    }
    if (this.#options.filter && !this.#options.filter(this.#column(block, 6))) {
      this.#countColumns(block, end, line);
      summary.skipped.filtered++;
      return;
    }
    const alternates = this.#column(block, 4).split(',');
    const carriers = this.#carriers(block, end, line, alternates.length);
    if (carriers === undefined) return;
    const reference = bases(this.#column(block, 3));
    const oddPlace = this.#options.header.oddPlace(contig, position);
    if (oddPlace !== undefined || reference === undefined) {
      this.#countUnreadable(line, oddPlace ?? 'REF must be bases');
      return;
    }
    const info = this.#info(block, alternates);
    const site = { contig, start: position - 1, reference, info, alternates: alternatesOf(alternates) };
    const first = into.length;
    let [readable, unreadable] = [0, 0];
    for (let i = 0; i < alternates.length; i++) {
      const alternate = alternates[i] ?? '';
      if (isPlaceholder(alternate)) {
        summary.skipped.placeholders++;
        continue;
      }
      const carrying = carriers[i];
      if (!carrying) {
        summary.skipped.notCarried++;
        readable++;
        continue;
      }
      const read = readAlternate(site, alternate, i, this.#contigNamed);
      const allele = typeof read === 'string' || read.end <= farthest ? read : beyond;
      if (typeof allele === 'string') {
        countOddity(summary, line, allele);
        unreadable++;
        continue;
      }
      readable++;
      if (this.#isInPanel(allele)) this.#add(into, first, canonical(allele), carrying);
      else summary.skipped.outsidePanel++;
    }
    if (readable === 0 && unreadable > 0) summary.unreadableRecords++;
  }

  /** As the record writes it, with all of its REF; a breakend by its own position. */
  #isInPanel({ contig, start, end, mate }: Allele): boolean {
    const { panel } = this.#options;
    return panel === undefined || panel.overlaps(contig, start, mate === undefined ? end : start + 1);
  }

  /** Adds an allele, or its carriers to one of the same record that turned out to be the same, written twice. */
  #add(into: CalledAllele[], first: number, allele: Allele, carriers: Carrier[]): void {
    const summary = this.#summary;
    for (const [, copies] of carriers) summary.calls += copies;
    for (let i = first; i < into.length; i++) {
      const earlier = into[i];
      if (earlier && isSame(earlier, allele)) {
        into[i] = { ...earlier, carriers: merged(earlier.carriers, carriers) };
        return;
      }
    }
    summary.alleles++;
    const called = allele as Allele & { carriers: Carrier[] };
    called.carriers = carriers;
    into.push(called);
  }

  /** The carriers of each alternate; undefined, and counted, if the record has no readable genotypes. */
  #carriers(block: string, end: number, line: number, alternates: number): (Carrier[] | undefined)[] | undefined {
    const begins = this.#begins;
    const format = begins[8] ?? 0;
    let at = begins[9] ?? 0;
    const field = genotypeField(block, format, at - 1);
    const found: (Carrier[] | undefined)[] = [];
    let column = 0;
    let readable = true;
    for (const { column: wanted, sample } of this.#chosen) {
      for (; column < wanted; column++) at = this.#nextColumn(block, at, end, line, column);
      if (field < 0 || !readable) continue;
      const genotype = field === 0 ? at : fieldOf(block, at, end, field);
      if (genotype < 0) continue;
      const copies = new Uint32Array(alternates + 1);
      readable = countCopies(block, genotype, end, copies);
      for (let i = 0; i < alternates; i++) {
        const count = copies[i + 1] ?? 0;
        if (count === 0) continue;
        const carriers = found[i];
        if (carriers) carriers.push([sample, count]);
        else found[i] = [[sample, count]];
      }
    }
    this.#countColumns(block, end, line, column, at);
    if (field < 0) this.#summary.skipped.withoutGenotypes++;
    else if (!readable)
      this.#countUnreadable(line, 'malformed genotype, or one with an allele that the record does not have');
    else return found;
    return undefined;
  }

  #countUnreadable(line: number, reason: string): void {
    countOddity(this.#summary, line, reason);
    this.#summary.unreadableRecords++;
  }

  #nextColumn(block: string, at: number, end: number, line: number, column: number): number {
    const tab = block.indexOf('\t', at);
    if (tab >= 0 && tab < end) return tab + 1;
    throw this.#damaged(line, `${fixedColumns + column + 1} columns instead of ${this.#expectedColumns}`);
  }

  /** Checks that the line has as many columns as the header. `at` is where sample column `column` begins. */
  #countColumns(block: string, end: number, line: number, column = 0, at = this.#begins[9] ?? 0): void {
    let columns = fixedColumns + column + 1;
    for (let tab = block.indexOf('\t', at); tab >= 0 && tab < end; tab = block.indexOf('\t', tab + 1)) columns++;
    if (columns !== this.#expectedColumns) {
      throw this.#damaged(line, `${columns} columns instead of ${this.#expectedColumns}`);
    }
  }

  #position(block: string, line: number): number {
    const from = this.#begins[1] ?? 0;
    const end = (this.#begins[2] ?? 0) - 1;
    let position = 0;
    for (let i = from; i < end; i++) {
      const digit = block.charCodeAt(i) - 48;
      if (digit < 0 || digit > 9) return this.#badPosition(block.slice(from, end), line);
      position = position * 10 + digit;
    }
    return end > from && position < 2 ** 31 ? position : this.#badPosition(block.slice(from, end), line);
  }

  #badPosition(text: string, line: number): never {
    throw this.#damaged(line, `POS must be a whole number up to 2147483647; got "${text.slice(0, 20)}"`);
  }

  #contig(block: string, from: number, line: number): Contig | undefined {
    const length = (this.#begins[1] ?? 0) - 1 - from;
    if (this.#lastName.length !== length || !block.startsWith(this.#lastName, from)) {
      this.#lastName = block.slice(from, from + length);
      if (length === 0) throw this.#damaged(line, 'CHROM is empty');
      this.#lastContig = this.#options.header.contig(this.#lastName);
    }
    return this.#lastContig;
  }

  #info(block: string, alternates: readonly string[]): StructuralInfo {
    const from = this.#begins[7] ?? 0;
    const end = (this.#begins[8] ?? 0) - 1;
    if (this.#nextSvtype < from) {
      const next = block.indexOf('SVTYPE=', from);
      this.#nextSvtype = next < 0 ? Number.POSITIVE_INFINITY : next;
    }
    const symbolic = alternates.some((alternate) => alternate.startsWith('<') && !isPlaceholder(alternate));
    if (this.#nextSvtype >= end && !symbolic) return nothing;
    const info = structuralInfo(block.slice(from, end));
    return info.svtype === undefined && !symbolic ? nothing : info;
  }

  #column(block: string, column: number): string {
    return block.slice(this.#begins[column], (this.#begins[column + 1] ?? 0) - 1);
  }

  #damaged(line: number, reason: string): Fault {
    return new Fault('unprocessable', `${this.#options.name}, line ${line}: ${reason}`);
  }
}

function isSame(left: Allele, right: Allele): boolean {
  return (
    left.alternate === right.alternate &&
    left.start === right.start &&
    left.end === right.end &&
    left.reference === right.reference &&
    left.mate === right.mate
  );
}

function merged(left: readonly Carrier[], right: readonly Carrier[]): Carrier[] {
  const copies = new Map<number, number>(left);
  for (const [sample, count] of right) copies.set(sample, (copies.get(sample) ?? 0) + count);
  return [...copies];
}
