/** Who asks for a panel. Reports may need no credential, and drafts of panels always do. */
import { isFault, type PluginContext, type Principal, type RequestHead } from '../../../core/plugin.js';

export interface PanelRequest extends Pick<RequestHead, 'headers' | 'method' | 'csrf'> {
  principal?: Principal | undefined;
}

/**
 * The holder of the API token in `X-Auth-Token`, which a request sends for this, else the caller whom the route admitted. A token
 * that is not valid counts as none: the route does not need it.
 */
export function panelReaderOf({
  callerOf,
}: ReturnType<PluginContext<unknown>['optionalAccess']>): (request: PanelRequest) => Promise<Principal | undefined> {
  return async ({ principal, method, headers }) => {
    const token = headers['x-auth-token'];
    if (token === undefined) return principal;
    try {
      // Nothing else that came with it: the route has checked that already, and it may be of another provider.
      const caller = await callerOf({ method, headers: { 'x-auth-token': token } });
      return caller.kind === 'anonymous' ? principal : caller;
    } catch (error) {
      if (isFault(error) && error.code === 'unauthenticated') return principal;
      throw error;
    }
  };
}
