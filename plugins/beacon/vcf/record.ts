/** Reads data lines of a VCF as called alleles. The inner loop of every load, hence the positions and char codes. */
import { Fault } from '../../../core/plugin.js';
import {
  type Header,
  isBreakend,
  isPlaceholder,
  noStructuralInfo,
  referenceBases,
  type StructuralInfo,
  structuralInfo,
} from '../../../core/vcf.js';
import {
  type Allele,
  type CalledAllele,
  type Carrier,
  type CarrierFraction,
  type Contig,
  farthest,
  lengthOfInsertion,
  widened,
} from '../domain/allele.js';
import { canonical } from '../domain/allele-query.js';
import { isFractionKept } from '../domain/fractions.js';
import { alternatesOfRecord, readAlternate } from './alternate.js';
import type { CallAnnotation } from './consequences/contract.js';
import type { AnnotationReader } from './consequences/entries.js';
import type { DepthChoice } from './depths/choice.js';
import { percentOfCall } from './fractions.js';
import type { Panel } from './panel.js';
import { RecentAlleles } from './recent-alleles.js';
import type { ReferenceCheck } from './reference/check.js';
import {
  type MissingGenotype,
  type MissingTools,
  type QualityRule,
  qualityAt,
  type RecordFilter,
  withMissing,
} from './rules.js';
import {
  Copies,
  type Fields,
  fieldsOfFormat,
  SampleTyping,
  type SiteGenotypes,
  startOfField,
  wholeNumberAt,
} from './site-genotypes.js';
import { countContig, countOddity, type ReadChromosomes, type VcfSummary } from './summary.js';

export interface RecordOptions {
  /** The file's name in faults. */
  name: string;
  header: Header;
  /** Columns of the chosen samples, counted from the first sample column; their order is the carriers' index. */
  columns: readonly number[];
  panel?: Panel | undefined;
  filter?: RecordFilter | undefined;
  quality?: QualityRule | undefined;
  /** Takes the genotypes by which samples are compared. */
  genotypes?: SiteGenotypes | undefined;
  /** Takes the depths by which calls and coverage files are compared. */
  depths?: DepthChoice | undefined;
  /** Compares REF with the reference that is loaded. */
  check?: ReferenceCheck | undefined;
  /** Reads what the file says of alleles, if it is annotated. */
  annotations?: AnnotationReader | undefined;
  missing: MissingTools;
  /** Grows while records are read. */
  chromosomes: ReadChromosomes;
}

const fixedColumns = 9;
/** Alternates of a record: BCF has room for no more. */
const mostAlternates = 65_534;
/** Bases of a record once REF is written for each alternate, as it is stored. */
const mostBases = 2 ** 24;
const carriageReturn = 13;
const beyond = `the allele ends, or has its mate, beyond ${farthest}, the last position that can be stored`;

/** An allele of the current record: its place in the batch, and the copies by sample if the record writes it several times. */
interface RecordAllele {
  place: number;
  copies?: Map<number, number>;
  uncalled?: Set<number>;
}

/** What the genotypes of one record are read with. */
interface GenotypeContext {
  contig: Contig;
  /** Where the line ends. */
  end: number;
  line: number;
  /** The number of alternates. */
  alternates: number;
  fields: Fields;
  /** The smallest GQ; undefined if any genotype counts. */
  minimum: number | undefined;
}

/** What the genotypes of one record say. */
interface RecordCalls {
  /** The carriers of each alternate, an empty list if only skipped genotypes have it. */
  carriers: (Carrier[] | undefined)[];
  /** Samples with each alternate whose genotype was skipped, as it has no GQ. */
  unqualified: (number[] | undefined)[];
  /** Allele fractions of the carriers of each alternate, as far as they are kept. */
  fractions: (CarrierFraction[] | undefined)[];
  missing: readonly MissingGenotype[];
  /** Whether any genotype was called, and not skipped for want of GQ. */
  isRead: boolean;
}

const noneMissing: readonly MissingGenotype[] = [];
const noSamples: readonly number[] = [];

