/**
 * Situations that people met with other tools, as the runners of ../shared/data/cases play them against the build: not part of the
 * project, so they are skipped if they are missing. The whole suite plays a twelfth of them.
 */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { sampled } from '../support/sample.js';
import { trefoil } from '../support/trefoil.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

for (const plugin of ['beacon', 'coverage']) {
  const runner = join(root, '../shared/data/cases', plugin, 'run.mjs');

  (existsSync(runner) ? describe : describe.skip)(`cases of ${plugin}`, function () {
    // The runner gives up on a case after a minute.
    this.timeout(90_000);
    const names = existsSync(runner)
      ? readdirSync(dirname(runner)).filter((name) => existsSync(join(dirname(runner), name, 'case.json')))
      : [];

    it('are found', () => expect(names.length).to.be.greaterThan(15));

    for (const name of sampled(names, 12)) {
      it(name, async () => {
        const [id = ''] = name.split('-');
        const { code, stdout, stderr } = await trefoil([root, id], { cwd: root, script: runner });
        expect(stdout + stderr).to.match(/^1 held, 0 missed$/m);
        expect(code).to.equal(0);
      });
    }
  });
}
