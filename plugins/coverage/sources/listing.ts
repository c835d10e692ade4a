/** The D4 files that the form offers, looked for at most once in a while. */
import { type FileList, filesUnder } from '../../../core/files.js';

/** Entries of directories that are looked at for one list. */
const entries = 20_000;
/** Milliseconds for which a list is kept. */
const kept = 10_000;

/** `most` as set; 0 lists none. All callers share one look at the directories. */
export function coverageFileList(
  roots: readonly string[],
  most: number,
  clock: () => number = () => performance.now(),
): () => Promise<FileList> {
  if (most === 0) return async () => ({ paths: [], isCut: false });
  let last: { files: Promise<FileList>; until: number } | undefined;
  return () => {
    if (last !== undefined && clock() < last.until) return last.files;
    const files = filesUnder(roots, { ending: '.d4', most, entries });
    const own = { files, until: Number.POSITIVE_INFINITY };
    last = own;
    const keep = (milliseconds: number) => () => {
      own.until = clock() + milliseconds;
    };
    files.then(keep(kept), keep(0));
    return files;
  };
}
