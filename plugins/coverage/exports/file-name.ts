/** Names of downloaded files: what, whose, which panel, build, depth and day. */
import type { PageRequest } from '../form/request.js';

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

/** Samples that are named if there is no case; and characters of one part. */
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

/** The name in a header: as ASCII for every client, and whole for those that know RFC 6266 and RFC 8187. */
export function attachment(name: string): string {
  // Letters lose their accents; what has no such form is left out of the plain name.
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

/** Without separators of folders, signs that file systems or headers refuse, and signs that are not seen. */
function safe(text: string): string {
  const signs = [...text.replace(/[^\p{L}\p{M}\p{N}._+-]+/gu, '-')].slice(0, longest).join('');
  return signs.replace(/^[._-]+|[._-]+$/g, '');
}
