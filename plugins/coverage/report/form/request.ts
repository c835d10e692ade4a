/**
 * Parses the form of a page. It accepts what the programs send that were written for chanjo2: any kind of id in any gene
 * field, repeated fields, samples as Python or JSON text. All invalid fields are reported together.
 */
import type { FieldFault } from '../../../../core/plugin.js';
import { type Build, builds } from '../../contract.js';
import { type MtMethod, mtMethods } from '../../measure/copies.js';
import { geneIntervalTypes } from '../../measure/select.js';
import { type TranscriptChoice, transcriptChoices } from '../../measure/transcripts.js';
import type { NamedSample } from '../../samples/find.js';
import type { CoverageSettings } from '../../settings.js';
import type { Texts } from '../../texts/texts.js';
import { confidenceField, type PanelConfidence, panelConfidences, panelField } from '../panel.js';
import {
  type BedField,
  bedField,
  bedNumbersOf,
  type FormFields,
  type FormSample,
  type HsMetricsSource,
  hsMetricsFields,
  hsMetricsIn,
  itemsOfField,
  lastOfField,
  longestName,
  rowsFor,
  type SubmittedForm,
  valuesOfField,
} from './fields.js';
import { samplesOfForm } from './samples.js';

export const pageNames = ['report', 'overview', 'gene_overview', 'mane_overview'] as const;
export type PageName = (typeof pageNames)[number];

export const intervalTypes = [...geneIntervalTypes, 'custom_intervals'] as const;
export type IntervalType = (typeof intervalTypes)[number];

/** The value that means the type of reports that people make: `coverage.defaultIntervals`, else coding bases. */
export const defaultType = 'default';

/** The fields with genes; each takes any kind of id. */
export const geneFields = ['hgnc_gene_ids', 'hgnc_gene_symbols', 'ensembl_gene_ids'] as const;

/** A BED file by its path on the server, its lines as pasted, or as it was uploaded. */
export type BedInput = {
  /** From 1. */
  number: number;
  /** As the form calls lines that were pasted or uploaded. */
  name?: string;
} & ({ path: string } | { text: string } | { file: Buffer });

/** BED files of a request, and characters of pasted ones but the first: pages carry them. */
export const [mostBeds, longestBeds] = [20, 256 * 1024];

export interface PageRequest {
  page: PageName;
  build: Build;
  samples: FormSample[];
  type: IntervalType;
  /** Of `coding`: splice bases beside coding segments. */
  splice: number;
  /** Whether exons are measured if coding bases are not known: the type is the default one. */
  orExons: boolean;
  /** On pages of transcripts: whether the form asks for coding bases, so that their percentages stand below those of all bases. */
  withCoding: boolean;
  transcripts: TranscriptChoice;
  /** Ascending, without duplicates, including the level. */
  thresholds: number[];
  /** The coverage threshold: a base of at least this depth counts as covered. */
  level: number;
  /** As requested, without duplicates; none for a case without genes. */
  genes: string[];
  /** Of `custom_intervals`: at least one. */
  beds: readonly BedInput[];
  /** The panel as it was asked for, `ID@VERSION` or `ID`: its genes are measured before those of `genes`. */
  panelRef?: string;
  /** Which genes of that panel are measured. */
  panelConfidence: PanelConfidence;
  /** The name of a panel, which is only shown. */
  panel?: string;
  caseName?: string;
  /** The transcript whose exons the gene page draws. */
  transcript?: string;
  view: TableView;
  /** How the report sorts its genes: `completeness` (lowest first), `gene`, or `sample-1` and so on. */
  order: string;
  /** Whether registered samples are compared with those of all assays. */
  poolAssays: boolean;
  /** Whether aneuploidies of the sex chromosomes are printed for readers who may see them. */
  printAneuploidy: boolean;
  /** How copies of the mitochondrial genome are counted. */
  mtMethod: MtMethod;
  /** Files of Picard CollectHsMetrics, by the sample's index. */
  hsMetrics: ReadonlyMap<number, HsMetricsSource>;
}

export const sortKeys = ['gene', 'interval', 'completeness'] as const;
export type SortKey = (typeof sortKeys)[number];

/** The part of a long table that is shown, and its order. */
export interface TableView {
  sort: SortKey;
  filter: string;
  /** From 1. */
  part: number;
}

export interface FormRules extends Pick<CoverageSettings, 'defaultIntervals' | 'spliceBases'> {
  levels: readonly number[];
  limits: CoverageSettings['limits'];
  /** The registered samples that the form names, by id. */
  known?: ReadonlyMap<string, NamedSample>;
}

export type ParsedForm = { request: PageRequest } | { faults: FieldFault[] };

const longestId = 100;
const greatestLevel = 1_000_000;

