/** Whether the build in `dist/` is out of date. */
import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** @param {URL} built A file of the build. Returns whether any source file is newer. */
export function newerThanBuild(built) {
  const time = statSync(built).mtimeMs;
  return ['core', 'plugins', 'adapters'].some((folder) => hasNewer(`${root}${folder}`, time));
}

/** In half the time of a recursive listing, which puts each path together piece by piece: each start waits for it. */
function hasNewer(folder, time) {
  return readdirSync(folder, { withFileTypes: true }).some((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return hasNewer(path, time);
    return entry.isFile() && !/\.(?:mjs|md)$/.test(entry.name) && statSync(path).mtimeMs > time;
  });
}
