/** Reads the sites of a VCF: the pathogenic ones of ClinVar, or every record of another file. */
import { blocks, type Source, utf8 } from '../../../core/files.js';
import { type Assembly, type Contig, lengthOf } from '../../../core/genome.js';
import { Fault, isIntact } from '../../../core/plugin.js';
import {
  BuildSigns,
  endOfStructural,
  Header,
  infoValue,
  isBreakend,
  isPlaceholder,
  kindOfStructural,
  otherEnd,
  referenceBases,
  statedLength,
  structuralInfo,
  symbol,
} from '../../../core/vcf.js';
import { longestSite, type Place, type Site } from '../contract.js';
import { LineSet } from './lines.js';

/** Why a record is not a site. */
const skips = {
  benign: 'not pathogenic or likely pathogenic',
  stars: 'fewer review stars',
  sequence: 'other sequence',
  long: `longer than ${longestSite} bases`,
  unplaced: 'breakends, and symbolic alleles without an end',
  repeated: 'repeated records',
} as const;

interface SiteFile {
  build: Assembly;
  /** The file's date, if its header states one: `2026-11-15`. */
  date: string | undefined;
  /** Whether its records have a clinical significance (CLNSIG): then only pathogenic ones are sites. */
  isClassified: boolean;
  /** Reason → records; grows while sites are read. */
  skipped: Map<string, number>;
  /** To be read once. Throws an `unprocessable` fault that names file and line. */
  sites(): AsyncGenerator<Site[]>;
}

interface SiteRules {
  /** If omitted, as the header says. */
  build?: Assembly | undefined;
  /** Least review stars of a classified record. */
  leastStars: number;
}

/** Lines of a header, more than any file has. */
const longestHeader = 100_000;

/** Reads the header. Throws an `unprocessable` fault if it is not that of a VCF, or of another build. */
export async function openSites(source: Source, rules: SiteRules): Promise<SiteFile> {
  const text = blocks(endingInALine(source), source.name);
  try {
    return await readHeader(source, text, rules);
  } catch (cause) {
    await text.return(undefined);
    throw cause;
  }
}

/** Throws an `unprocessable` fault after the last byte if that ends no line: a record may have lost its end. */
async function* endingInALine(source: Source): AsyncGenerator<Buffer> {
  let last = newline;
  for await (const chunk of source.chunks()) {
    last = chunk.at(-1) ?? last;
    yield chunk;
  }
  if (last !== newline) {
    throw new Fault('unprocessable', `${source.name}: the last line has no end: the file may be cut short`);
  }
}

const newline = 10;

interface HeaderRest {
  block: string;
  at: number;
  line: number;
}

async function readHeader({ name }: Source, text: AsyncGenerator<string>, rules: SiteRules): Promise<SiteFile> {
  const lines: string[] = [];
  let rest: HeaderRest | undefined;
  while (rest === undefined) {
    const { value: block, done } = await text.next();
    if (done) {
      const reason = lines.length === 0 ? 'the file is empty' : 'the header ends without a #CHROM line';
      throw new Fault('unprocessable', `${name}: ${reason}`);
    }
    for (let at = 0; at < block.length && rest === undefined; ) {
      const end = block.indexOf('\n', at);
      const line = block.slice(at, end).replace(/\r$/, '');
      lines.push(line);
      at = end + 1;
      const isLast = !line.startsWith('##') || lines.length > longestHeader;
      if (isLast) rest = { block, at, line: lines.length + 1 };
    }
  }
  // The first line says whether it is a VCF at all.
  new Header('GRCh38', name, { sites: true }).take(lines[0] as string, 1);
  const build = buildOf(lines, rules.build, name);
  const header = new Header(build, name, { sites: true });
  for (const [i, line] of lines.entries()) header.take(line, i + 1);
  const isClassified = lines.some((line) => /^##INFO=<ID=CLNSIG,/.test(line));
  const skipped = new Map<string, number>();
  const reader = new SiteReader(name, header, build, isClassified ? rules.leastStars : undefined, skipped);
  return { build, date: dateOf(lines), isClassified, skipped, sites: () => reader.batches(text, rest) };
}

/** The build that is stated, else the one that the header names; whether they agree is checked by `Header`. */
function buildOf(lines: readonly string[], stated: Assembly | undefined, file: string): Assembly {
  const signs = new BuildSigns();
  for (const [i, line] of lines.entries()) signs.take(line, i + 1);
  const { assembly: found } = signs;
  const build = stated ?? (found === 'another' ? 'GRCh38' : found);
  if (build !== undefined) return build;
  throw new Fault(
    'unprocessable',
    `${file}: the header does not say of which build the file is: state it with --build`,
  );
}

/** `##fileDate=2026-11-15` or `20261115`. */
function dateOf(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    const [, year, month, day] = /^##fileDate=(\d{4})-?(\d\d)-?(\d\d)$/.exec(line) ?? [];
    if (year !== undefined) return `${year}-${month}-${day}`;
  }
  return undefined;
}

