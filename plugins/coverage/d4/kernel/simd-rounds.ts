/** How SIMD kernels go through codes: round by round, and one by one at both ends. */
import { type Code, type Func, get, i32, lanes, loopWhile, min, set, tee } from './assembler.js';

/** Offsets in the kernels' memory. */
export const memoryMap = {
  thresholds: 32,
  counts: 64,
  scratch: 128,
  bins: 1024,
  unpacked: 16_384,
  window: 16_384 + 65_536 + 1024,
};

/** Rounds after which 16-bit lanes that grow by at most 510 must be emptied. */
export const roundsPerFlush = 128;

/** Parameters that all kernels begin with: the first code, and how many. */
export const first = 0;
export const count = 1;

export const zero = lanes([0, 0, 0, 0]);
export const range = (n: number) => Array.from({ length: n }, (_, i) => i);
export const increase = (local: number, by: Code): Code => set(local, i32.add(get(local), by));

/** The code at position `first`: four bytes are loaded at its byte, shifted and masked. */
export function oneCode(width: number, bit: number): Code {
  const load = i32.load(i32.shr_u(tee(bit, i32.mul(get(first), i32.const(width))), i32.const(3)), memoryMap.window);
  return i32.and(i32.shr_u(load, i32.and(get(bit), i32.const(7))), i32.const(2 ** width - 1));
}

/**
 * Goes through all codes: one by one up to the next whole byte group, then `vectors` (which leaves fewer than a step), then the
 * rest one by one.
 */
export function allCodes(single: Code, vectors: Code): Code {
  const next = [...single, ...increase(first, i32.const(1)), ...increase(count, i32.const(-1))];
  return [
    ...loopWhile(
      i32.and(i32.lt_u(i32.const(0), get(count)), i32.lt_u(i32.const(0), i32.and(get(first), i32.const(7)))),
      next,
    ),
    ...vectors,
    ...loopWhile(get(count), next),
  ];
}

/**
 * Runs `round` for every `step` codes. `p` is the address of the next codes, `flush` follows at most `most` rounds.
 */
export function rounds(
  f: Func,
  width: number,
  step: number,
  p: number,
  round: Code,
  flush: Code,
  most = roundsPerFlush,
): Code {
  const left = f.local('i32');
  const batch = f.local('i32');
  const bytes = (step * width) / 8;
  const once = [...round, ...increase(p, i32.const(bytes))];
  const four = [...once, ...once, ...once, ...once];
  const done = i32.mul(get(left), i32.const(step));
  return [
    ...set(p, i32.mul(i32.shr_u(get(first), i32.const(3)), i32.const(width))),
    ...set(left, i32.div_u(get(count), i32.const(step))),
    ...increase(first, done),
    ...set(count, i32.sub(get(count), done)),
    ...loopWhile(get(left), [
      ...set(batch, min(get(left), i32.const(most))),
      ...set(left, i32.sub(get(left), get(batch))),
      ...loopWhile(i32.ge_u(get(batch), i32.const(4)), [...four, ...increase(batch, i32.const(-4))]),
      ...loopWhile(get(batch), [...once, ...increase(batch, i32.const(-1))]),
      ...flush,
    ]),
  ];
}
