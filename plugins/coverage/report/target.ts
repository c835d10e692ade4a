/** What pages measure, with the names under which it is shown. */
import type { BedLine } from '../../../core/files.js';
import type { TranscriptWithExons } from '../contract.js';
import type { Target } from '../domain/measure.js';
import type { Region } from '../domain/region.js';
import type { GeneTarget } from '../domain/select.js';
import { placesIn, type TranscriptPlace } from '../domain/transcript-places.js';

export interface ReportTarget extends Target {
  /** The gene's symbol or id, or the name of a BED line. */
  group: string;
  /** HGNC or Ensembl id, for a link to the gene's page. */
  geneId?: string;
  /** Its Ensembl id, or the name of a BED line. */
  id: string;
  /** From its first base to its last. */
  place: Region;
  transcript?: string;
  /** RefSeq accessions, with versions if the source has them. */
  refseq: readonly string[];
  maneSelect: boolean;
  manePlusClinical: boolean;
  exon?: number;
  /** See `GeneTarget`. */
  coding?: readonly Region[];
  /** The transcript that it is, or is an exon of. */
  model?: TranscriptWithExons;
}

export function ofGene(target: GeneTarget): ReportTarget {
  const { gene, transcript, exon, regions, coding } = target;
  const { ensembl, chromosome } = exon ?? transcript ?? gene;
  const references = transcript?.references;
  const refseq = [
    ...(references?.maneSelect ?? []),
    ...(references?.manePlusClinical ?? []),
    ...(references?.refseqMrna ?? []),
  ].filter((name) => /^[NX][MR]_/.test(name));
  const versioned = new Set(refseq.filter((name) => name.includes('.')).map((name) => name.split('.', 1)[0]));
  return {
    regions,
    group: gene.symbol ?? gene.ensembl,
    geneId: gene.hgnc === undefined ? gene.ensembl : String(gene.hgnc),
    id: ensembl,
    place: {
      chromosome,
      start: Math.min(...regions.map(({ start }) => start)),
      end: Math.max(...regions.map(({ end }) => end)),
    },
    ...(transcript === undefined ? {} : { transcript: transcript.ensembl, model: transcript }),
    refseq: [...new Set(refseq)].filter((name) => name.includes('.') || !versioned.has(name)),
    maneSelect: transcript?.isManeSelect ?? false,
    manePlusClinical: transcript?.isManePlusClinical ?? false,
    ...(exon === undefined ? {} : { exon: exon.rank }),
    ...(coding === undefined ? {} : { coding }),
  };
}

export function ofLine({ chromosome, start, end, name }: BedLine): ReportTarget {
  const region = { chromosome, start, end };
  const id = name ?? `${chromosome}:${start + 1}-${end}`;
  return { regions: [region], group: id, id, place: region, refseq: [], maneSelect: false, manePlusClinical: false };
}

/** `7:117479925-117668665`: 1-based, inclusive, as genome browsers write it. */
export function placeText({ chromosome, start, end }: Region): string {
  return `${chromosome}:${start + 1}-${end}`;
}

/** Names regions of the target by exon and coding position of its transcript; without one, both are empty. */
export function placeNames({ model }: ReportTarget): (place: Region) => TranscriptPlace {
  return model === undefined ? () => ({ exon: '' }) : placesIn(model);
}
