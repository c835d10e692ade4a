/** A main PostgreSQL server and another one, set up by the guide `config/sharding.md`, with two databases for alleles. */
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PostgresServer, postgresTools } from './cluster.js';
import { type Block, blocksOf, follow } from './guide.js';

const guide = 'config/sharding.md';
const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Sharded {
  main: PostgresServer;
  far: PostgresServer;
  /** The databases on the other server, by the name of the foreign server. */
  shards: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

/**
 * Two servers; `fill` makes the tables of a beacon on the main one, with rows to move or without. `parts` are the tables to move, by the name of the foreign server
 * that gets them.
 */
export async function sharded(
  parts: Readonly<Record<string, readonly string[]>>,
  fill: (url: string) => Promise<void>,
): Promise<Sharded> {
  const [main, far] = await Promise.all([PostgresServer.primary(), PostgresServer.primary()]);
  const folder = await mkdtemp(join(tmpdir(), 'trefoil-sharded-'));
  const remove = async () => {
    await Promise.all([main.remove(), far.remove(), rm(folder, { recursive: true, force: true })]);
  };
  try {
    // As `npm install trefoil` leaves it.
    await mkdir(join(folder, 'node_modules/.bin'), { recursive: true });
    await symlink(root, join(folder, 'node_modules/trefoil'));
    await symlink(join(root, 'core/bin/trefoil.mjs'), join(folder, 'node_modules/.bin/trefoil'));
    const blocks = blocksOf(guide, 'Setting it up');
    const block = (language: string, rest: string) =>
      find(blocks, (each) => each.language === language && each.rest === rest);
    const [migrate, move] = blocks.filter(({ language }) => language === 'sh') as [Block, Block];
    const [prepare = '', moving = ''] = move.text.split('\n').slice(1);
    const scripts = 'cd node_modules/trefoil/config/deploy/sharding\n';
    const configuration = block('yaml', 'shard.yaml');
    const env = { DATABASE_URL: main.url, PATH: `${postgresTools}:${process.env.PATH}` };
    await fill(main.url);
    await main.sql(block('sql', 'administrator').text);
    await follow([{ ...move, text: scripts + prepare }], { folder, env });
    const shards: Record<string, string> = {};
    for (const name of Object.keys(parts)) {
      // The tables are made once, as the guide says, and copied.
      const [first] = Object.keys(shards);
      await far.sql(`create database ${name}${first === undefined ? '' : ` template ${first}`}`);
      const url = new URL(far.url);
      url.pathname = `/${name}`;
      shards[name] = url.href;
      if (first === undefined) await follow([configuration, migrate], { folder, env: { ...env, SHARD_URL: url.href } });
    }
    for (const [name, tables] of Object.entries(parts)) {
      const server = block('sql', 'server')
        .text.replaceAll('shard_21', name)
        .replace("host 'shard-21.example'", "host '127.0.0.1'")
        .replace("port '5432'", `port '${far.port}'`)
        .replace("dbname 'trefoil'", `dbname '${name}'`)
        .replace("password 'password'", `password '${new URL(far.url).password}'`);
      await main.sql(server);
      for (const table of tables) {
        const text = moving.replace('beacon_alleles_grch38_21', table).replace('shard_21', name);
        await follow([{ ...move, text: scripts + text }], { folder, env });
      }
    }
    return { main, far, shards, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

function find(blocks: readonly Block[], isIt: (block: Block) => boolean): Block {
  const found = blocks.find(isIt);
  if (found === undefined) throw new Error(`${guide} lacks a block`);
  return found;
}
