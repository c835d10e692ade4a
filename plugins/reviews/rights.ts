/** What callers may do with reviews. */
import { defineRight, ofTenant, type Right, type Tenant } from '../../core/plugin.js';

const rightOfTenant = (right: Omit<Right<Pick<Tenant, 'name'>>, 'of'>) =>
  defineRight<Pick<Tenant, 'name'>>({ ...right, of: ofTenant });

export const readRight = rightOfTenant({
  scope: 'reviews:read',
  summary: 'See what was concluded about cases, and what has changed since then',
  part: 'report',
});

export const writeRight = rightOfTenant({
  scope: 'reviews:write',
  summary: 'State what was concluded about cases, and decide about findings',
  part: 'load',
});

export const rights: readonly Right[] = [readRight, writeRight];
