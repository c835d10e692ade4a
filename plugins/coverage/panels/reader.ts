/** Who asks for a panel. Reports may need no credential, and drafts of panels always do. */
import { isFault, type PluginContext, type Principal, type RequestHead } from '../../../core/plugin.js';

export interface PanelRequest extends Pick<RequestHead, 'headers' | 'method' | 'csrf'> {
  principal?: Principal | undefined;
}

/**
 * The caller whom the route admitted, else the holder of the API token in `X-Auth-Token`. A token that is not valid counts as none:
 * the route does not need it.
 */
export function panelReaderOf({
  callerOf,
}: ReturnType<PluginContext<unknown>['optionalAccess']>): (request: PanelRequest) => Promise<Principal | undefined> {
  return async ({ principal, ...head }) => {
    if (principal !== undefined || head.headers['x-auth-token'] === undefined) return principal;
    try {
      const caller = await callerOf(head);
      return caller.kind === 'anonymous' ? undefined : caller;
    } catch (error) {
      if (isFault(error) && error.code === 'unauthenticated') return undefined;
      throw error;
    }
  };
}
