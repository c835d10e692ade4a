/** `verify`: compares the stored totals with the alleles. */
import type { Command } from '../../../core/commands.js';
import { beacon, type Counts, type Dataset } from '../contract.js';
import { datasetNamed } from '../domain/dataset.js';
import type { BeaconSettings } from '../settings.js';
import { changeText } from './report.js';

export const verify: Command<BeaconSettings> = {
  name: 'verify',
  summary: 'Recount the alleles and compare with the stored totals',
  description:
    'Exits with 1 if a total differs. A load or deletion that ends during the count may look like a difference.',
  options: [{ flags: '--id <id>', description: 'only this dataset (default: all)' }],
  async run(context, input) {
    const { id } = input.options as { id?: string };
    const repository = await context.repository(beacon);
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

function totals({ alleleCount, callCount, sampleCount }: Dataset): Counts {
  return { alleles: alleleCount, calls: callCount, samples: sampleCount };
}
