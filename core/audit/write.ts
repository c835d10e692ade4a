/** The audit as text: CSV for people, JSON lines for other programs and for those who verify it elsewhere. */
import { separatedCell } from '../separated.js';
import type { AuditChain } from './contract.js';
import type { ReadEntry } from './read.js';

const columns = ['time', 'caller', 'action', 'about', 'because', 'outcome', 'detail', 'request', 'chain', 'number'];

/** The heading of the CSV. Lines end with CRLF (RFC 4180). */
export const csvHeading = `${columns.join(',')}\r\n`;

export function csvLine(entry: ReadEntry): string {
  const { at, actor, action, about, because = '', outcome, request = '', chain, sequence } = entry;
  const cells = [at.toISOString(), actor, action, about.join(' '), because, outcome, detailText(entry), request, chain];
  return `${[...cells, sequence].map((cell) => separatedCell(cell, ',')).join(',')}\r\n`;
}

/** The further facts of an entry: `face=v2 found=true`. */
function detailText({ detail = {} }: Pick<ReadEntry, 'detail'>): string {
  return Object.entries(detail)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ');
}

/** A chain in the export: before the entries, since their first hash follows from it. */
export function chainLine({ id, started, ...chain }: AuditChain): string {
  return `${JSON.stringify({ chain: id, started: started.toISOString(), ...chain })}\n`;
}

/** An entry in the export: its hash is over its predecessor's hash and `body` as it stands here. */
export function entryLine({ chain, sequence, hash, body, names }: ReadEntry, withNames: boolean): string {
  const named = withNames && names.size > 0 ? { names: Object.fromEntries(names) } : {};
  return `${JSON.stringify({ chain, sequence, hash, body, ...named })}\n`;
}
