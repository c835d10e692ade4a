/** Gene panels, in English. */
import { english } from '../numbers.js';

const { number, plural } = english;

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
  otherConfidence: (level: string) => `${level}: not among the requested genes of the panel`,
  notAGene: 'not part of this type of report',
};
