/** Everything that pages and PDF files say, in English. A further language is a file like this one, named in texts.ts. */
const number = new Intl.NumberFormat('en');
const decimal = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const plural = (count: number, one: string, many: string) => `${number.format(count)} ${count === 1 ? one : many}`;

export const en = {
  language: 'en',
  languageName: 'English',
  number: (value: number) => number.format(value),
  decimal: (value: number) => decimal.format(value),
  /** 10 → 10×. */
  depth: (value: number) => `${number.format(value)}×`,

  form: {
    missing: 'is missing',
    oneOf: (choices: readonly string[]) => `must be one of ${choices.join(', ')}`,
    tooLong: (most: number) => `is longer than ${number.format(most)} characters`,
    tooMany: (most: number) => `has more than ${number.format(most)} entries`,
    noDepth: 'must hold whole numbers from 1 to 1,000,000',
    noText: 'must be a text',
    noDate: 'must begin with a date such as 2026-04-23',
    noSex: 'must be female, male or unknown',
    noSamples: 'names no sample',
    noSample: 'must be an object with name and coverage_file_path',
    sameName: (name: string) => `has two samples called ${name}`,
    noList: (position: number, reason: string) =>
      `is neither JSON nor a Python list: at character ${number.format(position)} it ${reason}`,
    noGenes: 'names no gene',
    noBed: 'A BED file is needed: its path on the server, or its lines',
    title: 'This cannot be reported',
    intro: 'What was sent is kept in the form below. Put right what is named here and send it again.',
    customise: 'Change what is reported',
    level: 'Covered from (depth)',
    thresholds: 'Depths to report, separated by commas',
    type: 'Intervals',
    transcripts: 'Transcripts',
    build: 'Genome build',
    genes: 'Genes: HGNC ids, Ensembl ids or symbols',
    gene: 'Gene: HGNC id, Ensembl id or symbol',
    panel: 'Name of the panel',
    caseName: 'Case',
    samples: 'Samples, as JSON',
    bedPath: 'BED file on the server',
    bed: 'Lines of a BED file',
    bedFile: 'Fill in from a file',
    send: 'Report',
  },

  types: {
    genes: 'Genes (whole span)',
    transcripts: 'Transcripts (exonic bases)',
    exons: 'Exons',
    custom_intervals: 'Lines of a BED file',
  },
  /** Of one and of several targets. */
  targets: {
    genes: ['gene', 'genes'] as readonly [string, string],
    transcripts: ['transcript', 'transcripts'] as readonly [string, string],
    exons: ['exon', 'exons'] as readonly [string, string],
    custom_intervals: ['interval', 'intervals'] as readonly [string, string],
  },
  choices: {
    preferred: 'MANE Select, else MANE Plus Clinical, else RefSeq mRNA, else all',
    mane: 'MANE Select and MANE Plus Clinical',
    mane_select: 'MANE Select only',
    mane_plus_clinical: 'MANE Plus Clinical only',
    refseq_mrna: 'Those with a RefSeq mRNA',
    all: 'All',
  },
  sets: { genes: 'genes', transcripts: 'transcripts', exons: 'exons', names: 'names of genes' },
  sexes: { female: 'female', male: 'male', unknown: 'unknown' },

  pages: {
    report: 'Coverage report',
    overview: 'Incompletely covered intervals',
    gene_overview: 'Coverage of a gene',
    mane_overview: 'Coverage of MANE transcripts',
  },
  /** Names of the files that exports are saved as. */
  fileNames: {
    report: 'coverage-report',
    overview: 'coverage-overview',
    gene_overview: 'coverage-gene',
    mane_overview: 'coverage-mane',
  },

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

  warnings: {
    title: 'Please note',
    none: 'Nothing contradicts the files, the build or the genes asked for.',
    ofSamples: (samples: readonly string[], message: string) => `${samples.join(', ')}: ${message}`,
    notMeasured: {
      malformed: 'not the name of a gene',
      'no-genes-loaded': 'no genes are loaded for this build',
      unknown: 'unknown',
      'not-in-build': 'not among the genes of this build',
      ambiguous: 'may mean several genes',
      'no-transcripts': 'no transcript of the chosen kind',
      'no-exons': 'no exons are loaded',
    },
    notMeasuredTitle: (count: number) => `${plural(count, 'gene is', 'genes are')} not part of this report:`,
    renamed: (asked: string, symbol: string, by: string) => `${asked} is reported as ${symbol} (${by}).`,
    by: { previous: 'a previous symbol of it', alias: 'an alias of it' },
    sexMismatch: (sample: string, declared: string, found: string) =>
      `${sample}: declared ${declared}, but the depths of X and Y speak for ${found}.`,
    pars: (build: string) => `Sex is told from X and Y without the pseudo-autosomal regions of ${build}.`,
    more: (count: number) => `and ${number.format(count)} more`,
    bedIgnoresGenes: 'The intervals are those of the BED file: genes that were named are not looked up.',
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
    caption: (bases: number, count: string) => `Over ${number.format(bases)} distinct bases of ${count}.`,
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
    of: (count: number, all: number) => `${number.format(count)} of ${number.format(all)}`,
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
    moreInCell: (count: number, bases: number) => `and ${number.format(count)} more (${number.format(bases)} bp)`,
  },

  curve: {
    title: 'Cumulative coverage',
    axis: 'Depth',
    caption:
      'Share of the distinct bases that reach each depth. Lines upright: the depths reported; red: the one that decides.',
    sample: (name: string, shares: readonly (readonly [number, number])[]) =>
      `${name}: ${shares.map(([depth, share]) => `${decimal.format(share * 100)} % reach ${depth}×`).join(', ')}.`,
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
    part: (part: number, parts: number) => `Part ${number.format(part)} of ${number.format(parts)}`,
    previous: 'Previous part',
    next: 'Next part',
    range: (from: number, to: number) => `${number.format(from)}–${number.format(to)}`,
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
    size: (bases: number) => `${number.format(bases)} exonic bases`,
    coding: (bases: number) => `${number.format(bases)} coding`,
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

  exports: {
    title: 'Save as',
    json: 'JSON',
    csv: 'CSV',
    tsv: 'TSV',
    bed: 'BED of gaps',
    pdf: 'PDF',
    print: 'Print',
    page: (page: number, pages: number) => `Page ${page} of ${pages}`,
    continued: 'continued',
    cut: (shown: number, all: number) =>
      `The first ${number.format(shown)} of ${number.format(all)} rows; the CSV export has them all.`,
  },

  links: {
    skip: 'To the content',
    title: 'Other views of the same samples',
    report: 'Report',
    overview: 'Incomplete intervals',
    mane_overview: 'MANE transcripts',
    landing: 'Coverage',
    docs: 'API documentation',
    server: 'This server',
  },

  landing: {
    title: 'Sequencing coverage',
    intro: 'Reports how well genes, transcripts, exons and panels are covered in the D4 files of sequenced samples.',
    demos: 'Look at the demo',
    demoText: 'A made-up trio on a few genes; it describes nobody.',
    noDemo: 'The demo pages answer where the configuration says demo: true.',
    sets: 'Genes, transcripts and exons loaded',
    noSets: 'No genes are loaded yet: see trefoil coverage --help.',
    rows: (rows: number) => plural(rows, 'row', 'rows'),
    ask: 'Ask for a report',
  },
};
