/**
 * Configuration values with the origin of each, how they are shown without secrets, and their faults, which are collected
 * before anything is started, so that they are reported together.
 */
import { relative } from 'node:path';
import { Fault } from '../fault.js';

/** Keys from the root; list indexes as decimal strings. */
export type Path = readonly string[];

/** Where a value was written. */
export interface ValueOrigin {
  /** For people: `/etc/trefoil.yaml:12:3`, `environment variable PGPORT`, `--port`. */
  source: string;
  /** Absolute path of the configuration file, if the value is from one. */
  file?: string;
  /** The value is text from outside YAML; validation may read it as a number, a boolean or a list. */
  text?: boolean;
  /** Must not be printed. */
  secret?: boolean;
}

export type SettingsSection = Record<string, unknown>;

export class Layer {
  readonly values: SettingsSection;
  readonly #origins: Map<string, ValueOrigin>;

  constructor(values: SettingsSection = {}, origins: ReadonlyMap<string, ValueOrigin> = new Map()) {
    this.values = values;
    this.#origins = new Map(origins);
  }

  get(path: Path): unknown {
    let value: unknown = this.values;
    for (const key of path) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
      value = (value as SettingsSection)[key];
    }
    return value;
  }

  /** Sets a value and creates the sections around it; a value that is in place of such a section is replaced. */
  set(path: Path, value: unknown, origin: ValueOrigin): void {
    let section: SettingsSection = this.values;
    for (const key of path.slice(0, -1)) {
      const next = section[key];
      if (isSection(next) || Array.isArray(next)) section = next as SettingsSection;
      else section = section[key] = {} as SettingsSection;
    }
    this.#forget(path);
    section[path.at(-1) ?? ''] = value;
    this.#origins.set(id(path), origin);
  }

  remove(path: Path): void {
    const parent = this.get(path.slice(0, -1));
    if (isSection(parent)) delete parent[path.at(-1) ?? ''];
    this.#forget(path);
  }

  /** Where the value, or else the nearest section around it, was written. */
  origin(path: Path): ValueOrigin | undefined {
    for (let length = path.length; length >= 0; length--) {
      const origin = this.#origins.get(id(path.slice(0, length)));
      if (origin) return origin;
    }
    return undefined;
  }

  /** The origins by path, for a layer of other values with the same paths. */
  originMap(): ReadonlyMap<string, ValueOrigin> {
    return this.#origins;
  }

  /** The paths at or below `path` that have an origin of their own. */
  *paths(path: Path = []): Generator<[Path, ValueOrigin]> {
    for (const [key, origin] of this.#origins) {
      const candidate = JSON.parse(key) as Path;
      if (path.every((part, i) => candidate[i] === part)) yield [candidate, origin];
    }
  }

  /**
   * Returns a copy with another layer over it: sections are merged, everything else is replaced. A section for which
   * `replaces` returns true is replaced as a whole.
   */
  overlaid(over: Layer, replaces: (path: Path) => boolean): Layer {
    const result = new Layer(structuredClone(this.values), this.#origins);
    const lay = (path: Path, value: unknown): void => {
      if (isSection(value) && isSection(result.get(path)) && !replaces(path)) {
        for (const [key, inner] of Object.entries(value)) lay([...path, key], inner);
        return;
      }
      result.set(path, structuredClone(value), over.origin(path) ?? { source: 'unknown' });
      for (const [inner, origin] of over.paths(path)) result.#origins.set(id(inner), origin);
    };
    for (const [key, value] of Object.entries(over.values)) lay([key], value);
    return result;
  }

  #forget(path: Path): void {
    for (const [inner] of [...this.paths(path)]) this.#origins.delete(id(inner));
  }
}

