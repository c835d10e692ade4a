/** What is wrong with the scopes that visas are to grant. */
import { isFault } from '../../fault.js';
import type { Right } from '../../policy/right.js';
import { checkScope } from '../../policy/scopes.js';
import type { VisaGrantSettings } from './settings.js';

export interface GrantFault {
  /** Positions in `auth.visaGrants` and in its `scopes`. */
  grant: number;
  scope: number;
  message: string;
}

/** `rights` are those of the core and of the enabled plugins. */
export function grantFaults(grants: readonly VisaGrantSettings[], rights: readonly Right[]): GrantFault[] {
  return grants.flatMap(({ scopes }, grant) =>
    scopes.flatMap((text, scope) => {
      const message = faultOf(text, rights);
      return message === undefined ? [] : [{ grant, scope, message }];
    }),
  );
}

/** Others decide on visas, so that they open single things, and only for reading. */
function faultOf(scope: string, rights: readonly Right[]): string | undefined {
  try {
    checkScope(scope, rights);
  } catch (error) {
    if (isFault(error)) return error.message;
    throw error;
  }
  const right = rights.find((one) => scope.startsWith(`${one.scope}:`));
  if (right?.of !== undefined && right.part === 'read') return undefined;
  return `"${scope}" is more than a visa may grant; accepted are rights to read one thing, such as beacon:read:DATASET`;
}
