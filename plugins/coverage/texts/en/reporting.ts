/**
 * The header, the sections and the explanations of pages: which bases they count, what they cannot show, what a panel requires,
 * and what a FHIR document says, in English.
 */
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

// Which bases a page counts, in English.

export const counted = {
  label: 'Bases counted',
  fact: (splice: number) =>
    splice === 0
      ? 'coding bases with start and stop codon'
      : `coding bases with start and stop codon, and ${plural(splice, 'splice base', 'splice bases')} of the intron wherever a coding segment ends at one`,
  ofExons: (genes: string) => `non-coding, by their exons: ${genes}`,
  /** In place of the rule `preferred`. */
  preferred: 'MANE Select and MANE Plus Clinical, else RefSeq mRNA, else all',
  byDefault: (type: string) => `Default: ${type}`,
  unknown: (build: string) =>
    `The exons that are loaded for ${build} do not state which bases are coding. Load a GTF or GFF3 file (files of BioMart do not state it), or request exons.`,
  fellBack: (build: string) =>
    `Exons are counted instead of coding bases: the exons that are loaded for ${build} do not state which bases are coding. A GTF or GFF3 file does.`,
  open: (count: number) =>
    `${plural(count, 'transcript has', 'transcripts have')} an incomplete coding sequence in the gene set; the bases that are missing there are not counted:`,
  openEnds: { start: 'start missing', end: 'end missing', both: 'start and end missing' },
  title: 'Coding and splice bases',
  caption: (splice: number) =>
    `Coding bases include start and stop codon. Splice bases: up to ${number(splice)} of an intron at each end of a coding segment there, none in untranslated exons. Bases that transcripts share count once.`,
  column: 'Bases counted',
  kinds: {
    coding: 'Coding',
    splice: 'Splice',
    nonCoding: 'Exons of non-coding genes',
    together: 'Together',
  },
  nonCoding: 'non-coding',
  share: {
    coding: (share: string) => `coding ${share}`,
    exonic: (share: string) => `exonic ${share}`,
    withSplice: (share: string) => `with splice ${share}`,
  },
  belowTranscripts: (depth: string, splice: number) =>
    `In small print the percentage of the coding bases at or above ${depth}${splice === 0 ? '' : `, alone and with ${plural(splice, 'splice base', 'splice bases')} of introns beside them`}.`,
  below:
    'In small print the same percentage of the coding bases alone, and of all exonic bases of the same transcripts, untranslated parts included.',
  cohort: 'The coding and splice bases that this report counts are compared; of non-coding genes, their exons.',
};

// Regions that depth cannot judge, in English.

export const caution = {
  title: 'Regions of caution',
  caption:
    'Share of the distinct measured bases in regions where depth can mislead, for example because reads may belong to another copy of the sequence. All other figures count these bases as any others.',
  column: 'In regions of caution',
  whole: 'Whole report',
  share: (name: string, share: string, bases: number) => `${name}: ${share} (${number(bases)}\u00A0bp)`,
  none: (name: string) => `${name}: none of the measured bases`,
  summary: (genes: number) => `${plural(genes, 'gene or interval', 'genes or intervals')} with bases in them`,
  at: (names: string) => `in ${names}`,
  limit: (list: string) => `${list}. Depth alone cannot judge these bases.`,
  notLoaded: (build: string) =>
    `No regions where depth can mislead (segmental duplications, low mappability) are loaded for ${build}: this report does not say which bases lie in them.`,
};

// What a report covers and what it cannot show, in English.

