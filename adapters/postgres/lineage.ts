/**
 * Recognises a restored database behind the same address. A copy of a server has the same identifier as the server, and a
 * dump all of its rows: one row of our own distinguishes them, whose mark is renewed by the first connection to a database that
 * is not where, or not as far, as the row says.
 */
import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { isFault, outage, type StorageLog } from '../../core/storage.js';
import { Lineage } from '../knex/driver.js';

const table = 'trefoil_lineage';

/** For the migrations: a table with one row at most. */
export const createLineage = `create table if not exists ${table} (single boolean primary key check (single),
  origin text not null, timeline text not null, synchronous boolean not null, mark text not null)`;

/** Milliseconds between looks at a server whose connections stay open. */
const everyMs = 1000;

interface ServerFacts {
  /** The server's cluster and the database. */
  place: string;
  /** The place and the table of the mark, another one after a restore from a dump; null if there is no table yet. */
  origin: string | null;
  standby: boolean;
  /** Of the write-ahead log; '' on a standby. Another one after each promotion, and after each recovery from a backup. */
  timeline: string;
  /** Whether a standby has whatever was committed. */
  synchronous: boolean;
  /** Whether the server has a target at which its recovery ends. */
  targeted: boolean;
  /** The end of the write-ahead log, or of what a standby replayed of it: bytes. */
  position: string;
}

type LineageRow = Pick<ServerFacts, 'timeline' | 'synchronous'> & { origin: string; mark: string };

/** What stays the same while it is the same data; the timeline counts if there is no mark. */
interface DatabaseIdentity extends Pick<ServerFacts, 'place' | 'timeline'> {
  mark: string | undefined;
}

export class ServerLineage extends Lineage {
  readonly #where: string;
  readonly #log: StorageLog;
  readonly #borrow: (work: (client: Client) => Promise<void>) => Promise<void>;
  #own: DatabaseIdentity | undefined;
  #position = 0n;
  #looked = Number.NEGATIVE_INFINITY;
  #looking = false;
  #warned = false;

  /** `where` names the database; `borrow` lends a connection to the primary. */
  constructor(where: string, log: StorageLog, borrow: (work: (client: Client) => Promise<void>) => Promise<void>) {
    super();
    this.#where = where;
    this.#log = log;
    this.#borrow = borrow;
  }

