/** Ids of RefSeq in GTF and GFF3 files of NCBI, which name genes by their NCBI gene ids and transcripts by their accessions. */
import type { Exon, References, Transcript } from '../contract.js';
import type { Attributes } from './attributes.js';

/** `GeneID:4524`, if the line names an NCBI gene; then the line is one of NCBI's. */
export function ncbiGeneId(attributes: Attributes): string | undefined {
  const number = attributes.references().flatMap((reference) => /^GeneID:(\d+)$/.exec(reference)?.[1] ?? [])[0];
  return number === undefined ? undefined : `GeneID:${number}`;
}

export interface RefseqId {
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
