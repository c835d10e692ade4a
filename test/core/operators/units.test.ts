/** The units of systemd among the examples, as systemd reads them. */
import { execFile, execFileSync } from 'node:child_process';
import { copyFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { useFolder } from '../../support/folder.js';

const deploy = fileURLToPath(new URL('../../../config/deploy/', import.meta.url));

describe('operators: units of systemd', () => {
  const folder = useFolder();

  /** What systemd says of the units of the folder. */
  async function said(names: readonly string[]): Promise<string> {
    const files = names.map((name) => join(folder.path(), name));
    const env = { PATH: process.env.PATH ?? '', SYSTEMD_UNIT_PATH: `${folder.path()}:` };
    const run = promisify(execFile)('systemd-analyze', ['verify', '--man=no', ...files], { env });
    return run.then(
      ({ stderr }) => stderr,
      ({ stderr }: { stderr: string }) => stderr,
    );
  }

  it('have no mistake, and the timer starts its service', async function () {
    try {
      execFileSync('systemd-analyze', ['--version'], { stdio: 'ignore' });
    } catch {
      return this.skip();
    }
    const units = (await readdir(deploy)).filter((name) => /\.(service|timer)$/.test(name));
    expect(units).to.include.members(['trefoil@.service', 'trefoil-backup-verify.timer']);
    const names = units.map((name) => name.replace('@.', '@serve.'));
    for (const [i, unit] of units.entries()) await copyFile(join(deploy, unit), join(folder.path(), names[i] ?? ''));
    const own = (await said(names)).split('\n').filter((line) => line.includes('trefoil'));
    expect(own).to.deep.equal([]);
    await writeFile(join(folder.path(), 'trefoil-wrong.service'), '[Service]\nType=onceshot\nExecStart=/bin/true\n');
    expect(await said(['trefoil-wrong.service'])).to.include('onceshot');
  });
});
