/**
 * A WebAssembly assembler just large enough for the kernels. Expressions are byte sequences built by functions that are named
 * after the instructions they emit, so a kernel reads like its text format: `i32.add(get(p), i32.const(16))`.
 */
export type Code = readonly number[];
export type ValueType = 'i32' | 'i64' | 'f64' | 'v128';

const typeBytes: Record<ValueType, number> = { i32: 0x7f, i64: 0x7e, f64: 0x7c, v128: 0x7b };

function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    const byte = rest & 0x7f;
    rest >>>= 7;
    bytes.push(rest === 0 ? byte : byte | 0x80);
  } while (rest !== 0);
  return bytes;
}

function signed(value: number): number[] {
  const bytes: number[] = [];
  let rest = value | 0;
  for (;;) {
    const byte = rest & 0x7f;
    rest >>= 7;
    const done = (rest === 0 && !(byte & 0x40)) || (rest === -1 && (byte & 0x40) !== 0);
    bytes.push(done ? byte : byte | 0x80);
    if (done) return bytes;
  }
}

const binary =
  (...op: number[]) =>
  (a: Code, b: Code): Code => [...a, ...b, ...op];
const unary =
  (...op: number[]) =>
  (a: Code): Code => [...a, ...op];
/** SIMD instructions are a prefix and a number. */
const simd = (op: number) => [0xfd, ...unsigned(op)];
const load =
  (op: number[]) =>
  (address: Code, offset = 0): Code => [...address, ...op, 0, ...unsigned(offset)];
const store =
  (op: number[]) =>
  (address: Code, value: Code, offset = 0): Code => [...address, ...value, ...op, 0, ...unsigned(offset)];

export const get = (local: number): Code => [0x20, ...unsigned(local)];
export const set = (local: number, value: Code): Code => [...value, 0x21, ...unsigned(local)];
export const tee = (local: number, value: Code): Code => [...value, 0x22, ...unsigned(local)];

export const i32 = {
  const: (value: number): Code => [0x41, ...signed(value)],
  load: load([0x28]),
  store: store([0x36]),
  eqz: unary(0x45),
  lt_u: binary(0x49),
  ge_u: binary(0x4f),
  add: binary(0x6a),
  sub: binary(0x6b),
  mul: binary(0x6c),
  div_u: binary(0x6e),
  and: binary(0x71),
  or: binary(0x72),
  shl: binary(0x74),
  shr_u: binary(0x76),
  wrap_i64: unary(0xa7),
};

export const i64 = {
  const: (value: number): Code => [0x42, ...signed(value)],
  load: load([0x29]),
  add: binary(0x7c),
  shr_u: binary(0x88),
  extend_i32_u: unary(0xad),
};

export const f64 = { convert_i64_u: unary(0xba) };

export const v128 = {
  load: load(simd(0)),
  store: store(simd(11)),
  const: (bytes: readonly number[]): Code => [...simd(12), ...bytes],
  and: binary(...simd(78)),
  xor: binary(...simd(81)),
};

const extract =
  (op: number) =>
  (lane: number, a: Code): Code => [...a, ...simd(op), lane];

export const i8x16 = {
  swizzle: binary(...simd(14)),
  splat: unary(...simd(15)),
  gt_s: binary(...simd(39)),
  popcnt: unary(...simd(98)),
  narrow_i16x8_u: binary(...simd(102)),
  sub: binary(...simd(113)),
};

export const i16x8 = {
  splat: unary(...simd(16)),
  extadd_pairwise_i8x16_u: unary(...simd(125)),
  shr_u: binary(...simd(141)),
  add: binary(...simd(142)),
  mul: binary(...simd(149)),
};

export const i32x4 = {
  extract_lane: extract(27),
  extadd_pairwise_i16x8_u: unary(...simd(127)),
  shr_u: binary(...simd(173)),
  add: binary(...simd(174)),
  sub: binary(...simd(177)),
};

export const i64x2 = {
  extract_lane: extract(29),
  extend_low_i32x4_u: unary(...simd(201)),
  extend_high_i32x4_u: unary(...simd(202)),
  shr_u: binary(...simd(205)),
  add: binary(...simd(206)),
  sub: binary(...simd(209)),
};

/** A v128 constant from lanes of a whole number of bytes each, little-endian. */
export function lanes(values: readonly number[]): Code {
  const width = 16 / values.length;
  return v128.const(values.flatMap((value) => Array.from({ length: width }, (_, b) => (value >> (8 * b)) & 0xff)));
}

/** Repeats the body while the condition holds; it is tested before each round. */
export function loopWhile(condition: Code, body: Code): Code {
  return [0x02, 0x40, 0x03, 0x40, ...i32.eqz(condition), 0x0d, 1, ...body, 0x0c, 0, 0x0b, 0x0b];
}

/** Runs the body if the condition holds. */
export function when(condition: Code, body: Code): Code {
  return [...condition, 0x04, 0x40, ...body, 0x0b];
}

/** The smaller of two unsigned values. */
export function min(a: Code, b: Code): Code {
  return [...a, ...b, ...i32.lt_u(a, b), 0x1b];
}

/** A function under construction: declare its locals, then give its body. */
export class Func {
  readonly #parameters: readonly ValueType[];
  readonly #result: ValueType | undefined;
  readonly #locals: ValueType[] = [];
  #prologue: Code = [];
  body: Code = [];

  constructor(parameters: readonly ValueType[], result?: ValueType) {
    this.#parameters = parameters;
    this.#result = result;
  }

  local(type: ValueType): number {
    this.#locals.push(type);
    return this.#parameters.length + this.#locals.length - 1;
  }

  /**
   * A vector that stays in a register. Compilers build a constant anew in every round of a loop, in several instructions;
   * one that has been through memory (16 bytes at `scratch`) they must keep. Measured: a fifth to two fifths of a kernel.
   */
  kept(value: Code, scratch: number): Code {
    const local = this.local('v128');
    const at = i32.const(scratch);
    this.#prologue = [...this.#prologue, ...v128.store(at, value), ...set(local, v128.load(at))];
    return get(local);
  }

  type(): number[] {
    const parameters = this.#parameters.map((type) => typeBytes[type]);
    const results = this.#result ? [typeBytes[this.#result]] : [];
    return [0x60, ...vector(parameters.map((p) => [p])), ...vector(results.map((r) => [r]))];
  }

  code(): number[] {
    const bytes = [...vector(this.#locals.map((type) => [1, typeBytes[type]])), ...this.#prologue, ...this.body, 0x0b];
    return [...unsigned(bytes.length), ...bytes];
  }
}

function vector(items: readonly (readonly number[])[]): number[] {
  return [...unsigned(items.length), ...items.flat()];
}

function section(id: number, bytes: readonly number[]): number[] {
  return [id, ...unsigned(bytes.length), ...bytes];
}

function name(text: string): number[] {
  const bytes = [...new TextEncoder().encode(text)];
  return [...unsigned(bytes.length), ...bytes];
}

/** A module that imports `env.memory` and exports the functions. */
export function moduleBytes(functions: Readonly<Record<string, Func>>): Uint8Array<ArrayBuffer> {
  const entries = Object.entries(functions);
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, vector(entries.map(([, f]) => f.type()))),
    ...section(2, vector([[...name('env'), ...name('memory'), 0x02, 0x00, ...unsigned(1)]])),
    ...section(3, vector(entries.map((_, i) => unsigned(i)))),
    ...section(7, vector(entries.map(([key], i) => [...name(key), 0x00, ...unsigned(i)]))),
    ...section(10, vector(entries.map(([, f]) => f.code()))),
  ]);
}
