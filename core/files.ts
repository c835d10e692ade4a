/**
 * Door `trefoil/files`: files that clients upload, files that they name under configured folders, and files that
 * commands write. What a client names is opened by `Places` alone: an opened file is inside those folders, even with links
 * and concurrent renames, and the caller reaches it. `openSource`, `readTextFile` and
 * `readBedFile` are for what an operator names.
 */

export {
  Bed,
  type BedLimits,
  type BedLine,
  bedColumns,
  bedRegion,
  isBedHeading,
  isBesideBed,
  readBed,
  readBedFile,
  readGenome,
} from './files/bed.js';
export { directoriesSetting, directoryAdvice } from './files/directories.js';
export type { Unindexable } from './files/indexes.js';
export { CsiIndex, TabixIndex } from './files/indexes.js';
export {
  closeOpenFile,
  type FileList,
  filesUnder,
  type ListOptions,
  type OpenFile,
  readOpen,
} from './files/open.js';
export {
  type FormFields,
  fileBody,
  fileForm,
  multipartType,
  type NameKind,
  naming,
  receiveFile,
  receiveForm,
  type SmallForm,
} from './files/receive.js';
export {
  BgzfWriter,
  bgzipped,
  endOfBgzf,
  openSource,
  type Source,
  type Stored,
  sourceOf,
  sourceOfStored,
  storedFile,
} from './files/source.js';
export {
  blocks,
  decodeText,
  eachLine,
  failedDownload,
  fileFault,
  gathered,
  type LineBlock,
  largestFile,
  lineBlocks,
  quoted,
  readTextFile,
  releaseDate,
  rowsOf,
  SkippedLines,
  type TextFile,
  utf8,
} from './files/text-file.js';
export type { Arriving, Uploads } from './files/uploads.js';
export { keepUploads, uploadFolder } from './files/uploads.js';
export { unwritable, writeWhole } from './files/write.js';
export type { PermittedName } from './places.js';
export {
  type FileReach,
  type FileTenant,
  filesOf,
  isUrl,
  type MayUse,
  type PlaceOptions,
  Places,
} from './places.js';
