/** The SIMD kernel that sums codes, as a program for the assembler. */
import { type Code, Func, f64, get, i8x16, i16x8, i32, i32x4, i64, i64x2, lanes, set, v128 } from './assembler.js';
import { allCodes, memoryMap, oneCode, range, rounds, roundsPerFlush, zero } from './simd-rounds.js';

/** Sums codes, of which the vectors put a part of the sum into each 64-bit lane of `value`. */
export function sumKernel(width: number): Func {
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
