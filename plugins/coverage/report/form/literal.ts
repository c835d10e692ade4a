/**
 * Parses a literal of Python (the output of `str()` for lists, dicts, strings, numbers and constants) or of JSON, which is
 * nearly a subset. Python programs send forms with such text: `[{'name': 'O\'Neill', 'sex': None}]`.
 * Source: The Python Language Reference, 2.4 Literals and 6.2 Atoms; RFC 8259.
 */

/** Why a text is not a literal, and at which character (from 1). */
export class LiteralError extends Error {
  readonly position: number;

  constructor(message: string, index: number) {
    super(message);
    this.name = 'LiteralError';
    this.position = index + 1;
  }
}

const deepest = 32;
const constants: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['True', true],
  ['False', false],
  ['None', null],
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Lists and tuples become arrays, dicts plain objects without prototype. Throws LiteralError. */
export function parseLiteral(text: string): unknown {
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): unknown {
    if (depth === deepest) throw this.#error('is nested too deeply');
    const next = this.#peek();
    if (next === '[') return this.#sequence(']', depth);
    if (next === '(') return this.#tuple(depth);
    if (next === '{') return this.#dict(depth);
    const prefix = this.#match(/[uU](?=['"])/y);
    if (prefix !== undefined || next === "'" || next === '"') return this.#strings();
    const number = this.#match(/[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y);
    if (number !== undefined) return Number(number.replaceAll('_', ''));
    const word = this.#match(/[A-Za-z_]+/y);
    if (word === undefined) throw this.#error(next === '' ? 'ends too early' : `has an unexpected ${next}`);
    if (constants.has(word)) return constants.get(word);
    this.#at -= word.length;
    throw this.#error(`has the unknown word ${word.slice(0, 40)}`);
  }

  end(): void {
    if (this.#peek() !== '') throw this.#error('goes on after its end');
  }

  #sequence(close: string, depth: number): unknown[] {
    this.#at += 1;
    const values: unknown[] = [];
    while (this.#peek() !== close) {
      values.push(this.value(depth + 1));
      if (this.#peek() === close) break;
      this.#expect(',');
    }
    this.#expect(close);
    return values;
  }

  /** One value in parentheses without a comma is that value. */
  #tuple(depth: number): unknown {
    const begin = this.#at;
    const values = this.#sequence(')', depth);
    const hasComma = /,\s*\)$/.test(this.#text.slice(begin, this.#at));
    return values.length === 1 && !hasComma ? values[0] : values;
  }

  #dict(depth: number): Record<string, unknown> {
    this.#at += 1;
    const found: Record<string, unknown> = Object.create(null);
    while (this.#peek() !== '}') {
      const key = this.value(depth + 1);
      if (typeof key !== 'string' && typeof key !== 'number') throw this.#error('has a key that is not text');
      this.#expect(':');
      found[String(key)] = this.value(depth + 1);
      if (this.#peek() === '}') break;
      this.#expect(',');
    }
    this.#expect('}');
    return found;
  }

  /** Adjacent strings are one, as in Python. */
  #strings(): string {
    let whole = this.#string();
    while (this.#match(/[uU]?(?=['"])/y) !== undefined) whole += this.#string();
    return whole;
  }

  #string(): string {
    const quote = this.#text[this.#at] as string;
    const begin = this.#at;
    this.#at += 1;
    let found = '';
    for (;;) {
      const plain = /[^\\'"]*/y;
      plain.lastIndex = this.#at;
      found += plain.exec(this.#text)?.[0] ?? '';
      this.#at = plain.lastIndex;
      const next = this.#text[this.#at];
      if (next === undefined) {
        this.#at = begin;
        throw this.#error('has a text without an end');
      }
      this.#at += 1;
      if (next === quote) return found;
      found += next === '\\' ? this.#escape() : next;
    }
  }

  #escape(): string {
    const sign = this.#text[this.#at] ?? '';
    this.#at += 1;
    const digits = { x: 2, u: 4, U: 8 }[sign];
    if (digits !== undefined) {
      const hex = this.#text.slice(this.#at, this.#at + digits);
      const code = /^[0-9a-fA-F]+$/.test(hex) && hex.length === digits ? Number.parseInt(hex, 16) : Number.NaN;
      if (!(code <= 0x10ffff)) throw this.#error('has a broken escape');
      this.#at += digits;
      return digits === 8 ? String.fromCodePoint(code) : String.fromCharCode(code);
    }
    if (/[0-7]/.test(sign)) {
      this.#at -= 1;
      return String.fromCharCode(Number.parseInt(this.#match(/[0-7]{1,3}/y) ?? '0', 8));
    }
    // Unknown escapes are kept, as Python does; the only escape of JSON that Python lacks is `\/`.
    return escapes.get(sign) ?? `\\${sign}`;
  }

  /** The next character that is not white space; empty at the end. */
  #peek(): string {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at += 1;
    return this.#text[this.#at] ?? '';
  }

  #match(pattern: RegExp): string | undefined {
    this.#peek();
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #expect(sign: string): void {
    if (this.#peek() !== sign) throw this.#error(`lacks a ${sign}`);
    this.#at += 1;
  }

  #error(reason: string): LiteralError {
    return new LiteralError(reason, this.#at);
  }
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['\n', ''],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['/', '/'],
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
]);
