/** Why an attempt failed, in one line: as stored for the owner, and as written to the log. */
import { isFault } from '../fault.js';

/** One readable line. Only the messages of faults are known to hold no secret. */
export function reasonOf(error: unknown): string {
  if (!isFault(error)) return "An unexpected error ended the attempt; the server's log says more";
  return error.message.replace(/\s+/g, ' ').slice(0, 500);
}

const quoted = /"[^"]*"?|(?<!\w)'[^']*'(?!\w)/g;
/** Up to what follows the file name in a message; file names may contain spaces. */
const path = /(?<![\w<])\/[^:"']*?(?=: |, (?:line|column) |$)/g;
const fileName = /[^\s:"']+\.(?:vcf|d4|bed|gtf|gff3?|tsv|txt|json|csv)(?:\.b?gz)?\b/gi;
const mail = /[^\s<>"']+@[^\s<>"']+/g;

/** The reason without anything that may identify a patient: quoted input, file names and e-mail addresses. */
export function loggedReason(reason: string): string {
  return [quoted, path, fileName, mail].reduce((text, pattern) => text.replace(pattern, '…'), reason);
}
