/** A storage on LevelDB: one writer at a time, and readers on snapshots, which never wait. */
import { ClassicLevel } from 'classic-level';
import { completed, damageLog, Fault, isFault, oneByOne, outage, tablesAbove } from 'trefoil/storage';
import { keyEncoding, keyOf } from './keys.js';
import { keeperOn } from './rows.js';
import { missingSteps, runSteps } from './steps.js';
import { Draft, Space, stateOf, within } from './view.js';

/** The layout of the keys. A folder with another layout is refused: in 1, tokens, sessions and panels had other keys. */
const layout = '2';
/** A key of the storage itself; a contract's keys begin with its id. */
const layoutKey = keyOf('', 'layout');

/**
 * Opens or creates the folder. `bindings` are functions by contract id (see `LevelStorage.repository`), `stores` those of the
 * other contracts.
 */
export async function openStorage(folder, { capabilities, bindings, stores, log }) {
  const db = new ClassicLevel(folder, { keyEncoding, valueEncoding: 'buffer' });
  try {
    await db.open();
    await refuseOthers(db, folder);
    return new LevelStorage(db, folder, { capabilities, bindings, stores, log });
  } catch (error) {
    await db.close();
    if (isFault(error)) throw error;
    const reason = error.cause?.code === 'LEVEL_LOCKED' ? 'another process has it open' : error.cause?.message;
    throw outage(`The LevelDB folder ${folder} cannot be opened: ${reason ?? error.message}`, error);
  }
}

/** Refuses a folder that is not ours, and marks a new one. */
async function refuseOthers(db, folder) {
  const found = await db.get(layoutKey);
  if (found?.toString() === layout) return;
  const isNew = (await db.keys({ limit: 1, keyEncoding: 'buffer' }).all()).length === 0;
  if (isNew) return db.put(layoutKey, Buffer.from(layout), { sync: true });
  throw new Fault(
    'unprocessable',
    `The LevelDB folder ${folder} has layout ${found ?? 'of something else'}, and this version of the adapter reads only ` +
      `layout ${layout}: use the version that made the folder, or a new folder`,
  );
}

class LevelStorage {
  #db;
  #folder;
  #bindings;
  #stores;
  #damaged;
  #inTurn = oneByOne();
  #reading = new Set();
  #closing;

  constructor(db, folder, { capabilities, bindings, stores, log }) {
    this.capabilities = capabilities;
    this.#db = db;
    this.#folder = folder;
    this.#stores = stores;
    this.#damaged = damageLog(log);
    this.#bindings = new Map(bindings);
    for (const { contract, repository } of stores) {
      this.#bindings.set(contract.id, (access) => repository(tablesAbove(keeperOn(access, this.#damaged))));
    }
  }

  /**
   * A binding is a function of `{ read, write }` that returns the repository. `read(work)` gives the work a `Space` of
   * one state; `write(work)` gives it one that it may change, alone, and writes the changes once the work succeeds.
   */
  repository(contract) {
    return this.#repositoryOn(contract, {
      read: (work) => this.#read((view) => work(new Space(view, contract.id))),
      write: (work) => this.#alone((draft) => work(new Space(draft, contract.id))),
    });
  }

  transaction(work) {
    return this.#alone((draft) =>
      within(draft, (access) => work({ repository: (contract) => this.#repositoryOn(contract, access(contract.id)) })),
    );
  }

  /** Steps of stores: bindings define their keys as they write. */
  pending() {
    return this.#read((view) => this.#missing(view));
  }

  migrate() {
    return this.#alone(async (draft) => {
      const missing = await this.#missing(draft);
      for (const store of this.#stores) await runSteps(new Space(draft, store.contract.id), store, this.#damaged);
      return missing;
    });
  }

  async ping() {
    await this.#read((view) => view.getMany([layoutKey]));
  }

  close() {
    this.#closing ??= this.#inTurn(() => Promise.allSettled(this.#reading)).then(() => this.#db.close());
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

  #repositoryOn(contract, access) {
    const binding = this.#bindings.get(contract.id);
    if (!binding) throw new Fault('internal', `The contract ${contract.id} was not named when the storage was opened`);
    return completed(contract, binding(access));
  }

  async #read(work) {
    this.#assertOpen();
    const snapshot = this.#db.snapshot();
    const reading = this.#answered(() => work(stateOf(this.#db, snapshot))).finally(() => snapshot.close());
    this.#reading.add(reading);
    return reading.finally(() => this.#reading.delete(reading));
  }

  /** Runs writes one after the other, in the order of the calls; each is one atomic batch, on disk once it is acknowledged. */
  async #alone(work) {
    this.#assertOpen();
    return this.#inTurn(() =>
      this.#answered(async () => {
        const draft = new Draft(stateOf(this.#db));
        const result = await work(draft);
        const changes = [...draft.changes].map(([key, value]) => ({ type: value ? 'put' : 'del', key, value }));
        if (changes.length > 0) await this.#db.batch(changes, { sync: true });
        return result;
      }),
    );
  }

  /** The engine's errors as faults; others unchanged. */
  async #answered(work) {
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
