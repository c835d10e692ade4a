/** `verify`: compares the stored totals with the alleles. */
import type { Command, CommandContext } from '../../../core/commands.js';
import { type BeaconRepository, beacon, type Counts, type Dataset } from '../contract.js';
import { datasetNamed } from '../domain/dataset.js';
import type { BeaconSettings } from '../settings.js';
import { changeText } from './report.js';

export const verify: Command<BeaconSettings> = {
  name: 'verify',
  summary: 'Recount the alleles and compare with the stored totals',
  description:
    'Exits with 1 if a total differs. A load or deletion that ends during the count may look like a difference.',
  options: [
    { flags: '--id <id>', description: 'only this dataset (default: all)' },
    { flags: '--mend', description: 'first rewrite alleles that an earlier release stored in another form' },
  ],
  async run(context, input) {
    const { id, mend } = input.options as { id?: string; mend?: boolean };
    const repository = await context.repository(beacon);
    const isWanted = (dataset: string) => id === undefined || dataset === id;
    if (mend) await rewrite(context, repository, (await repository.outdated()).filter(isWanted));
    const datasets = id === undefined ? await repository.datasets() : [await datasetNamed(repository, id)];
    const results = [];
    for (const dataset of datasets) {
      const stored = totals(dataset);
      const counted = await repository.recount(dataset.id);
      const right = changeText(stored) === changeText(counted);
      results.push({ dataset: dataset.id, stored, counted, right });
      context.terminal.print(
        right
          ? `${dataset.id}: right, ${changeText(counted)}`
          : `${dataset.id}: WRONG, stored ${changeText(stored)}, counted ${changeText(counted)}`,
      );
    }
    const outdated = (await repository.outdated()).filter(isWanted);
    if (outdated.length > 0) {
      context.terminal.note(
        `An earlier release stored ${outdated.length === 1 ? 'dataset' : 'datasets'} ${outdated.join(', ')} in another ` +
          'form. Queries are answered as usual; a running server rewrites the alleles, or "verify --mend" does so now',
      );
    }
    const leftovers = await repository.leftovers();
    if (leftovers > 0) {
      const one = leftovers === 1;
      context.terminal.note(
        `${leftovers} ${one ? 'load or deletion is' : 'loads or deletions are'} running or interrupted; ` +
          'a running server frees the space of interrupted ones every ten minutes',
      );
    }
    context.terminal.data(results);
    return results.every(({ right }) => right) ? 0 : 1;
  },
};

async function rewrite(
  { terminal, signal }: CommandContext<BeaconSettings>,
  repository: BeaconRepository,
  datasets: readonly string[],
): Promise<void> {
  const progress = terminal.progress('Rewriting');
  try {
    for (const [i, dataset] of datasets.entries()) {
      let parts = 0;
      for (let left = 1; left > 0; parts++) {
        left = await repository.rewrite(dataset, async () => signal.throwIfAborted());
        progress.update((i + (parts + 1) / (parts + 1 + left)) / datasets.length, dataset);
      }
      terminal.note(`${dataset}: rewritten`);
    }
  } finally {
    progress.stop();
  }
}

function totals({ alleleCount, callCount, sampleCount }: Dataset): Counts {
  return { alleles: alleleCount, calls: callCount, samples: sampleCount };
}
