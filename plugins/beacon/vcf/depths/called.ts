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
  phases: PhasesOfSamples | undefined;
  permitted: { request: { samples: readonly string[] }; barred: ReadonlyMap<string, unknown> };
  /** Whether the earlier calls of its samples are gone, or are to go with a publication: until then their phases count. */
  replaces: 'now' | 'later' | undefined;
}

/** Keeps phases of samples; of one that was removed since it was loaded there are none. */
export async function keepPhases(
  dataset: string,
  phases: PhasesOfSamples,
  {
    repository,
    depths,
  }: { repository: Pick<BeaconRepository, 'samples'>; depths: Pick<DepthRepository, 'addPhases' | 'remove'> },
): Promise<void> {
  if (phases.size === 0) return;
  await depths.addPhases(dataset, phases);
  const there = new Set(await repository.samples(dataset));
  await depths.remove(
    dataset,
    [...phases.keys()].filter((name) => !there.has(name)),
  );
}

/** Keeps the depths and phases of a load. Returns whether the calls of registered samples fit their coverage files. */
export async function keepDepths(
  { id, assembly }: Pick<Dataset, 'id' | 'assembly'>,
  { found = new Map(), phases = new Map(), permitted, replaces }: LoadedDepths,
  { repository, depths, calls, names }: DepthTools,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly CallsFit[]> {
  const { samples } = permitted.request;
  if (replaces) await depths.remove(id, samples, replaces === 'later' ? 'depths' : undefined);
  const own = new Map([...found].filter(([name]) => !permitted.barred.has(name)));
  const phased = new Map([...phases].filter(([name]) => !permitted.barred.has(name)));
  if (replaces !== 'later') await keepPhases(id, phased, { repository, depths });
  if (own.size === 0) return [];
  await depths.add(id, assembly, own);
  // A sample may have been removed since it was loaded.
  await depths.retain(id, await repository.samples(id));
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
