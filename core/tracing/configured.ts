/**
 * Sets the recorder that the configuration asks for, and makes spans of the calls of a storage: the contract and the verb,
 * never arguments or SQL.
 */
import type { TracingSettings } from '../config/settings.js';
import { Fault } from '../fault.js';
import { version } from '../package.js';
import type { Contract, Storage, StorageScope } from '../storage.js';
import { currentRecorder, errorType, setRecorder, traced } from '../work.js';

/** Returns what ends it; nothing if the configuration has no tracing, and then nothing is loaded. */
export async function startTracing(settings: TracingSettings | undefined): Promise<(() => Promise<void>) | undefined> {
  if (settings === undefined) return undefined;
  const { telemetry } = await import('./opentelemetry.js').catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const names = ['api', 'sdk-trace-node', 'exporter-trace-otlp-http', 'resources'];
    const packages = names.map((name) => `@opentelemetry/${name}`).join(' ');
    throw new Fault('invalid', `tracing: needs packages that are not installed: npm install ${packages}`, {
      cause: error,
    });
  });
  const recorder = telemetry(settings, version);
  setRecorder(recorder);
  return () => {
    setRecorder(undefined);
    return recorder.close();
  };
}

// A storage whose calls are spans: the contract and the verb, never arguments or SQL.

export function tracedStorage(storage: Storage, system: string): Storage {
  const inner: StorageScope['repository'] = (contract) =>
    tracedRepository(storage.repository(contract), contract, system);
  return new Proxy(storage, {
    get(target, name) {
      if (name === 'repository') return inner;
      if (name === 'transaction') {
        const run: Storage['transaction'] = (work) =>
          traced('transaction', { kind: 'client', attributes: { 'db.system.name': system } }, () =>
            target.transaction((scope) =>
              work({ repository: (contract) => tracedRepository(scope.repository(contract), contract, system) }),
            ),
          );
        return run;
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function tracedRepository<Repository>(
  repository: Repository,
  { id }: Contract<Repository>,
  system: string,
): Repository {
  if (typeof repository !== 'object' || repository === null) return repository;
  const verbs = new Map<PropertyKey, unknown>();
  return new Proxy(repository, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      let verb = verbs.get(name);
      if (verb === undefined) {
        verb = verbOf(value.bind(target) as (...inputs: unknown[]) => unknown, `${id} ${String(name)}`, system);
        verbs.set(name, verb);
      }
      return verb;
    },
  });
}

/** Streams are read after the call, which is all that their span has. */
function verbOf(call: (...inputs: unknown[]) => unknown, name: string, system: string) {
  const [contract = '', verb = ''] = name.split(' ');
  const attributes = { 'db.system.name': system, 'db.collection.name': contract, 'db.operation.name': verb };
  return (...inputs: unknown[]): unknown => {
    const recorder = currentRecorder();
    if (recorder?.current() === undefined) return call(...inputs);
    const span = recorder.open(name, { kind: 'client', attributes });
    const failed = (error: unknown): never => {
      span.fail(errorType(error));
      span.end();
      throw error;
    };
    const ended = <Result>(result: Result): Result => {
      span.end();
      return result;
    };
    let result: unknown;
    try {
      result = recorder.within(span, () => call(...inputs));
    } catch (error) {
      return failed(error);
    }
    return isPromise(result) ? result.then(ended, failed) : ended(result);
  };
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof (value as { then?: unknown } | undefined)?.then === 'function';
}
