/**
 * Which services a caller gets: all, those of its tenants, those that a ticket admits to, or those that another system allows;
 * and who may see aneuploidies.
 */
import {
  Fault,
  mayAddSample,
  type PluginContext,
  type Principal,
  type Right,
  type SharedDataset,
  type Tenant,
} from '../../../../core/plugin.js';
import { sharedMembersOf } from '../../cohorts/members.js';
import type { FindPanels } from '../../report/panel.js';
import { aneuploidyRight, reportRight, sharedRight } from '../../rights.js';
import type { CoverageSettings } from '../../settings.js';
import { createAuthorize } from './authorize.js';
import {
  type CallerReach,
  comparedWith,
  factsWithin,
  type ReachedServices,
  type ReachTools,
  samplesWithin,
  servicesOfReach,
} from './reach.js';
import type { Tickets } from './ticket-access.js';

export interface CallerServices<Services> {
  /** These services as the caller reaches them by a right. Throws `forbidden` if the caller reaches nothing. */
  forCaller(caller: Principal, right: Right<Tenant>): Promise<Services>;
  /** The same for reports, which need a right only if rights are given to people or tenants. */
  forReports(caller: Principal | undefined): Promise<Services>;
  /** These services as members of these tenants reach them. */
  ofTenants(names: readonly string[]): Services;
}

/** What tickets and panels add. */
interface CallerTools {
  /** Whether the caller may see aneuploidies of the sex chromosomes. */
  seesAneuploidy: boolean;
  tickets: Tickets | undefined;
  panels: FindPanels;
}

/** Tenants change with the configuration only, so that there are few sets of them. */
const mostKept = 200;

/** The services with what gives them to one caller: less of them, if the caller reaches less. */
export function servicesForCallers<Services extends ReachedServices & CallerServices<Services> & CallerTools>(
  context: PluginContext<CoverageSettings>,
  services: Omit<Services, keyof CallerServices<Services>>,
  tools: ReachTools,
): Services {
  const { settings, tenants, policy, erasures } = context;
  const authorize = settings.authorize && createAuthorize(settings.authorize, context);
  const kept = new Map<string, Services>();
  const all = { ...services, forCaller, forReports, ofTenants } as Services;
  return all;

  async function forCaller(caller: Principal, right: Right<Tenant>): Promise<Services> {
    // Without rules it decides alone, on whatever people may see.
    const reached = authorize?.decidesAloneOn(caller, right) ? all : await byRules(caller, right);
    return authorize?.narrowed(reached, tools, caller) ?? reached;
  }

  async function byRules(caller: Principal, right: Right<Tenant>): Promise<Services> {
    const reach = (await tenants?.reachOf(caller, right)) ?? ((await policy.may(caller, right)) ? 'everything' : []);
    if (reach === 'everything') return all;
    if (reach.length === 0) throw new Fault('forbidden', `You do not have the right ${right.scope}`);
    const shares = (await tenants?.sharedWith(caller, sharedRight)) ?? [];
    return within(
      reach,
      shares.filter(({ tenant }) => !reach.includes(tenant)),
    );
  }

  function ofTenants(names: readonly string[]): Services {
    return within((tenants?.all ?? []).filter(({ name }) => names.includes(name)));
  }

  function within(own: readonly Tenant[], shares: readonly SharedDataset[] = []): Services {
    const names = own.map(({ name }) => name);
    const key = JSON.stringify([names, shares.map(({ tenant, dataset }) => [tenant.name, dataset])]);
    const known = kept.get(key);
    if (known !== undefined) return known;
    if (kept.size >= mostKept) kept.clear();
    const shared = shares.map((share) => ({ share, ...reachOfTenants([share.tenant]) }));
    const reached = servicesOfReach(reachOfTenants(own), tools, {
      mayAdd: (id) => mayAddSample(id, own, tenants?.all ?? []),
      shared: (build, signal) => sharedMembersOf(shared, () => erasures.objecting('sample'), build, signal),
      tenants: names,
    });
    const found = { ...all, ...reached };
    kept.set(key, found);
    return found;
  }

  function reachOfTenants(own: readonly Tenant[]): CallerReach {
    const sources = all.sources.within(own);
    return { sources, samples: samplesWithin(all.samples, sources), sampleFacts: factsWithin(all.sampleFacts, own) };
  }

  /** Only the files that are named by these texts, and the samples with them; compared with the samples of `around`. */
  function ofFiles(around: Services, files: readonly string[]): Services {
    const sources = around.sources.within({ files });
    const reach = { sources, samples: samplesWithin(around.samples, sources), sampleFacts: around.sampleFacts };
    const offered = async () => ({ files: { paths: [], isCut: false }, registered: [] });
    return { ...around, ...servicesOfReach(reach, tools, { ...comparedWith(around), mayAdd: () => false, offered }) };
  }

  async function forReports(caller: Principal | undefined): Promise<Services> {
    const reached = await byTicketOrRight(caller);
    const sees = reached.seesAneuploidy || (await seesAneuploidy(context, caller, reached.tenants));
    const panels = async () => (await services.panels()?.offered(caller)) ?? [];
    const offered = async () => ({ ...(await reached.offered()), panels: await panels() });
    return { ...reached, seesAneuploidy: sees, offered };
  }

  async function byTicketOrRight(caller: Principal | undefined): Promise<Services> {
    const admission = caller && services.tickets?.admissionOf(caller);
    if (admission !== undefined) {
      return ofFiles(admission.tenants === undefined ? all : ofTenants(admission.tenants), admission.files);
    }
    if (tenants === undefined && authorize === undefined) return all;
    if (caller === undefined) throw new Fault('internal', 'A route without access was asked for a report');
    return forCaller(caller, reportRight);
  }
}

// Who may see aneuploidies of the sex chromosomes: findings that a report on other genes was not asked for.

/** `reached` names the tenants whose samples the caller gets reports on: the right must hold for each. Undefined if it is everything. */
async function seesAneuploidy(
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
