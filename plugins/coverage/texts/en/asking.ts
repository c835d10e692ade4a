/** The form, its choices and error messages, the links between pages, gene panels and kept reports, in English. */
import { english } from '../numbers.js';

const { number, plural } = english;

export const asking = {
  form: {
    missing: 'is missing',
    oneOf: (choices: readonly string[]) => `must be one of ${choices.join(', ')}`,
    tooLong: (most: number) => `is longer than ${number(most)} characters`,
    tooMany: (most: number) => `has more than ${number(most)} entries`,
    noDepth: 'must be whole numbers from 1 to 1,000,000',
    noText: 'must be text',
    noDate: 'must begin with a date such as 2026-04-23',
    noSex: 'must be female, male or unknown',
    noSamples: 'must name at least one sample',
    idAndFile: 'and a D4 file exclude each other',
    idAndUnique: 'cannot be given with a registered sample, which has its own',
    noUnique: 'needs a D4 file of unique reads',
    noQuality: 'must be a whole number from 1 to 255',
    notRegistered: 'is not registered',
    noSample: 'must be an object with name and coverage_file_path',
    sampleAt: (place: number) => `sample ${number(place)}`,
    sameName: (name: string) => `has two samples called ${name}`,
    nameTaken: (name: string) => `is also the name of another sample: ${name}`,
    noList: (position: number, reason: string) =>
      `is neither JSON nor a Python list: at character ${number(position)} it ${reason}`,
    noGenes: 'must name at least one gene',
    noBed: 'is required: the path of a BED file on the server, or BED lines',
    title: 'The report could not be created',
    intro: 'Your entries are kept in the form below. Correct the fields listed here and send the form again.',
    customise: 'Report settings',
    level: 'Coverage threshold',
    thresholds: 'Reported depths, comma-separated',
    type: 'Intervals',
    transcripts: 'Transcripts',
    build: 'Genome build',
    genes: 'Genes: HGNC ids, Ensembl ids or symbols',
    gene: 'Gene: HGNC id, Ensembl id or symbol',
    panel: 'Panel name',
    caseName: 'Case',
    samples: 'Samples',
    samplesHint: 'Rows that are left empty are ignored.',
    sampleRow: (place: number) => `Sample ${number(place)}`,
    rowField: (field: string, place: number) => `${field} of sample ${number(place)}`,
    registeredHint:
      'Choose a registered sample, or give a D4 file. The name, declared sex and group of a registered sample may be left empty.',
    row: {
      id: 'Registered sample',
      name: 'Name',
      file: 'D4 file',
      unique: 'D4 file of unique reads',
      quality: 'Least mapping quality',
      sex: 'Declared sex',
      group: 'Group',
      date: 'Day of analysis',
    },
    uniqueMore: 'Depth of unique reads',
    uniqueHint:
      'Depths of uniquely mapped reads of the same sample, from its BAM file: mosdepth --d4 -Q 20, and otherwise the options of the first file. The report then states each percentage by unique reads, too.',
    noSexGiven: 'not given',
    fileHint: 'Choose one of the listed files, or type a URL or a path under a configured directory.',
    pathHint: 'Type a URL or a path under a configured directory.',
    filesCut: (shown: number) => `Only ${number(shown)} files are listed; type the path of any other.`,
    addSample: 'Add a sample',
    samplesJson: 'Samples as JSON',
    bedPath: 'BED file on the server',
    bedName: 'Name of these lines',
    bedField: (field: string, number: number) => (number === 1 ? field : `${field}, file ${number}`),
    bedMore: 'Further BED file',
    tooManyBeds: (most: number) => `has more than ${number(most)} BED files`,
    bed: 'BED lines',
    bedFile: 'Load from a file',
    longBed: (megabytes: number) =>
      `The BED file (${number(megabytes)} MB) is not kept on this page. Choose it again here before you select an export, another depth, a column title or a further part.`,
    send: 'Create report',
  },

  /** Errors before a form is read, by status. */
  refusals: {
    title: 'The page cannot be shown',
    statuses: {
      401: 'A valid access token is required. Yours may have expired: open the page again from the program that links here.',
      404: 'The page does not exist.',
      405: 'This page is created from a form: start at /coverage.',
      413: 'The form is too large.',
    } as Readonly<Record<number, string>>,
  },

  types: {
    genes: 'Genes (whole span)',
    transcripts: 'Transcripts (exonic bases)',
    exons: 'Exons',
    coding: 'Coding bases',
    custom_intervals: 'BED lines',
  },

  /** Singular and plural. */
  targets: {
    genes: ['gene', 'genes'] as readonly [string, string],
    transcripts: ['transcript', 'transcripts'] as readonly [string, string],
    exons: ['exon', 'exons'] as readonly [string, string],
    coding: ['transcript', 'transcripts'] as readonly [string, string],
    custom_intervals: ['interval', 'intervals'] as readonly [string, string],
  },

  choices: {
    preferred: 'MANE Select, else MANE Plus Clinical, else RefSeq mRNA, else all',
    mane: 'MANE Select and MANE Plus Clinical',
    mane_select: 'MANE Select only',
    mane_plus_clinical: 'MANE Plus Clinical only',
    refseq_mrna: 'With a RefSeq mRNA',
    all: 'All',
  },

  sets: { genes: 'genes', transcripts: 'transcripts', exons: 'exons', names: 'gene names' },

  sexes: { female: 'female', male: 'male', unknown: 'unknown' },

  pages: {
    report: 'Coverage report',
    overview: 'Intervals with incomplete coverage',
    gene_overview: 'Gene coverage',
    mane_overview: 'Coverage of MANE transcripts',
  },

  /** Names of the files that exports are saved as. */
  fileNames: {
    report: 'coverage-report',
    overview: 'coverage-overview',
    gene_overview: 'coverage-gene',
    mane_overview: 'coverage-mane',
  },

  exports: {
    title: 'Save as',
    json: 'JSON',
    multiqc: 'MultiQC',
    fhir: 'FHIR',
    csv: 'CSV',
    tsv: 'TSV',
    bed: 'BED (low coverage)',
    pdf: 'PDF',
    print: 'Print',
  },

  links: {
    skip: 'Skip to content',
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
    intro: 'Coverage of genes, transcripts, exons and panels, from the D4 files of sequenced samples.',
    demos: 'Demo',
    demoText: 'A synthetic trio and a few genes.',
    noDemo: 'Demo pages are available if the configuration has demo: true.',
    sets: 'Loaded genes, transcripts and exons',
    noSets: 'No genes are loaded: see trefoil coverage --help.',
    rows: (rows: number) => plural(rows, 'row', 'rows'),
    ask: 'New report',
  },
};

