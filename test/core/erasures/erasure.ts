/** Erasures for tests of the core's own erasers. */
import type { Erasure } from '../../../core/erasures/erasure.js';

/** Of all data of a person of this institution, unless stated otherwise. */
export function erasureOf(id: string, more: Partial<Erasure> = {}): Erasure {
  return { id, holder: 'own', scope: 'all', ...more };
}

/** A day of March 2026. */
export function day(n: number): Date {
  return new Date(Date.UTC(2026, 2, n));
}
