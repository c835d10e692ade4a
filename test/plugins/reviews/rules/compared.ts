/** Findings by the names that the model has for them. */
import { alleleKey, allelesOf, type ComputedFinding } from '../../../../plugins/reviews/contract.js';

/** Of matches without the row, of which a finding says nothing that can be compared. */
export function nameOf(one: ComputedFinding): string {
  const { reason, gene } = one;
  const [first = '-', ...others] = allelesOf(one).map(alleleKey);
  const of = gene ? String(gene.hgnc) : '-';
  if (reason === 'match') return `match ${of}`;
  return `${reason === 'recurrence' && !gene ? 'common' : reason} ${of} ${[first, ...others.sort()].join(' + ')}`;
}

export function withoutRow(name: string): string {
  return name.startsWith('match ') ? name.split(' ').slice(0, 2).join(' ') : name;
}
