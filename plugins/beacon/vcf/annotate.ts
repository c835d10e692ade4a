/** Adds the observations of a dataset to the records of a VCF, block by block; everything else stays as it is. */
import { blocks, type Source } from '../../../core/files.js';
import { Fault } from '../../../core/plugin.js';
import {
  Header,
  isPlaceholder,
  noStructuralInfo,
  referenceBases,
  type StructuralInfo,
  structuralInfo,
} from '../../../core/vcf.js';
import type { Assembly, Contig, Observation, ObservedQuestion } from '../contract.js';
import type { Denominator } from '../counts/denominator.js';
import { questionOfAllele } from '../domain/written-question.js';
import { alternatesOfRecord, readAlternate } from './alternate.js';
import {
  annotationOfRecord,
  denominatorEntries,
  denominatorKeys,
  isReplacedHeader,
  levelEntry,
  levelKey,
} from './annotation.js';

export interface AnnotateRequest {
  source: Source;
  assembly: Assembly;
  /** Names of the entries in INFO. */
  names: readonly string[];
  /** Allele fractions from which on carriers on MT are counted, in percent. */
  levels: readonly number[];
  /** Header lines to add; asked for once it is known whether the first record is structural. */
  header(structural: boolean): string;
  /** The observation of each question. */
  ask(questions: readonly ObservedQuestion[]): Promise<AlternateObservations>;
  /**
   * Called with the position of each record: its contig as the file names it, start and end, zero-based half-open, and where its line
   * begins and ends in the annotated file, in bytes before compression.
   */
  placed?(contig: string, start: number, end: number, from: number, to: number): void;
}

export interface AlternateObservations {
  observations: readonly Observation[];
  /** Omitted if nothing is known of coverage. */
  denominators?: readonly Denominator[] | undefined;
}

export interface AnnotateCounts {
  records: number;
  /** Alternates that were asked for, and those that were seen in a case. */
  alleles: number;
  seen: number;
}

/**
 * The annotated file in pieces of whole lines, as Latin-1. Throws an `unprocessable` fault if it is not a VCF, of another
 * assembly, or damaged; `counts` grows meanwhile. A record that cannot be read as alleles stays without annotation.
 */
export async function* annotatedPieces(request: AnnotateRequest, counts: AnnotateCounts): AsyncGenerator<string> {
  const { source, assembly, names, levels } = request;
  const header = new Header(assembly, source.name, { sites: true });
  const reader = new AnnotatedRecordReader(header, source.name);
  const kept: string[] = [];
  let number = 0;
  let written = 0;
  for await (const block of blocks(source.chunks(), source.name)) {
    const records = new Records(block, names, levels);
    for (let at = 0; at < block.length; ) {
      const next = block.indexOf('\n', at);
      const end = block.charCodeAt(next - 1) === 13 ? next - 1 : next;
      number++;
      if (!header.complete) {
        const line = block.slice(at, end);
        header.take(line, number);
        if (!isReplacedHeader(line, names)) kept.push(line);
      } else if (end > at) reader.read(records, at, end, number);
      at = next + 1;
    }
    if (records.count === 0) continue;
    if (kept.length > 0) {
      const text = headerText(kept.splice(0), request.header(records.questions[0]?.type === 'structural'));
      written += text.length;
      yield text;
    }
    const text = records.annotated(await request.ask(records.questions), counts, written, request.placed);
    written += text.length;
    yield text;
  }
  if (!header.complete) {
    throw new Fault(
      'unprocessable',
      `${source.name}: ${number === 0 ? 'the file is empty' : 'there is no #CHROM line'}`,
    );
  }
  if (kept.length > 0) yield headerText(kept, request.header(false));
}

function headerText(lines: readonly string[], added: string): string {
  const before = lines.slice(0, -1).map((line) => `${line}\n`);
  return `${before.join('')}${added}${lines.at(-1)}\n`;
}

