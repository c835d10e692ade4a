/** The dictionary of a track: which depth each code of the primary table stands for. */
import { D4Error } from './error.js';
import { maxWidth } from './limits.js';

/** The value of each code of the primary table. */
export interface Dictionary {
  /** Bits per code, 0 to 16. */
  readonly width: number;
  /** 2^width − 1: as a code it means the value of a secondary record, or its own value if there is no record. */
  readonly mask: number;
  /** Value of each code, 2^width of them. */
  readonly values: Int32Array;
  /** The first value, if the values ascend from it by one (SimpleRange, or an equivalent dictionary). */
  readonly low: number | undefined;
  /** The value of a position whose code is the mask and that no record covers. */
  readonly fallback: number;
}

/** Builds a dictionary from its values; their number must be a power of two, at most 65,536. */
export function dictionary(values: Int32Array, place: string): Dictionary {
  const width = Math.log2(values.length);
  if (!Number.isInteger(width) || width > maxWidth) {
    throw new D4Error(
      'broken',
      `A dictionary of ${values.length} values has no whole bit width up to ${maxWidth}`,
      place,
    );
  }
  const low = values[0] as number;
  const ascending = values.every((value, code) => value === low + code);
  return {
    width,
    mask: values.length - 1,
    values,
    low: ascending ? low : undefined,
    fallback: values[values.length - 1] as number,
  };
}

/** The dictionary low, low + 1, … high − 1. */
export function simpleRange(low: number, high: number, place: string): Dictionary {
  const count = high - low;
  if (!isInt32(low) || !isInt32(high - 1) || count < 1 || count > 2 ** maxWidth) {
    throw new D4Error('broken', `A dictionary from ${low} to ${high} is not possible`, place);
  }
  return dictionary(
    Int32Array.from({ length: count }, (_, code) => low + code),
    place,
  );
}

/** Reads the `dictionary` member of a track's header. */
export function parseDictionary(json: unknown, place: string): Dictionary {
  if (typeof json === 'object' && json !== null) {
    const { SimpleRange, Dictionary: listed } = json as { SimpleRange?: unknown; Dictionary?: unknown };
    if (typeof SimpleRange === 'object' && SimpleRange !== null) {
      const { low, high } = SimpleRange as { low?: unknown; high?: unknown };
      if (typeof low === 'number' && typeof high === 'number') return simpleRange(low, high, place);
    }
    if (typeof listed === 'object' && listed !== null) {
      const { i2v_map: values } = listed as { i2v_map?: unknown };
      if (Array.isArray(values) && values.length <= 2 ** maxWidth && values.every(isInt32)) {
        return dictionary(Int32Array.from(values), place);
      }
    }
  }
  throw new D4Error('broken', 'The dictionary is neither a SimpleRange nor a Dictionary', place);
}

/** The header's form of a dictionary. */
export function dictionaryJson(dictionary: Dictionary): object {
  const { low, values } = dictionary;
  if (low !== undefined) return { SimpleRange: { low, high: low + values.length } };
  return { Dictionary: { i2v_map: [...values] } };
}

export function isInt32(value: unknown): value is number {
  return typeof value === 'number' && (value | 0) === value;
}
