/**
 * What callers pass, checked where the library gets it: in plain JavaScript nothing else does. Errors are `invalid`, name the
 * argument and show its value.
 */
import { D4Error } from './error.js';

/** Characters of a value that an error shows, and members of a list or an object. */
const longest = 100;
const mostMembers = 4;

/** A value as an error shows it: text in quotes. */
export function shown(value: unknown): string {
  const text = describe(value, true);
  return text.length > longest ? `${text.slice(0, longest)} …` : text;
}

function describe(value: unknown, withMembers: boolean): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  const kind = (Object.getPrototypeOf(value) as object | null)?.constructor?.name ?? 'Object';
  if (!withMembers || (kind !== 'Object' && kind !== 'Array')) return kind;
  const isList = Array.isArray(value);
  const members = Object.entries(value).slice(0, mostMembers);
  const texts = members.map(([name, member]) => (isList ? '' : `${name}: `) + describe(member, false)).join(', ');
  if (isList) return `[${texts}]`;
  return texts === '' ? '{}' : `{ ${texts} }`;
}

/** Throws D4Error `invalid`. */
export function refuse(argument: string, mustBe: string, value: unknown): never {
  throw new D4Error('invalid', `${argument} must be ${mustBe}`, shown(value));
}

export function checkWhole(argument: string, value: unknown, least: number, most = Number.MAX_SAFE_INTEGER): void {
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) return;
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`;
  refuse(argument, `a whole number ${range}`, value);
}

/** A limit, which may be infinite. */
export function checkLimit(argument: string, value: unknown): void {
  if (!(typeof value === 'number' && value >= 0)) refuse(argument, 'a number from 0 on', value);
}

export function checkText(argument: string, value: unknown): void {
  if (typeof value !== 'string' || value === '') refuse(argument, 'text', value);
}

export function checkObject(argument: string, value: unknown): void {
  if (typeof value !== 'object' || value === null) refuse(argument, 'an object', value);
}

export function checkTrack(track: unknown): void {
  const { source, denominator } = Object(track) as { source?: unknown; denominator?: unknown };
  if (typeof denominator !== 'number' || !source) refuse('track', 'a track of a D4File', track);
}

/** An array of numbers from `least` to `most`, copied. */
export function numbers(argument: string, given?: readonly number[], [least, most] = everyDepth): number[] {
  const values = given ?? [];
  if (!Array.isArray(values) && !ArrayBuffer.isView(values)) refuse(argument, 'an array of numbers', values);
  return Array.from(values, (value) => {
    if (typeof value === 'number' && value >= least && value <= most) return value;
    const range = least === -Number.MAX_VALUE ? 'a finite number' : `a number from ${least} to ${most}`;
    return refuse(`Each of ${argument}`, range, value);
  });
}

const everyDepth = [-Number.MAX_VALUE, Number.MAX_VALUE] as const;

/** The one of `below` and `atLeast` that a test has. */
export function depthTest(argument: string, test: unknown): { below: boolean; depth: number } {
  const { below, atLeast } = Object(test) as { below?: unknown; atLeast?: unknown };
  const depth = below ?? atLeast;
  if ((below === undefined) === (atLeast === undefined) || !Number.isFinite(depth)) {
    refuse(argument, '{ below } or { atLeast } with a finite number', test);
  }
  return { below: below !== undefined, depth: depth as number };
}
