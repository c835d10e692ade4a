/** What the beacon adds to a server: its faces, its jobs, the demo data, and what it offers to other plugins. */
import { keepSwept, type PluginContext, recurring } from '../../core/plugin.js';
import type { AlleleCounts, CountsService, DatasetFacts, SampleFactsService } from '../services/beacon.js';
import type { Recording } from './audit.js';
import type { Assembly, BeaconRepository } from './contract.js';
import { carriedAllelesService } from './counts/carried.js';
import {
  type BatchRepository,
  countingTogether,
  type DatasetObservation,
  type DatasetObserver,
} from './counts/observing.js';
import { addDemo, addDemoCases, wantsDemo } from './demo/demo.js';
import { plainQuestion } from './domain/written-question.js';
import { beaconEraser } from './eraser.js';
import { registerObservations } from './faces/observations/routes.js';
import { registerSearch } from './faces/search/route.js';
import { registerV1 } from './faces/v1/register.js';
import { registerV2 } from './faces/v2/register.js';
import { registerV11 } from './faces/v11/query.js';
import { registerJobs } from './jobs.js';
import { interruptedImports } from './loading/load.js';
import { registerLoqusdb } from './loqusdb/routes/register.js';
import type { Guard } from './protection/guard.js';
import { type BeaconServices, beaconServices } from './services.js';
import type { BeaconSettings } from './settings.js';
import { interruptedStaging } from './vcf/consequences/staging.js';
import { calledDepthsService } from './vcf/depths/called.js';
import { oneFormOf } from './vcf/reference/aligned.js';

export function register(context: PluginContext<BeaconSettings>): void {
  const services = beaconServices(context);
  if (services.settings.faces.includes('v1')) registerV1(context, services);
  if (services.settings.faces.includes('v1.1')) registerV11(context, services);
  if (services.settings.faces.includes('v2')) registerSearch(context, services);
  if (services.settings.faces.includes('v2')) registerV2(context, services);
  registerLoqusdb(context, services);
  registerObservations(context, services);
  registerJobs(context, services);
  context.offer('beacon/carried-alleles@1', () => carriedAllelesService(carriedTools(context, services)));
  context.offer('beacon/counts@1', () => countsService(services));
  context.offer('beacon/sample-facts@1', () => sampleFactsService(services.repository));
  context.offer('beacon/called-depths@1', () => calledDepthsService(services.repository, services.depths));
  context.onReady(() => services.generations.begin());
  keepTallies(context, services.guard);
  context.onErase(beaconEraser(services));
  keepSwept(context, services.repository, interruptedImports);
  keepSwept(context, services.consequences, interruptedStaging);
  if (context.demo) {
    context.onReady(() => fillDemo(context, services.repository));
    context.on<{ step: string }>('reviews/demo@1', async ({ step }) => {
      if (step === 'cases') await addDemoCases(services.repository, services.consequenceTools, context.now());
    });
  }
}

function carriedTools({ tenants }: Pick<PluginContext<unknown>, 'tenants'>, services: BeaconServices) {
  return {
    ...services,
    tenants,
    oneForm: (assembly: Assembly) => oneFormOf(services.references, assembly),
    isAligned: (assembly: Assembly) => services.references.of(assembly) !== undefined,
  };
}

/** Every ten seconds, and what is left at the end. */
function keepTallies(context: PluginContext<BeaconSettings>, { storeTallies }: Guard): void {
  if (!storeTallies) return;
  context.onClose(storeTallies);
  recurring(context, { what: 'counting questions about protected datasets', everyMs: 10_000, work: storeTallies });
}

async function fillDemo(
  { log, now }: Pick<PluginContext<unknown>, 'log' | 'now'>,
  repository: BeaconRepository,
): Promise<void> {
  if (!wantsDemo(await repository.datasets())) return;
  const { dataset, added } = await addDemo(repository, now());
  log.info({ dataset, alleles: added.alleles }, 'demo data added');
}

// What the beacon offers to other plugins: how often alleles were seen, and what its datasets state of samples.

function countsService({
  observing,
  recording,
}: {
  observing: DatasetObserver;
  recording: Pick<Recording, 'observed'>;
}): CountsService {
  return {
    async counts(request, assembly, alleles, signal) {
      const open = await observing.named(request.principal, assembly, []);
      const asked = alleles.map((allele) => plainQuestion(allele, assembly));
      const questions = asked.filter((question) => question !== undefined);
      if (open.length === 0 || questions.length === 0) return asked.map((question) => question && []);
      const found = await observing.count(open, assembly, questions, { signal });
      await recording.observed(request, { datasets: open, cases: [], alleles: questions.length });
      let next = 0;
      return asked.map((question) => question && found[next++]?.map(alleleCounts));
    },
  };
}

function alleleCounts({ dataset, shared, observation, denominator }: DatasetObservation): AlleleCounts {
  const { carriers, homozygotes, alleleCount, of } = observation;
  const { threshold, total, covered, notCovered, unknown, alleles } = denominator;
  return {
    ...{ dataset: dataset.id, shared: shared !== undefined, carriers, homozygotes, alleleCount, samples: of.samples },
    denominator: {
      ...{ threshold, total, covered, notCovered, unknown },
      carriers: alleles?.carriers ?? 0,
      homozygotes: alleles?.homozygotes ?? 0,
      alleleCount: alleles?.alleleCount ?? 0,
      alleleNumber: alleles?.alleleNumber ?? 0,
      carriersBelowThreshold: alleles?.carriersBelowThreshold ?? 0,
    },
  };
}

/** For plugins that know the same samples. */
export function sampleFactsService(
  repository: BatchRepository & Pick<BeaconRepository, 'datasets' | 'sampleFacts'>,
): SampleFactsService {
  return {
    async countingTogether(dataset, ...figures) {
      return new Set((await countingTogether(repository, dataset, ...figures)).keys());
    },

    async factsOf(ids) {
      const wanted = new Set(ids);
      const found = new Map<string, DatasetFacts[]>();
      if (wanted.size === 0) return found;
      for (const { id: dataset } of await repository.datasets()) {
        for (const { name, case: stated, sex, labels, coverageId } of await repository.sampleFacts(dataset)) {
          if (!wanted.has(coverageId)) continue;
          const facts = { dataset, ...(stated !== name && { case: stated }), sex, labels };
          const others = found.get(coverageId);
          if (others) others.push(facts);
          else found.set(coverageId, [facts]);
        }
      }
      return found;
    },
  };
}
