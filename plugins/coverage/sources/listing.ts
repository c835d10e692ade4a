/** The D4 files that the form offers; the directories are read at most every ten seconds. */
import { type FileList, filesUnder } from '../../../core/files.js';

/** Directory entries that are read for one list. */
const entries = 20_000;
/** Milliseconds for which a list is kept. */
const kept = 10_000;

/** Lists at most `most` files; 0 lists none. Concurrent callers share one read of the directories. */
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
