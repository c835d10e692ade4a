/** What callers may do with the beacon's datasets. */
import { defineRight, ofTenant, type Right, type Tenant } from '../../core/plugin.js';
import type { Dataset } from './contract.js';

type DatasetId = Pick<Dataset, 'id'>;

const dataset = { noun: 'dataset', id: ({ id }: DatasetId) => id };

/** To query a dataset and see its counts. Every caller may do so with a public one, bona fide researchers with a registered one. */
export const readRight = defineRight<Pick<Dataset, 'id' | 'access'>>({
  scope: 'beacon:read',
  summary: 'Query registered and controlled datasets, and see their counts',
  part: 'read',
  of: dataset,
  open: ({ access }) => access === 'PUBLIC',
  openToResearchers: ({ access }) => access === 'REGISTERED',
});

/** The same by a scope alone: not even a public dataset is open for it. */
export const heldReadRight = defineRight<DatasetId>({
  scope: readRight.scope,
  summary: readRight.summary,
  part: 'read',
  of: dataset,
});

/** To change a dataset, whether or not it exists yet. It does not include the right to query it. */
export const writeRight = defineRight<DatasetId>({
  scope: 'beacon:write',
  summary: 'Add and change datasets, and add and delete their variants',
  part: 'load',
  of: dataset,
});

/**
 * To see how often alleles were seen in a dataset. No dataset is open for it: homozygotes of a small dataset identify
 * people. A dataset that the caller may not observe is as if absent.
 */
export const observeRight = defineRight<DatasetId>({
  scope: 'beacon:observe',
  summary: 'See how often alleles were seen in a dataset: cases, carriers, homozygotes',
  part: 'read',
  of: dataset,
});

/** To see in whom. */
export const casesRight = defineRight<DatasetId>({
  scope: 'beacon:cases',
  summary: 'See the ids of cases and samples of a dataset; with beacon:observe, in which cases an allele was seen',
  part: 'report',
  of: dataset,
});

/** To count in the datasets that other tenants share; held for the tenant that they are shared with. */
export const sharedRight = defineRight<Pick<Tenant, 'name'>>({
  scope: 'beacon:shared',
  summary: 'See how often alleles were seen in the datasets that other tenants share with a tenant',
  part: 'read',
  of: ofTenant,
});

/** Needed in addition to `writeRight` to let more callers query a dataset. */
export const adminRight = defineRight({
  scope: 'beacon:admin',
  summary: 'With beacon:write: lower the access level of a registered or controlled dataset',
  part: 'admin',
});

export const rights: readonly Right[] = [readRight, writeRight, adminRight, observeRight, casesRight, sharedRight];
