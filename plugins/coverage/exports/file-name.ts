/** Names of downloads: kind, case or samples, panel, table, build, depth and date. */
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
