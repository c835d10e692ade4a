/** Disorders in their various spellings as numbers. */

const vocabularies: Readonly<Record<string, number>> = { MIM: 1, OMIM: 1, ORPHANET: 2, ORPHA: 2, MONDO: 3 };

/**
 * One number for all spellings of a disorder's id: `MIM:` and `OMIM:`, `Orphanet:` and `ORPHA:`, in any case and with or
 * without leading zeros. Undefined for ids of other vocabularies.
 */
export function disorderKey(id: string): number | undefined {
  const [, name = '', digits = ''] = /^([a-z]+):(\d{1,9})$/i.exec(id.trim()) ?? [];
  const vocabulary = vocabularies[name.toUpperCase()];
  return vocabulary === undefined ? undefined : vocabulary * 2 ** 31 + Number(digits);
}