export function isSection(value: unknown): value is SettingsSection {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `plugins.beacon.id`; keys that are not plain words are quoted: `plugins["./mine"].id`. */
function showPath(path: Path): string {
  return path.reduce((shown, key) => {
    if (!/^[\w-]+$/.test(key)) return `${shown}[${JSON.stringify(key)}]`;
    return shown === '' ? key : `${shown}.${key}`;
  }, '');
}

/** A file's path, relative if it is in the working folder. */
export function showFile(file: string): string {
  const near = relative(process.cwd(), file);
  return near === '' || near.startsWith('..') ? file : near;
}

function id(path: Path): string {
  return JSON.stringify(path);
}

// Collects all faults of the configuration before anything is started, so that they are reported together.

/** One thing that is wrong with the configuration. */
export interface ConfigurationFault {
  /** The setting, as in `plugins.beacon.id`; empty if the fault is about a file or a variable as a whole. */
  path: string;
  message: string;
  /** Where it was written: file, line and column, a variable or an option. */
  source?: string;
}

/** All faults of the configuration, as one `invalid` fault. */
export class ConfigurationFaults extends Fault {
  readonly list: readonly ConfigurationFault[];

  constructor(list: readonly ConfigurationFault[]) {
    const lines = list.map((fault) => `  - ${sentence(fault)}`);
    const count = lines.length === 1 ? 'One thing is' : `${lines.length} things are`;
    super('invalid', `${count} wrong with the configuration:\n${lines.join('\n')}`, {
      fields: list.map((fault) => ({ path: fault.path, message: sentence({ ...fault, path: '' }) })),
    });
    this.list = list;
  }
}

export class Faults {
  readonly #found: ConfigurationFault[] = [];
  /** The settings that have one, as JSON. */
  readonly #settings = new Set<string>();

  get empty(): boolean {
    return this.#found.length === 0;
  }

  get all(): readonly ConfigurationFault[] {
    return this.#found;
  }

  /** Adds a fault, unless the same setting or a section around it already has one: that one is the cause. */
  add(keys: Path, message: string, origin?: ValueOrigin): void {
    if (keys.length > 0 && this.covers(keys)) return;
    if (keys.length > 0) this.#settings.add(JSON.stringify(keys));
    this.#found.push({ path: showPath(keys), message, ...(origin ? { source: origin.source } : {}) });
  }

  /** Whether the setting, or a section around it, has a fault. */
  covers(keys: Path): boolean {
    return keys.some((_, i) => this.#settings.has(JSON.stringify(keys.slice(0, i + 1))));
  }

  /** Throws all faults as one; returns if there are none. */
  throwIfAny(): void {
    if (!this.empty) throw new ConfigurationFaults(this.all);
  }
}

function sentence({ path, message, source }: ConfigurationFault): string {
  return `${path === '' ? '' : `${path}: `}${message}${source === undefined ? '' : ` (${source})`}`;
}

// Masks secrets in values that are to be printed.

const mask = '********';
const secretKey = /passw(or)?d|passphrase|secret|token|credential|(api|private|access)[-_]?key|^key$/i;

/** A copy of the values with passwords, tokens, values from secret files and passwords inside URLs masked. */
export function redactedLayer(layer: Layer): Record<string, unknown> {
  const visit = (value: unknown, path: Path, hidden: boolean): unknown => {
    if (Array.isArray(value)) return value.map((item, i) => visit(item, [...path, String(i)], hidden));
    if (isSection(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, visit(inner, [...path, key], hidden || secretKey.test(key))]),
      );
    }
    if (value === null || value === undefined || typeof value === 'boolean') return value;
    if (hidden || layer.origin(path)?.secret) return mask;
    return typeof value === 'string' ? withoutUserInfo(value) : value;
  };
  return visit(layer.values, [], false) as Record<string, unknown>;
}

/** Hides the password of `scheme://user:password@host`, and passwords among a URL's parameters. */
export function withoutUserInfo(text: string): string {
  return text
    .replace(/([a-z][a-z0-9+.-]*:\/\/[^\s/?#:@]*:)[^\s/?#]*@/gi, `$1${mask}@`)
    .replace(/([?&][^=&\s]*(?:password|secret|token)[^=&\s]*=)[^&\s#]*/gi, `$1${mask}`);
}
