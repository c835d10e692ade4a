/**
 * What a caller may use (which samples, which files, which facts about samples), and the services that follow from these three
 * things.
 */
import type { Tenant } from '../../../../core/plugin.js';
import { type Member, membersOfBuild, type SharedMembers } from '../../cohorts/members.js';
import type { Build, RegisteredSample, SamplePage, SampleRepository } from '../../contract.js';
import type { Examine } from '../../measure/examine.js';
import type { FindingsOf } from '../../measure/quality.js';
import type { CoverageSources } from '../../measure/sources.js';
import type { FormChoices } from '../../report/html/form.js';
import type { Callability } from '../../samples/callability/callability.js';
import type { Ownership } from '../../samples/changes.js';
import {
  createFindNamed,
  type FindSampleFacts,
  type FindSamples,
  type ListedSamples,
  listedFrom,
} from '../../samples/find.js';
import { type FindingWarning, findingWarnings } from '../../samples/findings.js';

type ReadableSamples = Pick<SampleRepository, 'find' | 'list' | 'revisions'>;

export interface CallerReach {
  /** Registered samples. */
  samples: ReadableSamples;
  sources: CoverageSources;
  /** What the beacon knows of samples, if it is enabled. */
  sampleFacts: FindSampleFacts;
}

/** The services that show samples and files. */
export interface ReachedServices extends CallerReach {
  /** Registered samples by id, a page at a time. */
  listed(page: SamplePage): Promise<ListedSamples>;
  /** Finds out which of these ids, and of the samples that are registered with them, are the caller's. */
  ownAmong(ids: readonly string[]): Promise<Ownership>;
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
  /** For reports, which may be kept longer than the other samples. */
  findingsOf: FindingsOf;
  /** What comparisons found of these samples, by id; it names all others that the caller reaches. */
  findingsWithNames(ids: readonly string[]): Promise<ReadonlyMap<string, readonly FindingWarning[]>>;
  /** The files and registered samples that forms offer. */
  offered(): Promise<FormChoices>;
  /** Which registered samples are covered at places; also offered to other plugins. */
  callability: Callability;
  /** Names of the tenants whose files and samples these are; undefined if it is everything. */
  tenants?: readonly string[];
}

export interface ReachTools {
  examineIn(sources: CoverageSources): Examine;
  /** As if there were only these samples. */
  callabilityIn(samples: ReadableSamples): Callability;
  /** Of all registered samples. */
  found: Pick<SampleRepository, 'findings'>;
  /** Registered samples that a form offers at most. */
  mostOffered: number;
}

/** What does not follow from the reach: what of the server a caller compares with, adds, or is not offered. */
interface ReachRules extends Partial<Omit<ReachedServices, keyof CallerReach>> {
  /** Whether the caller may register a new sample of this id; any if omitted. */
  mayAdd?(id: string): boolean;
}

/** Reports on a part of these services' samples and files compare with the samples of all of them. */
export function comparedWith({ members, charted, shared, tenants }: ReachedServices): ReachRules {
  return { members, charted, shared, ...(tenants && { tenants }) };
}

export function servicesOfReach(
  { samples, sources, sampleFacts }: CallerReach,
  { examineIn, callabilityIn, found, mostOffered }: ReachTools,
  { mayAdd = () => true, ...rules }: ReachRules = {},
): ReachedServices {
  const members: ReachedServices['members'] = (build, signal) =>
    membersOfBuild({ samples, sampleFacts }, build, signal);
  return {
    ...{ samples, sources, sampleFacts, members },
    listed: listedFrom(samples),
    // A sample is the caller's own if the caller reaches its file.
    ownAmong: async () => ({ isOwn: ({ file }) => sources.has(file.path), begins: sources.begins, mayAdd }),
    examine: examineIn(sources),
    named: createFindNamed(samples, sampleFacts),
    charted: members,
    shared: async () => [],
    findingsOf: (ids) => findingWarnings(ids, found),
    findingsWithNames: (ids) => findingWarnings(ids, found, samples),
    async offered() {
      const registered = mostOffered === 0 ? [] : samples.list({ limit: mostOffered });
      const [files, list] = await Promise.all([sources.listed(), registered]);
      return { files, registered: list.map(({ id }) => id) };
    },
    callability: callabilityIn(samples),
    ...rules,
  };
}

/** The same samples, without those whose files are out of reach. */
export function samplesWithin(all: ReadableSamples, sources: Pick<CoverageSources, 'has' | 'begins'>): ReadableSamples {
  const isOwn = ({ file }: RegisteredSample): boolean => sources.has(file.path);
  const find = async (ids: readonly string[]) => (await all.find(ids, sources.begins)).filter(isOwn);
  return {
    find,
    async list(page) {
      const found: RegisteredSample[] = [];
      for (let { after } = page; ; ) {
        const part = await all.list({ ...page, ...(after !== undefined && { after }) });
        found.push(...part.filter(isOwn));
        after = part.at(-1)?.id;
        if (part.length < page.limit || found.length >= page.limit) return found.slice(0, page.limit);
      }
    },
    revisions: async (ids) => all.revisions((await find(ids)).map(({ id }) => id)),
  };
}

/** What datasets of other tenants state is not shown, nor that they have the sample. */
export function factsWithin(find: FindSampleFacts, tenants: readonly Tenant[]): FindSampleFacts {
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
