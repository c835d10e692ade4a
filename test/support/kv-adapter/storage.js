/** A storage on LevelDB: one writer at a time, and readers on snapshots, which never wait. */
import { ClassicLevel } from 'classic-level';
import { Fault, outage } from 'trefoil/storage';
import { keyEncoding, keyOf, under } from './keys.js';
import { Draft, Snapshot, Space } from './view.js';

/** The layout of the keys. A folder with another layout is refused. */
const layout = '1';
/** A key of the storage itself; a contract's keys begin with its id. */
const layoutKey = keyOf('', 'layout');

/** Opens or creates the folder. `bindings` are functions by contract id: see `LevelStorage.repository`. */
export async function openStorage(folder, capabilities, bindings, log) {
  const db = new ClassicLevel(folder, { keyEncoding, valueEncoding: 'buffer' });
  try {
    await db.open();
  } catch (error) {
    const reason = error.cause?.code === 'LEVEL_LOCKED' ? 'another process has it open' : error.cause?.message;
    throw outage(`The LevelDB folder ${folder} cannot be opened: ${reason ?? error.message}`, error);
  }
  const storage = new LevelStorage(db, folder, capabilities, bindings, log);
  try {
    await storage.answered(() => storage.prepare());
  } catch (error) {
    await storage.close();
    throw error;
  }
  return storage;
}

class LevelStorage {
  capabilities;
  #db;
  #folder;
  #bindings;
  #log;
  /** Settles when the last queued write has ended. */
  #lastTurn = Promise.resolve();
  #reading = new Set();
  #closing;

  constructor(db, folder, capabilities, bindings, log) {
    this.#db = db;
    this.#folder = folder;
    this.capabilities = capabilities;
    this.#bindings = bindings;
    this.#log = log;
  }

  /** Refuses a folder that is not ours, and clears what a process left when it died. */
  async prepare() {
    const [found] = await this.#db.getMany([layoutKey]);
    if (found === undefined) {
      if ((await this.#db.keys({ limit: 1, keyEncoding: 'buffer' }).all()).length > 0) {
        throw new Fault('unprocessable', `The LevelDB folder ${this.#folder} was made by something else`);
      }
      await this.#db.put(layoutKey, Buffer.from(layout), { sync: true });
    } else if (found.toString() !== layout) {
      throw new Fault('unprocessable', `The LevelDB folder ${this.#folder} has layout ${found}; this version knows 1`);
    }
    const { from, before } = under('', 'left');
    for await (const [mark, end] of this.#db.iterator({ gte: from, lt: before })) {
      await this.#clear(mark, { from: mark.slice(from.length), before: end.toString() });
    }
  }

  /**
   * A binding is a function of `{ read, write }` that returns the repository. `read(work)` gives the work a `Space` of
   * one state; `write(work)` gives it one that it may change, alone, and writes the changes once the work succeeds.
   */
  repository(contract) {
    return this.#binding(contract)({
      read: (work) => this.#read((view) => work(new Space(view, contract.id))),
      write: (work) => this.#alone((draft) => work(new Space(draft, contract.id))),
    });
  }

  transaction(work) {
    return this.#alone(async (draft) => {
      let over = false;
      let lastTurn = Promise.resolve();
      const inside = () => {
        if (over) throw new Fault('internal', 'The transaction is over: its scope may not be used any more');
      };
      // A verb that throws half way leaves nothing in the transaction, even if its work continues; verbs do not mix.
      const step = async (contract, change) => {
        inside();
        const own = new Draft(draft);
        const result = await change(new Space(own, contract.id));
        inside();
        own.keep();
        return result;
      };
      const scope = {
        repository: (contract) =>
          this.#binding(contract)({
            read: async (look) => {
              inside();
              return look(new Space(draft, contract.id));
            },
            write: (change) => {
              const turn = lastTurn.then(() => step(contract, change));
              lastTurn = turn.catch(() => {});
              return turn;
            },
          }),
      };
      try {
        return await work(scope);
      } finally {
        over = true;
      }
    });
  }

  /** There are no schema steps: bindings define their keys as they write. */
  async pending() {
    return [];
  }

  async migrate() {
    return [];
  }

  async ping() {
    await this.#read((view) => view.getMany([layoutKey]));
  }

  close() {
    this.#closing ??= (async () => {
      await this.#lastTurn;
      await Promise.allSettled(this.#reading);
      await this.#db.close();
    })();
    return this.#closing;
  }

  #binding({ id }) {
    const binding = this.#bindings.get(id);
    if (!binding) throw new Fault('internal', `The contract ${id} was not named when the storage was opened`);
    return binding;
  }

  async #read(work) {
    this.#assertOpen();
    const snapshot = this.#db.snapshot();
    const reading = this.answered(() => work(new Snapshot(this.#db, snapshot))).finally(() => snapshot.close());
    this.#reading.add(reading);
    try {
      return await reading;
    } finally {
      this.#reading.delete(reading);
    }
  }

  /** Runs writes one after the other, in the order of the calls; each is one atomic batch. */
  async #alone(work) {
    this.#assertOpen();
    const turn = this.#lastTurn.then(() =>
      this.answered(async () => {
        const draft = new Draft(new Snapshot(this.#db));
        const result = await work(draft);
        await this.#commit(draft);
        return result;
      }),
    );
    this.#lastTurn = turn.catch(() => {});
    return turn;
  }

  /** `sync` waits for the disk: acknowledged writes survive a crash. */
  async #commit({ changes, left }) {
    const operations = [...changes].map(([key, value]) =>
      value === undefined ? { type: 'del', key } : { type: 'put', key, value },
    );
    const marked = left.map((range) => ({ mark: keyOf('', 'left', range.from), range }));
    for (const { mark, range } of marked) operations.push({ type: 'put', key: mark, value: Buffer.from(range.before) });
    if (operations.length > 0) await this.#db.batch(operations, { sync: true });
    for (const { mark, range } of marked) {
      try {
        await this.#clear(mark, range);
      } catch (error) {
        // The write itself succeeded; its mark stays, and the next opening clears the range.
        this.#log.warn({ reason: error.code ?? error.name }, 'what was removed takes room until the next start');
      }
    }
  }

  async #clear(mark, { from, before }) {
    await this.#db.clear({ gte: from, lt: before });
    await this.#db.del(mark);
  }

  /** The engine's errors as faults; others unchanged. */
  async answered(work) {
    try {
      return await work();
    } catch (error) {
      if (!String(error?.code).startsWith('LEVEL_')) throw error;
      throw outage(`The LevelDB folder ${this.#folder} does not answer (${error.code})`, error);
    }
  }

  #assertOpen() {
    if (this.#closing) throw outage('The storage is closed');
  }
}
