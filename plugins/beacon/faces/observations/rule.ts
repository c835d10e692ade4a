/** Explains which structural variants count as the one that is asked for. */

import type { Dataset } from '../../contract.js';
import { defaultWindow, isInsertion, type StructuralQuestion, windowOf } from '../../contract.js';

/** The largest window of a dataset, in bases. */
export function mostOf({ counting }: Pick<Dataset, 'counting'>): number {
  return counting?.window ?? defaultWindow;
}

const numbers = new Intl.NumberFormat('en');
const bases = (count: number) => (count === 1 ? '1 base' : `${numbers.format(count)} bases`);

/** One sentence for one question, and one that says where its window comes from. */
export function ruleOf(question: StructuralQuestion, most: number): string {
  const window = windowOf(question, most);
  const { kind, mate } = question;
  if (mate !== undefined) {
    return (
      `Counts breakends and translocations whose two ends each lie within ${bases(window)} of those asked for, written from ` +
      `either side and in any orientation. ${twice(most)}`
    );
  }
  if (kind === 'BND') {
    return `Counts breakends without a known mate within ${bases(window)} of the position asked for. ${twice(most)}`;
  }
  if (isInsertion(kind)) {
    return (
      `Counts ${kind} with a position within ${bases(window)} of the one asked for and, if both lengths are known, a length ` +
      `that differs by no more than that. ${scaled(most)}`
    );
  }
  return `Counts ${kind} whose start and end each lie within ${bases(window)} of those asked for. ${scaled(most)}`;
}

function scaled(most: number): string {
  return (
    'The window is half of the length asked for below 1,000 bases, a fifth below 10,000, else a tenth, rounded to hundreds, ' +
    `and at most ${bases(most)} in this dataset.`
  );
}

function twice(most: number): string {
  return `The window of breakends is twice the largest of this dataset, which is ${bases(most)}.`;
}
