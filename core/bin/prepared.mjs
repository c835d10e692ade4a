/**
 * The prepared command line: modules with V8's compiled code, which starts faster than those of the build. `prepare.mjs`
 * writes it for the Node.js and the packages of this machine; it is used only as long as these are installed.
 *
 * Its file has a header, which `sizeOfHeader` bytes before it describe, and parts: the text of a script, then its
 * compiled code. A script gives a table of the functions of modules that the same commands need.
 */
import { fstatSync, openSync, readFileSync, readSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedDataVersionTag, setFlagsFromString } from 'node:v8';
import { crc32 } from 'node:zlib';
import { link } from './linker.mjs';
import { compile, unprepared } from './unprepared.mjs';

export const sizeOfHeader = 8;

/** What V8 does for processes that run long: to mark the heap in steps, and to make machine code before it optimises. */
const forLongRuns = ['incremental-marking', 'sparkplug'];

/**
 * Has V8 leave out what costs a command a fifth of its start and saves it nothing: an import of minutes takes as long.
 * Compiled code is of the options that were set, so that `prepare.mjs` calls this, too.
 */
export function tuneForCommands() {
  for (const name of forLongRuns) setFlagsFromString(`--no-${name}`);
}

export function tuneForServers() {
  for (const name of forLongRuns) setFlagsFromString(`--${name}`);
}

/**
 * Returns the command line, or undefined if it is not prepared for this Node.js or for the packages that are installed.
 * @param {URL} root the folder of our package
 */
export function openPrepared(root) {
  tuneForCommands();
  const file = preparedFile(root);
  const opened = file && open(file);
  if (!opened) return undefined;
  const { header, functionsIn } = opened;
  if (!areInstalled(header.packages, fileURLToPath(root))) return undefined;
  const functions = new Map();
  const load = (part) => {
    const found = functionsIn(part);
    for (const [id, entry] of Object.entries(found ?? {})) functions.set(id, entry);
    return found !== undefined;
  };
  // V8 accepts the code of all parts, or of none.
  if (!load(header.parts[0])) return undefined;
  const others = unprepared(root);
  const entryOf = (id) => {
    const part = header.parts[header.partOf[id]];
    if (!functions.has(id) && part !== undefined) load(part);
    return functions.get(id);
  };
  return link(root, {
    functionOf: (id) => entryOf(id)?.[0] ?? others.functionOf(id),
    target: (from, specifier) => {
      const known = from === '' ? header.targets : entryOf(from)?.[1];
      return known !== undefined && specifier in known
        ? (known[specifier] ?? undefined)
        : others.target(from, specifier);
    },
  })('core/cli.js');
}

/** The file for V8 as it runs here, with its options and processor; undefined if the package has no prepared modules. */
export function preparedFile(root) {
  const folder = fileURLToPath(new URL('dist/prepared/', root));
  const digest = read(join(folder, 'digest'));
  return digest && join(folder, `${digest}-${cachedDataVersionTag().toString(16)}.compiled`);
}

function open(file) {
  let fd;
  try {
    fd = openSync(file);
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
  const { size } = fstatSync(fd);
  const bytesAt = (from, to) => {
    if (from >= to || to > size) return undefined;
    const bytes = Buffer.allocUnsafeSlow(to - from);
    return readSync(fd, bytes, 0, bytes.length, from) === bytes.length ? bytes : undefined;
  };
  const intact = (bytes, sum) => (bytes !== undefined && crc32(bytes) === sum ? bytes : undefined);
  const start = bytesAt(0, sizeOfHeader);
  const end = start && sizeOfHeader + start.readUInt32LE(0);
  const header = start && intact(bytesAt(sizeOfHeader, end), start.readUInt32LE(4));
  if (header === undefined) return undefined;
  /** The functions of a part; undefined if it is damaged, which V8 would not notice, or if V8 refuses it. */
  const functionsIn = ({ from, code, to, sum }) => {
    const bytes = intact(bytesAt(end + from, end + to), sum);
    if (bytes === undefined) return undefined;
    const script = compile(bytes.latin1Slice(0, code - from), `${file}:${from}`, bytes.subarray(code - from));
    return script.cachedDataRejected ? undefined : script.runInThisContext();
  };
  return { header: JSON.parse(header.latin1Slice()), functionsIn };
}

/** Whether each package is installed in its version, where Node.js finds it from ours, or from the package that needs it. */
function areInstalled(packages, folder) {
  const folders = [];
  return packages.every(({ name, version, of }) => {
    for (let from = of === undefined ? folder : folders[of]; ; from = dirname(from)) {
      const candidate = join(from, 'node_modules', name);
      const manifest = read(join(candidate, 'package.json'));
      if (manifest !== undefined) {
        folders.push(realpathSync.native(candidate));
        return JSON.parse(manifest).version === version;
      }
      if (dirname(from) === from) return false;
    }
  });
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  }
}
