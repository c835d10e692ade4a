/**
 * Counts work instead of time, so that a test can tell linear from quadratic on any machine.
 *
 * Two counts are added up. V8 counts how often each block of JavaScript runs (precise coverage), which covers loops and
 * callbacks of our code and of libraries. Work that the engine does within one call, such as finding a name among
 * 200,000, is a single step to that count; so the methods of arrays, strings, patterns and buffers that visit many
 * elements also count the elements that they visit. Neither count includes: backtracking within one match of a pattern,
 * spreading objects, and Node's own modules (zlib, querystring).
 */
import { Session } from 'node:inspector/promises';

const session = new Session();
let elements = 0;

/** Must be called before the code to be measured is loaded: V8 counts blocks only of code compiled afterwards. */
export async function startMeter(): Promise<void> {
  countElements();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
}

/** Measures work. Nothing else may run meanwhile. */
export async function workOf(run: () => unknown): Promise<number> {
  await blocks();
  elements = 0;
  await run();
  const counted = elements;
  return counted + (await blocks());
}

/** Blocks that ran since the last call, outside Node and this folder. */
async function blocks(): Promise<number> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  let count = 0;
  for (const { url, functions } of result) {
    if (!url.startsWith('file:') || url.includes('/test/plugins/linear/')) continue;
    for (const { ranges } of functions) for (const range of ranges) count += range.count;
  }
  return count;
}

/** Elements that a call visited, from its receiver, arguments and result. */
type Cost<On, Given extends unknown[], Result> = (on: On, given: Given, result: Result) => number;

/** Replaces a method of the engine with one that counts. */
function counting<On, Given extends unknown[], Result>(
  owner: object,
  name: PropertyKey,
  cost: Cost<On, Given, Result>,
): void {
  const own = Object.getOwnPropertyDescriptor(owner, name);
  const method = own?.value as ((this: On, ...given: Given) => Result) | undefined;
  if (method === undefined) throw new Error(`there is no ${String(name)} to be counted`);
  const value = function (this: On, ...given: Given): Result {
    const result = method.apply(this, given);
    elements += cost(this, given, result);
    return result;
  };
  Object.defineProperty(owner, name, { ...own, value });
}

function countElements(): void {
  const { isArray } = Array;
  const { max, min } = Math;
  type Sized = { length: number };
  const whole = ({ length }: Sized) => length;
  const made = (_on: unknown, _given: unknown, result: Sized) => result.length;
  /** Up to the match, or everything searched. */
  const searched = ({ length }: Sized, [, from]: [unknown, unknown], found: number) =>
    max(1, (found < 0 ? length : found + 1) - (typeof from === 'number' && from > 0 ? from : 0));
  const searchedBack = ({ length }: Sized, _given: unknown, found: number) => max(1, length - max(found, 0));

  const listIndex = Array.prototype.indexOf;
  const textIndex = String.prototype.indexOf;
  const lists = Array.prototype;
  counting(lists, 'indexOf', searched);
  counting(lists, 'lastIndexOf', searchedBack);
  counting(lists, 'includes', (on: unknown[], [one]: [unknown]) => searched(on, [one, 0], listIndex.call(on, one)));
  for (const name of ['find', 'findIndex', 'some', 'every', 'filter', 'map', 'forEach', 'reduce'] as const) {
    // Callbacks are counted as blocks, except those of the engine, such as Boolean.
    counting(lists, name, () => 1);
  }
  for (const name of ['join', 'reverse', 'sort', 'toSorted', 'toReversed', 'fill', 'shift', 'unshift'] as const) {
    counting(lists, name, whole);
  }
  for (const name of ['slice', 'concat', 'flat', 'flatMap'] as const) counting(lists, name, made);
  counting(
    lists,
    'splice',
    (on: Sized, [from = 0]: [number?], { length }: Sized) => length + max(0, on.length - max(from, 0)),
  );
  counting(lists, Symbol.iterator, whole);
  counting(Array, 'from', made);
  for (const name of ['keys', 'values', 'entries'] as const) counting(Object, name, made);
  counting(Object, 'fromEntries', (_on: unknown, [from]: [Sized]) => (isArray(from) ? from.length : 1));

  const texts = String.prototype;
  counting(texts, 'indexOf', searched);
  counting(texts, 'lastIndexOf', searchedBack);
  counting(texts, 'includes', (on: string, [one]: [string]) => searched(on, [one, 0], textIndex.call(on, one)));
  counting(texts, 'split', (on: string, [, limit]: [unknown, number?], parts: string[]) =>
    limit === undefined ? on.length : parts.reduce((sum, { length }) => sum + length + 1, 0),
  );
  for (const name of [
    'replaceAll',
    'toUpperCase',
    'toLowerCase',
    'normalize',
    'trim',
    'trimEnd',
    'trimStart',
  ] as const) {
    counting(texts, name, whole);
  }
  for (const name of ['repeat', 'padStart', 'padEnd'] as const) counting(texts, name, made);
  // All other uses of a pattern end up here.
  counting(RegExp.prototype, 'exec', (on: RegExp, [text]: [string], found: RegExpExecArray | null) => {
    if (found === null) return on.sticky ? 1 : String(text).length;
    const end = found.index + (found[0] ?? '').length;
    return max(1, on.sticky || on.global ? (found[0] ?? '').length : end);
  });
  counting(JSON, 'parse', (_on: unknown, [text]: [Sized]) => text.length);
  counting(JSON, 'stringify', (_on: unknown, _given: unknown, text: Sized | undefined) => text?.length ?? 1);

  counting(Buffer, 'concat', made);
  counting(Buffer, 'from', made);
  counting(Buffer.prototype, 'toString', made);
  counting(Buffer.prototype, 'indexOf', searched);
  counting(Buffer.prototype, 'lastIndexOf', searchedBack);
  const bytes = Object.getPrototypeOf(Uint8Array.prototype) as object;
  counting(bytes, 'set', (_on: unknown, [from]: [Sized]) => from.length);
  counting(bytes, 'slice', made);
  counting(bytes, 'fill', (on: Sized, [, from = 0, to = on.length]: [unknown, number?, number?]) => max(0, to - from));

  for (const name of ['Set', 'Map'] as const) {
    const Collection = globalThis[name] as unknown as new (...given: unknown[]) => { size: number };
    const counted = new Proxy(Collection, {
      construct(target, given, made) {
        const collection = Reflect.construct(target, given, made) as { size: number };
        const [from] = given as [Partial<Sized & { size: number }> | undefined];
        elements += max(1, min(from?.length ?? from?.size ?? collection.size, Number.MAX_SAFE_INTEGER));
        return collection;
      },
    });
    Object.defineProperty(globalThis, name, { value: counted, writable: true, configurable: true });
  }
}
