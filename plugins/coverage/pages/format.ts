/** The format of a page: by the field `format`, else by Accept. */
import { Fault, preferred, type RequestHead } from '../../../core/plugin.js';
import { lastOf, type Sent } from '../form/fields.js';
import type { PageName } from '../form/request.js';
import type { Texts } from '../texts/texts.js';

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
export function formatsOf(page: PageName): readonly Format[] {
  return page === 'report' ? all : all.filter((format) => format !== 'fhir');
}

/** Throws `unprocessable` for an unknown format, and `not-acceptable` if the client accepts none of the media types. */
export function formatOf(page: PageName, sent: Sent, { headers }: Pick<RequestHead, 'headers'>, texts: Texts): Format {
  const formats = formatsOf(page);
  const named = lastOf(sent, 'format');
  if (named !== undefined) {
    const found = formats.find((format) => format === named.toLowerCase());
    if (found !== undefined) return found;
    const message = texts.form.oneOf(formats);
    throw new Fault('unprocessable', `format: ${message}`, { fields: [{ path: 'format', message }] });
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
