/**
 * GTF and GFF3 files of Ensembl, GENCODE, MANE and RefSeq: genes, transcripts and exons in one pass. Coding parts are the CDS
 * with the stop codon, whether the file includes it (GFF3) or not (GTF); the rest of the exons of a coding transcript is
 * untranslated. In these files the parts of a transcript follow its own line, before the next transcript. In those of RefSeq a
 * gene may have parts without a transcript (a CDS of the mitochondrion, exons of a pseudogene): they are then one, by the id of
 * the gene in the file.
 */
import { ensemblId } from '../../../core/genome.js';
import type { Build, CdsOpen, Exon, Gene, IntervalKind, References, Span, Transcript } from '../contract.js';
import { joinedRegions } from '../measure/region.js';
import { Attributes, ncbiGeneId, refseqExons, refseqId, refseqReferences } from './attributes.js';
import {
  type IntervalReader,
  type IntervalRows,
  placeOfRow,
  positive,
  Refusal,
  type SkipReason,
  strandOfCell,
} from './reader.js';

const geneTypes = new Set(['gene', 'ncRNA_gene', 'pseudogene']);
/** Features that add nothing to genes, transcripts, exons and CDS. */
const otherParts =
  /^(?:UTR|five_prime_UTR|three_prime_UTR|five_prime_utr|three_prime_utr|start_codon|Selenocysteine|stop_codon_redefined_as_selenocysteine|intron|chromosome|scaffold|supercontig|biological_region|region)$/;

interface OpenTranscript {
  transcript: Transcript;
  exons: Exon[];
  coding: CodingPart[];
  /** What the transcript's own line states about its coding sequence. */
  notFound: { start: boolean; end: boolean };
  isRefseq: boolean;
}

interface CodingPart extends Span {
  /** Bases before the first whole codon; undefined of a stop codon. */
  phase?: number;
}

/** The gene of the lines that follow, if it is one of RefSeq. */
interface RefseqGene {
  /** `GeneID:4524` */
  id: string;
  /** Its id in the file: `gene-MTHFR` in GFF3, `MTHFR` in GTF. */
  written: string;
}

export class AnnotationReader implements IntervalReader {
  readonly kinds = ['genes', 'transcripts', 'exons'] as const;
  kind: IntervalKind = 'genes';
  readonly #build: Build;
  #open: OpenTranscript | undefined;
  /** The id of the current transcript in the file, even if the transcript is skipped. */
  #current = '';
  #skip: SkipReason | undefined;
  #refseqGene: RefseqGene | undefined;
  /** RefSeq transcripts that were read, by id and chromosome. */
  readonly #placed = new Set<string>();
  /** The id of a feature whose exons are not read. */
  #ignored: string | undefined;
  #release: string | undefined;
  #seen = false;

  constructor(build: Build) {
    this.#build = build;
  }