/** The records of a block in columns: with an object for each, collecting garbage would take most of the time. */
class Records {
  readonly block: string;
  readonly questions: ObservedQuestion[] = [];
  readonly #names: readonly string[];
  readonly #levels: readonly number[];
  readonly #denominatorKeys: readonly string[];
  readonly #denominatorTexts = new Map<Denominator, string>();
  /** Where the lines begin and end, and INFO in them. */
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  readonly #infoFrom: number[] = [];
  readonly #infoTo: number[] = [];
  /** The alternates of all records as places among the questions; -1 for one that cannot be asked for. */
  readonly #asked: number[] = [];
  /** For each record one past the last of its alternates. */
  readonly #askedTo: number[] = [];
  readonly #contigs: string[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  constructor(block: string, names: readonly string[], levels: readonly number[]) {
    this.block = block;
    this.#names = names;
    this.#levels = levels;
    this.#denominatorKeys = denominatorKeys(names);
  }

  get count(): number {
    return this.#from.length;
  }

  /** Adds an alternate of the record that is added next. */
  ask(question: ObservedQuestion | undefined): void {
    this.#asked.push(question ? this.questions.length : -1);
    if (question) this.questions.push(question);
  }

  add(from: number, to: number, infoFrom: number, infoTo: number): void {
    this.#from.push(from);
    this.#to.push(to);
    this.#infoFrom.push(infoFrom);
    this.#infoTo.push(infoTo);
    this.#askedTo.push(this.#asked.length);
  }

  /** Notes the position of the record that was added last. */
  place(contig: string, start: number, end: number): void {
    this.#contigs.push(contig);
    this.#starts.push(start);
    this.#ends.push(end);
  }

  /** The lines with their annotation, of which the first begins at `offset` in the annotated file. */
  annotated(
    { observations, denominators }: AlternateObservations,
    counts: AnnotateCounts,
    offset: number,
    placed: AnnotateRequest['placed'],
  ): string {
    const { block } = this;
    const parts: string[] = [];
    const texts = new AnnotationTexts(this.#names, this.#levels);
    const earlier = distinct(this.#names).map((name) => new Occurrences(block, name));
    // What is before is in the parts.
    let copied = this.#from[0] as number;
    let begin = offset;
    for (let i = 0; i < this.count; i++) {
      const from = this.#from[i] as number;
      const before = this.#to[i - 1];
      if (before !== undefined && from !== before + 1) {
        // Without a carriage return and empty lines.
        parts.push(block.slice(copied, before), '\n');
        copied = from;
      }
      const infoFrom = this.#infoFrom[i] as number;
      const infoTo = this.#infoTo[i] as number;
      let added = this.#annotation(i, observations, texts, counts) + this.#denominators(i, denominators);
      let length = (this.#to[i] as number) - from + 1;
      let kept = infoTo;
      if (isEmpty(block, infoFrom, infoTo) || earlier.some((name) => name.isWithin(infoFrom, infoTo))) {
        added = this.#replaced(block.slice(infoFrom, infoTo), added);
        kept = infoFrom;
      }
      parts.push(block.slice(copied, kept), added);
      length += added.length - (infoTo - kept);
      copied = infoTo;
      placed?.(this.#contigs[i] as string, this.#starts[i] as number, this.#ends[i] as number, begin, begin + length);
      begin += length;
    }
    parts.push(block.slice(copied, this.#to.at(-1)), '\n');
    counts.records += this.count;
    return parts.join('');
  }

  /** What is added to the INFO of a record, from a semicolon on; empty if no alternate was asked for. */
  #annotation(
    record: number,
    observations: readonly Observation[],
    texts: AnnotationTexts,
    counts: AnnotateCounts,
  ): string {
    const first = record === 0 ? 0 : (this.#askedTo[record - 1] as number);
    const last = this.#askedTo[record] as number;
    for (let i = first; i < last; i++) {
      const found = observations[this.#asked[i] as number];
      if (!found) continue;
      counts.alleles++;
      if (found.cases > 0) counts.seen++;
    }
    if (last - first === 1) return texts.ofOne(observations[this.#asked[first] as number]);
    return texts.of(this.#asked.slice(first, last).map((place) => observations[place]));
  }

  /** What is added of denominators to the INFO of a record. */
  #denominators(record: number, denominators: readonly Denominator[] | undefined): string {
    if (!denominators) return '';
    const first = record === 0 ? 0 : (this.#askedTo[record - 1] as number);
    const last = this.#askedTo[record] as number;
    const only = last - first === 1 ? denominators[this.#asked[first] as number] : undefined;
    if (only) return this.#denominatorText(only);
    const found: (Denominator | undefined)[] = [];
    for (let i = first; i < last; i++) {
      found.push(denominators[this.#asked[i] as number]);
    }
    return denominatorEntries(found, this.#denominatorKeys);
  }

  /** Many alleles share a denominator. */
  #denominatorText(denominator: Denominator): string {
    let text = this.#denominatorTexts.get(denominator);
    if (text === undefined) {
      text = denominatorEntries([denominator], this.#denominatorKeys);
      this.#denominatorTexts.set(denominator, text);
    }
    return text;
  }

  /** INFO with what is added, and without earlier entries of the names. */
  #replaced(info: string, added: string): string {
    const others = info.split(';').filter((entry) => !this.#names.includes(entry.split('=', 1)[0] as string));
    const rest = others.join(';');
    if (rest !== '.' && rest !== '') return rest + added;
    return added === '' ? '.' : added.slice(1);
  }
}

/** Names that do not begin with another one: where that one is not, they are not either. */
function distinct(names: readonly string[]): string[] {
  return names.filter((name) => !names.some((other) => other !== name && name.startsWith(other)));
}

/** Whether INFO has no entries. */
function isEmpty(block: string, from: number, to: number): boolean {
  return to === from || (to === from + 1 && block.charCodeAt(from) === dot);
}

/** Annotations as text; unseen alleles, which are most, share an observation. */
class AnnotationTexts {
  readonly #names: readonly string[];
  readonly #levels: readonly number[];
  readonly #levelKey: string;
  #last: Observation | undefined;
  #text = '';

  constructor(names: readonly string[], levels: readonly number[]) {
    this.#names = names;
    this.#levels = levels;
    this.#levelKey = levelKey(names);
  }

  ofOne(observation: Observation | undefined): string {
    if (observation === undefined) return '';
    if (observation.cases > 0 || observation.fractions) return this.of([observation]);
    if (observation !== this.#last) [this.#last, this.#text] = [observation, this.of([observation])];
    return this.#text;
  }

  of(observations: readonly (Observation | undefined)[]): string {
    const text = annotationOfRecord(observations, this.#names);
    return text === '' ? '' : `;${text}${levelEntry(observations, this.#levelKey, this.#levels)}`;
  }
}

/** Where a text occurs, for questions by ascending place: the block is searched once. */
class Occurrences {
  readonly #block: string;
  readonly #text: string;
  #next = -1;

  constructor(block: string, text: string) {
    this.#block = block;
    this.#text = text;
  }

  isWithin(from: number, to: number): boolean {
    if (this.#next < from) {
      const found = this.#block.indexOf(this.#text, from);
      this.#next = found < 0 ? Number.POSITIVE_INFINITY : found;
    }
    return this.#next < to;
  }
}

const [tab, dot, zero, nine, angle] = [9, 46, 48, 57, 60];

/** Reads records one after the other. */
class AnnotatedRecordReader {
  readonly #header: Header;
  readonly #name: string;
  /** The contig of the last record, and the chromosome that it is. */
  #contig = '';
  #chromosome: Contig | undefined;
  #block = '';
  #types = new Occurrences('', '');
  readonly #columns: ColumnOffsets = [0, 0, 0, 0, 0, 0, 0, 0];

  constructor(header: Header, name: string) {
    this.#header = header;
    this.#name = name;
  }

  /** Adds the record in the line from `at` to `to`. */
  read(records: Records, at: number, to: number, number: number): void {
    const { block } = records;
    if (block !== this.#block) [this.#block, this.#types] = [block, new Occurrences(block, 'SVTYPE=')];
    // The same list for each record.
    const columns = this.#columns;
    columns[0] = at;
    for (let i = 1; i < 8; i++) {
      const next = columnAfter(block, columns[i - 1] as number, to);
      if (next < 0) throw this.#fault(number, `${i} columns, but a VCF has at least 8`);
      columns[i] = next;
    }
    const [, positionAt, idAt, referenceAt, alternateAt, qualityAt, , infoAt] = columns;
    const next = columnAfter(block, infoAt, to);
    const infoTo = next < 0 ? to : next - 1;
    this.#takeContig(block, at, positionAt - 1);
    const position = positionIn(block, positionAt, idAt - 1);
    if (position < 0) throw this.#fault(number, 'POS must be a whole number up to 2147483647');
    const reference = block.slice(referenceAt, alternateAt - 1);
    const alternate = block.slice(alternateAt, qualityAt - 1);
    const isTyped = this.#types.isWithin(infoAt, infoTo);
    const site = { start: Math.max(position - 1, 0), reference, alternate };
    const chromosome =
      this.#chromosome !== undefined && this.#header.oddPlace(this.#chromosome, position) === undefined
        ? this.#chromosome
        : undefined;
    let end = 0;
    if (isSubstitution(reference, alternate) && !isTyped) {
      if (chromosome) records.ask({ type: 'sequence', contig: chromosome, ...site });
      else records.ask(undefined);
    } else {
      const alternates = alternate.split(',');
      const isStructural = isTyped || alternates.some((each) => each.charCodeAt(0) === angle);
      const info = isStructural ? structuralInfo(block.slice(infoAt, infoTo)) : noStructuralInfo;
      end = info.end ?? 0;
      const isTelomere = this.#chromosome !== undefined && this.#header.isTelomere(this.#chromosome, position);
      const contig = isStructural && isTelomere ? this.#chromosome : chromosome;
      for (const question of this.#questions(contig, position, reference, alternates, info)) records.ask(question);
    }
    records.add(at, to, infoAt, infoTo);
    records.place(this.#contig, site.start, Math.max(site.start + reference.length, end));
  }

  /** For each alternate its question, or undefined if it cannot be asked for. */
  #questions(
    contig: Contig | undefined,
    position: number,
    written: string,
    alternates: readonly string[],
    info: StructuralInfo,
  ): (ObservedQuestion | undefined)[] {
    const reference = referenceBases(written);
    if (contig === undefined || reference === undefined) return alternates.map(() => undefined);
    const site = { contig, position, reference, info, alternates: alternatesOfRecord(alternates) };
    return alternates.map((alternate, i) => {
      if (isPlaceholder(alternate)) return undefined;
      const allele = readAlternate(site, alternate, i, this.#header);
      return typeof allele === 'string' ? undefined : questionOfAllele(allele);
    });
  }

  #takeContig(block: string, from: number, to: number): void {
    if (to - from === this.#contig.length && block.startsWith(this.#contig, from)) return;
    this.#contig = block.slice(from, to);
    this.#chromosome = this.#header.contig(this.#contig);
  }

  #fault(line: number, reason: string): Fault {
    return new Fault('unprocessable', `${this.#name}, line ${line}: ${reason}`);
  }
}

type ColumnOffsets = [number, number, number, number, number, number, number, number];

/** Where the next column begins; -1 if there is none. */
function columnAfter(block: string, from: number, to: number): number {
  for (let i = from; i < to; i++) if (block.charCodeAt(i) === tab) return i + 1;
  return -1;
}

/** The whole number in a column; -1 if it is not one, or too large. */
function positionIn(block: string, from: number, to: number): number {
  if (to === from || to - from > 10) return -1;
  let position = 0;
  for (let i = from; i < to; i++) {
    const code = block.charCodeAt(i);
    if (code < zero || code > nine) return -1;
    position = position * 10 + code - zero;
  }
  return position < 2 ** 31 ? position : -1;
}

/** One known base for another. Such records, which are most, need no further reading. */
function isSubstitution(reference: string, alternate: string): boolean {
  return isKnownBase(reference) && isKnownBase(alternate) && reference !== alternate;
}

function isKnownBase(text: string): boolean {
  return text === 'A' || text === 'C' || text === 'G' || text === 'T';
}
