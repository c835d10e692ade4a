/**
 * How a page is sent: its format (by the field `format`, else by Accept) and what that shows, the name of a download, and the header
 * `Server-Timing`.
 */
import { Fault, preferred, type RequestHead } from '../../../../core/plugin.js';
import type { Texts } from '../../texts/texts.js';
import { type FormFields, fieldFault, lastOfField } from '../form/fields.js';
import type { PageName, PageRequest } from '../form/request.js';

/** Format → media type. HTML is the first, and so the default. For a media type of two formats, Accept means the first. */
export const mediaTypes = {
  html: 'text/html',
  json: 'application/json',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  bed: 'text/x-bed',
  pdf: 'application/pdf',
  multiqc: 'application/json',
  fhir: 'application/fhir+json',
} as const;

export type Format = keyof typeof mediaTypes;

const all = Object.keys(mediaTypes) as Format[];

/** Only a report states what FHIR documents have. */
export function formatsOfPage(page: PageName): readonly Format[] {
  return page === 'report' ? all : all.filter((format) => format !== 'fhir');
}

/** Throws `unprocessable` for an unknown format, and `not-acceptable` if the client accepts none of the media types. */
export function formatOfRequest(
  page: PageName,
  sent: FormFields,
  { headers }: Pick<RequestHead, 'headers'>,
  texts: Texts,
): Format {
  const formats = formatsOfPage(page);
  const named = lastOfField(sent, 'format');
  if (named !== undefined) {
    const found = formats.find((format) => format === named.toLowerCase());
    if (found !== undefined) return found;
    throw fieldFault('format', texts.form.oneOf(formats));
  }
  const types = [...new Set<string>(formats.map((format) => mediaTypes[format]))] as [string, ...string[]];
  const type = preferred(headers, types);
  const found = formats.find((format) => mediaTypes[format] === type);
  if (found === undefined) throw new Fault('not-acceptable', `The answer comes as ${types.join(' or ')} only`);
  return found;
}

/** Whether a refusal is to be read in a browser. */
export function wantsPage(format: Format | undefined, { headers }: Pick<RequestHead, 'headers'>): boolean {
  if (format === 'html') return true;
  if (format === 'json' || format === 'multiqc') return false;
  return preferred(headers, ['application/json', 'text/html']) === 'text/html';
}

// What a format shows.

/** Which parts of the report a format shows: each takes a further pass over the files. */
export interface ReportNeeds {
  /** Also the uniformity, which one pass gives together. */
  curves: boolean;
  /** Also whether the samples reach what the panel requires. */
  genes: boolean;
  gaps: 'none' | 'listed' | 'all';
  /** Which targets are compared with cohorts. */
  compared: 'all' | 'incomplete' | 'none';
  /** Whether regions of caution are named. */
  caution: boolean;
  /** Whether depths of X and Y are shown, which some readers must not know of some karyotypes. */
  sexDepths: boolean;
  /** Whether known sites are shown, and how many of those that are not callable are compared with the assay. */
  sites: 'none' | 'listed' | 'all';
}

const plainNeeds: ReportNeeds = {
  ...{ curves: false, genes: false, caution: false, sexDepths: false },
  ...{ gaps: 'none', compared: 'none', sites: 'none' },
};

/** The parts of a report that the format needs. */
export function needsOfFormat(format: Format, table: string | undefined): ReportNeeds {
  switch (format) {
    case 'html':
    case 'pdf':
      return {
        ...{ ...plainNeeds, curves: true, genes: true, caution: true },
        ...{ gaps: 'listed', compared: 'incomplete', sites: 'listed' },
      };
    case 'fhir':
      return { ...plainNeeds, genes: true, caution: true, gaps: 'all', sites: 'listed' };
    case 'json':
      return {
        ...{ curves: true, genes: true, caution: true, sexDepths: true },
        ...{ gaps: 'all', compared: 'all', sites: 'all' },
      };
    case 'csv':
    case 'tsv':
      return {
        ...plainNeeds,
        curves: table === 'curve' || table === 'uniformity' || table === 'hs_metrics',
        genes: table === 'incomplete_genes' || table === 'requirement',
        gaps: table === 'gaps' || table === 'panel_region_gaps' ? 'all' : 'none',
        caution: table === 'caution' || table === 'gaps',
        compared: 'all',
        sites: table === 'sites' || table === 'known_sites' ? 'all' : 'none',
      };
    case 'multiqc':
    case 'bed': // the export finds the gaps while it is sent
      return { ...plainNeeds, curves: format === 'multiqc', caution: format === 'bed' };
  }
}

// Names of downloads: kind, case or samples, panel, table, build, depth and date.

export interface NamedFile {
  /** `coverage-report`, `tackningsrapport`. */
  kind: string;
  request: Pick<PageRequest, 'build' | 'level' | 'panel' | 'caseName'>;
  samples: readonly string[];
  /** The table of a CSV or TSV file, unless it is the main one. */
  table?: string | undefined;
  made: Date;
  extension: string;
}

/** Most samples that are named if there is no case, and most characters of one part. */
const [mostSamples, longest] = [3, 60];

/** `coverage-report_Case-7_Cardio_GRCh38_20x_2026-04-23.pdf`: parts are joined by `_`, and blanks within one are `-`. */
export function fileName({ kind, request, samples, table, made, extension }: NamedFile): string {
  const { build, level, panel, caseName } = request;
  const listed = samples.slice(0, mostSamples).join(' ');
  const whose = caseName ?? (samples.length > mostSamples ? `${listed} +${samples.length - mostSamples}` : listed);
  const parts = [kind, whose, panel, table, build, `${level}x`, made.toISOString().slice(0, 10)];
  return `${parts
    .map((part) => safe(part ?? ''))
    .filter((part) => part !== '')
    .join('_')}.${extension}`;
}

/** The Content-Disposition header: the name as ASCII for every client, and in full for those that know RFC 8187. */
export function attachment(name: string): string {
  // Letters lose their accents; other characters are left out of the ASCII name.
  const plain = name
    .normalize('NFKD')
    .replace(/[^\x20-\x7e]/g, '')
    .replace(/([-_]){2,}/g, '$1');
  const whole = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"${plain === name ? '' : `; filename*=UTF-8''${whole}`}`;
}

/** Without path separators, invisible characters, and characters that file systems or headers refuse. */
function safe(text: string): string {
  const signs = [...text.replace(/[^\p{L}\p{M}\p{N}._+-]+/gu, '-')].slice(0, longest).join('');
  return signs.replace(/^[._-]+|[._-]+$/g, '');
}

// How long the parts of a response took, for the header `Server-Timing` (W3C Server Timing).

export class ServerTiming {
  readonly #parts = new Map<string, number>();

  /** Runs the work and adds its time to the part's. */
  async of<Result>(part: string, work: () => Promise<Result> | Result): Promise<Result> {
    const begin = performance.now();
    try {
      return await work();
    } finally {
      this.#parts.set(part, (this.#parts.get(part) ?? 0) + performance.now() - begin);
    }
  }

  /** `intervals;dur=3.1, depth;dur=120.5` in milliseconds. */
  header(): string {
    return [...this.#parts].map(([part, time]) => `${part};dur=${time.toFixed(1)}`).join(', ');
  }
}
