/** Storage for a test: a database of its own. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { Fault, type MakeHome } from '../../core/storage.js';

export const home: MakeHome = async ({ url }) => {
  if (url === undefined) throw new Fault('invalid', 'postgres needs the url of a server on which to create databases');
  const name = `trefoil_test_${randomBytes(8).toString('hex')}`;
  const own = new URL(url);
  own.pathname = `/${name}`;
  await run(url, `create database ${name} template template0 encoding 'UTF8'`);
  return { settings: { url: own.href }, discard: () => run(url, `drop database if exists ${name} with (force)`) };
};

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