export function parseForm(
  page: PageName,
  { fields: sent, file }: SubmittedForm,
  { levels, limits, known, defaultIntervals, spliceBases }: FormRules,
  texts: Texts,
): ParsedForm {
  const faults: FieldFault[] = [];
  const fault = (path: string, message: string) => void faults.push({ path, message });

  const oneOf = <Choice extends string>(name: string, choices: readonly Choice[], fallback?: Choice): Choice => {
    const value = lastOfField(sent, name) ?? fallback;
    const found = choices.find((choice) => choice === value);
    if (found === undefined) fault(name, value === undefined ? texts.form.missing : texts.form.oneOf(choices));
    return found ?? (choices[0] as Choice);
  };
  const text = (name: string, most = longestName): string | undefined => {
    const value = lastOfField(sent, name);
    if (value === undefined || value.length <= most) return value;
    fault(name, texts.form.tooLong(most));
    return undefined;
  };
  /** Shortens names that are only shown: the name of a panel may be composed of those of all its parts. */
  const shown = (name: string): string | undefined => {
    const value = lastOfField(sent, name);
    if (value === undefined || value.length <= longestName) return value;
    return `${[...value.slice(0, 2 * longestName)].slice(0, longestName - 1).join('')}…`;
  };
  const depth = (name: string, value: string): number => {
    const number = /^\d{1,7}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= 1 && number <= greatestLevel) return number;
    fault(name, texts.form.noDepth);
    return 1;
  };

  const build = oneOf('build', builds);
  const samples = samplesOfForm(sent, limits.samples, { texts, fault, known });
  const level = depth('default_level', lastOfField(sent, 'default_level') ?? '10');
  const named = itemsOfField(sent, 'completeness_thresholds');
  const own = named.length === 0 ? [...levels] : named.map((item) => depth('completeness_thresholds', item));
  const thresholds = [...new Set([...own, level])].sort((a, b) => a - b);
  if (thresholds.length > limits.thresholds) fault('completeness_thresholds', texts.form.tooMany(limits.thresholds));

  const mtMethod = oneOf('mt_method', mtMethods, 'median');
  const hsMetrics = hsMetricsIn(sent, samples.length, texts, fault);
  const isGenePage = page === 'gene_overview';
  // Programs that state no type get the one of chanjo2, unless the server is set to another.
  const fallback = defaultIntervals === undefined ? 'genes' : defaultType;
  const typeOf = () => oneOf('interval_type', [...intervalTypes, defaultType], fallback);
  const isOfTranscripts = isGenePage || page === 'mane_overview';
  const sentType = isOfTranscripts ? 'transcripts' : typeOf();
  const reportType = defaultIntervals ?? 'coding';
  const type = sentType === defaultType ? reportType : sentType;
  const askedType = lastOfField(sent, 'interval_type') ?? fallback;
  const choice = page === 'mane_overview' ? 'mane' : isGenePage ? 'all' : undefined;
  const transcripts = choice ?? oneOf('transcripts', transcriptChoices, 'preferred');

  const geneField = isGenePage ? 'hgnc_gene_id' : 'hgnc_gene_ids';
  // A row's button comes after the field with the gene of the current page.
  const one = lastOfField(sent, 'hgnc_gene_id');
  const many = geneFields.flatMap((name) => itemsOfField(sent, name));
  // Pages of the same samples link to each other: if there is no list of genes, the gene of the gene page is used.
  const asked = isGenePage
    ? [one ?? many[0] ?? ''].filter(Boolean)
    : many.length > 0 || one === undefined
      ? many
      : [one];
  const genes = [...new Set(asked)];
  const upload = file === undefined || isBlankFile(file) ? undefined : file;
  const beds = type === 'custom_intervals' ? bedsIn(sent, upload, texts, fault) : [];
  if (type !== 'custom_intervals') {
    // A case may have no genes yet; its page says so.
    if (genes.length === 0 && isGenePage) fault(geneField, texts.form.noGenes);
    if (genes.length > limits.genes) fault(geneField, texts.form.tooMany(limits.genes));
    if (genes.some((gene) => gene.length > longestId)) fault(geneField, texts.form.tooLong(longestId));
  }
  const panelRef = text(panelField);
  if (panelRef !== undefined && type === 'custom_intervals') fault(panelField, texts.panels.notWithBed);
  const panelConfidence = oneOf(confidenceField, panelConfidences, 'all');
  const panel = shown('panel_name');
  const caseName = shown('case_display_name');
  const transcript = text('transcript', longestId);
  const filter = text('filter', longestId) ?? '';
  const sort = oneOf('sort', sortKeys, 'gene');
  const orders = ['completeness', 'gene', ...samples.map((_, i) => `sample-${i + 1}`)];
  const order = page === 'report' ? oneOf('order', orders, 'completeness') : 'completeness';
  const part = Number(/^\d{1,6}$/.exec(lastOfField(sent, 'part') ?? '')?.[0] ?? 1) || 1;
  if (faults.length > 0) return { faults };
  return {
    request: {
      page,
      build,
      samples,
      type,
      splice: spliceBases,
      orExons: sentType === defaultType && type === 'coding',
      withCoding: isOfTranscripts && (askedType === defaultType ? reportType : askedType) === 'coding',
      transcripts,
      thresholds,
      level,
      genes,
      order,
      poolAssays: lastOfField(sent, 'pool_assays') === 'true',
      mtMethod,
      hsMetrics,
      printAneuploidy: lastOfField(sent, 'print_aneuploidy') === 'true',
      view: { sort, filter, part },
      panelConfidence,
      panelRef,
      beds,
      panel,
      caseName,
      transcript,
    },
  };
}

