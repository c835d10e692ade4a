/** The ninth column of GTF (`key "value"; key value;`) and GFF3 (`key=value,value;`), and the ids of NCBI and RefSeq in it. */
import type { Exon, References, Transcript } from '../contract.js';
import { hgncNumber } from './reader.js';

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

  /** Whether the source says that the coding sequence continues before its first base, or after its last. */
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

// Ids of RefSeq in GTF and GFF3 files of NCBI, which name genes by their NCBI gene ids and transcripts by their accessions.

/** `GeneID:4524`, if the line names an NCBI gene; then the line is one of NCBI's. */
export function ncbiGeneId(attributes: Attributes): string | undefined {
  const number = attributes.references().flatMap((reference) => /^GeneID:(\d+)$/.exec(reference)?.[1] ?? [])[0];
  return number === undefined ? undefined : `GeneID:${number}`;
}

interface RefseqId {
  /** `NM_005957`; the id in the file (`rna-TRNF`) of transcripts without an accession. */
  id: string;
  /** `NM_005957.5`; omitted without an accession. */
  accession?: string;
}

/** The id of a transcript. Further placements of one transcript have a suffix (`_1`), which is left out. */
export function refseqId(written: string): RefseqId {
  const [, id, version] = /^([NX][MR]_\d+)(\.\d+)?(?:_\d+)?$/.exec(written) ?? [];
  return id === undefined ? { id: written } : { id, accession: `${id}${version ?? ''}` };
}

/** The names of a RefSeq transcript; its match in Ensembl stands beside its own among those of MANE. */
export function refseqReferences({ accession }: RefseqId, attributes: Attributes): References {
  const own = (kind: RegExp) => (accession !== undefined && kind.test(accession) ? [accession] : []);
  const matches = attributes.references().flatMap((one) => /^Ensembl:(ENST\d{11}(?:\.\d+)?)$/.exec(one)?.[1] ?? []);
  const mane = [...own(/./), ...matches];
  return {
    refseqMrna: own(/^NM_/),
    refseqMrnaPredicted: own(/^XM_/),
    refseqNcrna: own(/^[NX]R_/),
    maneSelect: attributes.isManeSelect() ? mane : [],
    manePlusClinical: attributes.isManePlusClinical() ? mane : [],
  };
}

/**
 * The exons of a RefSeq transcript, which have no ids of their own: their places are their ids, so that exons that transcripts
 * share have one. Ranks follow from the strand.
 */
export function refseqExons({ strand }: Pick<Transcript, 'strand'>, exons: readonly Exon[]): Exon[] {
  const ordered = exons.toSorted((a, b) => (strand === -1 ? b.start - a.start : a.start - b.start));
  return ordered.map((exon, i) => {
    const { chromosome, start, end } = exon;
    return { ...exon, ensembl: `${chromosome}:${start + 1}-${end}`, rank: i + 1 };
  });
}
