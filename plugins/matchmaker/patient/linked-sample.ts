/** The registered sample of a stored patient. */
import { isSample } from './extensions.js';
import type { Patient } from './patient.js';

export const sampleRules = ['stated', 'same-id', 'scout-id'] as const;
export type SampleRule = (typeof sampleRules)[number];

/** What the patient states as `_sample`, also if it is not valid; else what follows from its id by the rule. */
export function sampleOf({ id, _sample: stated }: Patient, rule: SampleRule): string | undefined {
  if (stated !== undefined) return isSample(stated) ? stated : undefined;
  if (rule === 'same-id') return isSample(id) ? id : undefined;
  const [, last] = /\.([^.]+)$/.exec(id) ?? [];
  return rule === 'scout-id' && isSample(last) ? last : undefined;
}
