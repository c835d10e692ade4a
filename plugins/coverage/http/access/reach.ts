/**
 * What of the server's samples and files one caller reaches: everything, or what belongs to the caller's tenants; and who may
 * see aneuploidies.
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
import { type Member, membersOfBuild, type SharedMembers, sharedMembersOf } from '../../cohorts/members.js';
import type { Build, RegisteredSample, SamplePage, SampleRepository } from '../../contract.js';
import type { Examine } from '../../measure/examine.js';
import type { CoverageSources } from '../../measure/sources.js';
import type { FormChoices } from '../../report/html/form.js';
import { aneuploidyRight, sharedRight } from '../../rights.js';
import type { Callability } from '../../samples/callability/callability.js';
import type { Ownership } from '../../samples/changes.js';
import {
  createFindNamed,
  type FindSampleFacts,
  type FindSamples,
  type ListedSamples,
  listedFrom,
} from '../../samples/find.js';
import type { CoverageSettings } from '../../settings.js';

type ReadableSamples = Pick<SampleRepository, 'find' | 'list' | 'revisions'>;

/** The services that show samples and files. */
export interface ReachedServices {
  sources: CoverageSources;
  /** Registered samples. */
  samples: ReadableSamples;
  /** Registered samples by id, a page at a time. */
  listed(page: SamplePage): Promise<ListedSamples>;
  /** Finds out which of these ids, and of the samples that are registered with them, are the caller's. */
  ownAmong(ids: readonly string[]): Promise<Ownership>;
  /** What the beacon knows of samples, if it is enabled. */
  sampleFacts: FindSampleFacts;
  /** Measures samples and checks their quality. */
  examine: Examine;
  /** The registered samples that requests name. */
  named: FindSamples;
  /** All registered samples of a build, to choose cohorts from. */
  members(build: Build, signal: AbortSignal): Promise<readonly Member[]>;
  /** The same for control charts, which show single samples. Throws a `forbidden` fault if the caller may not see charts. */
  charted(build: Build, signal: AbortSignal): Promise<readonly Member[]>;
  /** The samples that other tenants share with the caller, for cohorts. */
  shared(build: Build, signal: AbortSignal): Promise<readonly SharedMembers[]>;
  /** The files and registered samples that forms offer. */
  offered(): Promise<FormChoices>;
  /** Which registered samples are covered at places; also offered to other plugins. */
  callability: Callability;
  /** Names of the tenants whose files and samples these are; undefined if it is everything. */
  tenants?: readonly string[];
}

/** Makes the services that depend on files and samples. */
export interface ReachMakers {
  examineIn(sources: CoverageSources): Examine;
  offeredIn(reached: Pick<ReachedServices, 'sources' | 'samples'>): Promise<FormChoices>;
  /** The ids of samples of people who object to sharing. */
  objecting(): Promise<ReadonlySet<string>>;
}

/** Tenants change with the configuration only, so that there are few sets of them. */
const mostKept = 200;

/** Makes the services as a caller reaches them by a right (`forbidden` if nothing), and those of tenants. */
export function servicesByReach<Services extends ReachedServices>(
  all: Services,
  makers: ReachMakers,
  { policy, tenants }: Pick<PluginContext<unknown>, 'policy' | 'tenants'>,
): {
  forCaller(caller: Principal, right: Right<Tenant>): Promise<Services>;
  ofTenants(names: readonly string[]): Services;
} {
  const kept = new Map<string, Services>();

  const limited = (reach: readonly Tenant[], shares: readonly SharedDataset[] = []): Services => {
    const parts = [reach.map(({ name }) => name), shares.map(({ tenant, dataset }) => [tenant.name, dataset])];
    const key = JSON.stringify(parts);
    const known = kept.get(key);
    if (known !== undefined) return known;
    if (kept.size >= mostKept) kept.clear();
    const services = { ...all, ...limitedTo(all, makers, reach, shares, tenants?.all ?? []) };
    kept.set(key, services);
    return services;
  };

  const forCaller = async (caller: Principal, right: Right<Tenant>): Promise<Services> => {
    const reach = (await tenants?.reachOf(caller, right)) ?? ((await policy.may(caller, right)) ? 'everything' : []);
    if (reach === 'everything') return all;
    if (reach.length === 0) throw new Fault('forbidden', `You do not have the right ${right.scope}`);
    const shares = (await tenants?.sharedWith(caller, sharedRight)) ?? [];
    return limited(
      reach,
      shares.filter(({ tenant }) => !reach.includes(tenant)),
    );
  };
  const ofTenants = (names: readonly string[]) =>
    limited((tenants?.all ?? []).filter(({ name }) => names.includes(name)));
  return { forCaller, ofTenants };
}

