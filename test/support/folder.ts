/** Temporary folders that are removed after each test, or after a process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Call inside `describe`; `folder()` is a new, empty folder for the running test. */
export function useFolder(): { path(): string; write(name: string, text: string): Promise<string> } {
  let path = '';
  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), 'trefoil-test-'));
  });
  afterEach(async () => {
    await rm(path, { recursive: true, force: true });
  });
  return {
    path: () => path,
    async write(name, text) {
      if (path === '') throw new Error(`${name} cannot be written: there is no folder before a test has begun`);
      const file = join(path, name);
      await writeFile(file, text);
      return file;
    },
  };
}

let parent: string | undefined;

/** A new, empty folder for the tests of a block or file, removed when the process ends. */
export function blockFolder(): string {
  if (parent === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'trefoil-tests-'));
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    parent = made;
  }
  return mkdtempSync(join(parent, 'block-'));
}
