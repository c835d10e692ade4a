/** Reads one YAML file and keeps the line and column of every value. */
import { readFile } from 'node:fs/promises';
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { utf8Text } from '../encoding.js';
import type { Faults } from './faults.js';
import { Layer, type Origin, type Path, type Section, showFile } from './layer.js';

/**
 * Returns the file's values, or undefined if there are mistakes (unreadable file, YAML errors, duplicate keys, unknown
 * tags). These go to `faults`, those in the YAML with line and column.
 */
export async function readYaml(file: string, named: Origin | undefined, faults: Faults): Promise<Layer | undefined> {
  const wrong = (what: string): undefined => {
    faults.add([], `The configuration file ${showFile(file)} ${what}`, named);
  };
  let text: string | undefined;
  try {
    text = utf8Text(await readFile(file));
  } catch (error) {
    return wrong(why(error));
  }
  return text === undefined ? wrong('is not UTF-8 text') : parseYaml(text, file, faults);
}

export function parseYaml(text: string, file: string, faults: Faults): Layer | undefined {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, version: '1.2' });
  const at = (offset: number): Origin => {
    const { line, col } = lines.linePos(offset);
    return { source: `${showFile(file)}:${line}:${col}`, file };
  };
  const mistakes = [...document.errors, ...document.warnings];
  for (const mistake of mistakes) faults.add([], explained(mistake.code, mistake.message), at(mistake.pos[0]));
  if (mistakes.length > 0) return undefined;

  const root = document.contents;
  if (root === null || (isScalar(root) && root.value === null)) return new Layer();
  if (!isMap(root)) {
    faults.add([], 'A configuration file is a map of sections', at(root.range?.[0] ?? 0));
    return undefined;
  }

  const origins = new Map<string, Origin>();
  let sound = true;
  const read = (given: Node | null, path: Path, within: readonly Node[]): unknown => {
    const node = isAlias(given) ? given.resolve(document) : given;
    const origin = at(given?.range?.[0] ?? 0);
    if (!node && isAlias(given)) {
      faults.add(path, `there is no anchor "&${given.source}"`, origin);
      sound = false;
    }
    if (!node) return null;
    if (!origins.has(JSON.stringify(path))) origins.set(JSON.stringify(path), origin);
    if (within.includes(node)) {
      faults.add(path, 'this alias contains itself', origin);
      sound = false;
      return null;
    }
    if (isMap(node)) {
      const section: Section = {};
      for (const { key, value } of node.items) {
        const name = isScalar(key) ? String(key.value) : undefined;
        const place = at((key as Node).range?.[0] ?? 0);
        if (name === undefined || name === '__proto__') {
          faults.add(path, name === undefined ? 'a key must be plain text' : 'unknown key "__proto__"', place);
          sound = false;
          continue;
        }
        const inner = [...path, name];
        origins.set(JSON.stringify(inner), place);
        section[name] = read(value as Node | null, inner, [...within, node]);
      }
      return section;
    }
    if (isSeq(node)) return node.items.map((item, i) => read(item as Node, [...path, String(i)], [...within, node]));
    return isScalar(node) ? node.value : null;
  };
  const values = read(root, [], []) as Section;
  return sound ? new Layer(values, origins) : undefined;
}

function explained(code: string, message: string): string {
  if (code === 'DUPLICATE_KEY') return 'This key is given twice in one section';
  return `YAML: ${message}`;
}

/** Why a file could not be read, as the end of a sentence. */
export function why(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return 'does not exist';
    case 'EACCES':
    case 'EPERM':
      return 'may not be read by this user';
    case 'EISDIR':
      return 'is a folder';
    default:
      return `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown cause'})`;
  }
}
