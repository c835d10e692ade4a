/** Why an attempt failed, in one line: as it is stored for the owner, and as the log may have it. */
import { isFault } from '../fault.js';

/** One line for people. Only faults promise that their message holds no secret. */
export function reasonOf(error: unknown): string {
  if (!isFault(error)) return "An unexpected error ended the attempt; the server's log says more";
  return error.message.replace(/\s+/g, ' ').slice(0, 500);
}

const quoted = /"[^"]*"?|(?<!\w)'[^']*'(?!\w)/g;
/** Up to what follows the name of a file in a message; names may hold spaces. */
const path = /(?<![\w<])\/[^:"']*?(?=: |, (?:line|column) |$)/g;
const fileName = /[^\s:"']+\.(?:vcf|d4|bed|gtf|gff3?|tsv|txt|json|csv)(?:\.b?gz)?\b/gi;
const mail = /[^\s<>"']+@[^\s<>"']+/g;

/** The reason without what may name a patient: quoted values, which come from the input, files and addresses. */
export function loggedReason(reason: string): string {
  return [quoted, path, fileName, mail].reduce((text, pattern) => text.replace(pattern, '…'), reason);
}
