/** Who may see aneuploidies of the sex chromosomes: findings that a report on other genes was not asked for. */
import type { PluginContext, Principal } from '../../core/plugin.js';
import { aneuploidyRight } from './rights.js';
import type { CoverageSettings } from './settings.js';

/** `reached` names the tenants whose samples the caller gets reports on: the right must hold for each. Undefined if it is everything. */
export async function seesAneuploidy(
  { settings, policy, tenants }: Pick<PluginContext<CoverageSettings>, 'settings' | 'policy' | 'tenants'>,
  caller: Principal | undefined,
  reached: readonly string[] | undefined,
): Promise<boolean> {
  if (settings.aneuploidy !== 'right') return settings.aneuploidy === 'everyone';
  if (caller === undefined) return false;
  if (await policy.may(caller, aneuploidyRight)) return true;
  if (tenants === undefined || reached === undefined || reached.length === 0) return false;
  const reach = await tenants.reachOf(caller, aneuploidyRight);
  return reach === 'everything' || reached.every((name) => reach.some((tenant) => tenant.name === name));
}
