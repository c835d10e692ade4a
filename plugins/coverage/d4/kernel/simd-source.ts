/** What each SIMD kernel does, as a program for the assembler. */
import {
  type Code,
  Func,
  f64,
  get,
  i8x16,
  i16x8,
  i32,
  i32x4,
  i64,
  i64x2,
  lanes,
  loopWhile,
  min,
  moduleBytes,
  set,
  tee,
  v128,
  when,
} from './assembler.js';

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

/** The kernels by name; `counts` is for one number of thresholds, so that its loop has them all in registers. */
const sources = { sum: sumKernel, histogram: histogramKernel, unpack: unpackKernel, counts: countsKernel };

export type SimdKernelName = keyof typeof sources;

/** A module of one kernel for one width: to compile one takes milliseconds, and a command needs one or two of them. */
export function simdModule(name: SimdKernelName, width: number, thresholds: number): Uint8Array<ArrayBuffer> {
  return moduleBytes({ [name]: sources[name](width, thresholds) });
}

// The SIMD kernel that sums codes, as a program for the assembler.

/** Sums codes, of which the vectors put a part of the sum into each 64-bit lane of `value`. */
function sumKernel(width: number): Func {
  const f = new Func(['i32', 'i32'], 'f64');
  const [p, bit] = [f.local('i32'), f.local('i32')];
  const [total, value] = [f.local('i64'), f.local('v128')];
  const vectors = [
    ...(8 % width === 0 ? sumInBytes(f, width, p, value) : sumInLanes(f, width, p, value)),
    ...set(total, i64.add(get(total), i64x2.extract_lane(0, get(value)))),
    ...set(total, i64.add(get(total), i64x2.extract_lane(1, get(value)))),
  ];
  const single = set(total, i64.add(get(total), i64.extend_i32_u(oneCode(width, bit))));
  f.body = [...allCodes(single, vectors), ...f64.convert_i64_u(get(total))];
  return f;
}

/**
 * Sums codes that do not cross bytes: bytes are added up whole, and the codes at each place but the highest once more by
 * themselves, which leaves those at the highest when they are subtracted. Sums are shifted down at the very end.
 */
function sumInBytes(f: Func, width: number, p: number, value: number): Code {
  const loaded = f.local('v128');
  // The ones of a byte are counted by an instruction of its own.
  const highest = width === 1 ? 0 : 8 - width;
  const sumOf = (low: number) => ({ low, narrow: f.local('v128'), wide: f.local('v128') });
  const whole = sumOf(highest);
  const lower = range(highest / width).map((k) => ({
    ...sumOf(k * width),
    mask: f.kept(lanes(range(16).map(() => (2 ** width - 1) << (k * width))), memoryMap.scratch),
  }));
  const addBytes = (narrow: number, bytes: Code) =>
    set(narrow, i16x8.add(get(narrow), i16x8.extadd_pairwise_i8x16_u(bytes)));
  const bytes = v128.load(get(p), memoryMap.window);
  const round = [
    ...set(loaded, width === 1 ? i8x16.popcnt(bytes) : bytes),
    ...addBytes(whole.narrow, get(loaded)),
    ...lower.flatMap(({ mask, narrow }) => addBytes(narrow, v128.and(get(loaded), mask))),
  ];
  const flush = [whole, ...lower].flatMap(({ narrow, wide }) => [
    ...set(wide, i32x4.add(get(wide), i32x4.extadd_pairwise_i16x8_u(get(narrow)))),
    ...set(narrow, zero),
  ]);
  return [
    ...rounds(f, width, 128 / width, p, round, flush),
    ...lower.flatMap(({ wide }) => set(whole.wide, i32x4.sub(get(whole.wide), get(wide)))),
    ...[whole, ...lower].flatMap(({ low, wide }) => [
      ...set(wide, i32x4.shr_u(get(wide), i32.const(low))),
      ...set(value, i64x2.add(get(value), i64x2.extend_low_i32x4_u(get(wide)))),
      ...set(value, i64x2.add(get(value), i64x2.extend_high_i32x4_u(get(wide)))),
    ]),
  ];
}

/**
 * Sums codes in 64-bit lanes of whole groups of eight, without taking them apart: every second code is added up in a field of
 * twice its width, and the lanes are added up whole, which leaves the others when the first are subtracted.
 */
function sumInLanes(f: Func, width: number, p: number, value: number): Code {
  const groups = width === 3 ? 2 : 1;
  const bytes = groups * width;
  const [loaded, all, even] = [f.local('v128'), f.local('v128'), f.local('v128')];
  const isEven = (bit: number) => bit < 8 * bytes && Math.floor(bit / width) % 2 === 0;
  const evenBits = range(16).map((byte) =>
    range(8).reduce((mask, bit) => mask + (isEven((byte % 8) * 8 + bit) ? 2 ** bit : 0), 0),
  );
  // An index of 16 or more makes a byte 0.
  const spread = range(16).map((byte) => (byte % 8 < bytes ? Math.floor(byte / 8) * bytes + (byte % 8) : 16));
  const [order, mask] = [
    f.kept(v128.const(spread), memoryMap.scratch),
    f.kept(v128.const(evenBits), memoryMap.scratch),
  ];
  const field = f.kept(v128.const(range(16).map((byte) => fieldByte(byte % 8))), memoryMap.scratch);
  const round = [
    ...set(loaded, i8x16.swizzle(v128.load(get(p), memoryMap.window), order)),
    ...set(all, i64x2.add(get(all), get(loaded))),
    ...set(even, i64x2.add(get(even), v128.and(get(loaded), mask))),
  ];
  const fieldsOf = (vector: number, low: number): Code =>
    range(4 * groups).flatMap((k) => {
      const shifted = i64x2.shr_u(get(vector), i32.const(low + 2 * width * k));
      return set(value, i64x2.add(get(value), v128.and(shifted, field)));
    });
  const flush = [
    ...set(all, i64x2.sub(get(all), get(even))),
    ...fieldsOf(even, 0),
    ...fieldsOf(all, width),
    ...set(all, zero),
    ...set(even, zero),
  ];
  // So many codes add up to less than a field holds.
  return rounds(f, width, 16 * groups, p, round, flush, Math.min(roundsPerFlush, 2 ** width));

  /** Byte `byte` of a lane whose lowest bits, twice a code's, are set. */
  function fieldByte(byte: number): number {
    return 2 ** Math.max(0, Math.min(8, 2 * width - 8 * byte)) - 1;
  }
}

// How SIMD kernels go through codes: round by round, and one by one at both ends.

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
const roundsPerFlush = 128;

/** Parameters that all kernels begin with: the first code, and how many. */
const first = 0;
const count = 1;

const zero = lanes([0, 0, 0, 0]);
const range = (n: number) => Array.from({ length: n }, (_, i) => i);
const increase = (local: number, by: Code): Code => set(local, i32.add(get(local), by));

/** The code at position `first`: four bytes are loaded at its byte, shifted and masked. */
function oneCode(width: number, bit: number): Code {
  const load = i32.load(i32.shr_u(tee(bit, i32.mul(get(first), i32.const(width))), i32.const(3)), memoryMap.window);
  return i32.and(i32.shr_u(load, i32.and(get(bit), i32.const(7))), i32.const(2 ** width - 1));
}

/**
 * Goes through all codes: one by one up to the next whole byte group, then `vectors` (which leaves fewer than a step), then the
 * rest one by one.
 */
function allCodes(single: Code, vectors: Code): Code {
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
function rounds(
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