const batchSites = 2000;
/** More than any catalogue has; a call set of a population is not a catalogue. */
const mostSites = 2_000_000;
const fixedColumns = 8;
const control = /\p{Cc}/u;

/** Columns that place a record. */
type PlacingColumn = 'contig' | 'position' | 'reference' | 'alternate' | 'info';

class SiteReader {
  readonly #name: string;
  readonly #header: Header;
  readonly #build: Assembly;
  /** Undefined if every record is a site. */
  readonly #leastStars: number | undefined;
  readonly #skipped: Map<string, number>;
  readonly #known = new LineSet();

  constructor(
    name: string,
    header: Header,
    build: Assembly,
    leastStars: number | undefined,
    skipped: Map<string, number>,
  ) {
    this.#name = name;
    this.#header = header;
    this.#build = build;
    this.#leastStars = leastStars;
    this.#skipped = skipped;
  }

  async *batches(text: AsyncGenerator<string>, { block, at, line }: HeaderRest): AsyncGenerator<Site[]> {
    let batch: Site[] = [];
    let number = this.#read(block, at, line, batch);
    for await (const next of text) {
      if (batch.length >= batchSites) {
        yield batch;
        batch = [];
      }
      number = this.#read(next, 0, number, batch);
    }
    yield batch;
  }

