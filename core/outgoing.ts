/** Door for requests to other servers. */

export { responseText } from './encoding.js';
export { type GuardedFetch, type GuardOptions, guardedFetch } from './named/guarded-fetch.js';
export { type AllowedHost, hostList, hostPattern } from './named/hosts.js';
export { type Address, configured } from './outgoing/addresses.js';
export { type Connections, connections } from './outgoing/fetch.js';
export { checkedLookup, ForbiddenHost, type Resolve } from './outgoing/lookup.js';
export { connectNamed, fetchNamed } from './outgoing/named.js';
export { mayReach, type Reach } from './outgoing/reach.js';
export { ByteBudget, type Outgoing, type PeerRequest, type PeerResponse, postJson, send } from './outgoing/request.js';
export { bucketsSetting, isS3, prefixesMeet, s3Object, uploadPlace, withinBuckets } from './outgoing/s3/name.js';
export { bucketAdvice, operatorS3, type S3 } from './outgoing/s3/s3.js';
export { uploadsIn } from './outgoing/s3/uploads.js';
