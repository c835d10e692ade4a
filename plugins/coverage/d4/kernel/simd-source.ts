/** What each SIMD kernel does, as a program for the assembler. */
import {
  type Code,
  Func,
  get,
  i8x16,
  i16x8,
  i32,
  i32x4,
  i64,
  lanes,
  min,
  moduleBytes,
  set,
  tee,
  v128,
  when,
} from './assembler.js';
import { allCodes, count, first, increase, memoryMap, oneCode, range, rounds, zero } from './simd-rounds.js';
import { sumKernel } from './simd-sum.js';

/** Copies of each bin of the histogram, so that equal depths in a row do not wait for each other's increment. */
export const banks = 8;

/** Greatest width that the kernels support. */
export const maxSimdWidth = 8;

/** Eight fields of so many bits each (12 at most) from address `p` on, each at the top of a 16-bit lane. */
function eightFields(f: Func, bits: number, p: number): (offset: number) => Code {
  const bytes = range(8).flatMap((k) => [(bits * k) >> 3, ((bits * k) >> 3) + 1]);
  const spread = f.kept(v128.const(bytes), memoryMap.scratch);
  const up = f.kept(lanes(range(8).map((k) => 2 ** (16 - bits - ((bits * k) % 8)))), memoryMap.scratch);
  return (offset) => i16x8.mul(i8x16.swizzle(v128.load(get(p), memoryMap.window + offset), spread), up);
}

/** Sixteen codes from address `p` on, one per byte. */
function sixteenCodes(f: Func, width: number, p: number): Code {
  if (width === 8) return v128.load(get(p), memoryMap.window);
  const fields = eightFields(f, width, p);
  const half = (offset: number): Code => i16x8.shr_u(fields(offset), i32.const(16 - width));
  return i8x16.narrow_i16x8_u(half(0), half(width));
}

/**
 * Sixteen codes from address `p` on, one per byte, in a form that compares like the codes do. Codes of up to 6 bits are not taken
 * apart: two neighbours fit into a 16-bit lane, in which the second is moved to the upper byte, and the first to the top of
 * the lower byte, where the bits below it cannot change a comparison with `threshold << shift`.
 */
function comparableCodes(f: Func, width: number, p: number): { codes: Code; shift: number; sign: number } {
  // Comparisons are signed: bytes that use all 8 bits are moved down by 128.
  if (width >= 7) return { codes: sixteenCodes(f, width, p), shift: 0, sign: width === 8 ? 0x8080 : 0 };
  const shift = 8 - width;
  return { codes: i16x8.shr_u(eightFields(f, 2 * width, p)(0), i32.const(shift)), shift, sign: 0x0080 };
}

