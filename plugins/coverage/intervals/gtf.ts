/**
 * GTF and GFF3 files of Ensembl, GENCODE and MANE: genes, transcripts and exons in one pass. Coding parts are the CDS with
 * the stop codon, whether the file includes it (GFF3) or not (GTF); the rest of the exons of a coding transcript is
 * untranslated. In these files the parts of a transcript follow its own line, before the next transcript.
 */
import { ensemblId } from '../../../core/genome.js';
import type { Build, Exon, Gene, IntervalKind, Span, Transcript } from '../contract.js';
import { Attributes } from './attributes.js';
import { placeOf, positive, Refusal, strandOf } from './cells.js';
import type { IntervalReader, Rows, Skip } from './reader.js';

const geneTypes = new Set(['gene', 'ncRNA_gene', 'pseudogene']);
/** Features that add nothing to genes, transcripts, exons and CDS. */
const otherParts =
  /^(?:UTR|five_prime_UTR|three_prime_UTR|five_prime_utr|three_prime_utr|start_codon|Selenocysteine|stop_codon_redefined_as_selenocysteine|intron|chromosome|scaffold|supercontig|biological_region|region)$/;

interface Open {
  transcript: Transcript;
  exons: Exon[];
  coding: Span[];
}

export class AnnotationReader implements IntervalReader {
  readonly kinds = ['genes', 'transcripts', 'exons'] as const;
  kind: IntervalKind = 'genes';
  readonly #build: Build;
  #open: Open | undefined;
  /** The id of the current transcript in the file, even if the transcript is skipped. */
  #current = '';
  #skip: Skip | undefined;
  #release: string | undefined;
  #seen = false;

  constructor(build: Build) {
    this.#build = build;
  }

  line(text: string, rows: Rows): Skip | 'read' | undefined {
    if (text === '' || text.startsWith('#')) {
      this.#comment(text);
      return undefined;
    }
    const columns = text.split('\t');
    if (columns.length !== 9) throw new Refusal('not a line of GTF or GFF3, which has nine columns');
    this.#seen = true;
    const [sequence = '', , type = '', first = '', last = '', , strand = '', , written = ''] = columns;
    if (otherParts.test(type)) return undefined;
    const isCoding = type === 'CDS' || type === 'stop_codon';
    const attributes = new Attributes(written);
    this.kind = 'exons';
    if (isCoding || type === 'exon') return this.#part({ sequence, first, last, strand, isCoding, attributes });
    this.kind = 'genes';
    if (geneTypes.has(type) && attributes.value('transcript_id') === undefined) {
      return this.#gene(placeOf(sequence, first, last, this.#build), strand, attributes, rows.genes);
    }
    if (attributes.value('transcript_id') === undefined) return undefined;
    this.#close(rows);
    this.kind = 'transcripts';
    return this.#transcript(placeOf(sequence, first, last, this.#build), strand, attributes);
  }

  finish(rows: Rows): void {
    if (!this.#seen) throw new Refusal('the file has no line of GTF or GFF3');
    this.#close(rows);
  }

  warnings(): string[] {
    return [];
  }

  release(): string | undefined {
    return this.#release;
  }

  #comment(text: string): void {
    // A file that was mapped to another build names the build that it was made for first.
    const build = /\bmapped to (GRCh\d+)/.exec(text) ?? /\b(GRCh\d+)/.exec(text);
    const stated = /genome-(?:build|version)|description:|assembly/i.test(text) ? build?.[1] : undefined;
    if (stated !== undefined && stated !== this.#build) {
      throw new Refusal(`this file is of ${stated}, not of ${this.#build}`);
    }
    const gencode = /human genome(?: \(GRCh\d+\))?, version (\S+?)(?:,| |$)(?:.*\(Ensembl (\d+)\))?/.exec(text);
    const mapped = /\bmapped to GRCh(\d+)/.exec(text);
    if (gencode) {
      const version = `${gencode[1]}${mapped ? `lift${mapped[1]}` : ''}`;
      this.#release = `GENCODE ${version}${gencode[2] ? ` (Ensembl ${gencode[2]})` : ''}`;
    }
  }

