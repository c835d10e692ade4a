/** What the tests of a block use: opened before them and closed after them, in the reverse order. */
import type { Context, Suite } from 'mocha';

interface Closable {
  close(): unknown;
}

type Hook = (work: (this: Context) => Promise<void>) => void;
type LastHook = (suite: Suite, work: () => Promise<void>) => void;

/** How to close what is open in each block, the latest last: once for a block, or for each of its tests. */
const [ofBlocks, ofTests] = [new WeakMap<Suite, (() => unknown)[]>(), new WeakMap<Suite, (() => unknown)[]>()];

function use<Used extends object>(
  begin: Hook,
  end: LastHook,
  opened: WeakMap<Suite, (() => unknown)[]>,
  open: () => Used | Promise<Used>,
  close: (used: Used) => unknown,
): Used {
  let used: Used | undefined;
  begin(async function () {
    const made = await open();
    used = made;
    const { parent: suite } = this.test ?? {};
    if (suite === undefined) throw new Error('a hook belongs to a block');
    const closing = opened.get(suite) ?? [];
    closing.push(() => close(made));
    if (opened.has(suite)) return;
    opened.set(suite, closing);
    // Added while the tests run, so that it comes after the hooks of the block, which may use what is open.
    end(suite, async () => {
      for (let last = closing.pop(); last !== undefined; last = closing.pop()) await last();
    });
  });
  const running = () => {
    if (used === undefined) throw new Error('it is open only while the tests of its block run');
    return used;
  };
  return new Proxy({} as Used, {
    get(_, name) {
      const value: unknown = Reflect.get(running(), name, running());
      return typeof value === 'function' ? value.bind(running()) : value;
    },
    set: (_, name, value) => Reflect.set(running(), name, value),
    has: (_, name) => Reflect.has(running(), name),
    ownKeys: () => Reflect.ownKeys(running()),
    getOwnPropertyDescriptor(_, name) {
      const found = Reflect.getOwnPropertyDescriptor(running(), name);
      return found && { ...found, configurable: true };
    },
  });
}

/** Call inside `describe`, or at the top of a file: opened once for all of its tests. */
export function useOnce<Used extends Closable>(open: () => Used | Promise<Used>): Used;
export function useOnce<Used extends object>(open: () => Used | Promise<Used>, close: (used: Used) => unknown): Used;
export function useOnce<Used extends object>(
  open: () => Used | Promise<Used>,
  close: (used: Used) => unknown = (one) => (one as Closable).close(),
): Used {
  return use(before, (suite, work) => suite.afterAll(work), ofBlocks, open, close);
}

/** As `useOnce`, but opened anew for each test. */
export function useEach<Used extends Closable>(open: () => Used | Promise<Used>): Used;
export function useEach<Used extends object>(open: () => Used | Promise<Used>, close: (used: Used) => unknown): Used;
export function useEach<Used extends object>(
  open: () => Used | Promise<Used>,
  close: (used: Used) => unknown = (one) => (one as Closable).close(),
): Used {
  return use(beforeEach, (suite, work) => suite.afterEach(work), ofTests, open, close);
}
