/**
 * Door 1, `trefoil/plugin`: what every plugin needs. It depends on Koa and not on Knex. Commands, files, sign-in by an
 * identity provider and migration from other systems have doors of their own.
 */

export {
  type Actor,
  type Audit,
  type AuditEvent,
  type Disclosure,
  disclosing,
  type NamedThings,
  type RecordedRequest,
} from './audit/audit.js';
export { address as addressSetting } from './auth/issuers/settings.js';
export type { Announcing } from './erasures/erasure.js';
export {
  concerns,
  type Erased,
  type ErasedPeople,
  type Eraser,
  type Erasure,
  eraserOf,
  erasuresById,
  type PersonalData,
  peopleOf,
  type Revision,
  reaches,
} from './erasures/erasure.js';
export type { Barred, Erasures } from './erasures/list.js';
export { Fault, type FaultCode, type FaultOptions, type FieldFault, isFault } from './fault.js';
export { type Gathering, gather } from './gather.js';
export {
  choice,
  type FieldOptions,
  field,
  type Html,
  type HtmlPage as Page,
  type HtmlValue,
  hidden,
  html,
  negotiated,
  type PageLanguage,
  page,
  pageLanguage,
  plainText,
  preferred,
  preferredLanguage,
  raw,
  style,
} from './http/pages.js';
export type { ErrorBody, ErrorShape, FaultyRequest } from './http/route.js';
export {
  type Answer,
  type AnswerDeclaration,
  type BodyDeclaration,
  bodyRefusals,
  callerRefusals,
  type Method,
  type RouteDeclaration,
  type RouteRequest,
  refused,
  route,
} from './http/route.js';
export { type Exposure, exposed, exposureSetting } from './http/settings.js';
export {
  fact,
  faultPage,
  tableHtml,
  tablePaper,
  type WorkAround,
  type WorkParts,
  type WorkTable,
  workPage,
  workPages,
} from './http/work-pages.js';
export type { Job, JobState, Json } from './jobs/contract.js';
export {
  type Drawing,
  fileRows,
  type Ink,
  lineInks,
  type PaperCell,
  type PaperColumn,
  type PaperDocument,
  type PaperNotice,
  type PaperSection,
  type PaperTable,
  type Shape,
  type TextAnchor,
} from './paper/document.js';
export { PdfMaker } from './paper/maker.js';
export {
  enumName,
  hasPackets,
  type PacketContent,
  packetContent,
  packetEnums,
  type UsedMembers,
  unusedMembers,
} from './phenopackets.js';
export {
  type AdviceContext,
  definePlugin,
  type JobControl,
  type JobHandler,
  type Jobs,
  type LabelledValue,
  type Metrics,
  type Plugin,
  type PluginContext,
} from './plugin-context.js';
export type {
  Access,
  Anonymous,
  Caller,
  Holding,
  OptionalAccess,
  Policy,
  Principal,
  RequestHead,
} from './policy/policy.js';
export { accountOf, anonymous, defineRight, ownerOf, type Right } from './policy/policy.js';
export {
  type Batch,
  type Candidate,
  mayAddSample,
  ofTenant,
  type Reach,
  type Release,
  type Share,
  type SharedDataset,
  settled,
  type Tenant,
  type Tenants,
} from './policy/tenants.js';
export { keepSwept, type Recurring, recurring, type Sweepable, type SweepRules, sweepIdle } from './recurring.js';
export { optionalSection, wording } from './schema.js';
export { type SealOptions, seal, unseal, unsealed } from './seal.js';
export { step } from './step.js';
export { type Contract, defineContract, type StandardSchema, type StorageLog, type StorageScope } from './storage.js';
export { isStorableText } from './table-values.js';
export { isIntact, JsonText, joinedJson, jsonOf, knownJson, placeOf, separatedCell, withoutFormula } from './text.js';
