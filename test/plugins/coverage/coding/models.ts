/** Genes as text of annotation files: GTF, with the stop codon beside CDS, and GFF3, with the stop codon in it. */

export interface GeneModel {
  chromosome: string;
  strand: 1 | -1;
  hgnc: number;
  symbol: string;
  /** The number in its Ensembl ids. */
  number: number;
  /** 0-based half-open, by position. */
  exons: readonly (readonly [start: number, end: number])[];
  /** From its first to its last coding base, with start and stop codon; undefined of non-coding transcripts. */
  cds?: readonly [start: number, end: number] | undefined;
  tags?: readonly string[];
}

type Part = [start: number, end: number];

const id = (prefix: string, number: number) => `${prefix}${String(number).padStart(11, '0')}`;

export function cdsParts({ exons, cds }: Pick<GeneModel, 'exons' | 'cds'>): Part[] {
  if (cds === undefined) return [];
  return exons.flatMap(([start, end]): Part[] => {
    const part: Part = [Math.max(start, cds[0]), Math.min(end, cds[1])];
    return part[0] < part[1] ? [part] : [];
  });
}

/** The last three coding bases in the direction of transcription, and the others. */
function stopApart(parts: readonly Part[], strand: 1 | -1): { stop: Part[]; rest: Part[] } {
  const positions = parts.flatMap(([start, end]) => Array.from({ length: end - start }, (_, i) => start + i));
  const ordered = strand === 1 ? positions : positions.toReversed();
  const partsOf = (list: readonly number[]) => {
    const found: Part[] = [];
    for (const position of list.toSorted((a, b) => a - b)) {
      const last = found.at(-1);
      const isNext = last?.[1] === position && !parts.some(([start]) => start === position);
      if (last !== undefined && isNext) last[1] = position + 1;
      else found.push([position, position + 1]);
    }
    return found;
  };
  return { stop: partsOf(ordered.slice(-3)), rest: partsOf(ordered.slice(0, -3)) };
}

/** With the bases before the first whole codon of each part. */
function phased(parts: readonly Part[], strand: 1 | -1): { part: Part; phase: number }[] {
  let before = 0;
  return (strand === 1 ? parts : parts.toReversed()).map((part) => {
    const phase = (3 - (before % 3)) % 3;
    before += part[1] - part[0];
    return { part, phase };
  });
}

export function gtfOf(genes: readonly GeneModel[], header = ''): string {
  const lines = genes.flatMap((gene) => {
    const { chromosome, strand, hgnc, symbol, number, exons, tags = [] } = gene;
    const parts = cdsParts(gene);
    const { stop, rest } = stopApart(parts, strand);
    const ofGene = `gene_id "${id('ENSG', number)}.1"; gene_name "${symbol}"; hgnc_id "HGNC:${hgnc}";`;
    const own = `${ofGene} transcript_id "${id('ENST', number)}.1";${tags.map((tag) => ` tag "${tag}";`).join('')}`;
    const line = (type: string, [start, end]: readonly [number, number], more: string, phase: number | '.' = '.') =>
      [`chr${chromosome}`, 'TEST', type, start + 1, end, '.', strand === 1 ? '+' : '-', phase, more].join('\t');
    const whole: Part = [exons[0]?.[0] ?? 0, exons.at(-1)?.[1] ?? 0];
    return [
      line('gene', whole, ofGene),
      line('transcript', whole, own),
      ...exons.map((exon, i) => {
        const rank = strand === 1 ? i + 1 : exons.length - i;
        return line('exon', exon, `${own} exon_number ${rank}; exon_id "${id('ENSE', number * 100 + rank)}.1";`);
      }),
      ...phased(rest, strand).map(({ part, phase }) => line('CDS', part, own, phase)),
      ...stop.map((part) => line('stop_codon', part, own, 0)),
    ];
  });
  return `${header}${lines.join('\n')}\n`;
}

/** Two transcripts of one gene: MANE Select, and MANE Plus Clinical as a model of another number. */
export function gtfOfTwo(select: GeneModel, plus: GeneModel): string {
  const lines = gtfOf([{ ...plus, tags: ['MANE_Plus_Clinical'] }]).split('\n');
  const own = lines
    .filter((line) => !line.includes('\tgene\t'))
    .map((line) => line.replace(id('ENSG', plus.number), id('ENSG', select.number)));
  return gtfOf([{ ...select, tags: ['MANE_Select'] }]) + own.join('\n');
}