/** Uploaded or pasted lines take precedence over a path; the upload is the first file. */
function bedsIn(
  sent: FormFields,
  upload: Buffer | undefined,
  texts: Texts,
  fault: (path: string, message: string) => void,
): BedInput[] {
  const numbers = [...new Set([...(upload === undefined ? [] : [1]), ...bedNumbersOf(sent)])];
  let carried = 0;
  const found = numbers.flatMap((number): BedInput[] => {
    const value = (kind: BedField) =>
      lastOfField(sent, bedField(kind, number)) ??
      (number === 1 ? lastOfField(sent, `${bedField(kind, 1)}_1`) : undefined);
    const [name, text, path] = [value('name'), value('text'), value('path')];
    if (name !== undefined && name.length > longestName)
      fault(bedField('name', number), texts.form.tooLong(longestName));
    const own = { number, ...(name !== undefined && { name }) };
    if (number === 1 && upload !== undefined) return [{ ...own, file: upload }];
    if (text === undefined) return path === undefined ? [] : [{ ...own, path }];
    carried += number === 1 ? 0 : text.length;
    if (carried > longestBeds) fault(bedField('text', number), texts.form.tooLong(longestBeds));
    return [{ ...own, text }];
  });
  if (found.length === 0) fault(bedField('path', 1), texts.form.noBed);
  if (found.length > mostBeds) fault(bedField('path', found.at(-1)?.number ?? 1), texts.form.tooManyBeds(mostBeds));
  return found;
}

/** The fields that send them again, without an uploaded one. */
function bedFields(beds: readonly BedInput[]): Record<string, string> {
  const fields = beds.flatMap((bed) => [
    ...('path' in bed ? [[bedField('path', bed.number), bed.path]] : []),
    ...('text' in bed ? [[bedField('text', bed.number), bed.text]] : []),
    ...(bed.name === undefined ? [] : [[bedField('name', bed.number), bed.name]]),
  ]);
  return Object.fromEntries(fields);
}

/** Whether the file has nothing but blanks and line breaks. */
function isBlankFile(file: Buffer): boolean {
  return file.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));
}

/** Fields that a page does not use itself, and passes on to the other pages of the same samples. */
export const passedOn = {
  report: [],
  overview: [],
  gene_overview: ['interval_type', 'transcripts', ...geneFields],
  mane_overview: ['interval_type', 'transcripts'],
} as const satisfies Record<PageName, readonly string[]>;

/** The fields that repeat a request, including those for other pages. `panelRef` names the version that was used. */
export function fieldsAgain(request: PageRequest, sent: FormFields): FormFields {
  const others = passedOn[request.page].map((name) => [name, valuesOfField(sent, name)]);
  return { ...fieldsOf(request), ...Object.fromEntries(others) };
}

function fieldsOf(request: PageRequest): Record<string, string> {
  const {
    build,
    samples,
    type,
    orExons,
    transcripts,
    thresholds,
    level,
    genes,
    beds,
    panelRef,
    panelConfidence,
    panel,
    caseName,
    transcript,
    order,
    poolAssays,
    printAneuploidy,
    mtMethod,
    hsMetrics,
  } = request;
  return {
    build,
    ...(rowsFor(samples) ?? { samples: listOfSamples(samples) }),
    interval_type: orExons ? defaultType : type,
    transcripts,
    completeness_thresholds: thresholds.join(','),
    default_level: String(level),
    [request.page === 'gene_overview' ? 'hgnc_gene_id' : 'hgnc_gene_ids']: genes.join(','),
    [panelField]: panelRef ?? '',
    [confidenceField]: panelConfidence,
    panel_name: panel ?? '',
    case_display_name: caseName ?? '',
    ...bedFields(beds),
    ...(transcript === undefined ? {} : { transcript }),
    order,
    ...(poolAssays ? { pool_assays: 'true' } : {}),
    ...(mtMethod === 'median' ? {} : { mt_method: mtMethod }),
    ...hsMetricsFields(hsMetrics),
    ...(printAneuploidy ? { print_aneuploidy: 'true' } : {}),
  };
}

function listOfSamples(samples: readonly FormSample[]): string {
  return JSON.stringify(
    samples.map(({ name, path, unique, caseName, analysed, sex, registration }) => ({
      name,
      ...(registration === undefined ? { coverage_file_path: path } : { sample_id: registration.id }),
      ...(registration === undefined && { unique_file_path: unique?.path, unique_mapping_quality: unique?.quality }),
      case_name: caseName,
      analysis_date: analysed,
      sex,
    })),
  );
}
