/** Queries that a healthy server answers within a time. */
import type { Client, QueryConfig, QueryResult } from 'pg';
import { discard } from '../knex/driver.js';

/** Rejects after the time limit, in milliseconds; the pool then replaces the connection. */
export async function askSoon<Row extends object = Record<string, unknown>>(
  connection: Client,
  query: QueryConfig,
  limit: number,
): Promise<QueryResult<Row>> {
  try {
    return await connection.query<Row>({ ...query, query_timeout: limit } as QueryConfig);
  } catch (error) {
    discard(connection, error);
    throw error;
  }
}
