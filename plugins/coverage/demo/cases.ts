/** The made-up cases of the demo of reviews: their registered samples, known sites in two releases, and kept reports. */
import { fileURLToPath } from 'node:url';
import { sweepIdle } from '../../../core/plugin.js';
import type { SampleDescription } from '../contract.js';
import { staleSites } from '../intervals/loading.js';
import { keepField } from '../report/form/fields.js';
import { answerPage } from '../report/report.js';
import { registerSamples } from '../samples/changes.js';
import { checkSample } from '../samples/check.js';
import type { CoverageServices } from '../services.js';
import { loadSites } from '../sites/loading.js';
import { demoBuild, demoSamples } from './demo.js';

/** What the demo of reviews announces: it brings cases, later news. `kept` is told which report was kept on a sample. */
export interface DemoStep {
  step: string;
  kept?(sample: string, report: string): void;
}

/** The panel of the reports. */
const panel = 'demo-folate@1.10';

const people = demoSamples.map(
  ({ sex, coverageFile }, i): SampleDescription => ({
    ...{ id: `demo-${i + 1}`, build: demoBuild, file: { path: coverageFile }, case: `demo-${i + 1}` },
    ...{ sex: sex as SampleDescription['sex'], labels: {} },
  }),
);

/** A repetition changes nothing but kept reports, of which there are more. */
export async function followDemo(services: CoverageServices, { step, kept }: DemoStep): Promise<void> {
  const { signal } = new AbortController();
  if (step === 'news') return loadDemoSites(services, 2, signal);
  if (step !== 'cases') return;
  const { registry, transaction, now, checks } = services;
  await transaction((scope) => registerSamples(registry, scope, people, now()));
  for (const { id } of people) await checkSample(registry, id, checks, { signal });
  await loadDemoSites(services, 1, signal);
  for (const { id } of people) if (services.kept && kept) await keepReport(services, id, kept, signal);
}

async function loadDemoSites({ sites, settings, now }: CoverageServices, release: number, signal: AbortSignal) {
  await loadSites({
    repository: sites,
    file: fileURLToPath(new URL(`./clinvar-${release}.vcf`, import.meta.url)),
    ...{ release: `demo ${release}`, leastStars: 0, maxShrink: settings.intervals.maxShrink, now: now(), signal },
    onProgress: () => undefined,
  });
  await sweepIdle(sites, staleSites, now());
}

async function keepReport(
  services: CoverageServices,
  sample: string,
  kept: NonNullable<DemoStep['kept']>,
  signal: AbortSignal,
): Promise<void> {
  const fields = {
    ...{ build: demoBuild, panel, interval_type: 'coding', default_level: '10', completeness_thresholds: '10,15,20' },
    ...{ case_display_name: sample, sample_id_1: sample, [keepField]: 'true', format: 'json' },
  };
  const request = { method: 'POST', headers: {}, csrf: undefined, nonce: '', signal };
  await answerPage(services, 'report', { fields }, request, undefined, async (_, reported) => {
    if (reported.kept !== undefined) kept(sample, reported.kept);
  });
}
