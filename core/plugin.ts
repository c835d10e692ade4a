/** Door 1: everything that the author of a plugin needs. It knows Koa and no Knex. */

export { type AcceptedTokens, type BearerOptions, type BearerVerifier, bearerVerifier } from './auth/bearer.js';
export { formOrCookieAccess, headerAccess } from './auth/carried.js';
export { grants, isWeakToken, weakTokenWarning } from './auth/tokens.js';
export * from './command.js';
export * from './fault.js';
export { fileBody, fileForm } from './files/describe.js';
export { keepUploads } from './files/housekeeping.js';
export { type FileList, filesUnder } from './files/list.js';
export { closeOpenFile, type OpenFile, openFound, openRegular, openUnder, readOpen } from './files/open.js';
export {
  type FormFields,
  multipartType,
  receiveFile,
  receiveForm,
  type SmallForm,
} from './files/receive.js';
export { directoriesSetting, directoryAdvice, fileUnder } from './files/roots.js';
export { type Arriving, type UploadFolder, uploadFolder } from './files/uploads.js';
export { type Gathering, gather } from './gather.js';
export { type Html, html, raw } from './html.js';
export type { ErrorBody, ErrorShape, FaultyRequest } from './http/error-shape.js';
export { type Exposure, exposed, exposureSetting } from './http/exposure.js';
export * from './http/negotiate.js';
export { type Page, page, style } from './http/pages.js';
export * from './http/route.js';
export type { Job, JobState, Json } from './jobs/contract.js';
export { type CarriedToken, carryToken, weakTokenRemark } from './migration/carry-token.js';
export { isDocument, type MongoDocument, parseDocument } from './migration/extended-json.js';
export { type Finding, Findings, findingLines } from './migration/findings.js';
export * from './plugin/context.js';
export { type Recurring, recurring } from './recurring.js';
export { step } from './step.js';
export { type Contract, defineContract, type StandardSchema, type StorageLog, type StorageScope } from './storage.js';
export { keepSwept, type Sweepable, type SweepRules, sweepIdle } from './sweeping.js';
