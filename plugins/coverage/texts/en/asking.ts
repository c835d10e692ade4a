/** The form, its choices and error messages, and the links between pages, in English. */
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
      sex: 'Declared sex',
      group: 'Group',
      date: 'Day of analysis',
    },
    noSexGiven: 'not given',
    fileHint: 'Choose one of the listed files, or type a URL or a path under a configured directory.',
    pathHint: 'Type a URL or a path under a configured directory.',
    filesCut: (shown: number) => `Only ${number(shown)} files are listed; type the path of any other.`,
    addSample: 'Add a sample',
    samplesJson: 'Samples as JSON',
    bedPath: 'BED file on the server',
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
    page: (page: number, pages: number) => `Page ${page} of ${pages}`,
    continued: 'continued',
    cut: (shown: number, all: number) =>
      `The first ${number(shown)} of ${number(all)} rows; the CSV export has them all.`,
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
