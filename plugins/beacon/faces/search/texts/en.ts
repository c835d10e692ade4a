/** Texts of the search page in English. A language is a file like this one, and a line in `languages` of `../page.ts`. */
import { grouped, percent } from '../../../counts/denominator.js';
import { namingText } from '../../query/naming.js';
import type { FieldForm, FieldMistake } from '../field.js';

const count = (value: number, one: string, many: string) => `${grouped(value)} ${value === 1 ? one : many}`;

export const en = {
  language: 'en',
  languageName: 'English',
  number: grouped,
  percent: (share: number) => percent(share),
  title: 'Search for variants',
  intro: (beacon: string) => `Was a variant seen in the datasets of ${beacon}?`,
  skip: 'Skip to the search',
  field: {
    label: 'Gene, variant or place',
    hint: 'A gene (MTHFR), a variant (1-11856378-G-A or NC_000001.10:g.11856378G>A; MTHFR p.Ala222Val or NM_005957.5:c.665C>T, if the data is annotated), a place (1:11856000-11857000), or a line of a VCF file. Positions are one-based.',
    assembly: 'Genome assembly',
    choose: 'Choose…',
    search: 'Search',
    examples: 'Examples',
  },
  readAs: {
    gene: 'gene',
    hgvs: 'variant in HGVS notation',
    change: 'variant by its change of a protein or transcript',
    place: 'place',
    allele: 'variant',
    vcf: 'line of a VCF file',
  } satisfies Record<FieldForm, string>,
  read: (what: string) => `Read as: ${what}`,
  mistakes: {
    unreadable:
      'This is neither a gene, a variant, a place nor a line of a VCF file. The hint below the field has examples.',
    'transcript-form':
      'Changes of transcripts and proteins are read as MTHFR p.Ala222Val or NM_005957.5:c.665C>T. If the data has no annotations, please give the genomic position, such as NC_000001.10:g.11856378G>A.',
    'several-alternates': 'The line has several alternate alleles. Please leave one of them.',
    'no-alternate': 'The line has no alternate allele.',
    position: 'Positions are counted from 1.',
    backwards: 'The end is before the start.',
    'no-end': 'The line needs the end of the variant (END in its INFO column).',
  } satisfies Record<FieldMistake, string>,
  tooLong: (most: number) => `The field can hold ${grouped(most)} characters.`,
  noAssembly: 'Please choose a genome assembly: the datasets use several.',
  errorTitle: 'The search could not be made',
  foundTitle: 'Found',
  missedTitle: 'Not found',
  result: 'Result',
  found: (datasets: number) => `Found in ${count(datasets, 'dataset', 'datasets')}`,
  missed: 'Not found in any dataset that you may search',
  nothingSearched: (assembly: string) => `There is no dataset of ${assembly} that you may search.`,
  columns: {
    dataset: 'Dataset',
    result: 'Result',
    variants: 'Variants',
    samples: 'Samples',
    frequency: 'Frequency',
    place: 'Place',
    change: 'Change',
    gene: 'Gene',
    type: 'Type',
    copies: 'Copies',
  },
  hit: 'found',
  miss: 'not found',
  hidden: 'not told',
  unknown: 'unknown',
  datasetsCaption: (isOne: boolean) =>
    isOne
      ? 'Samples: carriers of the variant. Frequency: its copies among all copies of covered samples.'
      : 'Samples: carriers of any of the variants.',
  allelesTitle: 'Variants',
  allelesCaption: (shown: number, all: number) =>
    shown < all
      ? `The first ${grouped(shown)} of ${count(all, 'variant', 'variants')}, by place.`
      : `${count(all, 'variant', 'variants')}, by place.`,
  covered: (covered: number, total: number, threshold: number) =>
    `${grouped(covered)} of ${count(total, 'sample', 'samples')} covered at ≥ ${threshold}×`,
  lacking: { coverage: 'coverage unknown', sex: 'sex unknown', both: 'coverage or sex unknown' },
  notExpected: 'not expected in any sample',
  notCounted: (carriers: number) =>
    `${count(carriers, 'carrier', 'carriers')} of unknown coverage or sex not counted here`,
  frequency: (share: string, copies: number, all: number) => `${share} (${grouped(copies)} of ${grouped(all)})`,
  pictureTitle: (gene: string) => `Where the variants lie in ${gene}`,
  pictureNote: (gene: string, exons: number, transcript: string | undefined) =>
    exons === 0
      ? `${gene}; its exons are not known here.`
      : `${gene} with ${count(exons, 'exon', 'exons')}${transcript === undefined ? '' : ` (${transcript})`}; marks: variants.`,
  naming: namingText,
  noGene: 'No gene is known to lie here.',
  asJson: 'The same as JSON (Beacon v2)',
  links: { form: 'Form with single fields', info: 'About this beacon (JSON)', services: 'All services of this server' },
  otherLanguage: 'Svenska',
};

/** The same keys, with texts of any language. */
type WidenedTexts<Value> = Value extends string
  ? string
  : Value extends (...parameters: infer Parameters) => string
    ? (...parameters: Parameters) => string
    : { readonly [Key in keyof Value]: WidenedTexts<Value[Key]> };
export type SearchTexts = WidenedTexts<typeof en>;