/** Reads records from blocks of lines, and keeps the summary. */
export class RecordReader {
  readonly #options: RecordOptions;
  readonly #summary: VcfSummary;
  /** The chosen columns from left to right, each with its place among the chosen samples. */
  readonly #chosen: readonly { column: number; sample: number }[];
  readonly #expectedColumns: number;
  readonly #typing: SampleTyping | undefined;
  /** Where each of the first columns of the current line begins. */
  readonly #begins = new Int32Array(fixedColumns + 1);
  /** The next `SVTYPE=` in the current block: INFO of a record before it need not be parsed. */
  #nextSvtype = -1;
  #lastName = '';
  #lastContig: Contig | undefined;
  #lastFormat = '';
  #lastFields: Fields = fieldsOfFormat('');
  readonly #copies = new Copies();
  /** The alleles of the current record if it has several alternates. */
  readonly #written = new Map<string, RecordAllele>();
  readonly #recent = new RecentAlleles();
  /** Where the current record starts, zero-based. */
  #start = 0;
  /** The place of the current alternate in its record. */
  #alternate = 0;

  /** Where the last record starts, zero-based. */
  get start(): number {
    return this.#start;
  }

  constructor(options: RecordOptions, summary: VcfSummary) {
    this.#options = options;
    this.#summary = summary;
    this.#chosen = options.columns
      .map((column, sample) => ({ column, sample }))
      .sort((left, right) => left.column - right.column);
    this.#expectedColumns = fixedColumns + options.header.samples.length;
    this.#typing = options.genotypes && new SampleTyping(options.genotypes, this.#chosen);
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
    this.#start = position - 1;
    if (!contig) {
      this.#countColumns(block, end, line);
      countContig(summary, this.#lastName);
      this.#noteOtherForm(block);
      return;
    }
    const alternates = this.#column(block, 4).split(',');
    const { form, info, structural } = this.#kind(block, alternates);
    const excess = excessOf(alternates.length, (begins[4] ?? 0) - 1 - (begins[3] ?? 0));
    if (excess !== undefined) {
      this.#countColumns(block, end, line);
      this.#countUnreadable(line, excess);
      this.#noteSearch(contig, structural, false);
      return;
    }
    const fields = this.#fields(block);
    const minimum = this.#minimum(structural);
    // A record without a loaded genotype does not show what its sample lacks.
    const isReadable =
      fields.genotype >= 0 &&
      (minimum === undefined || fields.quality >= 0 || this.#options.missing.rule.quality === 'carrier');
    if (this.#options.filter && !this.#options.filter(this.#column(block, 6))) {
      this.#countColumns(block, end, line);
      summary.skipped.filtered++;
      const isKnown = this.#options.chromosomes[structural ? 'structural' : 'small'].read.has(contig);
      this.#noteSearch(contig, structural, isReadable && (isKnown || this.#hasCall(block, end, fields)));
      return;
    }
    const calls = this.#calls(block, { contig, end, line, alternates: alternates.length, fields, minimum });
    const reference = referenceBases(this.#column(block, 3));
    const { header } = this.#options;
    const oddPlace = header.oddPlace(contig, position);
    const isOdd = oddPlace !== undefined && (form === 'bases' || !header.isTelomere(contig, position));
    if (calls === undefined || isOdd || reference === undefined) {
      if (calls !== undefined) this.#countUnreadable(line, oddPlace ?? 'REF must be bases');
      this.#noteSearch(contig, structural, false);
      return;
    }
    const { carriers, unqualified, fractions, missing } = calls;
    if (!structural) this.#options.check?.take(line, contig, position, reference, alternates);
    const isCounted = structural && missing.some(({ copies }) => copies >= 0);
    if (!structural && (this.#typing || this.#options.depths)) {
      const { panel } = this.#options;
      const record = { begins, end, contig, position, reference, alternates, fields, minimum, panel };
      this.#typing?.take(block, record);
      this.#options.depths?.take(block, this.#chosen, record);
    }
    const site = { contig, position, reference, info, alternates: alternatesOfRecord(alternates) };
    const within = { block, from: begins[7] ?? 0, to: (begins[8] ?? 0) - 1, line };
    this.#options.annotations?.begin(within, { reference, alternates, structural });
    let [readable, unreadable] = [0, 0];
    if (missing.length > 0 && alternates.some((alternate) => !isPlaceholder(alternate)))
      summary.skipped.uncalled += missing.length;
    for (let i = 0; i < alternates.length; i++) {
      const alternate = alternates[i] ?? '';
      this.#alternate = i;
      if (isPlaceholder(alternate)) {
        summary.skipped.placeholders++;
        continue;
      }
      const carrying = carriers[i];
      const isOpen = missing.length > 0 || unqualified[i] !== undefined;
      if (!isOpen && !carrying?.length) {
        // Genotypes that were skipped are counted as such.
        if (!carrying) summary.skipped.notCarried++;
        readable++;
        continue;
      }
      const read = readAlternate(site, alternate, i, header);
      const allele = typeof read === 'string' || read.end <= farthest ? read : beyond;
      if (typeof allele === 'string') {
        countOddity(summary, line, allele);
        unreadable++;
        continue;
      }
      readable++;
      if (!this.#isInPanel(allele)) summary.skipped.outsidePanel++;
      else if (!isOpen) this.#add(into, alternates.length > 1, canonical(allele), carrying ?? [], fractions[i]);
      else {
        const called = { ...allele, carriers: carrying ?? [], uncalled: unqualified[i] ?? [] };
        const settled = withMissing(called, missing, !site.alternates.several, this.#options.missing);
        if (settled.length === 0) summary.skipped.notCarried++;
        for (const { carriers: own, uncalled, ...rest } of settled)
          this.#add(into, alternates.length > 1, canonical(rest), [...own], fractions[i], uncalled);
      }
    }
    const isUnreadable = readable === 0 && unreadable > 0;
    if (isUnreadable) summary.unreadableRecords++;
    this.#noteSearch(contig, structural, !isUnreadable && ((isReadable && calls.isRead) || isCounted));
    if (alternates.length > 1) this.#finish(into);
  }

  /** As the record writes it, with all of its REF; a breakend by its own position. */
  #isInPanel({ contig, start, end, mate }: Allele): boolean {
    const { panel } = this.#options;
    return panel === undefined || panel.overlaps(contig, start, mate === undefined ? end : start + 1);
  }

  /** Adds an allele, or its samples to one of the same record that turned out to be the same, written twice. */
  #add(
    into: CalledAllele[],
    several: boolean,
    allele: Allele,
    carriers: Carrier[],
    fractions?: readonly CarrierFraction[],
    uncalled: readonly number[] = noSamples,
  ): void {
    const summary = this.#summary;
    for (const [, copies] of carriers) summary.calls += copies;
    if (several) {
      const key = keyOfAlternate(allele);
      const earlier = this.#written.get(key);
      if (earlier) {
        const known = into[earlier.place];
        if (known) into[earlier.place] = widened(known, allele);
        earlier.copies ??= new Map(into[earlier.place]?.carriers);
        const { copies } = earlier;
        if (copies.size === 0 && carriers.length > 0) summary.alleles++;
        if (into[earlier.place]) addFractions(into[earlier.place] as CalledAllele, copies, { carriers, fractions });
        for (const [sample, count] of carriers) copies.set(sample, (copies.get(sample) ?? 0) + count);
        earlier.uncalled = new Set([...(earlier.uncalled ?? into[earlier.place]?.uncalled ?? []), ...uncalled]);
        return;
      }
      this.#written.set(key, { place: into.length });
    }
    if (carriers.length > 0) {
      const counted = this.#recent.add(allele, carriers, this.#start);
      if (counted === undefined) summary.alleles++;
      else summary.calls -= counted;
      this.#noteSearch(allele.contig, allele.structural, true);
    }
    const called = allele as CalledAllele & { annotation?: CallAnnotation };
    called.carriers = carriers;
    if (fractions) called.fractions = fractions;
    if (uncalled.length > 0) called.uncalled = uncalled;
    const annotation = carriers.length > 0 ? this.#options.annotations?.of(this.#alternate) : undefined;
    if (annotation) called.annotation = annotation;
    into.push(called);
  }

  /** Gives the alleles that a record writes several times all of their carriers. */
  #finish(into: CalledAllele[]): void {
    for (const { place, copies, uncalled } of this.#written.values()) {
      const allele = into[place];
      if (copies && allele)
        into[place] = { ...allele, carriers: [...copies], ...(uncalled?.size && { uncalled: [...uncalled] }) };
    }
    this.#written.clear();
  }

  /** Undefined, and counted, if the record has a malformed genotype. */
  #calls(block: string, { contig, end, line, alternates, fields, minimum }: GenotypeContext): RecordCalls | undefined {
    const { skipped } = this.#summary;
    const found: (Carrier[] | undefined)[] = [];
    const unqualified: (number[] | undefined)[] = [];
    const fractions: (CarrierFraction[] | undefined)[] = [];
    const hasFractions = fields.fraction >= 0 || fields.reads >= 0;
    let missing: MissingGenotype[] | undefined;
    let isRead = false;
    const copies = this.#copies;
    copies.resize(alternates);
    let at = this.#begins[9] ?? 0;
    let column = 0;
    let readable = true;
    let [low, without] = [0, 0];
    for (const { column: wanted, sample } of this.#chosen) {
      for (; column < wanted; column++) at = this.#nextColumn(block, at, end, line, column);
      if (!readable) continue;
      const genotype = fields.genotype < 0 ? -1 : startOfField(block, at, end, fields.genotype);
      if (genotype < 0) copies.resize(alternates);
      else readable = copies.count(block, genotype, end);
      let counts = minimum === undefined ? true : undefined;
      let isUnqualified = false;
      for (const allele of copies.carried) {
        const count = copies.of(allele);
        if (counts === undefined && minimum !== undefined) {
          const quality = this.#quality(block, at, end, fields.quality);
          counts = quality < 0 ? this.#options.missing.rule.quality === 'carrier' : quality >= minimum;
          isUnqualified = quality < 0 && !counts;
          if (isUnqualified) without++;
          else if (!counts) low++;
        }
        if (isUnqualified) {
          const samples = unqualified[allele - 1];
          if (samples) samples.push(sample);
          else unqualified[allele - 1] = [sample];
        }
        const carriers = found[allele - 1];
        // Literals: an array that grows by push takes more memory, in every allele.
        if (!carriers) found[allele - 1] = counts ? [[sample, count]] : [];
        else if (counts) carriers.push([sample, count]);
        if (!counts || !hasFractions) continue;
        const percent = percentOfCall(block, at, end, fields, { allele, alternates });
        if (!isFractionKept(contig, percent)) continue;
        const known = fractions[allele - 1];
        if (known) known.push([sample, percent]);
        else fractions[allele - 1] = [[sample, percent]];
      }
      if (copies.carried.length === 0 && copies.of(0) === 0) {
        missing ??= [];
        missing.push({ sample, copies: this.#copyNumber(block, at, end, fields.copies) });
      } else if (!isUnqualified) isRead = true;
    }
    this.#countColumns(block, end, line, column, at);
    if (!readable) {
      this.#countUnreadable(line, 'malformed genotype, or one with an allele that the record does not have');
      return undefined;
    }
    if (fields.genotype < 0) skipped.withoutGenotypes++;
    skipped.lowQuality += low;
    skipped.withoutQuality += without;
    if (missing && this.#options.missing.rule.genotype === 'carrier') isRead = true;
    return { carriers: found, unqualified, fractions, missing: missing ?? noneMissing, isRead };
  }

  /** Whether any chosen sample has a called genotype. */
  #hasCall(block: string, end: number, { genotype: field }: Fields): boolean {
    let at = this.#begins[9] ?? 0;
    let column = 0;
    for (const { column: wanted } of this.#chosen) {
      for (; column < wanted; column++) at = block.indexOf('\t', at) + 1;
      const from = startOfField(block, at, end, field);
      if (from >= 0 && from < end && /^[^:\t]*\d/.test(block.slice(from, Math.min(from + 40, end)))) return true;
    }
    return false;
  }

  /** The CN of a sample column; -1 if there is none. */
  #copyNumber(block: string, at: number, end: number, field: number): number {
    const from = field < 0 ? -1 : startOfField(block, at, end, field);
    return from < 0 ? -1 : wholeNumberAt(block, from, end);
  }

  /** The GQ of a sample column; -1 if there is none. */
  #quality(block: string, at: number, end: number, field: number): number {
    const from = field < 0 ? -1 : startOfField(block, at, end, field);
    return from < 0 ? -1 : qualityAt(block, from, end);
  }

  /** The smallest GQ with which a genotype of a record counts; undefined if any does. */
  #minimum(structural: boolean): number | undefined {
    const { quality } = this.#options;
    return quality && (quality.structural || !structural) ? quality.minimum : undefined;
  }

  /** Notes a record of a contig that is not read as skipped on the chromosome of which the contig is another form. */
  #noteOtherForm(block: string): void {
    const contig = this.#options.header.formOf(this.#lastName);
    if (contig) this.#noteSearch(contig, this.#kind(block, this.#column(block, 4).split(',')).structural, false);
  }

