/** The changes of a protected dataset that wait for its next publication, for operators. */
import { counted } from '../../../core/commands.js';

/** What waits for the next publication of a dataset. */
export interface WaitingChanges {
  /** Loaded samples that are not published. */
  added: number;
  /** Published samples that are to be deleted. */
  leaving: number;
  /** Other published samples whose calls are to be replaced; omitted if there are none. */
  replaced?: number;
  /** Whether a publication was interrupted that has changed the dataset already. */
  unfinished?: true;
  /** How many changes are published together. */
  batch: number;
}

/** How many changes wait. */
export function changesIn({ added, leaving, replaced = 0 }: WaitingChanges): number {
  return added + leaving + replaced;
}

/** Whether enough waits to be published, or a publication is to be finished. */
export function isDue(waits: WaitingChanges | undefined): boolean {
  return waits !== undefined && (changesIn(waits) >= waits.batch || waits.unfinished === true);
}

/** What waits, in a sentence for operators. */
export function waitingText(waits: WaitingChanges): string {
  const { added, leaving, replaced = 0, batch, unfinished } = waits;
  if (unfinished) return 'Protected dataset: a publication was interrupted, and is to be finished';
  const changes = [
    ...(added > 0 ? [counted(added, 'new sample')] : []),
    ...(leaving > 0 ? [counted(leaving, 'deletion')] : []),
    ...(replaced > 0 ? [counted(replaced, 'replacement')] : []),
  ];
  if (changes.length === 0) return 'Protected dataset: everything is published';
  const more = batch - changesIn(waits);
  const verb = changesIn(waits) === 1 ? 'waits' : 'wait';
  return `Protected dataset: ${changes.join(' and ')} ${verb} for ${counted(more, 'more change')} to be published`;
}

/** The same in the result of a job. */
export function waitingJson({ added, leaving, replaced, batch }: WaitingChanges) {
  return { added, deletions: leaving, ...(replaced !== undefined && { replacements: replaced }), publishedAt: batch };
}
