/**
 * Alleles with the samples of a segment whose genotype was not called there: rows of `beacon_uncalled`, whose carriers are these
 * samples and which have no calls. They are read for observations alone. A segment may have several rows of an allele, and a
 * sample may carry the allele by another row.
 */
import { type Contig, isPlain, type SequenceQuestion } from '../../../plugins/beacon/contract.js';
import type { Database } from '../binding.js';
import { decodeCarriers } from './carriers.js';
import { alleleSelection, contigCode, rowRange, type StoredAlleleRow, segmentOfRow } from './layout.js';
import type { PublishedSegment } from './published.js';
import type { SegmentAllele, StagedSegment } from './segment.js';
import { type AlleleSighting, answering, askedRows, pathOfGroup, type QuestionGroup } from './sightings.js';

const portionRows = 5000;

/** Rows of sequence questions on one contig. */
export async function uncalledSequences(
  database: Database,
  contig: Contig,
  group: QuestionGroup<SequenceQuestion>,
): Promise<AlleleSighting[]> {
  const rows = group.questions.flatMap(({ start, reference, alternate }, n) =>
    Number.isInteger(start) && isPlain(reference) && isPlain(alternate) ? [[n, start]] : [],
  );
  const found: AlleleSighting[] = [];
  for (const column of ['start', 'trimmed']) {
    const where = ['a.contig = ?', `a.${column} = q.start`];
    const path = pathOfGroup({ ...group, from: 'beacon_uncalled' }, where, [contigCode(group.assembly, contig)]);
    const columns = { n: 'integer', start: 'integer' } as const;
    found.push(...answering(await askedRows(database, { columns, rows, path }), group));
  }
  return found;
}

/** Adds the rows of a segment to another, with other numbers of their samples, or other alleles; samples without a number are left out. */
export async function copyUncalled(
  database: Database,
  source: number,
  target: StagedSegment,
  ordinalOf: (ordinal: number, row: StoredAlleleRow) => number | undefined,
  placed: (row: SegmentAllele & StoredAlleleRow) => SegmentAllele = (row) => row,
): Promise<void> {
  for await (const rows of uncalledRows(database, source)) {
    for (const row of rows) {
      const ordinals = samplesIn(row).flatMap((ordinal) => ordinalOf(ordinal, row) ?? []);
      if (ordinals.length > 0) await target.addUncalled(placed(row), ordinals);
    }
  }
  await target.flush();
}

/** Whether a segment states of any sample that it was not called at an allele, which no other segment states. */
export async function saysMore(
  database: Database,
  { id, samples }: Pick<PublishedSegment, 'id' | 'samples'>,
  known: readonly PublishedSegment[],
): Promise<boolean> {
  const { engine } = database;
  const names = new Map(samples.map(({ ordinal, name }) => [ordinal, name]));
  const others = new Map(
    known.map((segment) => [segment.id, new Map(segment.samples.map((one) => [one.ordinal, one.name]))]),
  );
  const place = { contig: 'integer', start: 'integer', stop: 'integer', mate: 'integer' } as const;
  const bound = engine.bound({ n: 'integer', ...place, reference: 'text', alternate: 'text' });
  const same =
    'a.contig = q.contig and a.start = q.start and a.stop = q.stop and coalesce(a.mate, 0) = q.mate ' +
    'and a.reference = q.reference and a.alternate = q.alternate';
  for await (const rows of uncalledRows(database, id)) {
    const asked = rows.map(({ contig, start, stop, mate, reference, alternate }, n) => [
      ...[n, contig, start, stop, mate ?? 0, reference, alternate],
    ]);
    const found = await database.query<StoredAlleleRow & { n: number }>(
      `select q.n, a.id, a.carriers, a.calls ${engine.lookUp(bound, 'beacon_uncalled', same)}`,
      [engine.values.json(asked) as string],
    );
    const said = new Set<string>();
    for (const row of found) {
      const named = others.get(segmentOfRow(row));
      for (const ordinal of named ? samplesIn(row) : []) said.add(`${row.n} ${named?.get(ordinal)}`);
    }
    for (const [n, row] of rows.entries()) {
      if (samplesIn(row).some((ordinal) => !said.has(`${n} ${names.get(ordinal)}`))) return true;
    }
  }
  return false;
}

export async function* uncalledRows(
  database: Database,
  segment: number,
): AsyncGenerator<(StoredAlleleRow & { span: number; trimmed: number | null })[]> {
  let [first, last] = rowRange(segment);
  for (;;) {
    const rows = await database.query<StoredAlleleRow & { span: number; trimmed: number | null }>(
      `select ${alleleSelection}, a.span, a.trimmed from beacon_uncalled a where a.id between ? and ? order by a.id limit ${portionRows}`,
      [first, last],
    );
    if (rows.length > 0) yield rows;
    if (rows.length < portionRows) return;
    first = Number(rows.at(-1)?.id) + 1;
  }
}

function samplesIn({ carriers, calls }: Pick<StoredAlleleRow, 'carriers' | 'calls'>): number[] {
  return [...decodeCarriers(carriers, calls).keys()];
}