  #kind(block: string, alternates: readonly string[]) {
    const form = formOfAlternates(alternates);
    const info = this.#info(block, form === 'symbolic');
    return { form, info, structural: info !== noStructuralInfo || form !== 'bases' };
  }

  /** Notes a record, and whether any of its genotypes was read. */
  #noteSearch(contig: Contig, structural: boolean, isRead: boolean): void {
    const kind = structural ? 'structural' : 'small';
    const chromosomes = this.#options.chromosomes[kind];
    if (!isRead) chromosomes.skipped.add(contig);
    else {
      this.#summary.searched[kind] = true;
      chromosomes.read.add(contig);
    }
  }

  #fields(block: string): Fields {
    const from = this.#begins[8] ?? 0;
    const length = (this.#begins[9] ?? 0) - 1 - from;
    if (this.#lastFormat.length !== length || !block.startsWith(this.#lastFormat, from)) {
      this.#lastFormat = block.slice(from, from + length);
      this.#lastFields = fieldsOfFormat(this.#lastFormat);
    }
    return this.#lastFields;
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
      this.#recent.clear();
    }
    return this.#lastContig;
  }

  #info(block: string, symbolic: boolean): StructuralInfo {
    const from = this.#begins[7] ?? 0;
    const end = (this.#begins[8] ?? 0) - 1;
    if (this.#nextSvtype < from) {
      const next = block.indexOf('SVTYPE=', from);
      this.#nextSvtype = next < 0 ? Number.POSITIVE_INFINITY : next;
    }
    if (this.#nextSvtype >= end && !symbolic) return noStructuralInfo;
    const info = structuralInfo(block.slice(from, end));
    return info.svtype === undefined && !symbolic ? noStructuralInfo : info;
  }

  #column(block: string, column: number): string {
    return block.slice(this.#begins[column], (this.#begins[column + 1] ?? 0) - 1);
  }

  #damaged(line: number, reason: string): Fault {
    return new Fault('unprocessable', `${this.#options.name}, line ${line}: ${reason}`);
  }
}

