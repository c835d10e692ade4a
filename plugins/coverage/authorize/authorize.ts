/** Asks a system outside who may see which sample, for the callers whom it is to be asked about: people. */
import type { PluginContext, Principal, Right, Tenant } from '../../../core/plugin.js';
import type { ReachedServices, ReachMakers } from '../reach.js';
import { readSamplesRight, reportRight } from '../rights.js';
import { asker } from './ask.js';
import { createDecisions } from './decisions.js';
import { askedFor } from './reach.js';
import type { AuthorizeSettings } from './settings.js';

export interface Authorize {
  /** Whether the caller needs no right besides its decisions, because no rule gives rights to people. */
  decidesAloneOn(caller: Principal, right: Right<Tenant>): boolean;
  /** Of these services what it lets the person see; undefined for callers about whom it is not asked. For one request. */
  narrowed<Services extends ReachedServices>(
    around: Services,
    makers: ReachMakers,
    caller: Principal,
  ): Services | undefined;
}

export function createAuthorize(
  settings: AuthorizeSettings,
  { tenants, metrics, log, now }: Pick<PluginContext<unknown>, 'tenants' | 'metrics' | 'log' | 'now'>,
): Authorize {
  const counter = metrics.counter('authorize_total', 'Samples and files that were asked about, by the outcome', [
    'outcome',
  ]);
  const count = (outcome: string) => counter({ outcome });
  const { timeout, cache, secret } = settings;
  const decide = createDecisions({ ask: asker(settings), timeout, cache, log, now, count });
  return {
    decidesAloneOn: (caller, right) =>
      tenants === undefined && caller.kind === 'subject' && (right === reportRight || right === readSamplesRight),
    narrowed(around, makers, caller) {
      if (caller.kind !== 'subject') return undefined;
      const { owner: id, issuer } = caller;
      return askedFor(around, makers, { may: (resource) => decide({ id, issuer }, resource), secret });
    },
  };
}
