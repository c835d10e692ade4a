/**
 * Rows as release 0.1 wrote them: small alleles as their file writes them (`TCC>CCC` for `T>C`), and those beside a symbolic
 * alternate as breakends. The segments that may hold such rows are marked (`as_written`) until `rewrite.ts` has rewritten
 * them; meanwhile their rows are read as `present` says, so that answers do not depend on how far the rewriting is.
 */
import { canonical, kindOfSequence } from '../../../plugins/beacon/contract.js';
import type { Database } from '../binding.js';
import { type AlleleRow, alleleOf, encodeRanges, segmentRows } from './layout.js';

/**
 * Holds for every row of a table `a` that `present` changes, and for few others: the alternate begins or ends with the same
 * base as the reference, or the row is a breakend without a mate.
 */
export const mayChange =
  'a.mate is null and ((length(a.reference) > 1 and length(a.alternate) > 1 ' +
  'and (substr(a.reference, 1, 1) = substr(a.alternate, 1, 1) ' +
  'or substr(a.reference, length(a.reference), 1) = substr(a.alternate, length(a.alternate), 1))) ' +
  "or (a.structural = 1 and a.kind = 'BND'))";

/** Published segments that may hold such rows. */
export const segmentsAsWritten = "select g.id from beacon_segments g where g.state = 'published' and g.as_written = 1";

async function readSegmentsAsWritten(database: Database): Promise<ReadonlySet<number>> {
  const rows = await database.query<{ id: number }>(segmentsAsWritten, []);
  return new Set(rows.map(({ id }) => id));
}

/** Milliseconds for which a replica may not show yet that the last segment was rewritten. */
const settling = 60_000;

/** Remembers once there are no such segments any more: only a migration marks some, before a process begins to answer. */
export class RemainingSegments {
  #seen: number | undefined;
  #none = false;

  /** False if there may be some. */
  get none(): boolean {
    return this.#none;
  }

  async read(snapshot: Database): Promise<ReadonlySet<number>> {
    if (this.#none) return new Set();
    const segments = await readSegmentsAsWritten(snapshot);
    const now = performance.now();
    if (segments.size > 0) this.#seen = now;
    else this.#none = this.#seen === undefined || now > this.#seen + settling;
    return segments;
  }
}

/** The number of the segment that a row is of. */
export function segmentOf({ id }: Pick<AlleleRow, 'id'>): number {
  return Math.floor(Number(id) / segmentRows);
}

/** A row of a marked segment, in the form in which alleles are stored now; the same row if that is its form. */
export function present<Row extends AlleleRow>(row: Row): Row {
  const before = alleleOf(row);
  // No record states BND for plain bases: the kind was that of an alternate beside them.
  const mistaken = before.structural && before.kind === 'BND' && /^[ACGTN]+$/.test(before.alternate);
  const { startRange: _start, endRange: _end, ...bare } = before;
  const after = canonical(
    mistaken ? { ...bare, structural: false, kind: kindOfSequence(bare.reference, bare.alternate) } : before,
  );
  if (after === before) return row;
  return {
    ...row,
    start: after.start,
    stop: after.end,
    reference: after.reference,
    alternate: after.alternate,
    kind: after.kind,
    structural: after.structural ? 1 : 0,
    ranges: encodeRanges(after),
  };
}

/** Whether a row of a marked segment may lie on two paths of a query: by the form that it has, and by its present one. */
export function mayBeReachedAgain({ mate, structural, reference, alternate }: AlleleRow): boolean {
  return mate === null && (structural === 1 || (reference.length > 1 && alternate.length > 1));
}
