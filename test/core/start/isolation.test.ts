import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { builtIn } from '../../../core/load.js';
import { useFolder } from '../../support/folder.js';
import { tables } from '../../support/tables.js';
import { serve } from '../../support/trefoil.js';

const hook = new URL('../../support/loaded.mjs', import.meta.url).href;

describe('one plugin alone', () => {
  const folder = useFolder();

  for (const name of builtIn('plugin')) {
    it(`${name} on SQLite loads no other plugin or engine, and creates only its own and the core's tables`, async () => {
      const config = fileURLToPath(new URL(`../../../config/one-plugin/${name}.yaml`, import.meta.url));
      const env = { LOADED_MODULES: `${folder.path()}/modules`, TREFOIL_SQLITE_FILE: 'alone.sqlite' };
      const options = { cwd: folder.path(), env, node: ['--import', hook] };
      const { url, process } = await serve(['serve', '--config', config, '--port', '0'], options);
      expect((await fetch(`${url}/-/ready`)).status).to.equal(200);
      expect((await process.kill('SIGTERM')).code).to.equal(0);

      const modules = (await readFile(`${folder.path()}/modules`, 'utf8')).split('\n').flatMap(bundled);
      const loaded = (pattern: RegExp) =>
        [...new Set(modules.flatMap((module) => pattern.exec(module)?.[1] ?? []))].sort();
      // Of other engines only adapters/<name>/environment.ts is loaded, which detects an engine by its variables.
      const code = modules.filter((module) => !/\/environment\.[jt]s/.test(module));
      expect(loaded(/\/plugins\/([a-z-]+)\//)).to.deep.equal([name]);
      const adapters = code.flatMap((module) => /\/adapters\/([a-z]+)\/[a-z/]+\.[jt]s/.exec(module)?.[1] ?? []);
      expect([...new Set(adapters)].sort()).to.deep.equal(['knex', 'sqlite']);
      const packages = loaded(/\/node_modules\/((?:@[^/]+\/)?[^/]+)\//);
      expect(packages).to.include('sqlite3').and.include('koa');
      for (const unwanted of [
        'pg',
        'pg-copy-streams',
        'pg-query-stream',
        'cli-progress',
        'piscina',
        'jose',
        'aws4fetch',
      ]) {
        expect(packages).to.not.include(unwanted);
      }
      const owners = new Set((await tables(`${folder.path()}/alone.sqlite`)).map(owner));
      expect([...owners]).to.have.members(['core', name]);
    });
  }

  /** The modules that were bundled into a file of the build, or the URL itself. */
  function bundled(url: string): string[] {
    const map = /^file:.*\.js$/.test(url) ? new URL(`${url}.map`) : undefined;
    if (map === undefined || !existsSync(map)) return [url];
    const { sources } = JSON.parse(readFileSync(map, 'utf8')) as { sources: string[] };
    return sources.map((source) => new URL(source, map).href);
  }

  /** The owner of a table, by its prefix: the ledger of migrations, jobs, tokens and erasures belong to the core. */
  function owner(table: string): string {
    const prefix = table.split('_', 1)[0] ?? '';
    return ['trefoil', 'jobs', 'tokens', 'erasures'].includes(prefix) ? 'core' : prefix;
  }
});
