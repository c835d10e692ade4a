/** Bins of depths, as mosdepth's `--quantize` names them. */
import { D4Error } from '../d4/error.js';

export interface Quantizer {
  /** The label of each bin. */
  labels: readonly string[];
  /** The bin of a depth; −1 for depths outside all bins. */
  binOf(depth: number): number;
}

/** Parses `0:1:5:150:`: bins from each number to below the next; a colon at either end means from 0, or without end. */
export function parseQuantize(given: string, environment: NodeJS.ProcessEnv): Quantizer {
  const text = given.includes(':') ? given : `:${given}:`;
  const parts = text.split(':');
  if (parts[0] === '') parts[0] = '0';
  const open = parts.at(-1) === '';
  if (open) parts.pop();
  if (!parts.every((part) => /^\d{1,9}$/.test(part)) || parts.length + (open ? 1 : 0) < 2) {
    const message = `Bins must be whole numbers separated by colons, such as 0:1:5:150:; got ${JSON.stringify(given)}`;
    throw new D4Error('invalid', message, '--quantize');
  }
  const bounds = parts.map(Number).sort((a, b) => a - b);
  const ends = [...bounds.slice(1), ...(open ? [Number.POSITIVE_INFINITY] : [])];
  const labels = ends.map((end, i) => {
    const own = environment[`MOSDEPTH_Q${i}`];
    return own || `${bounds[i]}:${end === Number.POSITIVE_INFINITY ? 'inf' : end}`;
  });
  return {
    labels,
    binOf(depth) {
      const bin = bounds.findLastIndex((bound) => bound <= depth);
      return bin < labels.length ? bin : -1;
    },
  };
}
