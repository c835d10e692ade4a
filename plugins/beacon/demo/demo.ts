/** The demo datasets: a synthetic trio, for first steps and for tests of clients, and the made-up cases of reviews. */
import { fileURLToPath } from 'node:url';
import { openSource } from '../../../core/files.js';
import { Fault, isFault } from '../../../core/plugin.js';
import type { BeaconRepository, Dataset, DatasetDescription } from '../contract.js';
import { type LoadSummary, loadVariants } from '../loading/load.js';
import { permitAll } from '../loading/permit.js';
import type { ConsequenceTools } from '../vcf/consequences/staging.js';

const demoDataset: DatasetDescription = {
  id: 'test_public',
  name: 'Test public dataset',
  assembly: 'GRCh37',
  access: 'PUBLIC',
  version: 1,
  description: 'Synthetic alleles of a made-up trio. They describe no person.',
};

const samples = ['demo_child', 'demo_father', 'demo_mother'];
const files = ['trio.vcf', 'trio.sv.vcf'] as const;

/** Whether there is no dataset, or only a demo dataset that is still empty. */
export function wantsDemo(datasets: readonly Dataset[]): boolean {
  return datasets.every((dataset) => dataset.id === demoDataset.id && dataset.sampleCount === 0);
}

/**
 * Adds the demo dataset and its alleles; a repetition changes nothing. Throws a `conflict` fault if a dataset with this
 * id holds other samples. Other datasets are not touched.
 */
export async function addDemo(repository: BeaconRepository, now: Date, signal?: AbortSignal): Promise<LoadSummary> {
  if (!(await repository.dataset(demoDataset.id))) await addDataset(repository, now);
  const dataset = await repository.dataset(demoDataset.id);
  const others = (await repository.samples(demoDataset.id)).filter((sample) => !samples.includes(sample));
  if (!dataset || dataset.assembly !== demoDataset.assembly || others.length > 0) {
    throw new Fault('conflict', `The dataset '${demoDataset.id}' holds other data; the demo data was not added`);
  }
  const [first, second] = await Promise.all(files.map((file) => openDemo(file)));
  if (!first || !second) throw new Error('both demo files were opened');
  return loadVariants({ repository, dataset, sources: [first, second], samples, permit: permitAll, now, signal });
}

const demoCases: DatasetDescription = {
  id: 'demo_cases',
  name: 'Made-up cases',
  assembly: 'GRCh38',
  access: 'CONTROLLED',
  version: 1,
  description: 'Alleles of the made-up cases that reviews show. They describe no person.',
};

/** Adds the annotated alleles of made-up cases; a repetition changes nothing. */
export async function addDemoCases(
  repository: BeaconRepository,
  consequences: ConsequenceTools,
  now: Date,
): Promise<void> {
  if ((await repository.dataset(demoCases.id)) === undefined) await repository.addDataset(demoCases, now);
  const dataset = await repository.dataset(demoCases.id);
  if (!dataset || dataset.sampleCount > 0) return;
  const sources = [await openDemo('cases.vcf')] as const;
  await loadVariants({ repository, dataset, sources: [...sources], samples: [], permit: permitAll, consequences, now });
}

function openDemo(file: string) {
  return openSource(fileURLToPath(new URL(`./${file}`, import.meta.url)));
}

/** Adds it unless another process has added it in the meantime. */
async function addDataset(repository: BeaconRepository, now: Date): Promise<void> {
  try {
    await repository.addDataset(demoDataset, now);
  } catch (error) {
    if (!isFault(error) || error.code !== 'conflict') throw error;
  }
}
