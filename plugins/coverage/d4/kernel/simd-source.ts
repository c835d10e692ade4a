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

/** Offsets in the kernels' memory. */
export const memoryMap = {
  thresholds: 32,
  counts: 64,
  scratch: 128,
  bins: 1024,
  unpacked: 16_384,
  window: 16_384 + 65_536 + 1024,
};

/** Copies of each bin of the histogram, so that equal depths in a row do not wait for each other's increment. */
export const banks = 8;

/** Greatest width that the kernels support. */
export const maxSimdWidth = 8;

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
 * Runs `round` for every `step` codes. `p` is the address of the next codes, `flush` follows at most 128 rounds.
 */
function rounds(f: Func, width: number, step: number, p: number, round: Code, flush: Code): Code {
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
      ...set(batch, min(get(left), i32.const(roundsPerFlush))),
      ...set(left, i32.sub(get(left), get(batch))),
      ...loopWhile(i32.ge_u(get(batch), i32.const(4)), [...four, ...increase(batch, i32.const(-4))]),
      ...loopWhile(get(batch), [...once, ...increase(batch, i32.const(-1))]),
      ...flush,
    ]),
  ];
}

interface Field {
  mask: number;
  /** What a bit of this field adds to the sum, per value of the byte, times 2^7. */
  weight: number;
}

/** The pieces of codes in byte `phase` of a group of 8 codes. */
function fields(width: number, phase: number): Field[] {
  const found: Field[] = [];
  for (let low = 0; low < 8; ) {
    const place = (8 * phase + low) % width;
    const high = Math.min(8, low + width - place);
    found.push({ mask: 2 ** high - 2 ** low, weight: 2 ** (7 + place - low) });
    low = high;
  }
  return found;
}

/**
 * Sums codes without taking them apart: a byte's bits have fixed weights that depend only on its place among the `width` bytes of 8 codes.
 * So bytes of equal place are put side by side and added up, once whole and once for each further piece of a code in them;
 * the weights come in at the very end.
 */
function sumKernel(width: number): Func {
  const f = new Func(['i32', 'i32'], 'f64');
  const [p, bit] = [f.local('i32'), f.local('i32')];
  const [total, value] = [f.local('i64'), f.local('v128')];
  // Whole groups per vector, an even number so that neighbours share their place; a byte's 8 bits are one group of width 1, 2, 4, 8.
  const period = 16 % width === 0 ? 1 : width;
  const used = period === 1 ? 16 : Math.floor(16 / (2 * period)) * 2 * period;
  const perPlace = used / period;
  const place = (lane: number) => Math.floor(lane / perPlace);
  const order = range(16).map((lane) => (lane < used ? (lane % perPlace) * period + place(lane) : 0));
  const places = period === 1 ? [] : f.kept(v128.const(order), memoryMap.scratch);
  const pieces = width === 1 ? [[{ mask: 255, weight: 128 }]] : range(period).map((phase) => fields(width, phase));
  const most = Math.max(...pieces.map((piece) => piece.length));

  const sums = range(most).map((k) => {
    const piece = (lane: number) => (lane < used ? pieces[place(lane)]?.[k] : undefined);
    const base = (lane: number) => (lane < used ? (pieces[place(lane)]?.[0]?.weight ?? 0) : 0);
    // The sum of whole bytes stands for the first piece; what the other pieces weigh more or less is corrected by theirs.
    const weight = (lane: number) => (k === 0 ? base(lane) : (piece(lane)?.weight ?? base(lane)) - base(lane));
    return {
      mask: k === 0 ? [] : f.kept(lanes(range(16).map((lane) => piece(lane)?.mask ?? 0)), memoryMap.scratch),
      lane: range(8).map((lane) => weight(2 * lane)),
      narrow: f.local('v128'),
      low: f.local('v128'),
      high: f.local('v128'),
    };
  });

  const loaded = v128.load(get(p), memoryMap.window);
  const arranged = width === 1 ? i8x16.popcnt(loaded) : loaded;
  const round = [
    ...set(value, arranged),
    ...(period === 1 ? [] : set(value, i8x16.swizzle(get(value), places))),
    ...sums.flatMap(({ mask, narrow }, k) => {
      const part = k === 0 ? get(value) : v128.and(get(value), mask);
      return set(narrow, i16x8.add(get(narrow), i16x8.extadd_pairwise_i8x16_u(part)));
    }),
  ];
  const flush = sums.flatMap(({ narrow, low, high }) => [
    ...set(low, i32x4.add(get(low), i32x4.extend_low_i16x8_u(get(narrow)))),
    ...set(high, i32x4.add(get(high), i32x4.extend_high_i16x8_u(get(narrow)))),
    ...set(narrow, zero),
  ]);
  const weighted = sums.flatMap(({ low, high, lane }) => [
    ...set(value, i64x2.add(get(value), i64x2.extmul_low_i32x4_s(get(low), lanes(lane.slice(0, 4))))),
    ...set(value, i64x2.add(get(value), i64x2.extmul_high_i32x4_s(get(low), lanes(lane.slice(0, 4))))),
    ...set(value, i64x2.add(get(value), i64x2.extmul_low_i32x4_s(get(high), lanes(lane.slice(4))))),
    ...set(value, i64x2.add(get(value), i64x2.extmul_high_i32x4_s(get(high), lanes(lane.slice(4))))),
  ]);
  const both = i64.add(i64x2.extract_lane(0, get(value)), i64x2.extract_lane(1, get(value)));
  const vectors = [
    ...rounds(f, width, (used * 8) / width, p, round, flush),
    ...set(value, zero),
    ...weighted,
    ...set(total, i64.add(get(total), i64.shr_s(both, i64.const(7)))),
  ];
  const single = set(total, i64.add(get(total), i64.extend_i32_u(oneCode(width, bit))));
  f.body = [...allCodes(single, vectors), ...f64.convert_i64_u(get(total))];
  return f;
}

/** Sixteen codes from address `p` on, one per byte: each half is spread to 16-bit lanes and shifted into place there. */
function sixteenCodes(f: Func, width: number, p: number): Code {
  if (width === 8) return v128.load(get(p), memoryMap.window);
  const bytes = range(8).flatMap((k) => [Math.floor((width * k) / 8), Math.floor((width * k) / 8) + 1]);
  const spread = f.kept(v128.const(bytes), memoryMap.scratch);
  const up = f.kept(lanes(range(8).map((k) => 2 ** (16 - width - ((width * k) % 8)))), memoryMap.scratch);
  const half = (offset: number): Code => {
    const codes = i8x16.swizzle(v128.load(get(p), memoryMap.window + offset), spread);
    return i16x8.shr_u(i16x8.mul(codes, up), i32.const(16 - width));
  };
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
  const bit = (k: number) => 2 * width * k;
  const bytes = range(8).flatMap((k) => [bit(k) >> 3, (bit(k) >> 3) + 1]);
  const spread = f.kept(v128.const(bytes), memoryMap.scratch);
  const up = f.kept(lanes(range(8).map((k) => 2 ** (16 - 2 * width - (bit(k) % 8)))), memoryMap.scratch);
  const pairs = i16x8.mul(i8x16.swizzle(v128.load(get(p), memoryMap.window), spread), up);
  return { codes: i16x8.shr_u(pairs, i32.const(8 - width)), shift: 8 - width, sign: 0x0080 };
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