function limitedTo(
  all: ReachedServices,
  makers: ReachMakers,
  reach: readonly Tenant[],
  shares: readonly SharedDataset[],
  tenants: readonly Tenant[],
): ReachedServices {
  const sources = all.sources.within(reach);
  const samples = samplesWithin(all.samples, sources);
  const sampleFacts = factsWithin(all.sampleFacts, reach);
  const members: ReachedServices['members'] = (build, signal) =>
    membersOfBuild({ samples, sampleFacts }, build, signal);
  const shared = shares.map((share) => ({
    share,
    samples: samplesWithin(all.samples, all.sources.within([share.tenant])),
    sampleFacts: factsWithin(all.sampleFacts, [share.tenant]),
  }));
  return {
    sources,
    samples,
    listed: listedFrom(samples),
    ownAmong: async () => ({
      isOwn: ownIn(sources),
      begins: sources.begins,
      mayAdd: (id) => mayAddSample(id, reach, tenants),
    }),
    sampleFacts,
    examine: makers.examineIn(sources),
    named: createFindNamed(samples, sampleFacts),
    members,
    charted: members,
    shared: (build, signal) => sharedMembersOf(shared, makers.objecting, build, signal),
    offered: () => makers.offeredIn({ sources, samples }),
    callability: { ...all.callability, ...all.callability.within(samples) },
    tenants: reach.map(({ name }) => name),
  };
}

/** Only the files that are named by these texts, and the samples with them; compared with the samples of `around`. */
export function limitedToFiles<Services extends ReachedServices>(
  around: Services,
  makers: ReachMakers,
  files: readonly string[],
): Services {
  const sources = around.sources.within({ files });
  const samples = samplesWithin(around.samples, sources);
  return {
    ...around,
    sources,
    samples,
    listed: listedFrom(samples),
    ownAmong: async () => ({ isOwn: ownIn(sources), begins: sources.begins, mayAdd: () => false }),
    examine: makers.examineIn(sources),
    named: createFindNamed(samples, around.sampleFacts),
    offered: async () => ({ files: { paths: [], isCut: false }, registered: [] }),
    callability: { ...around.callability, ...around.callability.within(samples) },
  };
}

/** A sample is the caller's own if the caller reaches its file. */
function ownIn(sources: Pick<CoverageSources, 'has'>): Ownership['isOwn'] {
  return ({ file }) => sources.has(file.path);
}

/** The same samples, without those whose files are out of reach. */
function samplesWithin(all: ReadableSamples, sources: Pick<CoverageSources, 'has' | 'begins'>): ReadableSamples {
  const isOwn = ({ file }: RegisteredSample): boolean => sources.has(file.path);
  return {
    find: async (ids) => (await all.find(ids, sources.begins)).filter(isOwn),
    async list(page) {
      const found: RegisteredSample[] = [];
      for (let { after } = page; ; ) {
        const part = await all.list({ ...page, ...(after !== undefined && { after }) });
        found.push(...part.filter(isOwn));
        after = part.at(-1)?.id;
        if (part.length < page.limit || found.length >= page.limit) return found.slice(0, page.limit);
      }
    },
    revisions: async (ids) => all.revisions((await all.find(ids, sources.begins)).filter(isOwn).map(({ id }) => id)),
  };
}

/** What datasets of other tenants state is not shown, nor that they have the sample. */
function factsWithin(find: FindSampleFacts, tenants: readonly Tenant[]): FindSampleFacts {
  const datasets = new Set(tenants.flatMap((tenant) => tenant.datasets));
  return () => {
    const service = find();
    return (
      service && {
        countingTogether: service.countingTogether,
        async factsOf(ids) {
          const found = await service.factsOf(ids);
          return new Map([...found].map(([id, facts]) => [id, facts.filter(({ dataset }) => datasets.has(dataset))]));
        },
      }
    );
  };
}

// Who may see aneuploidies of the sex chromosomes: findings that a report on other genes was not asked for.

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
