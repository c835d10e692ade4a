/**
 * Demo data for first steps and for tests of clients: a few genes of both builds, and the depths of a synthetic trio on
 * GRCh38. They describe no person; `test/plugins/coverage/intervals/support/make-demo.ts` makes the depths.
 */
import { fileURLToPath } from 'node:url';
import { builds, type IntervalRepository, type IntervalSet } from '../contract.js';
import { loadIntervals } from '../intervals/loading.js';
import { openIntervals } from '../intervals/reader.js';

/** The folder of the demo files. Requests may name its D4 files if `demo` is on. */
export const demoFolder = fileURLToPath(new URL('.', import.meta.url));

export const demoBuild = 'GRCh38';

/** The samples of the demo pages. */
export const demoSamples = [
  { name: 'demo_child', sex: 'male', file: 'child.d4' },
  { name: 'demo_mother', sex: 'female', file: 'mother.d4' },
  { name: 'demo_father', sex: 'male', file: 'father.d4' },
].map(({ name, sex, file }) => ({ name, sex, coverageFile: fileURLToPath(new URL(`./${file}`, import.meta.url)) }));

/** Symbols of the demo intervals. */
export const demoGenes = ['MTHFR', 'DHFR', 'FOLR1', 'SLC46A1', 'SRY', 'MT-TP'] as const;

/** Loads the demo intervals of both builds if nothing is loaded yet. Returns the sets that it loaded. */
export async function addDemo(
  repository: Pick<IntervalRepository, 'load' | 'select' | 'sets'>,
  now: Date,
): Promise<IntervalSet[]> {
  if ((await repository.sets()).length > 0) return [];
  const added: IntervalSet[] = [];
  for (const build of builds) {
    const source = await openIntervals(fileURLToPath(new URL(`./intervals.${build}.gtf`, import.meta.url)));
    const { sets } = await loadIntervals({
      repository,
      kind: 'gtf',
      build,
      source,
      release: 'demo',
      maxShrink: 1,
      now,
    });
    added.push(...sets);
  }
  return added;
}