/** Counts the codes that reach each of several thresholds. */
function countsKernel(width: number, thresholds: number): Func {
  const f = new Func(['i32', 'i32']);
  const [p, skipped, taken] = [f.local('i32'), f.local('i32'), f.local('i32')];
  const value = f.local('v128');
  const { codes, shift, sign } = comparableCodes(f, width, p);
  const signs = f.kept(lanes(range(8).map(() => sign)), memoryMap.scratch);
  const tests = range(thresholds).map(() => ({
    below: f.local('v128'),
    narrow: f.local('v128'),
    wide: f.local('v128'),
  }));
  const prepare = tests.flatMap(({ below }, k) => {
    const threshold = i32.load(i32.const(memoryMap.thresholds), 4 * k);
    const odd = i32.shl(i32.sub(threshold, i32.const(1)), i32.const(8));
    const even = i32.sub(i32.shl(threshold, i32.const(shift)), i32.const(1));
    return set(below, v128.xor(i16x8.splat(i32.or(odd, even)), signs));
  });
  const roundOf = (sixteen: Code) => [
    ...set(value, sign ? v128.xor(sixteen, signs) : sixteen),
    // A lane that reaches the threshold compares as −1.
    ...tests.flatMap((t) => set(t.narrow, i8x16.sub(get(t.narrow), i8x16.gt_s(get(value), get(t.below))))),
  ];
  const flush = tests.flatMap((t) => {
    const sixteen = i16x8.extadd_pairwise_i8x16_u(get(t.narrow));
    return [...set(t.wide, i32x4.add(get(t.wide), i32x4.extadd_pairwise_i16x8_u(sixteen))), ...set(t.narrow, zero)];
  });
  /** Lanes [from, to) of a round; the others become 0, which reaches no threshold. */
  const partOfRound = (from: Code, to: Code) => {
    const index = v128.const(range(16));
    const late = i8x16.gt_s(index, i8x16.splat(i32.sub(from, i32.const(1))));
    return roundOf(v128.and(codes, v128.and(late, i8x16.gt_s(i8x16.splat(to), index))));
  };
  const across = (vector: number): Code =>
    range(4)
      .map((lane) => i32x4.extract_lane(lane, get(vector)))
      .reduce((a, b) => i32.add(a, b));
  f.body = [
    ...prepare,
    ...set(skipped, i32.and(get(first), i32.const(7))),
    ...increase(count, get(skipped)),
    ...increase(first, i32.sub(i32.const(0), get(skipped))),
    ...when(get(skipped), [
      ...set(p, i32.mul(i32.shr_u(get(first), i32.const(3)), i32.const(width))),
      ...set(taken, min(get(count), i32.const(16))),
      ...partOfRound(get(skipped), get(taken)),
      ...increase(first, i32.const(16)),
      ...set(count, i32.sub(get(count), get(taken))),
    ]),
    ...rounds(f, width, 16, p, roundOf(codes), flush),
    ...when(get(count), partOfRound(i32.const(0), get(count))),
    ...flush,
    ...tests.flatMap((t, k) => i32.store(i32.const(memoryMap.counts), across(t.wide), 4 * k)),
  ];
  return f;
}

/** Counts how often each code occurs, in `banks` copies of every bin. */
function histogramKernel(width: number): Func {
  const f = new Func(['i32', 'i32']);
  const [p, bit, word] = [f.local('i32'), f.local('i32'), f.local('i64')];
  const at = f.local('i32');
  const shift = Math.log2(banks * 4);
  const raise = (address: Code, bank: number): Code => {
    const offset = memoryMap.bins + 4 * bank;
    return i32.store(tee(at, address), i32.add(i32.load(get(at), offset), i32.const(1)), offset);
  };
  const binMask = i32.const((2 ** width - 1) << shift);
  // Eight codes fill `width` bytes, so one 64-bit word holds them all.
  const round = [
    ...set(word, i64.load(get(p), memoryMap.window)),
    ...range(8).flatMap((k) => {
      const down = width * k - shift;
      const bits =
        down < 0
          ? i32.shl(i32.wrap_i64(get(word)), i32.const(-down))
          : i32.wrap_i64(i64.shr_u(get(word), i64.const(down)));
      return raise(i32.and(bits, binMask), k);
    }),
  ];
  const single = raise(i32.shl(oneCode(width, bit), i32.const(shift)), 0);
  f.body = allCodes(single, rounds(f, width, 8, p, round, []));
  return f;
}

/** Writes every code as one byte. It may write up to 15 bytes too many. */
function unpackKernel(width: number): Func {
  const f = new Func(['i32', 'i32']);
  const [p, bit, out] = [f.local('i32'), f.local('i32'), f.local('i32')];
  const round = [
    ...v128.store(get(out), sixteenCodes(f, width, p), memoryMap.unpacked),
    ...increase(out, i32.const(16)),
  ];
  const single = [
    // The byte after the lowest one of this store is overwritten by the next code.
    ...i32.store(get(out), oneCode(width, bit), memoryMap.unpacked),
    ...increase(out, i32.const(1)),
  ];
  f.body = allCodes(single, rounds(f, width, 16, p, round, []));
  return f;
}

/** The kernels of one width; `counts` for one number of thresholds, so that its loop has them all in registers. */
export function simdModule(width: number, thresholds: number): Uint8Array<ArrayBuffer> {
  if (thresholds > 0) return moduleBytes({ counts: countsKernel(width, thresholds) });
  return moduleBytes({ sum: sumKernel(width), histogram: histogramKernel(width), unpack: unpackKernel(width) });
}
