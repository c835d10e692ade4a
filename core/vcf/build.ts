/** Which assembly a VCF is of by its header: lengths of contigs decide, then what names the reference, then names of contigs. */
import { type Assembly, accessionNamed, assemblies, type Contig, contigNamed, lengthOf } from '../genome/reference.js';

/** `another` is one that is not read, such as NCBI36 or CHM13. */
type Named = Assembly | 'another';

/** From the strongest on. */
const kinds = ['lengths', 'reference', 'names'] as const;
type Kind = (typeof kinds)[number];

/** What a line says. */
interface Sign {
  assembly: Named;
  line: number;
  /** Why the file is not of this assembly. */
  against(assembly: Assembly): string;
}

export interface BuildReason {
  line: number;
  reason: string;
}

/** Length of the mitochondrial sequence of UCSC hg19 (NC_001807), whose coordinates differ. */
export const lengthOfOldMitochondrion = 16571;

const word = (names: string) => new RegExp(`(?<![a-z0-9])(?:${names})(?![0-9])`, 'i');

/** Names in paths of references. In GenBank, GCA_000001405.1 to .14 are GRCh37 and its patches; in RefSeq, .13 to .25. */
const references: readonly (readonly [Named, RegExp])[] = [
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
function assemblyIn(text: string): Named | undefined {
  for (const part of [text.split(/[/\\]/).at(-1) ?? '', text]) {
    const found = references.filter(([, pattern]) => pattern.test(part));
    if (found.length > 0) return found.length === 1 ? found[0]?.[0] : undefined;
  }
  return undefined;
}

/** The chromosome that a number of PLINK means beyond 22: `23`, `chr24`, `26`. */
export function numbered(name: string): Contig | undefined {
  const number = /^(?:chr)?(2[346])$/i.exec(name)?.[1];
  return number === undefined ? undefined : ({ 23: 'X', 24: 'Y', 26: 'MT' } as const)[number as '23' | '24' | '26'];
}

/** A `##contig` line. */
export interface ContigLine {
  id: string;
  /** Undefined if it is not stated. */
  length: number | undefined;
  /** What it calls its assembly. */
  assembly: string | undefined;
}

/** Undefined if the line is not a `##contig` line with an id. */
function contigLine(text: string): ContigLine | undefined {
  if (!text.startsWith('##contig=')) return undefined;
  // A description may have commas.
  const plain = text.replace(/"[^"]*"/g, (quoted) => quoted.slice(1, -1).replace(/[,<>]/g, ' '));
  const member = (name: string) => new RegExp(`[<,]\\s*${name}=([^,>]+)`).exec(plain)?.[1]?.trim();
  const [id, length] = [member('ID'), Number(member('length'))];
  return id ? { id, length: length > 0 ? length : undefined, assembly: member('assembly') } : undefined;
}

/** Collects the signs of a header; of each kind, the first for each assembly is kept. */
export class BuildSigns {
  readonly #signs: Readonly<Record<Kind, Map<Named, Sign>>> = {
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

  #add(kind: Kind, assembly: Named, line: number, what: string): void {
    const shown = assembly === 'another' ? 'another assembly' : assembly;
    const against = (wanted: Assembly) => `${what}: the header says that the file is of ${shown}, not of ${wanted}`;
    this.#addOnce(kind, { assembly, line, against });
  }

  #addOnce(kind: Kind, sign: Sign): void {
    if (!this.#signs[kind].has(sign.assembly)) this.#signs[kind].set(sign.assembly, sign);
  }

  /** The assembly of the strongest kind of signs that do not contradict each other; undefined if there is none. */
  get assembly(): Named | undefined {
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
