/** The event `coverage/intervals-replaced@1`: a gene table was replaced. Other plugins listen to it by `context.on`. */
import type { Announcing } from '../../core/plugin.js';
import type { Build, SetKind } from './contract.js';

export interface IntervalsReplaced {
  /** The sets that are new; `build` is omitted for names of genes, which hold for every build. */
  readonly sets: readonly { readonly kind: SetKind; readonly build?: Build }[];
}

/** Announces sets that are in place now; nothing if there are none. */
export async function announceReplaced(
  { announce }: Pick<Announcing, 'announce'>,
  sets: IntervalsReplaced['sets'],
): Promise<void> {
  if (sets.length === 0) return;
  const event: IntervalsReplaced = { sets: sets.map(({ kind, build }) => (build ? { kind, build } : { kind })) };
  await announce('coverage/intervals-replaced@1', event);
}
