/** What visas may grant: others decide on them, so that they open single things, and only for reading. */
import { Fault } from '../../fault.js';
import type { Right } from '../../policy/right.js';
import { checkScope } from '../../policy/scopes.js';
import type { VisaGrantSettings } from './settings.js';

/** Throws an `invalid` fault that lists the scopes which no visa may grant. */
export function checkVisaGrants(grants: readonly VisaGrantSettings[], rights: readonly Right[]): void {
  const faults = grants.flatMap(({ scopes }, i) =>
    scopes.flatMap((scope) => {
      const fault = scopeFault(scope, rights);
      return fault === undefined ? [] : [`auth.visaGrants.${i}.scopes: ${fault}`];
    }),
  );
  if (faults.length > 0) throw new Fault('invalid', faults.join('\n'));
}

function scopeFault(scope: string, rights: readonly Right[]): string | undefined {
  try {
    checkScope(scope, rights);
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
  const right = rights.find((one) => scope.startsWith(`${one.scope}:`));
  if (right?.of !== undefined && right.part === 'read') return undefined;
  return `"${scope}" is more than a visa may grant; accepted are rights to read one thing, such as beacon:read:DATASET`;
}
