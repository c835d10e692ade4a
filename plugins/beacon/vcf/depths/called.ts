/** Keeps the depths and phases of a load with the samples, has them compared with coverage files, and offers them to other plugins. */
import type { CommandContext } from '../../../../core/commands.js';
import type { CalledDepth, CalledDepthsService } from '../../../services/beacon.js';
import type { CallsFit, CallsService } from '../../../services/coverage.js';
import { type Assembly, type BeaconRepository, beacon, beaconDepths, type Dataset } from '../../contract.js';
import type { DepthRepository, DepthsOfSamples, PhasesOfSamples } from './contract.js';

/** The same repository; with samples and datasets it removes their depths and phases, before them: what is left of a killed removal is repeated. */
export function withDepths<Repository extends Pick<BeaconRepository, 'removeSamples' | 'removeDataset'>>(
  repository: Repository,
  depths: Pick<DepthRepository, 'remove'>,
): Repository {
  return {
    ...repository,
    async removeSamples(dataset: string, samples: readonly string[], now: Date) {
      await depths.remove(dataset, samples);
      return repository.removeSamples(dataset, samples, now);
    },
    async removeDataset(id: string) {
      await depths.remove(id);
      return repository.removeDataset(id);
    },
  };
}

/** The key under which the coverage plugin compares calls. */
export const callsKey = 'coverage/calls@1';

/** Registered samples whose calls are compared after one load. */
const mostCompared = 200;

export interface DepthTools {
  repository: Pick<BeaconRepository, 'samples' | 'sampleFacts'>;
  depths: Pick<DepthRepository, 'add' | 'addPhases' | 'remove' | 'retain'>;
  /** Of the coverage plugin, if it is enabled. */
  calls(): Promise<CallsService | undefined>;
  /** Whether answers name samples that the calls fit better than their own. */
  names: boolean;
}

/** For commands: their operator may see every name. */
export async function depthToolsFor(context: Pick<CommandContext, 'find' | 'repository'>): Promise<DepthTools> {
  return {
    repository: await context.repository(beacon),
    depths: await context.repository(beaconDepths),
    calls: () => context.find<CallsService>(callsKey),
    names: true,
  };
}

/** What a load that has ended has read and stored. */
interface LoadedDepths {
  /** Undefined if it read no records. */
  found: DepthsOfSamples | undefined;
  /** Undefined also if its calls wait to be published: until then those that it replaces count. */
  phases: PhasesOfSamples | undefined;
  permitted: { request: { samples: readonly string[] }; barred: ReadonlyMap<string, unknown> };
  /** Whether the earlier calls of its samples are gone. */
  isReplacing: boolean;
}

/** Keeps the depths and phases of a load. Returns whether the calls of registered samples fit their coverage files. */
export async function keepDepths(
  { id, assembly }: Pick<Dataset, 'id' | 'assembly'>,
  { found = new Map(), phases = new Map(), permitted, isReplacing }: LoadedDepths,
  { repository, depths, calls, names }: DepthTools,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly CallsFit[]> {
  if (isReplacing) await depths.remove(id, permitted.request.samples);
  const own = new Map([...found].filter(([name]) => !permitted.barred.has(name)));
  const phased = new Map([...phases].filter(([name]) => !permitted.barred.has(name)));
  if (own.size + phased.size === 0) return [];
  await depths.add(id, assembly, own);
  await depths.addPhases(id, phased);
  // A sample may have been removed since it was loaded.
  const there = await repository.samples(id);
  const isThere = new Set(there);
  await depths.retain(id, there);
  await depths.remove(
    id,
    [...phased.keys()].filter((name) => !isThere.has(name)),
  );
  if (own.size === 0) return [];
  const service = await calls();
  if (service === undefined) return [];
  const facts = (await repository.sampleFacts(id)).filter(({ name }) => own.has(name));
  const ids = [...new Set(facts.map(({ coverageId }) => coverageId))];
  return service.compare(id, ids.slice(0, mostCompared), { names, signal });
}

/** For plugins that know the same samples. */
export function calledDepthsService(
  repository: Pick<BeaconRepository, 'datasets' | 'sampleFacts'>,
  depths: Pick<DepthRepository, 'find'>,
): CalledDepthsService {
  return {
    async depthsOf(ids, assembly: Assembly) {
      const wanted = new Set(ids);
      const found = new Map<string, { dataset: string; places: readonly CalledDepth[] }[]>(ids.map((id) => [id, []]));
      for (const { id: dataset, assembly: own } of await repository.datasets()) {
        if (own !== assembly) continue;
        const named = (await repository.sampleFacts(dataset)).filter(({ coverageId }) => wanted.has(coverageId));
        if (named.length === 0) continue;
        const stored = await depths.find(
          dataset,
          assembly,
          named.map(({ name }) => name),
        );
        for (const { name, coverageId } of named) {
          const places = stored.get(name);
          if (places !== undefined) found.get(coverageId)?.push({ dataset, places });
        }
      }
      return new Map([...found].filter(([, { length }]) => length > 0));
    },
  };
}
