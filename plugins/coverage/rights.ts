/** What callers may do with the coverage plugin. */
import { defineRight, ofTenant, type Right, type Tenant } from '../../core/plugin.js';

const rightOfTenant = (right: Omit<Right<Pick<Tenant, 'name'>>, 'of'>) =>
  defineRight<Pick<Tenant, 'name'>>({ ...right, of: ofTenant });

/** Needed only if the configuration gives rights to people or tenants: otherwise reports need no right. */
export const reportRight = rightOfTenant({
  scope: 'coverage:report',
  summary: 'Get reports and depths of coverage files, if `auth.roles` or `auth.tenants` limits who may',
  part: 'report',
});

/** Granted to programs only: no claim gives it. */
export const ticketRight = rightOfTenant({
  scope: 'coverage:ticket',
  summary: 'Make tickets with which others get reports on certain samples',
});

export const registerRight = rightOfTenant({
  scope: 'coverage:register',
  summary: 'Register samples with their coverage files, and remove them',
  part: 'load',
});

export const readSamplesRight = rightOfTenant({
  scope: 'coverage:read',
  summary: 'See registered samples, with what the beacon states of samples of the same id, and control charts of runs',
  part: 'report',
});

/** To be compared with the samples that other tenants share; held for the tenant that they are shared with. */
export const sharedRight = rightOfTenant({
  scope: 'coverage:shared',
  summary: 'Compare samples with those that other tenants share with a tenant',
  part: 'read',
});

/** To see that a sample has other sex chromosomes than XX or XY, which a report on other genes was not asked for. */
export const aneuploidyRight = rightOfTenant({
  scope: 'coverage:aneuploidy',
  summary: 'See aneuploidies of the sex chromosomes in reports',
  part: 'incidental',
});

export const loadRight = defineRight({
  scope: 'coverage:load',
  summary: 'Replace the genes, transcripts and exons of an assembly',
  part: 'load',
});