  line(text: string, rows: IntervalRows): SkipReason | 'read' | undefined {
    if (text === '' || text.startsWith('#')) {
      this.#comment(text);
      return undefined;
    }
    const columns = text.split('\t');
    if (columns.length !== 9) throw new Refusal('not a line of GTF or GFF3, which has nine columns');
    this.#seen = true;
    const [sequence = '', , type = '', first = '', last = '', , strand = '', phase = '', ninth = ''] = columns;
    if (otherParts.test(type)) return undefined;
    const isCoding = type === 'CDS' || type === 'stop_codon';
    const attributes = new Attributes(ninth);
    this.kind = 'exons';
    const place = () => placeOfRow(sequence, first, last, this.#build);
    if (isCoding || type === 'exon') {
      this.#openOfGene(place, strand, attributes, rows);
      return this.#part(place, {
        strand,
        isCoding,
        phase: type === 'CDS' ? Number(phase) || 0 : undefined,
        attributes,
      });
    }
    this.kind = 'genes';
    if (geneTypes.has(type) && attributes.value('transcript_id') === undefined) {
      return this.#gene(place(), strand, attributes, rows.genes);
    }
    const written = attributes.value('transcript_id') ?? this.#unnamed(attributes);
    if (written === undefined) return undefined;
    this.#close(rows);
    this.kind = 'transcripts';
    return this.#transcript(place(), { written, strand, type, attributes });
  }

  finish(rows: IntervalRows): void {
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
    const ncbi = /^#!annotation-source\s+(NCBI .*\S)/.exec(text);
    if (ncbi) this.#release = ncbi[1];
    if (gencode) {
      const version = `${gencode[1]}${mapped ? `lift${mapped[1]}` : ''}`;
      this.#release = `GENCODE ${version}${gencode[2] ? ` (Ensembl ${gencode[2]})` : ''}`;
    }
  }

  #gene(
    place: ReturnType<typeof placeOfRow>,
    strand: string,
    attributes: Attributes,
    genes: Gene[],
  ): SkipReason | 'read' {
    const ensembl = ensemblId(attributes.value('gene_id') ?? '', 'ENSG');
    const ncbi = ensembl === undefined ? ncbiGeneId(attributes) : undefined;
    const written = attributes.value('ID') ?? attributes.value('gene_id') ?? '';
    this.#refseqGene = ncbi === undefined ? undefined : { id: ncbi, written };
    if (typeof place === 'string') return place;
    const id = ensembl ?? ncbi;
    if (id === undefined) return 'without Ensembl or RefSeq id';
    const hgnc = attributes.hgnc();
    const symbol = attributes.value('gene_name') ?? attributes.value('gene') ?? attributes.value('Name');
    const biotype = attributes.value('gene_biotype') ?? attributes.value('gene_type') ?? attributes.value('biotype');
    const direction = strandOfCell(strand);
    genes.push({
      ensembl: id,
      ...(hgnc !== undefined && { hgnc }),
      // Genes without a symbol have their id there.
      ...(symbol !== undefined && !symbol.startsWith('ENSG') && { symbol }),
      ...(biotype !== undefined && { biotype }),
      ...(direction && { strand: direction }),
      ...place,
    });
    return 'read';
  }

  /** The id of a RefSeq transcript without an accession (`rna-TRNF`): a feature that belongs to the gene itself. */
  #unnamed(attributes: Attributes): string | undefined {
    const id = attributes.value('ID');
    if (id === undefined || this.#refseqGene === undefined) return undefined;
    if (attributes.value('Parent') === this.#refseqGene.written) return id;
    // Products of a transcript (mature miRNA) have exons, which are parts of those of the transcript.
    this.#ignored = id;
    return undefined;
  }

  #transcript(
    place: ReturnType<typeof placeOfRow>,
    { written, strand, type, attributes }: TranscriptLine,
  ): SkipReason | 'read' {
    this.#current = attributes.value('ID') ?? written;
    this.#skip = undefined;
    const gene = ensemblId(attributes.value('gene_id') ?? attributes.value('Parent') ?? '', 'ENSG');
    const ncbi = gene === undefined ? ncbiGeneId(attributes) : undefined;
    const refseq = ncbi === undefined ? undefined : refseqId(written);
    const id = refseq?.id ?? ensemblId(written, 'ENST');
    const owner = gene ?? ncbi;
    if (typeof place === 'string') this.#skip = place;
    else if (!id || !owner) this.#skip = 'without Ensembl or RefSeq id';
    else if (refseq && this.#placed.has(`${id} ${place.chromosome}`)) this.#skip = 'another place';
    if (this.#skip !== undefined || typeof place === 'string' || !id || !owner) return this.#skip ?? 'incomplete';
    if (refseq) this.#placed.add(`${id} ${place.chromosome}`);
    const direction = strandOfCell(strand);
    const biotype =
      attributes.value('transcript_biotype') ??
      attributes.value('transcript_type') ??
      attributes.value('biotype') ??
      (refseq && type);
    const transcript: Transcript = {
      ensembl: id,
      gene: owner,
      ...place,
      references: refseq ? refseqReferences(refseq, attributes) : matchesInRefseq(attributes),
      isManeSelect: attributes.isManeSelect(),
      isManePlusClinical: attributes.isManePlusClinical(),
      ...(biotype !== undefined && { biotype }),
      ...(direction && { strand: direction }),
    };
    const notFound = { start: attributes.codingNotFound('start'), end: attributes.codingNotFound('end') };
    this.#open = { transcript, exons: [], coding: [], notFound, isRefseq: refseq !== undefined };
    return 'read';
  }

  /** Opens a transcript for parts of a RefSeq gene that has none. */
  #openOfGene(
    place: () => ReturnType<typeof placeOfRow>,
    strand: string,
    attributes: Attributes,
    rows: IntervalRows,
  ): void {
    const gene = this.#refseqGene;
    const owner = ownerOf(attributes);
    if (gene === undefined || owner === this.#current) return;
    const isOfGene = (attributes.value('Parent') ?? attributes.value('gene_id')) === gene.written;
    if (!isOfGene) return;
    this.#close(rows);
    this.#current = owner;
    this.#skip = undefined;
    const found = place();
    if (typeof found === 'string') {
      this.#skip = found;
      return;
    }
    const direction = strandOfCell(strand);
    const references = refseqReferences({ id: owner }, attributes);
    const own = { gene: gene.id, references, isManeSelect: false, isManePlusClinical: false };
    const transcript: Transcript = { ensembl: owner, ...found, ...own, ...(direction && { strand: direction }) };
    this.#open = { transcript, exons: [], coding: [], notFound: { start: false, end: false }, isRefseq: true };
  }

  #part(
    placed: () => ReturnType<typeof placeOfRow>,
    { strand, isCoding, phase, attributes }: PartLine,
  ): SkipReason | 'read' | undefined {
    const owner = ownerOf(attributes);
    if (owner === this.#ignored) return undefined;
    if (owner !== this.#current) {
      throw new Refusal(`a part of ${owner.slice(0, 60) || 'no transcript'} does not follow its transcript's own line`);
    }
    if (this.#skip || !this.#open) return isCoding ? undefined : (this.#skip ?? 'incomplete');
    const { transcript, exons, coding, isRefseq } = this.#open;
    const place = placed();
    if (typeof place === 'string' || place.chromosome !== transcript.chromosome) {
      throw new Refusal(`a part of ${transcript.ensembl} is not on the chromosome of the transcript`);
    }
    if (isCoding) {
      coding.push({ start: place.start, end: place.end, ...(phase !== undefined && { phase }) });
      return undefined;
    }
    const ensembl = ensemblId(attributes.value('exon_id') ?? attributes.value('Name') ?? '', 'ENSE');
    if (!ensembl && !isRefseq) return 'without Ensembl id';
    const rank = attributes.value('exon_number') ?? attributes.value('rank');
    if (rank === undefined && !isRefseq) return 'without rank';
    const direction = strandOfCell(strand);
    exons.push({
      ensembl: ensembl ?? '',
      gene: transcript.gene,
      transcript: transcript.ensembl,
      rank: rank === undefined ? 1 : positive(rank, 'the rank'),
      ...place,
      ...(direction && { strand: direction }),
    });
    return 'read';
  }

  #close(rows: IntervalRows): void {
    if (!this.#open) return;
    const { transcript, exons, coding, notFound, isRefseq } = this.#open;
    this.#open = undefined;
    const { ensembl, gene, chromosome, strand } = transcript;
    const ofCoding = () =>
      [...joinedRegions(coding.map((part) => ({ ...part, chromosome })).sort((a, b) => a.start - b.start))].map(
        ({ start, end }): Exon => {
          return { ensembl: '', gene, transcript: ensembl, rank: 1, chromosome, start, end, ...(strand && { strand }) };
        },
      );
    const own = isRefseq ? refseqExons(transcript, exons.length > 0 ? exons : ofCoding()) : exons;
    // Of a transcript that is made of coding parts, the first line has one of them only.
    const ends = { start: Math.min(transcript.start, ...own.map(({ start }) => start)) };
    rows.transcripts.push({ ...transcript, ...ends, end: Math.max(transcript.end, ...own.map(({ end }) => end)) });
    const parts = coding.length > 0 ? new CodingParts(coding, openEnds(transcript, coding, notFound)) : undefined;
    for (const exon of own) rows.exons.push(parts ? withParts(exon, parts) : exon);
  }
}

interface TranscriptLine {
  /** The id of the transcript. */
  written: string;
  strand: string;
  type: string;
  attributes: Attributes;
}

interface PartLine {
  strand: string;
  isCoding: boolean;
  phase: number | undefined;
  attributes: Attributes;
}

/**
 * Which ends of the coding sequence the file does not have: by its tags, by a first codon that is not whole, or by a length that is
 * no multiple of three. The stop codons of the mitochondrion are completed when transcripts are processed.
 */
function openEnds(
  { chromosome, strand }: Pick<Transcript, 'chromosome' | 'strand'>,
  coding: readonly CodingPart[],
  notFound: OpenTranscript['notFound'],
): OpenTranscript['notFound'] {
  const parts = coding.filter((part) => part.phase !== undefined).sort((a, b) => a.start - b.start);
  const phase = (strand === -1 ? parts.at(-1) : parts[0])?.phase ?? 0;
  const bases = coding.reduce((sum, { start, end }) => sum + end - start, 0);
  return {
    start: notFound.start || phase !== 0,
    end: notFound.end || (chromosome !== 'MT' && (bases - phase) % 3 !== 0),
  };
}

/** All coding parts of a transcript, sorted once for all its exons. */
class CodingParts {
  readonly #starts: number[] = [];
  /** The greatest end of the parts up to each of them. */
  readonly #reach: number[] = [];
  readonly #open: OpenTranscript['notFound'];

  constructor(parts: readonly Span[], open: OpenTranscript['notFound']) {
    this.#open = open;
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

  /** Which open ends of the coding sequence are in the exon. */
  openIn({ start, end, strand }: Exon): CdsOpen | undefined {
    const [first, last] = [start <= this.start && this.start < end, start < this.end && this.end <= end];
    const [hasStart, hasEnd] = strand === -1 ? [last, first] : [first, last];
    const [isStart, isEnd] = [this.#open.start && hasStart, this.#open.end && hasEnd];
    return isStart && isEnd ? 'both' : isStart ? 'start' : isEnd ? 'end' : undefined;
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
function withParts(exon: Exon, coding: CodingParts): Exon {
  const before = clipped(exon, exon.start, coding.start);
  const after = clipped(exon, coding.end, exon.end);
  const cds = coding.meets(exon) && clipped(exon, coding.start, coding.end);
  const [utr5, utr3] = exon.strand === -1 ? [after, before] : [before, after];
  const cdsOpen = coding.openIn(exon);
  return { ...exon, ...(utr5 && { utr5 }), ...(utr3 && { utr3 }), ...(cds && { cds }), ...(cdsOpen && { cdsOpen }) };
}

function clipped(exon: Span, start: number, end: number): Span | undefined {
  const span = { start: Math.max(exon.start, start), end: Math.min(exon.end, end) };
  return span.start < span.end ? span : undefined;
}

function ownerOf(attributes: Attributes): string {
  return attributes.value('Parent') ?? attributes.value('transcript_id') ?? attributes.value('gene_id') ?? '';
}

/** What a file of Ensembl states about the same transcripts in RefSeq. */
function matchesInRefseq(attributes: Attributes): References {
  const partners = attributes.refseq();
  const of = (prefix: string) => partners.filter((name) => name.startsWith(prefix)).map(withoutVersion);
  return {
    refseqMrna: of('NM_'),
    refseqMrnaPredicted: of('XM_'),
    refseqNcrna: of('NR_'),
    maneSelect: attributes.isManeSelect() ? partners : [],
    manePlusClinical: attributes.isManePlusClinical() ? partners : [],
  };
}

function withoutVersion(name: string): string {
  return name.replace(/\.\d+$/, '');
}
