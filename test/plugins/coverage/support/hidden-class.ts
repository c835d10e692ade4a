/** Whether V8 gave objects the same hidden class. */
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

/**
 * The number of objects whose hidden class is another than that of the object before. An object with a class of its own
 * takes ten times as long to make, and its class stays in memory until a full garbage collection.
 */
export function classChanges(objects: Iterable<object>): number {
  // V8 may drop the compiled comparison at any time and compile it again, so that the syntax is allowed while it is used.
  setFlagsFromString('--allow-natives-syntax');
  try {
    const haveSameClass: (a: object, b: object) => boolean = new Script(
      '(a, b) => %HaveSameMap(a, b)',
    ).runInThisContext();
    let changes = 0;
    let before: object | undefined;
    for (const one of objects) {
      if (before !== undefined && !haveSameClass(before, one)) changes += 1;
      before = one;
    }
    return changes;
  } finally {
    setFlagsFromString('--no-allow-natives-syntax');
  }
}