/** Why a record with so many alternates, and so many bases in REF, is not read; undefined if it is. */
function excessOf(alternates: number, reference: number): string | undefined {
  if (alternates > mostAlternates) return `it has ${alternates} alternates; a record can have ${mostAlternates}`;
  if (alternates === 1 || alternates * reference <= mostBases) return undefined;
  return `it has ${alternates} alternates of a REF of ${reference} bases, which is more than ${mostBases} bases in all`;
}

/** How the alternates of a record are written: `symbolic` if any is, else `breakend` if any is. */
function formOfAlternates(alternates: readonly string[]): 'bases' | 'breakend' | 'symbolic' {
  let form: 'bases' | 'breakend' = 'bases';
  for (const alternate of alternates) {
    if (alternate.length === 1) continue;
    if (alternate.startsWith('<') && !isPlaceholder(alternate)) return 'symbolic';
    if (isBreakend(alternate)) form = 'breakend';
  }
  return form;
}

/** Adds those of another alternate that is the same allele: of a sample that carries both, each is of a part of its reads. */
function addFractions(
  known: CalledAllele,
  copies: ReadonlyMap<number, number>,
  { carriers, fractions = [] }: Pick<CalledAllele, 'carriers'> & { fractions: CalledAllele['fractions'] | undefined },
): void {
  if (!known.fractions && fractions.length === 0) return;
  const both = new Set(carriers.flatMap(([sample]) => (copies.has(sample) ? [sample] : [])));
  known.fractions = [...(known.fractions ?? []), ...fractions].filter(([sample]) => !both.has(sample));
}

/** The same for the same alleles of one record: between its start and end, REF is the same as well. */
function keyOfAlternate(allele: Allele): string {
  const { alternate, start, end, mate, structural } = allele;
  return `${start} ${end} ${mate ?? ''} ${structural ? 'structural' : ''} ${lengthOfInsertion(allele) ?? ''} ${alternate}`;
}
