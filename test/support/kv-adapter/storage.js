/** A storage on LevelDB: one writer at a time, and readers on snapshots, which never wait. */
import { ClassicLevel } from 'classic-level';
import { completed, Fault, outage } from 'trefoil/storage';
import { keyEncoding, keyOf } from './keys.js';
import { missingSteps, runSteps } from './steps.js';
import { tablesOn } from './tables.js';
import { Draft, Snapshot, Space, within } from './view.js';

/** The layout of the keys. A folder with another layout is refused: in 1, tokens, sessions and panels had other keys. */
const layout = '2';
/** A key of the storage itself; a contract's keys begin with its id. */
const layoutKey = keyOf('', 'layout');
const mostLogged = 1000;

/**
 * Opens or creates the folder. `bindings` are functions by contract id (see `LevelStorage.repository`), `stores` those of the
 * other contracts.
 */
export async function openStorage(folder, { capabilities, bindings, stores, log }) {
  const db = new ClassicLevel(folder, { keyEncoding, valueEncoding: 'buffer' });
  try {
    await db.open();
  } catch (error) {
    const reason = error.cause?.code === 'LEVEL_LOCKED' ? 'another process has it open' : error.cause?.message;
    throw outage(`The LevelDB folder ${folder} cannot be opened: ${reason ?? error.message}`, error);
  }
  const storage = new LevelStorage(db, folder, { capabilities, bindings, stores, log });
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
  #stores;
  #log;
  /** Logs damaged rows of tables, each once. */
  #damage = ({ name }, key) => {
    if (this.#damaged.has(key) || this.#damaged.size >= mostLogged) return;
    this.#damaged.add(key);
    this.#log.error({ table: name }, 'a row of the storage is damaged and left out');
  };
  #damaged = new Set();
  /** Settles when the last queued write has ended. */
  #lastTurn = Promise.resolve();
  #reading = new Set();
  #closing;

  constructor(db, folder, { capabilities, bindings, stores, log }) {
    this.#db = db;
    this.#folder = folder;
    this.capabilities = capabilities;
    this.#stores = stores;
    this.#log = log;
    const above = stores.map((store) => [
      store.contract.id,
      (access) => store.repository(tablesOn(access, this.#damage)),
    ]);
    this.#bindings = new Map([...bindings, ...above]);
  }

  /** Refuses a folder that is not ours. */
  async prepare() {
    const [found] = await this.#db.getMany([layoutKey]);
    if (found === undefined) {
      if ((await this.#db.keys({ limit: 1, keyEncoding: 'buffer' }).all()).length > 0) {
        throw new Fault('unprocessable', `The LevelDB folder ${this.#folder} was made by something else`);
      }
      await this.#db.put(layoutKey, Buffer.from(layout), { sync: true });
    } else if (found.toString() !== layout) {
      throw new Fault(
        'unprocessable',
        `The LevelDB folder ${this.#folder} has layout ${found}, and this version of the adapter reads only layout ${layout}: ` +
          'use the version that made the folder, or a new folder',
      );
    }
  }

  /**
   * A binding is a function of `{ read, write }` that returns the repository. `read(work)` gives the work a `Space` of
   * one state; `write(work)` gives it one that it may change, alone, and writes the changes once the work succeeds.
   */
  repository(contract) {
    const kept = this.#binding(contract)({
      read: (work) => this.#read((view) => work(new Space(view, contract.id))),
      write: (work) => this.#alone((draft) => work(new Space(draft, contract.id))),
    });
    return completed(contract, kept);
  }

  transaction(work) {
    return this.#alone((draft) =>
      within(draft, (access) => {
        const repository = (contract) => completed(contract, this.#binding(contract)(access(contract.id)));
        return work({ repository });
      }),
    );
  }

  /** Steps of stores: bindings define their keys as they write. */
  pending() {
    return this.#read((view) => this.#missing(view));
  }

  migrate() {
    return this.#alone(async (draft) => {
      const missing = await this.#missing(draft);
      for (const store of this.#stores) await runSteps(new Space(draft, store.contract.id), store, this.#damage);
      return missing;
    });
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

  async #missing(view) {
    const missing = [];
    for (const store of this.#stores) {
      const contract = store.contract.id;
      for (const name of await missingSteps(new Space(view, contract), store)) missing.push({ contract, name });
    }
    return missing;
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
  async #commit({ changes }) {
    const operations = [...changes].map(([key, value]) =>
      value === undefined ? { type: 'del', key } : { type: 'put', key, value },
    );
    if (operations.length > 0) await this.#db.batch(operations, { sync: true });
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
