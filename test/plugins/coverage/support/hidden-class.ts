/** Whether V8 gave objects the same hidden class. */
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

/**
 * The number of objects whose hidden class is another than that of the object before. An object with a class of its own
 * takes ten times as long to make, and its class stays in memory until a full garbage collection.
 */
export function classChanges(objects: Iterable<object>): number {
  let changes = 0;
  let before: object | undefined;
  for (const one of objects) {
    if (before !== undefined && !haveSameClass(before, one)) changes += 1;
    before = one;
  }
  return changes;
}

const haveSameClass = ((): ((a: object, b: object) => boolean) => {
  setFlagsFromString('--allow-natives-syntax');
  try {
    const compare = new Script('(a, b) => %HaveSameMap(a, b)').runInThisContext();
    compare({}, {}); // compiles it while the syntax is allowed
    return compare;
  } finally {
    setFlagsFromString('--no-allow-natives-syntax');
  }
})();
