/** What is asked and refused: the form, the names of what can be chosen, and the ways from page to page, in English. */
import { number, plural } from './numbers.js';

export const asking = {
  form: {
    missing: 'is missing',
    oneOf: (choices: readonly string[]) => `must be one of ${choices.join(', ')}`,
    tooLong: (most: number) => `is longer than ${number(most)} characters`,
    tooMany: (most: number) => `has more than ${number(most)} entries`,
    noDepth: 'must hold whole numbers from 1 to 1,000,000',
    noText: 'must be a text',
    noDate: 'must begin with a date such as 2026-04-23',
    noSex: 'must be female, male or unknown',
    noSamples: 'names no sample',
    noSample: 'must be an object with name and coverage_file_path',
    sameName: (name: string) => `has two samples called ${name}`,
    noList: (position: number, reason: string) =>
      `is neither JSON nor a Python list: at character ${number(position)} it ${reason}`,
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

  /** Refusals that come before a form is read, by their status. */
  refusals: {
    title: 'This page cannot be shown',
    statuses: {
      401: 'An access token is needed, and none came that is valid. It may have expired: ask for the page again from the program that leads here.',
      404: 'There is no such page.',
      405: 'This page answers a form that is sent to it, not its bare address.',
      413: 'The form is too large.',
    } as Readonly<Record<number, string>>,
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
      `The first ${number(shown)} of ${number(all)} rows; the CSV export has them all.`,
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
