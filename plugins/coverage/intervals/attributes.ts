import { hgncNumber } from './cells.js';

/** The ninth column: `key "value"; key value;` in GTF, `key=value,value;` in GFF3. */
export class Attributes {
  readonly #pairs: [name: string, value: string][];
  readonly #isGff: boolean;

  constructor(text: string) {
    this.#isGff = /^[^\s"=;]+=/.test(text.trimStart());
    this.#pairs = this.#isGff
      ? text.split(';').map((pair) => {
          const at = pair.indexOf('=');
          return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
        })
      : [...text.matchAll(/([^\s;"]+)\s+(?:"([^"]*)"|([^\s;"]+))/g)].map(([, name = '', quoted, plain = '']) => [
          name,
          quoted ?? plain,
        ]);
  }

  /** The first value that is not empty, if there is one. */
  value(name: string): string | undefined {
    const found = this.#pairs.find(([key, value]) => key === name && value !== '')?.[1];
    return found !== undefined && this.#isGff ? decoded(found) : found;
  }

  #all(name: string): string[] {
    const values = this.#pairs.flatMap(([key, value]) => (key === name ? [value] : []));
    return this.#isGff ? values.flatMap((value) => value.split(',').map(decoded)) : values;
  }

  /** Whether the source says that the coding sequence goes on before its first base, or after its last. */
  codingNotFound(end: 'start' | 'end'): boolean {
    return this.#hasTag(`cds_${end}_NF`);
  }

  isManeSelect(): boolean {
    return this.#hasTag('MANE_Select');
  }

  isManePlusClinical(): boolean {
    return this.#hasTag('MANE_Plus_Clinical');
  }

  /** Ensembl writes tags with underscores, NCBI with spaces. */
  #hasTag(tag: string): boolean {
    return this.#all('tag').some((one) => one.replaceAll(' ', '_') === tag);
  }

  /** Ids in other catalogues: `GeneID:4524`, `HGNC:HGNC:7436`. */
  references(): string[] {
    return [...this.#all('db_xref'), ...this.#all('Dbxref')];
  }

  hgnc(): number | undefined {
    const stated = this.value('hgnc_id') ?? this.references().find((reference) => reference.startsWith('HGNC:'));
    if (stated !== undefined) return hgncNumber(stated);
    const inWords = /\[Source:HGNC[^\]]*Acc:(HGNC:\d+)\]/.exec(this.value('description') ?? '')?.[1];
    return inWords === undefined ? undefined : hgncNumber(inWords);
  }

  /** The matching transcripts of RefSeq, with version. */
  refseq(): string[] {
    return [...new Set(this.references().flatMap((reference) => /^RefSeq:(\S+)$/.exec(reference)?.[1] ?? []))];
  }
}

function decoded(value: string): string {
  if (!value.includes('%')) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    // A percent sign that encodes nothing is literal.
    return value;
  }
}
