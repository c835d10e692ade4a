/** What the pages report: the header, the sections and the explanations, in English. */
import { decimal, number, plural } from './numbers.js';

export const reporting = {
  header: {
    about: 'About this report',
    case: 'Case',
    panel: 'Panel',
    samples: 'Samples',
    build: 'Genome build',
    level: 'Counts as covered from',
    thresholds: 'Depths reported',
    intervals: 'Intervals',
    transcripts: 'Transcript rule',
    sets: 'Gene set',
    set: (kinds: string, release: string | undefined, loaded: string, checksum: string) =>
      `${kinds}: ${release ?? 'release not stated'}, loaded ${loaded}, ${checksum}`,
    file: 'Coverage file',
    fingerprint: 'Fingerprint',
    declared: 'Declared sex',
    analysed: 'Analysed',
    group: 'Group',
    sample: 'Sample',
    method: 'Method',
    methodText:
      'Every distinct base of the intervals is counted once, from the depths in the D4 file; shares are exact and rounded to two decimals at the end, and 100 % is shown only where every base reaches the depth.',
    software: 'Software',
    made: 'Made',
    version: (version: string) => `Trefoil ${version}`,
    noFingerprintNote: 'The fingerprint changes with the size, time and headers of the file.',
    coordinates: 'Places count bases from 1, first and last included; BED and JSON exports count from 0, end excluded.',
    genesAsked: (asked: number, targets: string) => `${plural(asked, 'gene', 'genes')} asked for, ${targets}`,
    targetCount: (count: number, [one, many]: readonly [string, string]) => plural(count, one, many),
  },

  sex: {
    title: 'Sex according to the sequence',
    predicted: 'Predicted',
    declared: 'Declared',
    x: 'Mean depth X',
    y: 'Mean depth Y',
    autosomes: 'Mean depth autosomes',
    xRatio: 'X / autosomes',
    yRatio: 'Y / autosomes',
    mismatch: 'contradicted',
    agrees: 'agrees',
    none: '–',
  },

  metrics: {
    title: 'Depth and completeness',
    caption: (bases: number, count: string) => `Over ${number(bases)} distinct bases of ${count}.`,
    mean: 'Mean depth',
    completeness: (depth: string) => `≥ ${depth}`,
  },

  full: {
    title: (kind: string, depth: string) => `Completely covered ${kind} at ${depth}`,
    caption: 'Complete means that every single base reaches the depth.',
    share: 'Completely covered',
    incomplete: 'Incomplete',
    genes: 'Incompletely covered genes',
    all: 'Every base of every interval reaches the depth.',
    none: '–',
    of: (count: number, all: number) => `${number(count)} of ${number(all)}`,
  },

  gaps: {
    title: (depth: string) => `Stretches below ${depth}`,
    summary: (intervals: number, stretches: number) =>
      `${plural(stretches, 'stretch', 'stretches')} in ${plural(intervals, 'interval', 'intervals')}, base by base`,
    caption: 'First and last base of each stretch, counted from 1, and its length.',
    gene: 'Gene',
    interval: 'Interval',
    none: 'none',
    more: (count: number) =>
      `${plural(count, 'further incomplete interval is', 'further incomplete intervals are')} not listed here: the BED export has them all.`,
    moreInCell: (count: number, bases: number) => `and ${number(count)} more (${number(bases)} bp)`,
  },

  curve: {
    title: 'Cumulative coverage',
    axis: 'Depth',
    caption:
      'Share of the distinct bases that reach each depth. Lines upright: the depths reported; red: the one that decides.',
    sample: (name: string, shares: readonly (readonly [number, number])[]) =>
      `${name}: ${shares.map(([depth, share]) => `${decimal(share * 100)} % reach ${depth}×`).join(', ')}.`,
    table: 'The curve in numbers',
  },

  overview: {
    title: (depth: string) => `Intervals with bases below ${depth}`,
    caption: (shown: string, all: number) =>
      `${shown} of ${plural(all, 'interval', 'intervals')}; share of bases that reach the depth.`,
    none: (depth: string) => `Every base of every interval reaches ${depth}.`,
    noMatch: 'No interval fits the filter.',
    gene: 'Gene',
    interval: 'Interval',
    place: 'Place',
    levels: 'Depth that decides',
    filter: 'Show only (gene, interval or transcript)',
    sort: 'Order',
    sorts: { gene: 'by gene', interval: 'by place', completeness: 'worst first' },
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
      `Exons of ${transcript} to scale, introns compressed. Line: mean depth; shade: down to the least; red marks: bases below the deciding depth.`,
    plotOf: (sample: string, transcript: string) => `Depth of ${sample} along ${transcript}`,
    plotText: (sample: string, exons: number, mean: string, gaps: number, level: string) =>
      `${sample}: ${plural(exons, 'exon', 'exons')}, mean depth ${mean}; ${gaps === 0 ? `no base below ${level}` : `${plural(gaps, 'stretch', 'stretches')} below ${level}`}.`,
    transcripts: 'Transcripts',
    exons: (count: number) => plural(count, 'exon', 'exons'),
    exonColumn: 'Exon',
    exon: (rank: number) => `Exon ${rank}`,
    size: (bases: number) => `${number(bases)} exonic bases`,
    coding: (bases: number) => `${number(bases)} coding`,
    notCoding: 'coding part not known',
    draw: 'Draw this transcript',
    drawn: 'drawn above',
    browser: 'UCSC Genome Browser',
    ensembl: 'Ensembl',
    external: 'Links open another site, which is told the place and nothing else.',
    forward: 'read from left to right',
    reverse: 'on the reverse strand, shown from its first exon on',
    tableOf: (id: string) => `Transcript ${id}`,
    bases: 'Bases',
  },

  mane: {
    title: 'MANE transcripts',
    caption: 'Exonic bases of each MANE Select and MANE Plus Clinical transcript, each its own row.',
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
        'Sum of the depths of all distinct bases, divided by their number. Bases that intervals share count once.',
      ],
      ['Completeness', 'Share of the distinct bases whose depth is at least the one named.'],
      [
        'Completely covered',
        'Share of the intervals in which every base has at least the deciding depth. It is decided by counting, never by a rounded share.',
      ],
    ] as readonly (readonly [string, string])[],
    sex: 'Sex',
    sexRule: (male: number, female: number) =>
      `From the mean depths of X and Y outside the pseudo-autosomal regions: a ratio of X to Y up to ${male} is male, from ${female} on female, and unknown between them. Too little sequence on X is unknown.`,
  },
};
