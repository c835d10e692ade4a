/** The header, the sections and the explanations of pages, in English. */
import { english } from '../numbers.js';

const { decimal, number, plural } = english;

export const reporting = {
  header: {
    about: 'About this report',
    case: 'Case',
    panel: 'Panel',
    samples: 'Samples',
    build: 'Genome build',
    level: 'Coverage threshold',
    thresholds: 'Reported depths',
    requested: 'Requested',
    intervals: 'Intervals',
    transcripts: 'Transcript rule',
    sets: 'Gene set',
    set: (kinds: string, release: string | undefined, loaded: string, checksum: string) =>
      `${kinds}: ${release ?? 'release not stated'}, loaded ${loaded}, ${checksum}`,
    file: 'Coverage file',
    fingerprint: 'Fingerprint',
    notIncluded: 'In this report',
    included: 'yes',
    noFile: 'The file does not exist or is not accessible to requests.',
    declared: 'Declared sex',
    analysed: 'Analysed',
    group: 'Group',
    sample: 'Sample',
    method: 'Method',
    methodText:
      'Each distinct base of the intervals is counted once, at its depth in the D4 file. Percentages come from exact counts and are rounded to two decimals; 100 % is shown only if every base reaches the depth.',
    software: 'Software',
    made: 'Created',
    version: (version: string) => `Trefoil ${version}`,
    noFingerprintNote: 'The fingerprint changes with the size, modification time and headers of the file.',
    coordinates: 'Coordinates are 1-based, inclusive; BED and JSON exports are 0-based, half-open.',
    genesAsked: (asked: number, targets: string) => `${plural(asked, 'gene', 'genes')}, ${targets}`,
    targetCount: (count: number, [one, many]: readonly [string, string]) => plural(count, one, many),
  },

  sex: {
    title: 'Sex check',
    predicted: 'Predicted',
    declared: 'Declared',
    x: 'Mean depth X',
    y: 'Mean depth Y',
    autosomes: 'Mean depth autosomes',
    xRatio: 'X / autosomes',
    yRatio: 'Y / autosomes',
    matches: (predicted: string) => `predicted ${predicted}, matches the declared sex`,
    mismatch: (predicted: string) => `predicted ${predicted}, does not match the declared sex`,
    none: '–',
  },

  metrics: {
    title: 'Coverage',
    caption: (bases: number, count: string, counted: string) =>
      `Mean depth, and the percentage of bases at or above each depth; ${number(bases)} distinct bases of ${count}. Counted: ${counted}.`,
    mean: 'Mean depth',
    completeness: (depth: string) => `≥ ${depth}`,
  },

  full: {
    title: (kind: string, depth: string) => `Fully covered ${kind} at ${depth}`,
    caption: 'Fully covered: every base is at or above the coverage threshold.',
    share: 'Fully covered',
    incomplete: 'Not fully covered',
    genes: 'Genes with incomplete coverage',
    all: 'Every base of every interval is at or above the coverage threshold.',
    of: (count: number, all: number) => `${number(count)} of ${number(all)}`,
  },

  incomplete: {
    title: (depth: string) => `Genes with incomplete coverage at ${depth}`,
    caption: (depth: string) =>
      `Percentage of the gene's bases at or above ${depth}; bases that its intervals share count once.`,
    hint: 'Select a column title to sort, a gene to open its page.',
    gene: 'Gene',
    lowest: 'Lowest',
    more: (count: number) =>
      `${plural(count, 'further gene', 'further genes')} not listed here; the CSV and JSON exports have all.`,
  },

  gaps: {
    title: (depth: string) => `Regions below ${depth}`,
    summary: (intervals: number, regions: number) =>
      `${plural(regions, 'region', 'regions')} in ${plural(intervals, 'interval', 'intervals')}`,
    caption:
      'Coordinates and length of each low-coverage region; exon and coding position (HGVS c.) if the transcript is known.',
    gene: 'Gene',
    interval: 'Interval',
    none: 'none',
    more: (count: number) =>
      `${plural(count, 'further interval', 'further intervals')} not listed here; the BED and JSON exports have all.`,
    moreInCell: (count: number, bases: number) => `and ${number(count)} more (${number(bases)} bp)`,
    track: 'depths (bedGraph)',
  },

  curve: {
    title: 'Cumulative coverage',
    axis: 'Depth',
    caption:
      'Percentage of the distinct bases at or above each depth. Vertical lines: reported depths; red: the coverage threshold.',
    sample: (name: string, shares: readonly (readonly [number, number])[]) =>
      `${name}: ${shares.map(([depth, share]) => `${decimal(share * 100)} % at ${depth}×`).join(', ')}.`,
    table: 'Data of the curve',
  },

  overview: {
    title: (depth: string) => `Intervals with bases below ${depth}`,
    caption: (shown: string, all: number) =>
      `${shown} of ${plural(all, 'interval', 'intervals')}; percentage of bases at or above the coverage threshold.`,
    none: (depth: string) => `Every base of every interval is at or above ${depth}.`,
    noMatch: 'No interval matches the filter.',
    gene: 'Gene',
    interval: 'Interval',
    place: 'Position',
    levels: 'Coverage threshold',
    filter: 'Filter by gene, interval or transcript',
    sort: 'Sort',
    sorts: { gene: 'by gene', interval: 'by position', completeness: 'lowest coverage first' },
    apply: 'Apply',
    part: (part: number, parts: number) => `Part ${number(part)} of ${number(parts)}`,
    previous: 'Previous part',
    next: 'Next part',
    range: (from: number, to: number) => `${number(from)}–${number(to)}`,
  },

  gene: {
    title: (symbol: string) => `Coverage of ${symbol}`,
    plot: 'Depth along the gene',
    plotCaption: (transcript: string) =>
      `Exons of ${transcript} to scale, introns compressed. Line: mean depth; shading: down to the minimum; red marks: bases below the coverage threshold.`,
    plotOf: (sample: string, transcript: string) => `Depth of ${sample} along ${transcript}`,
    plotText: (sample: string, exons: number, mean: string, gaps: number, level: string) =>
      `${sample}: ${plural(exons, 'exon', 'exons')}, mean depth ${mean}; ${gaps === 0 ? `no base below ${level}` : `${plural(gaps, 'region', 'regions')} below ${level}`}.`,
    transcripts: 'Transcripts',
    exons: (count: number) => plural(count, 'exon', 'exons'),
    exonColumn: 'Exon',
    exon: (rank: number | string) => `Exon ${rank}`,
    size: (bases: number) => `${number(bases)} exonic bases`,
    coding: (bases: number) => `${number(bases)} coding`,
    notCoding: 'coding sequence unknown',
    draw: 'Draw this transcript',
    drawn: 'drawn above',
    browser: 'UCSC Genome Browser',
    ensembl: 'Ensembl',
    external: 'Links open another site, which receives the position and nothing else.',
    forward: 'forward strand',
    reverse: 'reverse strand, drawn from its first exon',
    tableOf: (id: string) => `Transcript ${id}`,
    bases: 'Bases',
  },

  mane: {
    title: 'MANE transcripts',
    caption: 'Exonic bases of each MANE Select and MANE Plus Clinical transcript.',
    transcript: 'Transcript',
    select: 'MANE Select',
    plusClinical: 'MANE Plus Clinical',
    refseq: 'RefSeq',
  },

  explain: {
    title: 'Explanations',
    items: [
      [
        'Mean depth',
        'Sum of the depths of all distinct bases divided by their number. Bases that intervals share count once.',
      ],
      ['≥ 20×', 'Percentage of the distinct bases with a depth of 20 or more.'],
      [
        'Fully covered',
        'Percentage of the intervals in which every base is at or above the coverage threshold: decided by exact counts, not by a rounded percentage.',
      ],
    ] as readonly (readonly [string, string])[],
    sex: 'Sex',
    sexRule: (male: number, female: number) =>
      `Predicted from the mean depths of X and Y outside the pseudoautosomal regions: male if X/Y is at most ${male}, female if it is at least ${female}, unknown between them or if too little of X was sequenced.`,
  },
};
