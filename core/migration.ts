/** Door `trefoil/migration`: moving here from another system, with its clients' tokens and its MongoDB dumps. */

export { isWeakToken, weakTokenWarning } from './auth/tokens.js';
export {
  type CarriedRequest,
  type CarriedToken,
  carryToken,
  weakTokenOption,
  weakTokenRemark,
} from './migration/carry-token.js';
export { isDocument, type MongoDocument, parseDocument } from './migration/extended-json.js';
export { type Finding, Findings, findingLines } from './migration/findings.js';
