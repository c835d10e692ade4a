/** What the parts of the framework share. */
import type { RequestHead } from '../../../../../core/plugin.js';
import { serverOf } from '../../../server-address.js';
import type { BeaconServices } from '../../../services.js';
import type { EntrySchema, EntryType } from './entry-type.js';
import type { FilteringTerms } from './filtering-terms.js';
import type { View } from './view.js';

export const root = '/beacon/v2';

/** As the specification names it in entry types. */
export const specification = 'Beacon v2.1.1';

export interface Face {
  services: BeaconServices;
  entryTypes: readonly EntryType[];
  terms: FilteringTerms;
  /** What requests in test mode see: synthetic data, and nothing else. */
  testView: View;
}

/** The absolute address of the face, as the client reaches it. */
export function baseOf({ services }: Pick<Face, 'services'>, { headers }: Pick<RequestHead, 'headers'>): string {
  return serverOf(services.baseUrl, headers.host) + root;
}

export function schemaUrl(base: string, { file }: EntrySchema): string {
  return `${base}/schemas/${file}`;
}