  /** For a new connection to the primary, before its first use. Throws an `unavailable` fault if it must not be used. */
  async meet(client: Client): Promise<void> {
    this.#looked = performance.now();
    // What was seen before the question: answers of several connections may arrive in another order than they were given.
    const seen = this.#position;
    const facts = await factsOf(client);
    const position = BigInt(facts.position);
    if (facts.standby && position < seen) {
      throw outage(`The PostgreSQL ${this.#where} is a standby that has not replayed what was seen before`);
    }
    const isBehind = position < seen;
    const identity = await this.#identityOf(client, facts, isBehind);
    if (isBehind || (this.#own !== undefined && !isSame(this.#own, identity))) {
      this.replace(`The PostgreSQL ${this.#where} was restored or replaced`);
      throw this.fault();
    }
    this.#own = identity;
    if (position > this.#position) this.#position = position;
  }

  /** For a new connection to the replica. Throws an error if it replicates other data than that of the primary. */
  async meetReplica(client: Client): Promise<void> {
    const facts = await factsOf(client);
    const mark = (await lineageRowOf(client, facts))?.mark;
    const own = this.#own;
    // A row that is not there yet says nothing: the replica is read only once it has what was seen of the primary.
    const isSameMark = mark === undefined || own?.mark === undefined || mark === own.mark;
    if (own === undefined || (facts.place === own.place && isSameMark)) return;
    throw outage('It has other data than the primary: it was not set up anew after a restore');
  }

  protected look(): void {
    if (this.#looking || performance.now() - this.#looked < everyMs) return;
    this.#looking = true;
    this.#borrow((client) => this.meet(client))
      // The work that is under way meets the same error, and reports it.
      .catch((error: Error) => this.#log.debug({ reason: error.name }, 'the lineage of the database is unknown'))
      .finally(() => {
        this.#looked = performance.now();
        this.#looking = false;
      });
  }

  async #identityOf(client: Client, facts: ServerFacts, isBehind: boolean): Promise<DatabaseIdentity> {
    const { place, origin, timeline } = facts;
    const row = await lineageRowOf(client, facts);
    if (origin === null || facts.standby) return { place, timeline, mark: row?.mark };
    const isOther = row === undefined || row.origin !== origin || isBehind || isRecovered(row, facts);
    const isNews = isOther || row.timeline !== timeline || row.synchronous !== facts.synchronous;
    if (!isNews) return { place, timeline, mark: row.mark };
    try {
      await write(client, { ...facts, origin }, { former: row, mark: isOther ? randomUUID() : row.mark });
    } catch (error) {
      if (!this.#warned) this.#log.warn({ reason: codeOf(error) }, `the row of ${table} cannot be written`);
      this.#warned = true;
      return { place, timeline, mark: isOther ? undefined : row.mark };
    }
    return { place, timeline, mark: (await lineageRowOf(client, facts))?.mark };
  }
}

function isSame(own: DatabaseIdentity, now: DatabaseIdentity): boolean {
  if (own.place !== now.place) return false;
  if (own.mark !== undefined && now.mark !== undefined) return own.mark === now.mark;
  return own.timeline === now.timeline || now.timeline === '';
}

/**
 * Whether a server on another timeline may have less than before. After the promotion of a standby that had everything it has
 * not.
 */
function isRecovered(row: LineageRow, { timeline, targeted }: ServerFacts): boolean {
  return row.timeline !== timeline && (targeted || !row.synchronous);
}

const targets = ['', '_lsn', '_name', '_time', '_xid'];

async function factsOf(client: Client, mayReadSystem = true): Promise<ServerFacts> {
  const system = mayReadSystem ? '(select system_identifier from pg_control_system())' : 'null';
  const end = 'case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end';
  try {
    const { rows } = await client.query<ServerFacts>(
      `select concat_ws('/', ${system}, d.oid) as place,
         concat_ws('/', ${system}, d.oid) || '/' || r.relation as origin, pg_is_in_recovery() as standby,
         case when pg_is_in_recovery() then '' else left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline,
         current_setting('synchronous_standby_names') <> '' and current_setting('synchronous_commit') not in ('off', 'local')
           as synchronous,
         concat(${targets.map((end) => `current_setting('recovery_target${end}', true)`).join(', ')}) <> '' as targeted,
         trunc(coalesce(${end} - '0/0'::pg_lsn, 0))::text as position
       from pg_database d, (select to_regclass('${table}')::oid::text as relation) r where d.datname = current_database()`,
    );
    return rows[0] as ServerFacts;
  } catch (error) {
    // Some providers take away the right to ask for it.
    if (mayReadSystem && codeOf(error) === '42501') return factsOf(client, false);
    throw error;
  }
}

async function lineageRowOf(client: Client, { origin }: ServerFacts): Promise<LineageRow | undefined> {
  if (origin === null) return undefined;
  const { rows } = await client.query<LineageRow>(`select origin, timeline, synchronous, mark from ${table}`);
  return rows[0];
}

/** If another process was faster, its row stays. */
async function write(
  client: Client,
  { origin, timeline, synchronous }: Omit<LineageRow, 'mark'>,
  { former, mark }: { former: LineageRow | undefined; mark: string },
): Promise<void> {
  const values = [origin, timeline, synchronous, mark];
  if (former === undefined) {
    await client.query(
      `insert into ${table} (single, origin, timeline, synchronous, mark) values (true, $1, $2, $3, $4)
       on conflict do nothing`,
      values,
    );
    return;
  }
  await client.query(
    `update ${table} set origin = $1, timeline = $2, synchronous = $3, mark = $4
     where mark = $5 and timeline = $6 and origin = $7`,
    [...values, former.mark, former.timeline, former.origin],
  );
}

function codeOf(error: unknown): string {
  return isFault(error) ? error.code : ((error as { code?: string }).code ?? 'unknown');
}
