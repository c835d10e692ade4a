/** The format of a page: by the field `format`, else by Accept. */
import { Fault, preferred, type RequestHead } from '../../../core/plugin.js';
import { lastOf, type Sent } from '../form/fields.js';
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
} as const;

export type Format = keyof typeof mediaTypes;

const formats = Object.keys(mediaTypes) as Format[];
const types = [...new Set<string>(Object.values(mediaTypes))] as [string, ...string[]];

/** Throws `unprocessable` for an unknown format, and `not-acceptable` if the client accepts none of the media types. */
export function formatOf(sent: Sent, { headers }: Pick<RequestHead, 'headers'>, texts: Texts): Format {
  const named = lastOf(sent, 'format');
  if (named !== undefined) {
    const found = formats.find((format) => format === named.toLowerCase());
    if (found !== undefined) return found;
    const message = texts.form.oneOf(formats);
    throw new Fault('unprocessable', `format: ${message}`, { fields: [{ path: 'format', message }] });
  }
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