export function gff3Of(genes: readonly GeneModel[]): string {
  const lines = genes.flatMap((gene) => {
    const { chromosome, strand, hgnc, symbol, number, exons, tags = [] } = gene;
    const [geneId, transcript] = [id('ENSG', number), id('ENST', number)];
    const line = (type: string, [start, end]: readonly [number, number], more: string, phase: number | '.' = '.') =>
      [chromosome, 'TEST', type, start + 1, end, '.', strand === 1 ? '+' : '-', phase, more].join('\t');
    const whole: Part = [exons[0]?.[0] ?? 0, exons.at(-1)?.[1] ?? 0];
    const tagged = tags.length === 0 ? '' : `;tag=${tags.join(',')}`;
    return [
      line('gene', whole, `ID=gene:${geneId};Name=${symbol};gene_id=${geneId};hgnc_id=HGNC:${hgnc}`),
      line('mRNA', whole, `ID=transcript:${transcript};Parent=gene:${geneId};transcript_id=${transcript}${tagged}`),
      ...exons.map((exon, i) => {
        const rank = strand === 1 ? i + 1 : exons.length - i;
        return line(
          'exon',
          exon,
          `Parent=transcript:${transcript};Name=${id('ENSE', number * 100 + rank)};rank=${rank}`,
        );
      }),
      ...phased(cdsParts(gene), strand).map(({ part, phase }) =>
        line('CDS', part, `ID=CDS:P${number};Parent=transcript:${transcript}`, phase),
      ),
    ];
  });
  return `##gff-version 3\n${lines.join('\n')}\n`;
}

/**
 * Five genes whose bases are counted by hand: with 8 splice bases at each end of a coding segment that borders an intron. Coding
 * sequences are whole codons.
 */
const [at, mane] = [10_000_000, ['MANE_Select']];
const moved = (list: readonly (readonly [number, number])[]): Part[] => list.map(([a, b]) => [at + a, at + b]);
export const handGenes: readonly { gene: GeneModel; coding: number; splice: readonly Part[] }[] = [
  {
    // Begins and ends within exons: 48 + 100 + 53.
    gene: {
      ...{ chromosome: '21', strand: 1, hgnc: 9001, symbol: 'WITHIN', number: 9001, tags: mane },
      exons: moved([
        [100, 200],
        [300, 400],
        [500, 600],
      ]),
      cds: [at + 152, at + 553],
    },
    coding: 201,
    splice: moved([
      [200, 208],
      [292, 300],
      [400, 408],
      [492, 500],
    ]),
  },
  {
    // On the reverse strand; its first exon is untranslated, and the start codon is at the intron: 80 + 100.
    gene: {
      ...{ chromosome: '21', strand: -1, hgnc: 9002, symbol: 'BEYOND', number: 9002, tags: mane },
      exons: moved([
        [1000, 1100],
        [1200, 1300],
        [1400, 1500],
      ]),
      cds: [at + 1020, at + 1300],
    },
    coding: 180,
    splice: moved([
      [1100, 1108],
      [1192, 1200],
      [1300, 1308],
    ]),
  },
  {
    // Its first coding segment is a single base: 1 + 62.
    gene: {
      ...{ chromosome: '21', strand: 1, hgnc: 9003, symbol: 'SINGLE', number: 9003, tags: mane },
      exons: moved([
        [2000, 2100],
        [2200, 2300],
      ]),
      cds: [at + 2099, at + 2262],
    },
    coding: 63,
    splice: moved([
      [2100, 2108],
      [2192, 2200],
    ]),
  },
  {
    // Within one exon, between untranslated ones: no splice base.
    gene: {
      ...{ chromosome: '21', strand: -1, hgnc: 9004, symbol: 'ALONE', number: 9004, tags: mane },
      exons: moved([
        [3000, 3100],
        [3200, 3400],
        [3500, 3600],
      ]),
      cds: [at + 3250, at + 3340],
    },
    coding: 90,
    splice: [],
  },
  {
    // In the first pseudoautosomal region of GRCh38, with an intron of 10 bases: 80 + 40.
    gene: {
      ...{ chromosome: 'X', strand: 1, hgnc: 9005, symbol: 'PARGENE', number: 9005, tags: mane },
      exons: [
        [630_000, 630_100],
        [630_110, 630_160],
      ],
      cds: [630_020, 630_150],
    },
    coding: 120,
    splice: [[630_100, 630_110]],
  },
];
