/** The place of a file that was named, as a text that storages can compare. */
import { normalize } from 'node:path/posix';

/** The path of a file without needless parts, or its URL in its usual form; names in S3 are taken as they are written. */
export function placeOf(text: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return normalize(text);
  if (/^s3:/i.test(text) || !URL.canParse(text)) return text;
  const url = new URL(text);
  url.hash = '';
  return url.href;
}