// Depths of reads that map uniquely, in English.

export const unique = {
  title: 'Unique reads',
  share: (percent: string) => `unique: ${percent}`,
  file: (name: string, quality?: number) =>
    `unique: ${name}${quality === undefined ? '' : ` (mapping quality ≥ ${quality})`}`,
  term: (depth: string) =>
    `Percentages marked “unique” count reads alone whose place is certain, as the second D4 file of a sample has them. A base is covered only by ambiguous reads if it has ${depth} by all reads and less by unique ones: reads there may belong to another copy of the sequence, and variants may be missed or wrongly placed.`,
  ambiguous: (sample: string, genes: number, depth: string) =>
    `${sample}: ${plural(genes, 'gene is', 'genes are')} covered only by ambiguous reads (with bases at ${depth}, of which none is so by unique reads):`,
  incomplete: (sample: string, genes: number, depth: string) =>
    `${sample}: ${plural(genes, 'gene has', 'genes have')} ${depth} at every base by all reads, but not by unique reads:`,
};

// Gene panels, in English.

export const panels = {
  field: 'Gene panel: ID or ID@VERSION',
  confidence: 'Genes of the panel',
  confidences: {
    all: 'all',
    amber: 'green, amber and unrated',
    green: 'green and unrated',
  },
  noPlugin: 'cannot be used: this server keeps no gene panels (its plugin panels is not enabled)',
  unknown: (reference: string) => `there is no panel version ${reference} that you may use`,
  noneSigned: (reference: string) => `there is no panel ${reference} with a signed-off version that you may use`,
  noGenes: (reference: string) => `${reference} has no genes`,
  noneReported: (reference: string) => `no gene of ${reference} has this confidence`,
  tooMany: (reference: string, most: number) =>
    `${reference} and the genes of the list are more than ${number(most)} together`,
  notWithBed: 'cannot be combined with BED lines: choose genes, transcripts or exons, or leave it empty',

  panel: 'Gene panel',
  digest: 'Checksum of the panel',
  states: { draft: 'draft', 'in review': 'in review', 'signed off': 'signed off', retired: 'retired' },
  /** In the title of a report. */
  marks: {
    draft: 'DRAFT OF A PANEL',
    'in review': 'UNSIGNED PANEL',
    'signed off': '',
    retired: '',
  },
  stateNotices: {
    draft: (reference: string) => `The panel ${reference} is a draft: it has not been signed and can change.`,
    'in review': (reference: string) => `The panel ${reference} is in review: it has not been signed off.`,
    retired: (reference: string) => `The panel ${reference} is retired.`,
  },
  newer: (reference: string, genes: number) =>
    `A newer version is signed off: ${reference}, in which ${plural(genes, 'gene differs', 'genes differ')}.`,
  signedBy: (day: string, people: string) => `signed off ${day} by ${people}`,
  names: (release: string | undefined) => `gene names: ${release ?? 'release unknown'}`,
  levels: { green: 'green', amber: 'amber', red: 'red', unrated: 'unrated' },
  geneCounts: (count: number, levels: string) => `${plural(count, 'gene', 'genes')} (${levels})`,
  onlyReported: (levels: string) => `reported: ${levels}`,
  genesOf: (count: number, reference: string) => `${plural(count, 'gene', 'genes')} of ${reference}`,
  andOthers: (panel: string, count: number, names: string) =>
    `${panel} and ${plural(count, 'further gene', 'further genes')} (${names})`,
  wantedUsed: (genes: number) => `for ${plural(genes, 'gene', 'genes')} the transcripts that the panel names`,
  wantedUnused: (genes: number) =>
    `the transcripts that the panel names for ${plural(genes, 'gene', 'genes')} are not used`,
  entries: {
    gene: (count: number) => plural(count, 'gene', 'genes'),
    region: (count: number) => plural(count, 'region', 'regions'),
    str: (count: number) => plural(count, 'short tandem repeat', 'short tandem repeats'),
    unmapped: (count: number) => plural(count, 'entry without a gene', 'entries without a gene'),
  },
  uncovered: (kinds: string) => `Of the panel, this report does not include: ${kinds}.`,
  unmetTitle: (count: number) =>
    `${plural(count, 'transcript', 'transcripts')} of the panel not measured as named, or not known to be:`,
  unmet: (symbol: string, wanted: string, loaded: string | undefined) =>
    loaded === undefined
      ? `${symbol}: ${wanted} is not loaded`
      : `${symbol}: ${loaded}${loaded.includes('.') ? '' : ' (its version is not known)'} instead of ${wanted}`,
  renamedTitle: (count: number) =>
    `${plural(count, 'gene has', 'genes have')} another symbol in the gene set than in the panel:`,
  renamed: (panel: string, report: string) => `${panel} is reported as ${report}`,
  geneNotIn: (reference: string) => `This gene is not in the panel ${reference}.`,
  geneWants: (reference: string, transcripts: string) => `The panel ${reference} names for this gene: ${transcripts}.`,

  uncoveredTitle: 'Entries of the panel that this report does not include',
  uncoveredCaption: 'A negative result says nothing about them.',
  entriesCount: (count: number) => plural(count, 'entry', 'entries'),
  genesTitle: 'Genes of the panel',
  columns: {
    entry: 'Entry',
    kind: 'Kind',
    place: 'Position in the panel',
    reason: 'Not included because',
    id: 'HGNC id',
    symbol: 'Symbol',
    confidence: 'Confidence',
    inheritance: 'Inheritance',
    transcripts: 'Transcripts',
  },
  kinds: { gene: 'gene', region: 'region', str: 'short tandem repeat', unmapped: 'entry without a gene' },
  otherConfidence: (level: string) => `${level}: not among the requested entries of the panel`,
  notAGene: 'not part of this type of report',
  /** Of regions and repeats, which a report does not look at then. */
  notLookedAt: {
    'no-place': (build: string) => `not looked at: the panel does not say where it is on ${build}`,
    'no-coding': () => 'not looked at: no coding bases of genes in it are known',
    'too-many-genes': () => 'not looked at: the regions have more genes than a request may have',
  },
  places: {
    region: 'Regions of the panel',
    str: 'Repeats of the panel',
    caption:
      'Depth only: neither copy numbers nor the length of repeats are measured. No total, requirement or other table of this report counts these bases, unless the panel calls the entry core.',
    count: (count: number) => plural(count, 'entry', 'entries'),
    entry: 'Entry',
    position: 'Position, and bases counted',
    core: 'core',
    depthOnly: 'depth only: the repeat length is not measured',
    counted: {
      whole: (bases: number) => `all ${plural(bases, 'base', 'bases')}`,
      coding: (bases: number, genes: string) =>
        `${plural(bases, 'coding base', 'coding bases')} of the genes in it: ${genes}`,
      exonic: (bases: number, genes: string) =>
        `${plural(bases, 'exonic base', 'exonic bases')} of the genes in it: ${genes}`,
    },
    below: (depth: string) => `Below ${depth}`,
    bases: (bases: number) => `${number(bases)}\u00A0bp`,
    gapsTitle: (depth: string) => `Regions and repeats of the panel: bases below ${depth}`,
  },
};

