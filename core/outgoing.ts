/** Door for requests to other servers. */

export { type Address, configured } from './auth/issuers/addresses.js';
export { checkedLookup, ForbiddenHost, type Resolve } from './outgoing/lookup.js';
export { mayReach, type Reach } from './outgoing/reach.js';
export { ByteBudget, type Outgoing, type PeerRequest, type PeerResponse, postJson, send } from './outgoing/request.js';
