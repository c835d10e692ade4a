/** What a command has changed, as text. */
import { counted } from '../../../core/commands.js';
import type { Change } from '../contract.js';

/** `1 allele, 2 calls, 0 samples`. */
export function inWords({ alleles, calls, samples }: Change): string {
  return [counted(alleles, 'allele'), counted(calls, 'call'), counted(samples, 'sample')].join(', ');
}
