/** `verify`: are the stored totals what the alleles add up to? */
import type { Command } from '../../../core/commands.js';
import { beacon, type Counts, type Dataset } from '../contract.js';
import { datasetNamed } from '../domain/dataset.js';
import type { BeaconSettings } from '../settings.js';
import { inWords } from './words.js';

export const verify: Command<BeaconSettings> = {
  name: 'verify',
  summary: 'Count the alleles anew and compare with the stored totals',
  description:
    'Ends with 1 where a total differs. A load or a deletion that ends meanwhile may look like a difference.',
  options: [{ flags: '--id <id>', description: 'only this dataset; all where not given' }],
  async run(context, input) {
    const { id } = input.options as { id?: string };
    const repository = await context.repository(beacon);
    const datasets = id === undefined ? await repository.datasets() : [await datasetNamed(repository, id)];
    const results = [];
    for (const dataset of datasets) {
      const stored = totals(dataset);
      const counted = await repository.recount(dataset.id);
      const right = inWords(stored) === inWords(counted);
      results.push({ dataset: dataset.id, stored, counted, right });
      context.terminal.print(
        right
          ? `${dataset.id}: right, ${inWords(counted)}`
          : `${dataset.id}: WRONG, stored ${inWords(stored)}, counted ${inWords(counted)}`,
      );
    }
    const leftovers = await repository.leftovers();
    if (leftovers > 0) {
      const one = leftovers === 1;
      context.terminal.note(
        `${leftovers} ${one ? 'load or deletion is' : 'loads or deletions are'} at work, or interrupted; ` +
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
