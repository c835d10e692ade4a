/**
 * Door 1, `trefoil/plugin`: what every plugin needs. It depends on Koa and not on Knex. Commands, files, sign-in by an
 * identity provider and migration from other systems have doors of their own.
 */

export type { Actor, Audit, AuditEvent } from './audit/audit.js';
export type { Access, OptionalAccess, RequestHead } from './auth/guard.js';
export { address as addressSetting } from './auth/issuers/settings.js';
export { optionalSection } from './config/section.js';
export { isIntact } from './encoding.js';
export {
  concerns,
  type Erased,
  type Eraser,
  type Erasure,
  erasuresById,
  type Revision,
  reaches,
} from './erasures/erasure.js';
export type { Barred, Erasures } from './erasures/list.js';
export { Fault, type FaultCode, type FaultOptions, type FieldFault, isFault } from './fault.js';
export { type Gathering, gather } from './gather.js';
export { type Html, type HtmlValue, html, raw } from './html.js';
export type { ErrorBody, ErrorShape, FaultyRequest } from './http/error-shape.js';
export { type Exposure, exposed, exposureSetting } from './http/exposure.js';
export { choice, type FieldOptions, field, hidden } from './http/form-fields.js';
export { negotiated, preferred, preferredLanguage } from './http/negotiate.js';
export { type Page, page, style } from './http/pages.js';
export {
  type Answer,
  type AnswerDeclaration,
  type BodyDeclaration,
  type Method,
  type RouteDeclaration,
  type RouteRequest,
  route,
} from './http/route.js';
export type { Job, JobState, Json } from './jobs/contract.js';
export { JsonText, joinedJson, jsonOf, knownJson } from './json-text.js';
export { placeOf } from './named/place.js';
export {
  enumName,
  hasPackets,
  type PacketContent,
  packetContent,
  packetEnums,
  type UsedMembers,
  unusedMembers,
} from './phenopackets.js';
export type { Announcing } from './plugin/announcing.js';
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
} from './plugin/context.js';
export type { Anonymous, Caller, Principal } from './policy/caller.js';
export { accountOf, anonymous, ownerOf } from './policy/caller.js';
export type { Holding, Policy } from './policy/policy.js';
export { type Batch, type Candidate, type Release, settled } from './policy/release.js';
export { defineRight, type Right } from './policy/right.js';
export {
  mayAddSample,
  ofTenant,
  type Reach,
  type Share,
  type SharedDataset,
  type Tenant,
  type Tenants,
} from './policy/tenants.js';
export { type Recurring, recurring } from './recurring.js';
export { type SealOptions, seal, unseal, unsealed } from './seal.js';
export { separatedCell, withoutFormula } from './separated.js';
export { step } from './step.js';
export { type Contract, defineContract, type StandardSchema, type StorageLog, type StorageScope } from './storage.js';
export { keepSwept, type Sweepable, type SweepRules, sweepIdle } from './sweeping.js';
export { wording } from './wording.js';
