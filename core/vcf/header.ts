/** Reads the header of a VCF: the samples, and which contig names are chromosomes of the assembly. */
import { isIntact } from '../encoding.js';
import { Fault } from '../fault.js';
import { utf8 } from '../files/blocks.js';
import { type Assembly, accessionNamed, type Contig, contigNamed, contigs, lengthOf } from '../genome/reference.js';
import { BuildSigns, lengthOfOldMitochondrion, numbered } from './build.js';

const fixedColumns = ['#CHROM', 'POS', 'ID', 'REF', 'ALT', 'QUAL', 'FILTER', 'INFO'];

/** PLINK's names of the pseudoautosomal regions, of X and Y alike; some programs give 25 to MT. */
function isPseudoautosomal(name: string): boolean {
  return /^(chr)?(25|XY|PAR[12])$/i.test(name);
}

/** Thrown if a file is of another assembly than its dataset. */
export class OtherAssembly extends Fault {}

/** Largest number of samples in a file. */
const mostSamples = 500_000;

/** Takes the header line by line. */
export class Header {
  /** The samples of the file without blanks around their names, in the order of its columns; empty before the last header line. */
  samples: readonly string[] = [];
  /**
   * Whether END is the farthest end of a record rather than that of an allele: from VCF 4.4 on each alternate has a length of
   * its own, from which END follows.
   */
  isEndShared = false;
  #complete = false;
  readonly #assembly: Assembly;
  readonly #name: string;
  readonly #sites: boolean;
  /** Contigs that are not read, by name, with the chromosome that they are a form of. */
  readonly #foreign = new Map<string, Contig>();
  /** Names that mean MT in this file. */
  readonly #mitochondria = new Set<string>();
  readonly #signs = new BuildSigns();
  #namesChromosomes = false;

  /** With `sites`, a file without samples is accepted too. */
  constructor(assembly: Assembly, name: string, { sites = false }: { sites?: boolean } = {}) {
    this.#assembly = assembly;
    this.#name = name;
    this.#sites = sites;
  }

  /** True once the `#CHROM` line was read. */
  get complete(): boolean {
    return this.#complete;
  }

  /** Whether a `##contig` line names a chromosome: records on other contigs then show that this file does not call them otherwise. */
  get namesChromosomes(): boolean {
    return this.#namesChromosomes;
  }

  /** Whether a line that begins at this place of a text can be skipped. */
  static isPassedOver(text: string, at: number): boolean {
    return text.startsWith('##', at) && !BuildSigns.isOne(text, at);
  }

  /**
   * Takes one line, as Latin-1. Throws an `unprocessable` fault if it is not a header line, or if it is the last one and the file
   * is of another assembly.
   */
  take(latin1: string, line: number): void {
    const text = utf8(latin1);
    if (line === 1) this.#checkFormat(text);
    else if (BuildSigns.isOne(text, 0)) this.#takeSign(text, line);
    else if (text.startsWith('#CHROM')) {
      this.#checkAssembly();
      this.#takeColumns(text, line);
    } else if (!Header.isPassedOver(text, 0)) throw this.#fault('the header ends without a #CHROM line', line);
  }

