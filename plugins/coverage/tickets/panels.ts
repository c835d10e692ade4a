/** The gene panels of a ticket: those that the program that made it may use, and named. */
import type { PanelsService } from '../../services/panels.js';
import type { Admission } from './tickets.js';

/**
 * Whether the holder may use the panel that a request names. A version that is named in the ticket is as it was named; a panel
 * without a version stands for those that people signed, never for a draft.
 */
export async function admitsPanel(
  { panels = [] }: Pick<Admission, 'panels'>,
  reference: string,
  service: Pick<PanelsService, 'versionOf'> | undefined,
): Promise<boolean> {
  if (panels.includes(reference)) return true;
  if (!panels.includes(reference.split('@', 1)[0] ?? '')) return false;
  const version = await service?.versionOf(reference, 'operator');
  return version?.state === 'signed off' || version?.state === 'retired';
}
