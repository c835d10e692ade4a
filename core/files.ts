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
export { BgzfWriter, bgzipped, endOfBgzf } from './files/bgzf.js';
export type { Unindexable } from './files/bins.js';
export { blocks, type LineBlock, lineBlocks, utf8 } from './files/blocks.js';
export { CsiIndex } from './files/csi.js';
export { fileBody, fileForm, type NameKind, naming } from './files/describe.js';
export { keepUploads } from './files/housekeeping.js';
export { type FileList, filesUnder, type ListOptions } from './files/list.js';
export { closeOpenFile, type OpenFile, readOpen } from './files/open.js';
export {
  type FormFields,
  multipartType,
  receiveFile,
  receiveForm,
  type SmallForm,
} from './files/receive.js';
export { directoriesSetting, directoryAdvice } from './files/roots.js';
export { SkippedLines } from './files/skipped-lines.js';
export {
  openSource,
  type Source,
  type Stored,
  sourceOf,
  sourceOfStored,
  storedFile,
} from './files/source.js';
export { TabixIndex } from './files/tabix.js';
export {
  decodeText,
  eachLine,
  failedDownload,
  fileFault,
  gathered,
  largestFile,
  quoted,
  readTextFile,
  releaseDate,
  rowsOf,
  type TextFile,
} from './files/text-file.js';
export { uploadFolder } from './files/upload-folder.js';
export type { Arriving, Uploads } from './files/uploads.js';
export { unwritable, writeWhole } from './files/write.js';
export {
  type FileReach,
  type FileTenant,
  filesOf,
  isUrl,
  type MayUse,
  type PlaceOptions,
  Places,
} from './named/places.js';
export type { PermittedName } from './permitted.js';
