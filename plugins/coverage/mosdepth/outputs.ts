/** The files of one run: they appear under their names together, once all are complete. */
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { D4Error } from '../d4/error.js';
import { fileMode, IntervalFile } from './interval-file.js';

/** Files that are written to a folder beside their place first. */
export class Outputs {
  readonly #prefix: string;
  readonly #folder: string;
  readonly #names: string[] = [];
  readonly #open: IntervalFile[] = [];

  private constructor(prefix: string, folder: string) {
    this.#prefix = prefix;
    this.#folder = folder;
  }

  /** `endings` are those of all files that will be written. Throws D4Error if one exists, unless it may be replaced. */
  static async create(prefix: string, endings: readonly string[], force: boolean): Promise<Outputs> {
    if (basename(prefix) === '' || prefix.endsWith('/')) {
      throw new D4Error('invalid', 'The prefix needs the beginning of a file name', prefix);
    }
    const existing = force ? undefined : endings.find((ending) => existsSync(prefix + ending));
    if (existing !== undefined) {
      throw new D4Error('invalid', 'The output exists; --force replaces it', prefix + existing);
    }
    try {
      return new Outputs(prefix, await mkdtemp(join(dirname(prefix), '.trefoil-mosdepth-')));
    } catch (cause) {
      throw new D4Error('unreachable', 'The folder of the output is not writable', prefix, { cause });
    }
  }

  /** A bgzipped BED file; `longest` is the length of the longest chromosome. */
  intervals(ending: string, longest: number, signal?: AbortSignal): IntervalFile {
    const file = new IntervalFile(this.#pathOf(ending), longest, signal);
    // The index of an earlier file must not remain beside this one.
    this.#names.push(`${ending}.csi`, ending);
    this.#open.push(file);
    return file;
  }

  async text(ending: string, content: string): Promise<void> {
    await writeFile(this.#pathOf(ending), content, { flag: 'wx', mode: fileMode });
    this.#names.push(ending);
  }

  /** Ends all files and gives them their names. */
  async commit(): Promise<void> {
    for (const file of this.#open) await file.end();
    for (const name of this.#names) await rename(this.#pathOf(name), this.#prefix + name);
  }

  /** Removes what has no name yet. */
  async close(): Promise<void> {
    for (const file of this.#open) await file.abandon();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #pathOf(ending: string): string {
    return join(this.#folder, `out${ending}`);
  }
}
