/** Merges rows of a transcript, or of one of its exons, that occur more than once. */
import { Fault } from '../../../core/storage.js';
import type { Chromosome, Exon } from '../../../plugins/coverage/contract.js';
import type { Database } from '../binding.js';
import {
  chromosomeOf,
  type ExonsRow,
  exonsOf,
  exonsText,
  joinedReferences,
  referencesOf,
  referencesText,
  type TranscriptRow,
  tables,
} from './layout.js';

/** Repeats merged in one transaction. */
const portion = 500;

/** The staged set whose rows are merged. */
interface Staged {
  readonly id: number;
  removed(chromosome: Chromosome, rows: number): void;
}

/** Keeps each transcript once, with all its cross-references. */
export async function joinTranscripts(database: Database, staged: Staged): Promise<void> {
  const repeats = await database.run(({ read }) =>
    read(tables.transcripts)
      .select('ensembl', 'chromosome')
      .where({ set_id: staged.id })
      .groupBy('ensembl', 'chromosome')
      .havingRaw('count(*) > 1'),
  );
  for (let i = 0; i < repeats.length; i += portion) {
    await database.transaction(async ({ write }) => {
      for (const { ensembl, chromosome } of repeats.slice(i, i + portion)) {
        const rows: TranscriptRow[] = await write(tables.transcripts)
          .where({ set_id: staged.id, ensembl, chromosome })
          .orderBy('id');
        const [first, ...others] = rows as [TranscriptRow, ...TranscriptRow[]];
        let references = referencesOf(first.cross_references);
        for (const row of others) {
          if (['start', 'stop', 'strand', 'gene'].some((column) => differs(row, first, column))) {
            throw contradiction(`Transcript ${ensembl}`);
          }
          references = joinedReferences(references, referencesOf(row.cross_references));
        }
        await write(tables.transcripts)
          .where({ id: first.id })
          .update({
            cross_references: referencesText(references),
            mane_select: Math.max(...rows.map((row) => row.mane_select)),
            mane_plus: Math.max(...rows.map((row) => row.mane_plus)),
          });
        await write(tables.transcripts)
          .whereIn(
            'id',
            others.map(({ id }) => id),
          )
          .delete();
        staged.removed(chromosomeOf(chromosome), others.length);
      }
    });
  }
}

const exonsKey = ['gene', 'transcript', 'chromosome'] as const;

/** Keeps the exons of each transcript in one row, each exon once. */
export async function joinExons(database: Database, staged: Staged): Promise<void> {
  const repeats: Pick<ExonsRow, (typeof exonsKey)[number]>[] = await database.run(({ read }) =>
    read(tables.exons).select(exonsKey).where({ set_id: staged.id }).groupBy(exonsKey).havingRaw('count(*) > 1'),
  );
  for (let i = 0; i < repeats.length; i += portion) {
    await database.transaction(async ({ write }) => {
      for (const key of repeats.slice(i, i + portion)) {
        const rows: ExonsRow[] = await write(tables.exons)
          .where({ set_id: staged.id, ...key })
          .orderBy('id');
        const [first, ...others] = rows as [ExonsRow, ...ExonsRow[]];
        const all = rows.flatMap(exonsOf);
        const once = withoutRepeats(all);
        await write(tables.exons)
          .where({ id: first.id })
          .update({ exons: exonsText(once) });
        await write(tables.exons)
          .whereIn(
            'id',
            others.map(({ id }) => id),
          )
          .delete();
        staged.removed(chromosomeOf(key.chromosome), all.length - once.length);
      }
    });
  }
}

export function isSameTranscript(left: Exon, right: Exon): boolean {
  return left.transcript === right.transcript && left.gene === right.gene && left.chromosome === right.chromosome;
}

/** Exons of one transcript, each once. Throws an `unprocessable` fault if two of one rank differ. */
export function withoutRepeats(exons: readonly Exon[]): Exon[] {
  const byRank = new Map<number, Exon>();
  for (const exon of exons) {
    const known = byRank.get(exon.rank);
    if (known && exonsText([known]) !== exonsText([exon])) {
      throw contradiction(`Exon ${exon.rank} of transcript ${exon.transcript}`);
    }
    if (!known) byRank.set(exon.rank, exon);
  }
  return byRank.size === exons.length ? [...exons] : [...byRank.values()];
}

function differs(left: object, right: object, column: string): boolean {
  return (left as Record<string, unknown>)[column] !== (right as Record<string, unknown>)[column];
}

function contradiction(what: string): Fault {
  return new Fault('unprocessable', `${what} occurs more than once with different content`);
}
