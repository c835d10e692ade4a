/** Chooses the dictionary that makes a file smallest. */
import { type Dictionary, dictionary, simpleRange } from '../dictionary.js';
import { maxWidth } from '../limits.js';

/** The reference implementation's cost of a run that is not in the dictionary, in bytes. */
const bytesPerRun = 4;
/** A dictionary of consecutive values is read several times faster, which is worth 1 % more space. */
const preference = 1.01;

/**
 * Chooses the dictionary by the reference implementation's rule: for each bit width, the bytes of the primary table plus a cost
 * for each run whose value is not among the most frequent ones that fit; the cheapest width wins. The reference samples the
 * runs; here all are counted, so that the choice is always the same.
 */
export function chooseDictionary(runsByValue: ReadonlyMap<number, number>, bases: number): Dictionary {
  const place = 'dictionary';
  const frequent = [...runsByValue].sort(([a, m], [b, n]) => n - m || a - b);
  const total = frequent.reduce((sum, [, runs]) => sum + runs, 0);
  let best = { cost: Number.POSITIVE_INFINITY, width: 0, low: undefined as number | undefined };
  for (let width = 0; width <= maxWidth; width++) {
    const size = 2 ** width;
    const primary = (bases * width) / 8;
    const kept = frequent.slice(0, size).reduce((sum, [, runs]) => sum + runs, 0);
    const range = bestRange(runsByValue, size);
    const listed = primary + (total - kept) * bytesPerRun;
    const ranged = primary + (total - range.runs) * bytesPerRun;
    const useRange = ranged <= listed * preference || frequent.length < size;
    const cost = useRange ? ranged : listed;
    if (cost < best.cost) best = { cost, width, low: useRange ? range.low : undefined };
    if (frequent.length <= size) break;
  }
  const size = 2 ** best.width;
  if (best.low !== undefined) return simpleRange(best.low, best.low + size, place);
  return dictionary(Int32Array.from(frequent.slice(0, size), ([value]) => value).sort(), place);
}

/** The consecutive values that hold most runs. */
function bestRange(runsByValue: ReadonlyMap<number, number>, size: number): { low: number; runs: number } {
  const values = [...runsByValue.keys()].sort((a, b) => a - b);
  let best = { low: 0, runs: 0 };
  let runs = 0;
  let first = 0;
  for (const value of values) {
    runs += runsByValue.get(value) as number;
    while ((values[first] as number) <= value - size) runs -= runsByValue.get(values[first++] as number) as number;
    if (runs > best.runs) best = { low: Math.min(values[first] as number, 2 ** 31 - size), runs };
  }
  return best;
}