// Names of lines of BED files, in English.

export const bedNames = {
  title: 'Coverage by name of the BED lines',
  caption: 'Lines of one name are taken together; bases that they share count once.',
  count: (names: number) => plural(names, 'name', 'names'),
  name: 'Name',
  lines: 'Lines',
};

// Kept reports, in English.

export const kept = {
  id: 'Report id',
  field: 'Keep this report, so that it can be opened again as it is',
  always: 'Every report is kept, so that it can be opened again as it is.',
  off: 'cannot be used: this server keeps no reports (setting plugins.coverage.reports)',
  note: 'This report is kept.',
  open: 'Open it by its address',
  title: 'Kept report',
  opened: (made: string, madeBy: string, opened: string, openedBy: string) =>
    `Measured on ${made} by ${madeBy}, and not measured again. Shown on ${opened} by ${openedBy}.`,
  newerTitle: 'Newer panel version',
  newer: (used: string, latest: string, genes: number) =>
    `This report used ${used}. Meanwhile ${latest} is signed off, in which ${plural(genes, 'gene differs', 'genes differ')}.`,
  changes: {
    added: 'Added',
    removed: 'Removed',
    promoted: 'Promoted',
    demoted: 'Demoted',
    renamed: 'Renamed',
    changed: 'Otherwise changed',
  },
  more: (count: number) => `and ${number(count)} more`,
  formats: { pdf: 'PDF', json: 'JSON, as it was sent' },
  list: {
    title: 'Kept reports',
    link: 'Kept reports',
    intro:
      'Reports whose samples you may see, the latest first. Of a gene, all reports that measured it, that could not measure it, or whose panel has it with a confidence that was not asked for.',
    gene: 'Gene: HGNC id, Ensembl id or symbol',
    panel: 'Panel: ID, ID@VERSION or name',
    sample: 'Sample: id or name',
    search: 'Search',
    none: 'There are no such reports.',
    unknownGene: (gene: string) =>
      `${gene} is not a gene of the loaded gene sets. Reports are listed that were asked for this name.`,
    panelsOf: (gene: string) => `Versions of panels with ${gene}`,
    noPanels: 'No version that you may read.',
    uncertain: 'Not searched: this name does not mean one gene for certain. Search by HGNC id or approved symbol.',
    entry: (given: string) => `the entry ${given}, which has no gene yet, may be it`,
    shown: (count: number) => plural(count, 'report', 'reports'),
    next: 'Earlier reports',
    columns: {
      made: 'Measured',
      report: 'Report',
      samples: 'Samples',
      panel: 'Panel',
      genes: 'Genes',
      gene: 'The gene',
      by: 'Requested by',
      software: 'Software',
    },
    missing: (count: number) => `${number(count)} not measured`,
    held: { measured: 'measured', missing: 'not measured', left: 'in the panel, not asked for' },
  },
};
