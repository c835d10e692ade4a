/** Files that commands write: complete as soon as they exist, and not accessible to other users. */
import { execFileSync } from 'node:child_process';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect } from 'chai';
import { isFault } from '../../core/fault.js';
import { writeWhole } from '../../core/files/write.js';
import { useFolder } from '../support/folder.js';

describe('a file that a command writes', () => {
  const folder = useFolder();
  const { signal } = new AbortController();
  const path = () => join(folder.path(), 'out.json');
  const write = (text: string) => (target: Writable) => pipeline([text], target);
  const mode = async () => ((await stat(path())).mode & 0o777).toString(8);

  it('is accessible to its owner only, further limited by the umask', async () => {
    const before = process.umask(0o022);
    try {
      await writeWhole(path(), write('patients'), signal);
      expect(await mode()).to.equal('600');
      process.umask(0o277);
      await writeWhole(`${path()}.strict`, write('patients'), signal);
      expect(((await stat(`${path()}.strict`)).mode & 0o777).toString(8)).to.equal('400');
    } finally {
      process.umask(before);
    }
    expect(await readFile(path(), 'utf8')).to.equal('patients');
  });

  it('keeps its mode if it is replaced', async () => {
    await writeFile(path(), 'old');
    await chmod(path(), 0o664);
    await writeWhole(path(), write('new'), signal);
    expect(await mode()).to.equal('664');
    expect(await readFile(path(), 'utf8')).to.equal('new');
  });

  it('is unchanged if writing fails, with no temporary file left', async () => {
    await writeFile(path(), 'old');
    const failing = async (target: Writable) => {
      target.write('half');
      throw new Error('the storage went away');
    };
    const error = await writeWhole(path(), failing, signal).catch((thrown: unknown) => thrown);
    expect(error).to.have.property('message', 'the storage went away');
    expect(await readFile(path(), 'utf8')).to.equal('old');
    expect(await readdir(folder.path())).to.deep.equal(['out.json']);
  });

  it('is refused in one sentence if its folder does not exist', async () => {
    const error = await writeWhole('/nowhere/out.json', write('x'), signal).catch((thrown: unknown) => thrown);
    expect(isFault(error) && [error.code, error.message]).to.deep.equal([
      'unprocessable',
      '/nowhere/out.json cannot be written (ENOENT)',
    ]);
  });

  it('can be a pipe', async () => {
    execFileSync('mkfifo', [path()]);
    const [text] = await Promise.all([readFile(path(), 'utf8'), writeWhole(path(), write('patients'), signal)]);
    expect(text).to.equal('patients');
  });
});
