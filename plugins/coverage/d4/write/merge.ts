/** Merges D4 files into one file with several tracks. */
import { D4Error } from '../error.js';
import { type OpenOptions, openD4 } from '../file.js';
import { directory, directoryBytes, fileHeader, rootAt } from './container.js';
import type { Progress } from './create.js';
import { Output } from './output.js';

export interface MergeInput {
  path: string;
  /** Name of the track; unique among the inputs. */
  name: string;
}

const chunkBytes = 1 << 20;

/**
 * Merges files into one with a track for each. All offsets in a file are relative to its root directory, so each is copied
 * unchanged. Throws D4Error, also for an input that is not a readable D4 file.
 */
export async function mergeD4(
  path: string,
  inputs: readonly MergeInput[],
  progress?: Progress,
  options: OpenOptions = {},
): Promise<void> {
  const names = inputs.map(({ name }) => name);
  const seen = new Set<string>();
  const wrong = names.find((name) => name === '' || /[/\0]/.test(name) || seen.size === seen.add(name).size);
  if (wrong !== undefined)
    throw new D4Error('invalid', 'Track names must be unique, without slash', JSON.stringify(wrong));
  if (inputs.length === 0) throw new D4Error('invalid', 'There is nothing to merge', path);
  const files = [];
  try {
    for (const input of inputs) files.push(await openD4(input.path, options));
    const output = new Output(path);
    try {
      let at = rootAt + directoryBytes(names);
      const entries = files.map(({ source }, i) => {
        const entry = { name: names[i] as string, kind: 'directory' as const, at, size: source.size - rootAt };
        at += entry.size;
        return entry;
      });
      output.append(fileHeader);
      output.append(directory(rootAt, entries));
      const total = at;
      for (const { source } of files) {
        for (let from = rootAt; from < source.size; from += chunkBytes) {
          const bytes = new Uint8Array(Math.min(chunkBytes, source.size - from));
          (await source.fetch([{ offset: from, length: bytes.length }])).copy(bytes, from);
          output.append(bytes);
          progress?.(output.position / total, 'merging');
        }
      }
      output.commit();
    } catch (error) {
      output.abandon();
      throw error;
    }
  } finally {
    for (const file of files) file.close();
  }
}
