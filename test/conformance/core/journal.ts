/** Records the calls that a case makes to a storage, so that a failure shows those that led to it. */
import { inspect } from 'node:util';
import { type Contract, isFault, type Storage, type StorageScope } from '../../../core/storage.js';

/** The number of runs that a failure shows. */
const kept = 10;
const longest = 600;

interface Call {
  readonly name: string;
  readonly text: string;
  /** What was read from the asynchronous lists among the arguments. */
  readonly heard: readonly Heard[];
  outcome: string;
}

/** Consecutive calls of one verb: those between the first and the last are only counted. */
interface Run {
  readonly first: Call;
  last?: Call;
  between: number;
}

/** The last calls, as text. Arguments are recorded as they are passed; later changes to them do not show. */
export class Journal {
  readonly #runs: Run[] = [];
  #before = 0;

  /** The calls so far, oldest first, one line each. */
  lines(): string[] {
    const lines = this.#runs.flatMap(({ first, last, between }) => [
      line(first),
      ...(between > 0 ? [`(${between} more of ${first.name})`] : []),
      ...(last ? [line(last)] : []),
    ]);
    return this.#before > 0 ? [`(${this.#before} calls before)`, ...lines] : lines;
  }

  #note(call: Call): void {
    const run = this.#runs.at(-1);
    if (run?.first.name === call.name) {
      if (run.last) run.between += 1;
      run.last = call;
      return;
    }
    this.#runs.push({ first: call, between: 0 });
    if (this.#runs.length <= kept) return;
    const gone = this.#runs.shift();
    if (gone) this.#before += 1 + gone.between + Number(gone.last !== undefined);
  }

  /** Makes a call and records it with its outcome. */
  call<Result>(name: string, args: readonly unknown[], make: (args: unknown[]) => Result): Result {
    const heard: Heard[] = [];
    const overheard = args.map((arg) => overhear(arg, heard));
    const call: Call = { name, text: `${name}(${overheard.map(shown).join(', ')})`, heard, outcome: 'no answer yet' };
    this.#note(call);
    const thrown = (error: unknown): never => {
      call.outcome = isFault(error) ? `throws ${error.code}: ${error.message}` : `throws ${error}`;
      throw error;
    };
    const answered = <Value>(value: Value): Value => {
      call.outcome = shown(value);
      return value;
    };
    try {
      const result = make(overheard);
      return result instanceof Promise ? (result.then(answered, thrown) as Result) : answered(result);
    } catch (error) {
      return thrown(error);
    }
  }
}

function line({ text, heard, outcome }: Call): string {
  const whole = heard.reduce((shown, each) => shown.replace(each.mark, () => each.shown()), text);
  return `${cut(whole)} → ${cut(outcome)}`;
}

/** The storage, with every call to its verbs and its repositories recorded. */
export function noted(storage: Storage, journal: Journal): Storage {
  return watched(storage, 'storage', journal, {
    repository: repositories(storage, journal, ''),
    transaction: <Result>(work: (scope: StorageScope) => Promise<Result>): Promise<Result> =>
      journal.call('storage.transaction', [], () =>
        storage.transaction((scope) => work({ repository: repositories(scope, journal, 'in the transaction: ') })),
      ),
  });
}

function repositories(scope: StorageScope, journal: Journal, where: string): StorageScope['repository'] {
  return <Repository>(contract: Contract<Repository>): Repository => {
    const repository = scope.repository(contract);
    if (typeof repository !== 'object' || repository === null) return repository;
    return watched(repository, `${where}${contract.id.replace(/@.*/, '')}`, journal);
  };
}

/** An object whose method calls are recorded; `instead` holds methods that record themselves. */
function watched<Target extends object>(
  target: Target,
  name: string,
  journal: Journal,
  instead: Partial<Target> = {},
): Target {
  return new Proxy(target, {
    get(_, key) {
      if (Object.hasOwn(instead, key)) return Reflect.get(instead, key);
      // Read from and called on the target itself: a proxy has no private fields.
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function' || typeof key === 'symbol') return value;
      return (...args: unknown[]) => journal.call(`${name}.${key}`, args, (given) => value.apply(target, given));
    },
  });
}

/** What was read from an asynchronous iterable so far. */
class Heard {
  readonly mark: string;
  readonly #items: string[] = [];
  #more = 0;

  constructor(number: number) {
    this.mark = `‹what was read ${number}›`;
  }

  add(item: unknown): void {
    if (this.#items.length < kept) this.#items.push(shown(item));
    else this.#more += 1;
  }

  shown(): string {
    return `[ ${[...this.#items, ...(this.#more > 0 ? [`… ${this.#more} more`] : [])].join(', ')} ]`;
  }

  [inspect.custom](): string {
    return this.mark;
  }

  async *of(source: AsyncIterable<unknown>): AsyncGenerator<unknown> {
    for await (const item of source) {
      this.add(item);
      yield item;
    }
  }
}

/** An argument whose asynchronous iterables record what is read from them. */
function overhear(arg: unknown, heard: Heard[]): unknown {
  if (typeof arg !== 'object' || arg === null || Object.getPrototypeOf(arg) !== Object.prototype) return arg;
  const lists = Object.entries(arg).filter((entry): entry is [string, AsyncIterable<unknown>] => isList(entry[1]));
  if (lists.length === 0) return arg;
  const copy: Record<string, unknown> = { ...arg };
  for (const [key, source] of lists) {
    const ear = new Heard(heard.length + 1);
    heard.push(ear);
    const list = ear.of(source);
    copy[key] = Object.assign(list, { [inspect.custom]: () => ear.mark });
  }
  return copy;
}

function isList(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

function shown(value: unknown): string {
  // The internals of an object that is not plain data, such as a storage, are of no help.
  if (typeof value === 'object' && value !== null && !isPlain(value)) return `[${value.constructor.name}]`;
  return inspect(value, { depth: 4, maxArrayLength: 6, maxStringLength: 100, breakLength: Infinity, compact: true });
}

const plain: readonly unknown[] = [Object, Array, Date, Map, Set].map(({ prototype }) => prototype);

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || plain.includes(prototype);
}

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
