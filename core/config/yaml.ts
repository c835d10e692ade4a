/**
 * The text of a configuration file: YAML with the line and column of every value, and what stands for other text in values:
 * `${ENV}`, `${ENV:-default}` and `${file:path}`; `$${` is a literal `${`.
 */
import { readFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml';
import { utf8Text } from '../text.js';
import { type Faults, Layer, type Path, type SettingsSection, showFile, type ValueOrigin } from './layer.js';

/** Bytes of a file; and values and characters of text in it, once each alias is written out. */
const largestFile = 1024 * 1024;
const mostValues = 50_000;
const mostCharacters = 4 * largestFile;
/** Levels of sections and lists, and mistakes that are reported. */
const deepest = 64;
const mostMistakes = 20;

/**
 * Returns the file's values, or undefined if there are mistakes (unreadable file, YAML errors, duplicate keys, unknown
 * tags, aliases that multiply, sections within sections without end). These go to `faults`, those in the YAML with line and column.
 */
export async function readYaml(
  file: string,
  named: ValueOrigin | undefined,
  faults: Faults,
): Promise<Layer | undefined> {
  const wrong = (what: string): undefined => {
    faults.add([], `The configuration file ${showFile(file)} ${what}`, named);
  };
  let text: string | undefined;
  try {
    if ((await stat(file)).size > largestFile) return wrong(`is larger than ${largestFile} bytes`);
    text = utf8Text(await readFile(file));
  } catch (error) {
    return wrong(why(error));
  }
  return text === undefined ? wrong('is not UTF-8 text') : parseYaml(text, file, faults);
}

export function parseYaml(text: string, file: string, faults: Faults): Layer | undefined {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, version: '1.2', uniqueKeys: false });
  const at = (offset: number): ValueOrigin => {
    const { line, col } = lines.linePos(offset);
    return { source: `${showFile(file)}:${line}:${col}`, file };
  };
  const found: { offset: number; path: Path; message: string }[] = [];
  const report = (): undefined => {
    found.sort((one, other) => one.offset - other.offset);
    for (const { offset, path, message } of found.slice(0, mostMistakes)) faults.add(path, message, at(offset));
    const more = found.length - mostMistakes;
    if (more > 0) faults.add([], `${showFile(file)} has ${more} more mistakes`);
  };
  for (const { message, pos } of [...document.errors, ...document.warnings]) {
    found.push({ offset: pos[0], path: [], message: `YAML: ${message}` });
  }
  // What is within a damaged place is not what was meant.
  if (document.errors.length > 0) return report();

  const root = document.contents;
  if (root === null || (isScalar(root) && root.value === null)) return found.length > 0 ? report() : new Layer();
  if (!isMap(root)) {
    found.push({ offset: root.range?.[0] ?? 0, path: [], message: 'A configuration file is a map of sections' });
    return report();
  }

  const origins = new Map<string, ValueOrigin>();
  const targets = targetsOf(document);
  let [values, characters] = [0, 0];
  const refused = (path: Path, message: string, offset: number): null => {
    found.push({ offset, path, message });
    return null;
  };
  /** `from` is where the outermost alias is that leads here. */
  const read = (given: Node | null, path: Path, within: readonly Node[], from?: number): unknown => {
    // What is refused as a whole is not read on.
    if (values > mostValues || characters > mostCharacters) return null;
    const node = isAlias(given) ? targets.get(given) : given;
    const offset = given?.range?.[0] ?? 0;
    const outermost = from ?? (isAlias(given) ? offset : undefined);
    values++;
    if (isScalar(node) && typeof node.value === 'string') characters += node.value.length;
    if (values > mostValues || characters > mostCharacters) {
      const most = values > mostValues ? `${mostValues} values` : `${mostCharacters} characters`;
      return refused([], `The file has more than ${most}, each alias written out`, outermost ?? offset);
    }
    if (within.length > deepest)
      return refused(path, `sections and lists are more than ${deepest} levels deep`, offset);
    if (!node && isAlias(given)) return refused(path, `there is no anchor "&${given.source}"`, offset);
    if (!node) return null;
    if (!origins.has(JSON.stringify(path))) origins.set(JSON.stringify(path), at(offset));
    if (within.includes(node)) return refused(path, 'this alias contains itself', offset);
    if (isMap(node)) {
      const section: SettingsSection = {};
      for (const { key, value } of node.items) {
        const name = isScalar(key) ? String(key.value) : undefined;
        const place = (key as Node).range?.[0] ?? 0;
        if (name === undefined || name === '__proto__') {
          refused(path, name === undefined ? 'a key must be plain text' : 'unknown key "__proto__"', place);
          continue;
        }
        if (Object.hasOwn(section, name)) {
          refused([], 'This key is given twice in one section', place);
          continue;
        }
        const inner = [...path, name];
        origins.set(JSON.stringify(inner), at(place));
        section[name] = read(value as Node | null, inner, [...within, node], outermost);
      }
      return section;
    }
    if (isSeq(node))
      return node.items.map((item, i) => read(item as Node, [...path, String(i)], [...within, node], outermost));
    return isScalar(node) ? node.value : null;
  };
  const section = read(root, [], []) as SettingsSection;
  return found.length > 0 ? report() : new Layer(section, origins);
}