  /** Returns the number of the line after the last. */
  #read(block: string, at: number, line: number, into: Site[]): number {
    let number = line;
    // Most records of ClinVar are not pathogenic: of them no column is read.
    let next = -1;
    for (let from = at; from < block.length; number++) {
      const end = block.indexOf('\n', from);
      if (this.#leastStars !== undefined && next < from) {
        next = block.indexOf('athogenic', from);
        if (next < 0) next = block.length;
      }
      const isHopeless = this.#leastStars !== undefined && next > end;
      const last = block.charCodeAt(end - 1) === 13 ? end - 1 : end;
      if (last > from) {
        const read = isHopeless ? skips.benign : this.#record(utf8(block.slice(from, last)), number);
        if (typeof read !== 'string') into.push(read);
        else this.#skipped.set(read, (this.#skipped.get(read) ?? 0) + 1);
      }
      from = end + 1;
    }
    return number;
  }

  /** The site of a record, or why the record is not a site. */
  #record(text: string, line: number): Site | string {
    const columns = text.split('\t', fixedColumns);
    if (columns.length < fixedColumns) throw this.#fault(line, `it has ${columns.length} columns instead of 8 or more`);
    const [contig = '', position = '', id = '', reference = '', alternate = '', , , info = ''] = columns;
    const status = infoValue(info, 'CLNREVSTAT');
    const stars = status === undefined ? undefined : starsOfStatus(status);
    const significance = infoValue(info, 'CLNSIG');
    if (this.#leastStars !== undefined) {
      if (significance === undefined || !isPathogenic(significance)) return skips.benign;
      if ((stars ?? 0) < this.#leastStars) return skips.stars;
    }
    if (control.test(id)) throw this.#fault(line, 'ID has control characters');
    // Sites whose ids differ in such bytes alone would become one.
    if (!isIntact(id)) throw this.#fault(line, 'ID is not UTF-8 text');
    const place = this.#place({ contig, position, reference, alternate, info }, line);
    if (typeof place === 'string') return place;
    const key = `${place.chromosome}:${place.start} ${place.end} ${reference}>${alternate} ${id}`;
    if (!this.#known.add(key)) return skips.repeated;
    if (this.#known.size > mostSites)
      throw this.#fault(line, `there are more than ${mostSites} sites: select some first`);
    const hgvs = infoValue(info, 'CLNHGVS');
    return {
      ...{ ...place, reference, alternate },
      ...(id !== '' && id !== '.' && { id }),
      ...(hgvs !== undefined && { hgvs }),
      ...(significance !== undefined && { significance }),
      ...(stars !== undefined && { stars }),
      genes: geneSymbols(infoValue(info, 'GENEINFO') ?? ''),
    };
  }

  /** The place of the reference bases, or why there is none. */
  #place(
    { contig, position, reference, alternate, info }: Record<PlacingColumn, string>,
    line: number,
  ): Place | string {
    const chromosome = this.#header.contig(contig);
    if (chromosome === undefined) return skips.sequence;
    const start = Number(position) - 1;
    if (!/^\d+$/.test(position) || start < 0) throw this.#fault(line, 'POS is not a whole number from 1 on');
    if (referenceBases(reference) === undefined) throw this.#fault(line, 'REF is not bases');
    const length = lengthOf(this.#build, chromosome);
    if (start + reference.length > length) {
      const which = `${chromosome}, which has ${length} bases in ${this.#build}`;
      throw this.#fault(line, `the position is beyond the end of chromosome ${which}`);
    }
    const end = endOf({ chromosome, start, reference, alternate, info }, this.#header);
    if (end === undefined) return skips.unplaced;
    return end - start > longestSite || end > length ? skips.long : { chromosome, start, end };
  }

  #fault(line: number, reason: string): Fault {
    return new Fault('unprocessable', `${this.#name}, line ${line}: ${reason}`);
  }
}

interface WrittenSite {
  chromosome: Contig;
  start: number;
  reference: string;
  alternate: string;
  info: string;
}

/** One past the last reference base that an alternate replaces, the farthest of several; undefined if it is unknown. */
function endOf({ chromosome, start, reference, alternate, info }: WrittenSite, header: Header): number | undefined {
  let end = start + reference.length;
  const alternates = alternate.split(',');
  for (const [i, one] of alternates.entries()) {
    if (isPlaceholder(one)) continue;
    if (isBreakend(one)) return undefined;
    const word = symbol(one);
    if (word === undefined) continue;
    const read = structuralInfo(info);
    const kind = kindOfStructural(read.svtype, word, alternates.length > 1);
    const length = statedLength(read, kind, i, alternates.length);
    const place = { kind, contig: chromosome, position: start + 1, length };
    if (otherEnd(read, place, (name) => header.contig(name))) return undefined;
    const extent = { kind, start, reference, symbolic: true, end: read.end, length, isEndShared: header.isEndShared };
    const own = endOfStructural(extent);
    if (typeof own === 'string') return undefined;
    end = Math.max(end, own);
  }
  return end;
}

// What ClinVar's VCF states about a record in INFO.

/**
 * Whether CLNSIG is pathogenic or likely pathogenic. It has the terms of all germline classifications, joined by `/`, `|` and
 * `,`: `Pathogenic/Likely_pathogenic|other`, `Pathogenic,_low_penetrance`. Conflicting classifications do not count, whatever
 * is joined to them.
 */
export function isPathogenic(significance: string): boolean {
  const terms = significance.split(/[|/,]/);
  if (terms.some((term) => /^conflicting_/i.test(term))) return false;
  return terms.some((term) => term === 'Pathogenic' || term === 'Likely_pathogenic');
}

/** Review stars (CLNREVSTAT), as ClinVar counts them: 0 to 4. */
export function starsOfStatus(status: string): number {
  const terms = status.toLowerCase();
  if (terms.includes('practice_guideline')) return 4;
  if (terms.includes('reviewed_by_expert_panel')) return 3;
  if (!terms.includes('criteria_provided') || terms.includes('no_assertion')) return 0;
  return terms.includes('multiple_submitters') && terms.includes('no_conflicts') ? 2 : 1;
}

/** The symbols in GENEINFO (`BRCA1:672|NBR2:10230`), each once. */
export function geneSymbols(geneInfo: string): string[] {
  const symbols = geneInfo.split('|').map((entry) => entry.replace(/:\d*$/, ''));
  return [...new Set(symbols)].filter((symbol) => symbol !== '');
}
