/** What requests in test mode see: synthetic data, held apart from every repository. */
import { byAllele, type DatasetAlleles, matches } from '../../../contract.js';
import type { View } from '../framework/view.js';
import { alleles, dataset, samples } from './alleles.js';

export const syntheticView: View = {
  open: [{ dataset, granularity: 'record', frequencies: false, cases: true }],
  listed: [],
  source: {
    async found(query, datasets, { carriers: isNamed }) {
      if (query.assembly !== dataset.assembly || !datasets.includes(dataset.id)) return [];
      const found = alleles.filter((allele) => matches(allele, query));
      return found.length === 0 ? [] : [foundIn(found, isNamed === true)];
    },
    async present(query, datasets) {
      const isSearched = query.assembly === dataset.assembly && datasets.includes(dataset.id);
      return isSearched && alleles.some((allele) => matches(allele, query)) ? [dataset.id] : [];
    },
    async eachAllele(id, take, { after } = {}) {
      const all = id === dataset.id ? alleles : [];
      const listed = after ? all.filter((allele) => byAllele(allele, after) > 0) : all;
      if (listed.length > 0) await take(foundIn(listed, false).alleles);
    },
    sampleFacts: async (id) => (id === dataset.id ? [...samples] : []),
    // The people are invented.
    salt: async (id) => (id === dataset.id ? 'synthetic' : undefined),
  },
  counting: undefined,
};

function foundIn(found: typeof alleles, isNamed: boolean): DatasetAlleles {
  return {
    dataset: dataset.id,
    alleles: found.map(({ carriers, ...allele }) => ({
      ...allele,
      calls: carriers.reduce((sum, [, copies]) => sum + copies, 0),
      samples: carriers.length,
      ...(isNamed && { named: carriers }),
    })),
  };
}