  #gene(place: ReturnType<typeof placeOf>, strand: string, attributes: Attributes, genes: Gene[]): Skip | 'read' {
    if (typeof place === 'string') return place;
    const ensembl = ensemblId(attributes.value('gene_id') ?? '', 'ENSG');
    if (!ensembl) return 'without Ensembl id';
    const hgnc = attributes.hgnc();
    const symbol = attributes.value('gene_name') ?? attributes.value('Name');
    const biotype = attributes.value('gene_biotype') ?? attributes.value('gene_type') ?? attributes.value('biotype');
    const direction = strandOf(strand);
    genes.push({
      ensembl,
      ...(hgnc !== undefined && { hgnc }),
      // Genes without a symbol have their id there.
      ...(symbol !== undefined && !symbol.startsWith('ENSG') && { symbol }),
      ...(biotype !== undefined && { biotype }),
      ...(direction && { strand: direction }),
      ...place,
    });
    return 'read';
  }

  #transcript(place: ReturnType<typeof placeOf>, strand: string, attributes: Attributes): Skip | 'read' {
    this.#current = attributes.value('ID') ?? attributes.value('transcript_id') ?? '';
    this.#skip = undefined;
    const ensembl = ensemblId(attributes.value('transcript_id') ?? '', 'ENST');
    const gene = ensemblId(attributes.value('gene_id') ?? attributes.value('Parent') ?? '', 'ENSG');
    if (typeof place === 'string') this.#skip = place;
    else if (!ensembl || !gene) this.#skip = 'without Ensembl id';
    if (typeof place === 'string' || !ensembl || !gene) return this.#skip ?? 'incomplete';
    const isManeSelect = attributes.has('tag', 'MANE_Select');
    const isManePlusClinical = attributes.has('tag', 'MANE_Plus_Clinical');
    const partners = attributes.refseq();
    const direction = strandOf(strand);
    const biotype =
      attributes.value('transcript_biotype') ?? attributes.value('transcript_type') ?? attributes.value('biotype');
    const transcript: Transcript = {
      ensembl,
      gene,
      ...place,
      references: {
        refseqMrna: partners.filter((name) => name.startsWith('NM_')).map(withoutVersion),
        refseqMrnaPredicted: partners.filter((name) => name.startsWith('XM_')).map(withoutVersion),
        refseqNcrna: partners.filter((name) => name.startsWith('NR_')).map(withoutVersion),
        maneSelect: isManeSelect ? partners : [],
        manePlusClinical: isManePlusClinical ? partners : [],
      },
      isManeSelect,
      isManePlusClinical,
      ...(biotype !== undefined && { biotype }),
      ...(direction && { strand: direction }),
    };
    this.#open = { transcript, exons: [], coding: [] };
    return 'read';
  }

  #part({ sequence, first, last, strand, isCoding, attributes }: PartLine): Skip | 'read' | undefined {
    const owner = attributes.value('Parent') ?? attributes.value('transcript_id') ?? '';
    if (owner !== this.#current) {
      throw new Refusal(`a part of ${owner.slice(0, 60) || 'no transcript'} does not follow its transcript's own line`);
    }
    if (this.#skip || !this.#open) return isCoding ? undefined : (this.#skip ?? 'incomplete');
    const { transcript, exons, coding } = this.#open;
    const place = placeOf(sequence, first, last, this.#build);
    if (typeof place === 'string' || place.chromosome !== transcript.chromosome) {
      throw new Refusal(`a part of ${transcript.ensembl} is not on the chromosome of the transcript`);
    }
    if (isCoding) {
      coding.push({ start: place.start, end: place.end });
      return undefined;
    }
    const ensembl = ensemblId(attributes.value('exon_id') ?? attributes.value('Name') ?? '', 'ENSE');
    if (!ensembl) return 'without Ensembl id';
    const rank = attributes.value('exon_number') ?? attributes.value('rank');
    if (rank === undefined) return 'without rank';
    const direction = strandOf(strand);
    exons.push({
      ensembl,
      gene: transcript.gene,
      transcript: transcript.ensembl,
      rank: positive(rank, 'the rank'),
      ...place,
      ...(direction && { strand: direction }),
    });
    return 'read';
  }

  #close(rows: Rows): void {
    if (!this.#open) return;
    const { transcript, exons, coding } = this.#open;
    this.#open = undefined;
    rows.transcripts.push(transcript);
    const parts = coding.length > 0 ? new Coding(coding) : undefined;
    for (const exon of exons) rows.exons.push(parts ? withParts(exon, parts) : exon);
  }
}

interface PartLine {
  sequence: string;
  first: string;
  last: string;
  strand: string;
  isCoding: boolean;
  attributes: Attributes;
}

/** All coding parts of a transcript, sorted once for all its exons. */
class Coding {
  readonly #starts: number[] = [];
  /** The greatest end of the parts up to each of them. */
  readonly #reach: number[] = [];

  constructor(parts: readonly Span[]) {
    let reach = 0;
    for (const { start, end } of parts.toSorted((a, b) => a.start - b.start)) {
      reach = Math.max(reach, end);
      this.#starts.push(start);
      this.#reach.push(reach);
    }
  }

  get start(): number {
    return this.#starts[0] ?? 0;
  }

  get end(): number {
    return this.#reach.at(-1) ?? 0;
  }

  /** Whether any part overlaps the exon. */
  meets(exon: Span): boolean {
    let [low, high] = [0, this.#starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) < exon.end) low = middle + 1;
      else high = middle;
    }
    return low > 0 && (this.#reach[low - 1] ?? 0) > exon.start;
  }
}

/** The exon with its coding and untranslated parts. */
function withParts(exon: Exon, coding: Coding): Exon {
  const before = clipped(exon, exon.start, coding.start);
  const after = clipped(exon, coding.end, exon.end);
  const cds = coding.meets(exon) && clipped(exon, coding.start, coding.end);
  const [utr5, utr3] = exon.strand === -1 ? [after, before] : [before, after];
  return { ...exon, ...(utr5 && { utr5 }), ...(utr3 && { utr3 }), ...(cds && { cds }) };
}

function clipped(exon: Span, start: number, end: number): Span | undefined {
  const span = { start: Math.max(exon.start, start), end: Math.min(exon.end, end) };
  return span.start < span.end ? span : undefined;
}

function withoutVersion(name: string): string {
  return name.replace(/\.\d+$/, '');
}
