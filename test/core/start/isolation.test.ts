import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { builtIn } from '../../../core/load.js';
import { useFolder } from '../../support/folder.js';
import { tables } from '../../support/tables.js';
import { serve } from '../../support/trefoil.js';

const hook = new URL('../../support/loaded.mjs', import.meta.url).href;

/** What V8 writes into the folder NODE_V8_COVERAGE at the end of a process. */
interface ProcessCoverage {
  result: { functions: { functionName: string; ranges: { count: number }[] }[] }[];
}

describe('one plugin alone', () => {
  const folder = useFolder();

  for (const name of builtIn('plugin')) {
    it(`${name} on SQLite loads no other plugin or engine, and creates only its own and the core's tables`, async () => {
      const config = fileURLToPath(new URL(`../../../config/one-plugin/${name}.yaml`, import.meta.url));
      const env = {
        LOADED_MODULES: `${folder.path()}/modules`,
        TREFOIL_SQLITE_FILE: 'alone.sqlite',
        NODE_V8_COVERAGE: `${folder.path()}/evaluated`,
      };
      const options = { cwd: folder.path(), env, node: ['--import', hook] };
      const { url, process } = await serve(['serve', '--config', config, '--port', '0'], options);
      expect((await fetch(`${url}/-/ready`)).status).to.equal(200);
      expect((await process.kill('SIGTERM')).code).to.equal(0);

      const modules = (await readFile(`${folder.path()}/modules`, 'utf8')).split('\n');
      const loaded = (pattern: RegExp, from: readonly string[] = modules) =>
        [...new Set(from.flatMap((module) => pattern.exec(module)?.[1] ?? []))].sort();
      const evaluated = await evaluatedIn(`${folder.path()}/evaluated`);
      // Of other engines only adapters/<name>/environment.ts is evaluated, which detects an engine by its variables.
      const code = evaluated.filter((module) => !module.endsWith('/environment.ts'));
      expect(loaded(/^plugins\/([a-z-]+)\//, evaluated)).to.deep.equal([name]);
      expect(loaded(/^adapters\/([a-z]+)\//, code)).to.deep.equal(['knex', 'sqlite']);
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

  /** The modules that were evaluated, by their paths: each is a function of the script that it is bundled into. */
  async function evaluatedIn(coverage: string): Promise<string[]> {
    const modules = new Set<string>();
    for (const file of await readdir(coverage)) {
      const { result } = JSON.parse(await readFile(join(coverage, file), 'utf8')) as ProcessCoverage;
      for (const { functionName, ranges } of result.flatMap(({ functions }) => functions)) {
        if (functionName.endsWith('.ts') && (ranges[0]?.count ?? 0) > 0) modules.add(functionName);
      }
    }
    return [...modules];
  }

  /** The owner of a table, by its prefix: the ledger of migrations, jobs, tokens and erasures belong to the core. */
  function owner(table: string): string {
    const prefix = table.split('_', 1)[0] ?? '';
    return ['trefoil', 'jobs', 'tokens', 'erasures'].includes(prefix) ? 'core' : prefix;
  }
});