/** The node that each alias stands for: the last before it with that anchor. The library walks the whole document for each alias. */
function targetsOf(document: Document): ReadonlyMap<Alias, Node> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  visit(document, {
    Node(_, node) {
      if (isAlias(node)) {
        const target = anchors.get(node.source);
        if (target) targets.set(node, target);
      } else if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  return targets;
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

// Replaces `${ENV}`, `${ENV:-default}` and `${file:path}` in text values; `$${` is a literal `${`.

export type Environment = Readonly<Record<string, string | undefined>>;

/** The value of a variable; an empty one counts as not set. */
export function variable(environment: Environment, name: string): string | undefined {
  const value = environment[name];
  return value === undefined || value === '' ? undefined : value;
}

/** Fills in all text values of the layer, in place. Adds a fault for each that cannot be filled in. */
export function fill(layer: Layer, environment: Environment, faults: Faults): void {
  const visit = (value: unknown, path: Path): void => {
    if (typeof value === 'string') fillText(layer, path, value, environment, faults);
    else if (Array.isArray(value)) value.forEach((item, i) => void visit(item, [...path, String(i)]));
    else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) visit(inner, [...path, key]);
    }
  };
  visit(layer.values, []);
}

function fillText(layer: Layer, path: Path, text: string, environment: Environment, faults: Faults): void {
  if (!text.includes('${')) return;
  const origin = layer.origin(path) ?? { source: 'unknown' };
  const problems: string[] = [];
  let filled = false;
  let secret = false;
  const result = text.replace(/\$\$\{|\$\{([^}]*)(\}?)/g, (whole, inside: string | undefined, end: string) => {
    if (inside === undefined) return '${';
    if (end === '') {
      problems.push(`"\${" has no closing "}" (write $\${ for a literal "\${")`);
      return whole;
    }
    filled = true;
    if (inside.startsWith('file:')) {
      secret = true;
      const file = resolve(origin.file === undefined ? '.' : dirname(origin.file), inside.slice('file:'.length));
      try {
        return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
      } catch (error) {
        problems.push(`the file ${showFile(file)} ${why(error)}`);
        return whole;
      }
    }
    const [, name, fallback] = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s.exec(inside) ?? [];
    if (name === undefined) {
      problems.push(`"${whole}" is not valid: write \${NAME}, \${NAME:-default} or \${file:path}`);
      return whole;
    }
    const value = variable(environment, name) ?? fallback;
    if (value === undefined) problems.push(`the environment variable ${name} is not set`);
    return value ?? whole;
  });
  if (problems.length > 0) faults.add(path, problems.join('; '), origin);
  else layer.set(path, result, filled ? { ...origin, text: true, secret } : origin);
}
