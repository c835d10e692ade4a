/** Configuration values, with the origin of each. */
import { relative } from 'node:path';

/** Keys from the root; list indexes as decimal strings. */
export type Path = readonly string[];

/** Where a value was written. */
export interface Origin {
  /** For people: `config/lab.yaml:12:3`, `environment variable PGPORT`, `--port`. */
  source: string;
  /** Absolute path of the configuration file, if the value is from one. */
  file?: string;
  /** The value is text from outside YAML; validation may read it as a number, a boolean or a list. */
  text?: boolean;
  /** Must not be printed. */
  secret?: boolean;
}

export type Section = Record<string, unknown>;

export class Layer {
  readonly values: Section;
  readonly #origins: Map<string, Origin>;

  constructor(values: Section = {}, origins: ReadonlyMap<string, Origin> = new Map()) {
    this.values = values;
    this.#origins = new Map(origins);
  }

  get(path: Path): unknown {
    let value: unknown = this.values;
    for (const key of path) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
      value = (value as Section)[key];
    }
    return value;
  }

  /** Sets a value and creates the sections around it; a value that is in place of such a section is replaced. */
  set(path: Path, value: unknown, origin: Origin): void {
    let section: Section = this.values;
    for (const key of path.slice(0, -1)) {
      const next = section[key];
      if (isSection(next) || Array.isArray(next)) section = next as Section;
      else section = section[key] = {} as Section;
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
  origin(path: Path): Origin | undefined {
    for (let length = path.length; length >= 0; length--) {
      const origin = this.#origins.get(id(path.slice(0, length)));
      if (origin) return origin;
    }
    return undefined;
  }

  /** The origins by path, for a layer of other values with the same paths. */
  originMap(): ReadonlyMap<string, Origin> {
    return this.#origins;
  }

  /** The paths at or below `path` that have an origin of their own. */
  *paths(path: Path = []): Generator<[Path, Origin]> {
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

export function isSection(value: unknown): value is Section {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `plugins.beacon.id`; keys that are not plain words are quoted: `plugins["./mine"].id`. */
export function showPath(path: Path): string {
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
