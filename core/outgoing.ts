/** Door for requests to other servers, and for mail. */

export { type Mail, type MailServer, mailAddress, mailServerFields, sendMail, sendsMail } from './outgoing/mail.js';
export {
  type Address,
  type AddressReach as Reach,
  type AllowedHost,
  checkedLookup,
  configured,
  ForbiddenHost,
  hostList,
  hostPattern,
  mayReach,
  type Resolve,
} from './outgoing/reach.js';
export {
  ByteBudget,
  type Connections,
  connections,
  connectNamed,
  fetchNamed,
  type GuardedFetch,
  type GuardOptions,
  guardedFetch,
  type Outgoing,
  type PeerRequest,
  type PeerResponse,
  postJson,
  send,
} from './outgoing/request.js';
export { bucketAdvice, operatorS3, type S3 } from './outgoing/s3/s3.js';
export { bucketsSetting, isS3, prefixesMeet, s3Object, uploadPlace, withinBuckets } from './outgoing/s3/settings.js';
export { uploadsIn } from './outgoing/s3/uploads.js';
export { responseText } from './text.js';
