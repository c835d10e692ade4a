/** Beacon repositories that return wrong genotypes. */
import { Genotypes, type StoredGenotypes } from '../../../../plugins/beacon/contract.js';
import type { Wrong } from '../wrap.js';
import { wrong } from './damage.js';

const stored = 'genotypes are those that are stored, over all imports, before and after merging';
const single = 'common sites are single bases of autosomes, each once and by place';

/** Changes what is returned. */
function byAnswer(does: string, fails: string, change: (found: StoredGenotypes) => StoredGenotypes): Wrong {
  return wrong(does, fails, () => (right) => ({
    genotypes: async (dataset, sites, options) => {
      const found = await right.genotypes(dataset, sites, options);
      return found && change(found);
    },
  }));
}

/** With further sites, at which nothing is known. */
function wider(found: StoredGenotypes, sites: number): StoredGenotypes {
  const genotypes = new Genotypes(found.samples.length, sites);
  for (let sample = 0; sample < found.samples.length; sample++) {
    for (let site = 0; site < found.genotypes.sites; site++) {
      const copies = found.genotypes.at(sample, site);
      if (copies !== undefined) genotypes.set(sample, site, copies);
    }
  }
  return { ...found, genotypes };
}

/** With another number of copies, by sample and site. */
function recalled(found: StoredGenotypes, copiesOf: (known: number | undefined) => number | undefined) {
  const { samples, sites } = found.genotypes;
  const genotypes = new Genotypes(samples, sites);
  for (let sample = 0; sample < samples; sample++) {
    for (let site = 0; site < sites; site++) {
      const copies = copiesOf(found.genotypes.at(sample, site));
      if (copies !== undefined) genotypes.set(sample, site, copies);
    }
  }
  return { ...found, genotypes };
}

export const wrongGenotypes: readonly Wrong[] = [
  byAnswer('takes a sample without an allele for one with the reference', stored, (found) =>
    recalled(found, (known) => known ?? 0),
  ),
  byAnswer('knows no homozygotes', stored, (found) => recalled(found, (known) => known && 1)),
  byAnswer('forgets the facts of samples', stored, (found) => ({
    ...found,
    samples: found.samples.map((sample) => ({ ...sample, case: sample.name })),
  })),
  wrong('finds a site by its place alone', stored, () => (right) => ({
    genotypes: (dataset, sites, options) =>
      right.genotypes(
        dataset,
        sites.map((site) => (site.reference === 'G' ? { ...site, reference: 'A' } : site)),
        options,
      ),
  })),
  wrong('has genotypes of a dataset that does not exist', stored, () => (right) => ({
    genotypes: async (...asked) => (await right.genotypes(...asked)) ?? { samples: [], genotypes: new Genotypes(0, 0) },
  })),
  wrong('reads a thousand sites', 'genotypes at thousands of sites on all chromosomes', () => (right) => ({
    genotypes: async (dataset, sites, options) => {
      const found = await right.genotypes(dataset, sites.slice(0, 1000), options);
      return found && wider(found, sites.length);
    },
  })),
  wrong(
    'reads genotypes to the end though the caller has left',
    'reading genotypes that is given up throws the reason',
    () => (right) => ({ genotypes: (dataset, sites) => right.genotypes(dataset, sites) }),
  ),
  wrong('has X among the common sites', single, () => (right) => ({
    commonSites: async (dataset, most) => {
      const found = await right.commonSites(dataset, most);
      return found.length < 3 ? found : [...found, { contig: 'X', start: 5, reference: 'A', alternate: 'C' }];
    },
  })),
  wrong('has more common sites than are asked for', single, () => (right) => ({
    commonSites: (dataset, most) => right.commonSites(dataset, most + 1),
  })),
  wrong('keeps the order in which alleles came', single, () => (right) => ({
    commonSites: async (dataset, most) => (await right.commonSites(dataset, most)).toReversed(),
  })),
  wrong('takes the first sites for common', 'common sites are those that many samples carry', () => (right) => ({
    commonSites: async (dataset, most) => (await right.commonSites(dataset, 1000)).slice(0, most),
  })),
];
