/** Whether the build in `dist/` is out of date. */
import { readdirSync, statSync } from 'node:fs';

const root = new URL('../../', import.meta.url);

/** @param {URL} built A file of the build. Returns whether any source file is newer. */
export function newerThanBuild(built) {
  const time = statSync(built).mtimeMs;
  return ['core', 'plugins', 'adapters'].some((folder) =>
    readdirSync(new URL(`${folder}/`, root), { recursive: true, withFileTypes: true }).some(
      (entry) =>
        entry.isFile() &&
        !entry.name.endsWith('.mjs') &&
        !entry.name.endsWith('.md') &&
        statSync(`${entry.parentPath ?? entry.path}/${entry.name}`).mtimeMs > time,
    ),
  );
}