  /**
   * The chromosome that a contig name of this file means; undefined for any other contig. Throws an `unprocessable` fault if the
   * name is that of another assembly, or of the pseudoautosomal regions in PLINK, whose place is not known.
   */
  contig(name: string): Contig | undefined {
    if (this.#foreign.has(name)) return undefined;
    const known = this.#accession(name)?.contig ?? contigNamed(name) ?? numbered(name);
    if (known || !isPseudoautosomal(name)) return known;
    if (this.#mitochondria.has(name)) return 'MT';
    throw this.#fault(
      `chromosome ${name} means the pseudoautosomal regions of X and Y in PLINK: name it X (plink --merge-x), or state its ` +
        `length in a ##contig line if it is MT (${lengthOf(this.#assembly, 'MT')})`,
    );
  }

  /** The chromosome of which a contig that is not read is another form, by its accession or its length in the header. */
  formOf(name: string): Contig | undefined {
    return this.#foreign.get(name) ?? accessionNamed(name)?.contig;
  }

  /** What the header says of another assembly than the one that decides, as sentences. */
  get warnings(): string[] {
    return this.#signs
      .contradicting(this.#assembly)
      .map(({ line, reason }) => `line ${line}: ${reason}; stronger signs decide, as lifted files keep old headers`);
  }

  /** Whether a one-based position is that of a telomere: before the first base, or after the last. */
  isTelomere(contig: Contig, position: number): boolean {
    return position === 0 || position === lengthOf(this.#assembly, contig) + 1;
  }

  /** The zero-based base at a one-based position; of a telomere, which has none, the base beside it. */
  baseAt(contig: Contig, position: number): number {
    if (position === 0) return 0;
    return this.isTelomere(contig, position) ? position - 2 : position - 1;
  }

  /** Why a one-based position has no base (VCF allows 0 and length + 1 for telomeres); undefined if it has one. */
  oddPlace(contig: Contig, position: number): string | undefined {
    if (position === 0) return 'position 0, before the first base';
    return position > lengthOf(this.#assembly, contig) ? `position beyond the end of chromosome ${contig}` : undefined;
  }

  #checkFormat(text: string): void {
    if (text.startsWith('BCF')) {
      throw this.#fault('this is BCF; convert it first, for example with: bcftools view -Oz');
    }
    if (!text.replace(/^\uFEFF/, '').startsWith('##fileformat=VCF')) {
      throw this.#fault('not a VCF: the first line is not ##fileformat=VCF…');
    }
    const [, major, minor] = /VCFv(\d+)\.(\d+)/.exec(text) ?? [];
    this.isEndShared = Number(major) > 4 || (major === '4' && Number(minor) >= 4);
  }

  #takeSign(text: string, line: number): void {
    const { id, length } = this.#signs.take(text, line) ?? {};
    if (id === undefined) return;
    const isMitochondrion = length === lengthOf(this.#assembly, 'MT');
    if (isPseudoautosomal(id)) {
      if (isMitochondrion) this.#mitochondria.add(id);
      return;
    }
    const contig = this.contig(id);
    if (contig) this.#namesChromosomes = true;
    if (contig === 'MT' && length === lengthOfOldMitochondrion) this.#foreign.set(id, 'MT');
    if (contig) return;
    const form = contigs.find((each) => length === lengthOf(this.#assembly, each));
    if (form) this.#foreign.set(id, form);
  }

  #checkAssembly(): void {
    const against = this.#signs.against(this.#assembly);
    if (against) throw this.#otherAssembly(against.reason, against.line);
  }

  #accession(name: string): { contig: Contig } | undefined {
    const accession = accessionNamed(name);
    if (accession?.assembly && accession.assembly !== this.#assembly) {
      throw this.#otherAssembly(
        `${name} belongs to ${accession.assembly}, but the dataset's assembly is ${this.#assembly}`,
      );
    }
    return accession && (accession.assembly || accession.contig === 'MT') ? accession : undefined;
  }

  #takeColumns(text: string, line: number): void {
    const columns = text.split('\t', 9 + mostSamples + 1);
    const missing = fixedColumns.find((column, i) => columns[i] !== column);
    if (missing) throw this.#fault(`the column ${missing} is missing or out of place`, line);
    if (this.#sites && columns.length < 10) {
      this.#complete = true;
      return;
    }
    if (columns.length < 10) throw this.#fault('the file has no samples', line);
    if (columns[8] !== 'FORMAT') throw this.#fault('the column FORMAT is missing or out of place', line);
    if (columns.at(-1) === '') throw this.#fault('the line ends with a tab: its last sample has no name', line);
    // As in PED files and sheets, blanks around a name are not part of it.
    const samples = columns.slice(9).map((name) => name.trim());
    if (samples.length > mostSamples) throw this.#fault(`the file has more than ${mostSamples} samples`, line);
    const names = new Set(samples);
    if (names.has('')) throw this.#fault('a sample has no name', line);
    if (names.size < samples.length) {
      throw this.#fault('two columns have the same sample name; blanks around a name do not count', line);
    }
    // In another encoding, names of several samples would be read as the same one.
    if (!isIntact(text)) throw this.#fault('a sample name is not encoded in UTF-8', line);
    this.samples = samples;
    this.#complete = true;
  }

  #fault(reason: string, line?: number): Fault {
    return new Fault('unprocessable', this.#sentence(reason, line));
  }

  #otherAssembly(reason: string, line?: number): OtherAssembly {
    return new OtherAssembly('unprocessable', this.#sentence(reason, line));
  }

  #sentence(reason: string, line?: number): string {
    return `${this.#name}${line ? `, line ${line}` : ''}: ${reason}`;
  }
}