export const limits = {
  content: {
    genes: 'Genes of this report',
    genesCaption: 'Symbol, HGNC id, and the transcripts whose exons were measured.',
    codingCaption: 'Symbol, HGNC id, and the transcripts that were measured.',
    lines: 'Intervals of the BED file',
    linesCaption: 'Names in the fourth column, or coordinates.',
    countGenes: (count: number) => plural(count, 'gene', 'genes'),
    countLines: (names: number, lines: number) =>
      `${plural(names, 'name', 'names')} of ${plural(lines, 'interval', 'intervals')}`,
    manyNames: (lines: number) => plural(lines, 'interval', 'intervals'),
    furtherTranscripts: (count: number) => `${number(count)} more`,
    more: 'Not all are listed here; the CSV export of the intervals has all.',
    bed: 'BED file',
    bedText: (name: string | undefined, lines: string, checksum: string) =>
      [name, lines, checksum].filter(Boolean).join(', '),
  },

  title: 'Limitations: what a negative result does not exclude',
  statement: 'Coverage only',
  statementText: (depth: string) =>
    `This report states where the sequence was read often enough for variants to be found (minimum depth: ${depth}), not which variants were found. A negative result excludes only what the analysis detects, in the bases that were read often enough.`,
  below: (depth: string) => `Bases below ${depth}`,
  belowOf: (sample: string, bases: string, all: string, percent: string) =>
    `${sample}: ${bases} of ${all} bases (${percent})`,
  belowText: (list: string, depth: string) =>
    `${list}. Variants there may have been missed: see the regions below ${depth}.`,
  noneBelow: (depth: string) => `Every base of the intervals is at or above ${depth} in every sample.`,
  unmeasured: 'Requested, but not assessed',
  unmeasuredGenes: (list: string) => `Genes: ${list}.`,
  unmeasuredEntries: (list: string) => `Entries of the panel: ${list}.`,
  unmeasuredSamples: (list: string) => `Samples: ${list}.`,
  outside: 'Outside of the intervals',
  outsideOf: {
    genes:
      'The whole span of each listed gene was assessed, introns included. Regulatory regions outside of it and all other genes were not.',
    transcripts:
      'The exons of the listed transcripts were assessed, untranslated parts included. Introns, splice regions beyond the exons, regulatory regions, exons of other transcripts and all other genes were not.',
    exons:
      'The exons of the listed transcripts were assessed, untranslated parts included. Introns, splice regions beyond the exons, regulatory regions, exons of other transcripts and all other genes were not.',
    coding:
      'The coding bases of the listed transcripts were assessed, and the splice bases beside them that this report names; of non-coding genes the exons. Untranslated parts, other bases of introns, regulatory regions, other transcripts and all other genes were not.',
    custom_intervals: 'The intervals of the BED file were assessed, and no other base of any gene.',
  },
  kinds: 'What depth does not show',
  kindsText:
    'Deletions and duplications, inversions and other rearrangements, repeat expansions, mosaicism and low heteroplasmy, uniparental disomy, and changes of methylation may be present at any depth. Where a sequence has copies elsewhere in the genome (pseudogenes, segmental duplications), reads may belong to another copy, and whether such reads were counted depends on how the D4 file was made.',
  person: 'Whose sample it is',
  personText:
    'Depth shows neither the identity of a sample nor contamination. What is checked is the sex, if it was declared, and whether two samples of the report have one file.',
  known: 'Known pathogenic variants',
  knownNone: (build: string) =>
    `No set of known pathogenic variants is loaded for ${build}: this report does not say which of them could have been found.`,
  knownBed:
    'Reports on genes say which known pathogenic variants could have been found; a report on a BED file does not.',
  sampling: 'Sampling sensitivity by depth',
  samplingCaption: 'Of a heterozygous variant, by the number of reads that must show it. Defined in the explanations.',
  reads: 'Reads that must show it',
};

/** What a panel requires of a report, in English. */
export const requirement = {
  title: 'Requirement of the panel',
  required: (percent: string, depth: string) =>
    `The panel requires ${percent} of its bases at ${depth} or more, and all bases of its core genes. Every base counts once.`,
  coreOnly: (depth: string) => `The panel requires all bases of its core genes at ${depth} or more.`,
  notMeasured: (genes: string) =>
    `Genes and core entries of the panel were not measured, so that the requirement is not met: ${genes}.`,
  verdict: 'Requirement',
  met: 'met',
  notMet: 'not met',
  core: 'Core genes and entries that are not complete',
  below: (percent: number) => `Other genes below ${percent} %`,
};

/** What a report says as a FHIR document, in English. */
export const fhir = {
  subject: 'Not stated: the specimen links to the person',
  part: (gene: string, reached: string, bases: string, percent: string, depth: string) =>
    `${gene}: ${reached} of ${bases} bases (${percent} %) at or above ${depth}; the BED files have the regions`,
  regions: (depth: string) =>
    `Called: every base is at or above ${depth}. Genes that are covered in part are listed as uncalled, with the percentage of their bases that is covered; the BED files have the exact regions.`,
  metrics: (bases: string, depth: string, counted: string) =>
    `Mean depth, and the percentage at or above ${depth}, of ${bases} distinct bases (${counted}).`,
  files: {
    studied: (build: string, _depth: string) => `Regions that were studied, ${build}`,
    called: (build: string, depth: string) => `Studied regions at or above ${depth}, ${build}`,
    uncalled: (build: string, depth: string) => `Studied regions below ${depth}, ${build}`,
  },
  sites: (sets: string, callable: string, all: string, depth: string) =>
    `Known sites (${sets}): ${callable} of ${all} callable at ${depth}.`,
  depths: 'Depth of each base (D4)',
};
