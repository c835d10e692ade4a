/**
 * Reads the header of a VCF: the samples, which contig names are chromosomes of the assembly, and which assembly the file is
 * of: lengths of contigs decide, then what names the reference, then names of contigs.
 */
import { Fault } from '../fault.js';
import { utf8 } from '../files/text-file.js';
import { type Assembly, accessionNamed, assemblies, type Contig, contigNamed, contigs, lengthOf } from '../genome.js';
import { isIntact } from '../text.js';

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
  readonly #md5s = new Map<Contig, string>();

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

  /** The MD5 of the bases of chromosomes, as `##contig` lines state it. */
  get md5s(): ReadonlyMap<Contig, string> {
    return this.#md5s;
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
    const { id, length, md5 } = this.#signs.take(text, line) ?? {};
    if (id === undefined) return;
    const isMitochondrion = length === lengthOf(this.#assembly, 'MT');
    if (isPseudoautosomal(id)) {
      if (isMitochondrion) this.#mitochondria.add(id);
      return;
    }
    const contig = this.contig(id);
    if (contig) this.#namesChromosomes = true;
    if (contig === 'MT' && length === lengthOfOldMitochondrion) this.#foreign.set(id, 'MT');
    else if (contig && md5 !== undefined) this.#md5s.set(contig, md5);
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

// Which assembly a VCF is of by its header.

/** `another` is one that is not read, such as NCBI36 or CHM13. */
type NamedAssembly = Assembly | 'another';

/** From the strongest on. */
const kinds = ['lengths', 'reference', 'names'] as const;
type SignKind = (typeof kinds)[number];

/** What a line says. */
interface AssemblySign {
  assembly: NamedAssembly;
  line: number;
  /** Why the file is not of this assembly. */
  against(assembly: Assembly): string;
}

interface BuildReason {
  line: number;
  reason: string;
}

/** Length of the mitochondrial sequence of UCSC hg19 (NC_001807), whose coordinates differ. */
const lengthOfOldMitochondrion = 16571;

const word = (names: string) => new RegExp(`(?<![a-z0-9])(?:${names})(?![0-9])`, 'i');

/** Names in paths of references. In GenBank, GCA_000001405.1 to .14 are GRCh37 and its patches; in RefSeq, .13 to .25. */
const references: readonly (readonly [NamedAssembly, RegExp])[] = [
  ['GRCh37', word('grch37|hg19|hs37|hs37d5|b37|g1k_v37|assembly19|gca_000001405\\.([1-9]|1[0-4])|gcf_000001405\\.(1[3-9]|2[0-5])')],
  ['GRCh38', word('grch38|hg38|hs38|hs38dh|b38|assembly38|gca_000001405\\.(1[5-9]|2\\d)|gcf_000001405\\.(2[6-9]|[34]\\d)')],
  ['another', word('hg1[5-8]|ncbi3[3-6]|b36|hs1|chm13|t2t|grcm3[89]|mm9|mm10|mm39')],
]; // biome-ignore format: a line for each assembly

/** Names of contigs that one assembly alone has. */
const contigNames: readonly (readonly [Assembly, RegExp])[] = [
  ['GRCh37', /^hs37d5$|^chr(?:Un|\d+)_gl000\d{3}(?:_random)?$|^chr(?:4|6|17)_[a-z]+\d?_hap\d$/],
  ['GRCh38', /^chr(?:Un|\d+|X|Y)_[A-Z]{2}\d+v\d(?:_random|_alt|_decoy)?$|^KI27\d{4}\.1$|^HLA-/],
];

/** The one assembly that a text names, a path by the name of its file first; undefined if it names none, or several. */
function assemblyIn(text: string): NamedAssembly | undefined {
  for (const part of [text.split(/[/\\]/).at(-1) ?? '', text]) {
    const found = references.filter(([, pattern]) => pattern.test(part));
    if (found.length > 0) return found.length === 1 ? found[0]?.[0] : undefined;
  }
  return undefined;
}

/** The chromosome that a number of PLINK means beyond 22: `23`, `chr24`, `26`. */
function numbered(name: string): Contig | undefined {
  const number = /^(?:chr)?(2[346])$/i.exec(name)?.[1];
  return number === undefined ? undefined : ({ 23: 'X', 24: 'Y', 26: 'MT' } as const)[number as '23' | '24' | '26'];
}

/** A `##contig` line. */
interface ContigLine {
  id: string;
  /** Undefined if it is not stated. */
  length: number | undefined;
  /** What it calls its assembly. */
  assembly: string | undefined;
  md5: string | undefined;
}

/** Undefined if the line is not a `##contig` line with an id. */
function contigLine(text: string): ContigLine | undefined {
  if (!text.startsWith('##contig=')) return undefined;
  // A description may have commas.
  const plain = text.replace(/"[^"]*"/g, (quoted) => quoted.slice(1, -1).replace(/[,<>]/g, ' '));
  const member = (name: string) => new RegExp(`[<,]\\s*${name}=([^,>]+)`).exec(plain)?.[1]?.trim();
  const [id, length] = [member('ID'), Number(member('length'))];
  const [assembly, md5] = [member('assembly'), member('md5') ?? member('M5')];
  return id ? { id, length: length > 0 ? length : undefined, assembly, md5 } : undefined;
}

/** Collects the signs of a header; of each kind, the first for each assembly is kept. */
export class BuildSigns {
  readonly #signs: Readonly<Record<SignKind, Map<NamedAssembly, AssemblySign>>> = {
    lengths: new Map(),
    reference: new Map(),
    names: new Map(),
  };

  /** Whether a header line can be a sign. */
  static isOne(text: string, at: number): boolean {
    return ['##contig=', '##reference=', '##assembly='].some((begin) => text.startsWith(begin, at));
  }

  /** Returns what a `##contig` line says. */
  take(text: string, line: number): ContigLine | undefined {
    const [, what = '', named] = /^(##(?:reference|assembly))=(.*)$/.exec(text) ?? [];
    if (named !== undefined) this.#takeReference(what, named, line);
    const contig = contigLine(text);
    if (contig?.assembly) this.#takeReference(`the assembly of ${contig.id}`, contig.assembly, line);
    if (contig) this.#takeContig(contig, line);
    return contig;
  }

  #takeReference(what: string, text: string, line: number): void {
    const assembly = assemblyIn(text);
    if (assembly) this.#add('reference', assembly, line, `${what} is "${text.slice(0, 100)}"`);
  }

  #takeContig({ id, length }: ContigLine, line: number): void {
    const own = contigNames.find(([, pattern]) => pattern.test(id))?.[0];
    if (own) this.#add('names', own, line, `it has a contig ${id}`);
    const contig: Contig | undefined = contigNamed(id) ?? numbered(id) ?? accessionNamed(id)?.contig;
    if (!contig || length === undefined) return;
    const known = assemblies.filter((assembly) => length === lengthOf(assembly, contig));
    if (contig === 'MT' && length === lengthOfOldMitochondrion) {
      this.#add('names', 'GRCh37', line, `${id} has ${length} bases`);
    } else if (known.length < assemblies.length) {
      const [assembly = 'another'] = known;
      const hint = known.length > 0 ? ` and ${length} in ${assembly}` : '';
      const against = (wanted: Assembly) =>
        `the header says that ${id} has ${length} bases, but it has ${lengthOf(wanted, contig)} in the dataset's assembly ${wanted}${hint}`;
      this.#addOnce('lengths', { assembly, line, against });
    }
  }

  #add(kind: SignKind, assembly: NamedAssembly, line: number, what: string): void {
    const shown = assembly === 'another' ? 'another assembly' : assembly;
    const against = (wanted: Assembly) => `${what}: the header says that the file is of ${shown}, not of ${wanted}`;
    this.#addOnce(kind, { assembly, line, against });
  }

  #addOnce(kind: SignKind, sign: AssemblySign): void {
    if (!this.#signs[kind].has(sign.assembly)) this.#signs[kind].set(sign.assembly, sign);
  }

  /** The assembly of the strongest kind of signs that do not contradict each other; undefined if there is none. */
  get assembly(): NamedAssembly | undefined {
    const agreed = kinds.map((kind) => [...this.#signs[kind].keys()]).find((all) => all.length === 1);
    return agreed?.[0];
  }

  /** The signs for another assembly than this one, the strongest first. */
  contradicting(assembly: Assembly): BuildReason[] {
    const all = kinds.flatMap((kind) => [...this.#signs[kind].values()]);
    const others = all.filter((sign) => sign.assembly !== assembly);
    return others.map(({ line, against }) => ({ line, reason: against(assembly) }));
  }

  /** Why the file is not of this assembly; undefined if it is, or does not say. */
  against(assembly: Assembly): BuildReason | undefined {
    const decided = this.assembly;
    if (decided === assembly) return undefined;
    const deciding = kinds.map((kind) => this.#signs[kind]).find((signs) => signs.size === 1);
    // Lengths that contradict each other are damage, unless something else says what the file is.
    const signs = [...(this.#signs.lengths.size > 0 ? this.#signs.lengths : (deciding ?? new Map())).values()];
    const [sign] = signs.filter((each) => each.assembly !== assembly);
    return sign && { line: sign.line, reason: sign.against(assembly) };
  }
}
