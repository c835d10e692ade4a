/** Takes the genotypes by which samples are compared from records. */
import { isPlaceholder } from '../../../core/vcf.js';
import type { Contig } from '../domain/allele.js';
import { isAutosome } from '../domain/genotypes.js';
import { Copies, type Fields, fieldOf } from './genotype.js';
import { qualityAt } from './quality.js';
import type { SiteGenotypes, SiteRow } from './site-genotypes.js';

/** A sound record of small alleles. */
interface TypedRecord {
  /** Where each of its first columns begins, and where the line ends. */
  begins: Int32Array;
  end: number;
  contig: Contig;
  /** One-based. */
  position: number;
  reference: string;
  alternates: readonly string[];
  fields: Fields;
  /** The smallest GQ of a genotype; undefined if any counts. */
  minimum: number | undefined;
}

export class Typing {
  readonly #genotypes: SiteGenotypes;
  readonly #chosen: readonly { column: number; sample: number }[];
  readonly #copies = new Copies();

  /** `chosen`: the columns of the samples from left to right. */
  constructor(genotypes: SiteGenotypes, chosen: readonly { column: number; sample: number }[]) {
    this.#genotypes = genotypes;
    this.#chosen = chosen;
  }

  /** A record with one alternate, of a single base, or a reference block. Any other does not tell one allele from another. */
  take(block: string, record: TypedRecord): void {
    const { begins, contig, position, reference, alternates } = record;
    if (!isAutosome(contig)) return;
    const first = alternates.findIndex((alternate) => !isPlaceholder(alternate));
    if (first < 0) {
      const info = block.slice(begins[7], (begins[8] ?? 0) - 1);
      const rows = this.#genotypes.between(contig, position - 1, blockEnd(info) ?? position - 1 + reference.length);
      if (rows.length > 0) this.#set(block, record, 0, rows);
      return;
    }
    const alternate = alternates[first] ?? '';
    if (reference.length !== 1 || alternate.length !== 1) return;
    if (alternates.length > 1 && alternates.some((other, i) => i !== first && !isPlaceholder(other))) return;
    const row = this.#genotypes.at(contig, position - 1, reference, alternate);
    if (row) this.#set(block, record, first + 1, [row]);
  }

  /** Sets diploid genotypes of the reference and one alternate (0 for none) with a sufficient GQ; the first of a sample stays. */
  #set(
    block: string,
    { begins, end, alternates, fields, minimum }: TypedRecord,
    alternate: number,
    rows: readonly SiteRow[],
  ): void {
    const copies = this.#copies;
    copies.resize(alternates.length);
    let at = begins[9] ?? 0;
    let column = 0;
    for (const { column: wanted, sample } of this.#chosen) {
      for (; column < wanted; column++) at = block.indexOf('\t', at) + 1;
      if (minimum !== undefined && qualityOf(block, at, end, fields.quality) < minimum) continue;
      const genotype = fieldOf(block, at, end, fields.genotype);
      if (genotype < 0 || !copies.count(block, genotype, end)) continue;
      const called = alternate === 0 ? 0 : copies.of(alternate);
      if (copies.of(0) + called !== 2) continue;
      for (const row of rows) if (row[sample] === 0) row[sample] = called + 1;
    }
  }
}

function qualityOf(block: string, at: number, end: number, field: number): number {
  const from = field < 0 ? -1 : fieldOf(block, at, end, field);
  return from < 0 ? -1 : qualityAt(block, from, end);
}

/** One past the last base of a reference block, by its INFO; undefined if that does not say. */
function blockEnd(info: string): number | undefined {
  const [, end] = /(?:^|;)END=(\d{1,10})(?:;|$)/.exec(info) ?? [];
  return end === undefined ? undefined : Number(end);
}
