/** The scripts that check a commit: they can be read, and every test that they name exists. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const bash = (...args: string[]) => spawnSync('bash', args, { cwd: root, encoding: 'utf8' });
const missing = (files: readonly string[]) => files.filter((file) => !existsSync(`${root}/${file}`));

describe('the scripts of .ci', () => {
  for (const name of ['run', 'long', 'package']) {
    it(`are read by bash: ${name}`, () => {
      const { status, stderr } = bash('-n', `.ci/${name}`);
      expect(stderr).to.equal('');
      expect(status).to.equal(0);
    });

    it(`name tests that exist: ${name}`, () => {
      const named = readFileSync(`${root}/.ci/${name}`, 'utf8').match(/test\/[\w./{},-]+\.test\.ts/g) ?? [];
      // As bash expands the braces.
      const { stdout } = bash('-c', `printf '%s\\n' ${named.join(' ')}`);
      expect(missing(stdout.split('\n').filter(Boolean))).to.deep.equal([]);
    });
  }

  it('and the measurements that pages tell readers to run exist, save those of an older version', () => {
    const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'config', 'core/decisions', 'plugins', '.ci/long'];
    const { stdout } = bash('-c', `grep -rhoE 'npm run bench -- [^\`]+(\` of version)?' ${pages.join(' ')}`);
    const named = stdout
      .split('\n')
      .filter((command) => command !== '' && !command.endsWith(' of version'))
      .flatMap((command) => command.slice('npm run bench -- '.length).split(' '))
      .filter((word) => /^[a-z][a-z0-9-]+$/.test(word));
    expect(named.length).to.be.greaterThan(10);
    expect(missing(named.map((name) => `test/bench/${name}.bench.ts`))).to.deep.equal([]);
  });

  it('begin the suite with tests that exist', () => {
    const longest = readFileSync(`${root}/test/support/run.ts`, 'utf8').match(/'test\/[\w./-]+\.test\.ts'/g) ?? [];
    expect(longest.length).to.be.greaterThan(3);
    expect(missing(longest.map((file) => file.slice(1, -1)))).to.deep.equal([]);
  });
});
