/** Cohorts: the beacon has none, and says so. */
import type { CollectionEntryType, EntryRecord } from '../framework/entry-type.js';
import { invalid, shown } from '../request/values.js';

/** For test mode, in which every entry type has an entry. */
const synthetic: EntryRecord = { id: 'synthetic', name: 'Synthetic cohort', cohortType: 'beacon-defined' };

export const cohort: CollectionEntryType = {
  id: 'cohort',
  name: 'Cohort',
  description: 'A group of people that was put together for a study. No cohorts are defined.',
  term: { id: 'NCIT:C61512', label: 'Cohort' },
  path: 'cohorts',
  schema: {
    id: 'ga4gh-beacon-cohort-v2.0.0',
    name: 'Default schema for cohorts',
    file: 'cohorts/defaultSchema.json',
    version: 'v2.0.0',
  },
  collectionOf: ['individual'],
  related: [],
  parameters: {},
  async list({ request, place }) {
    const [filter] = request.filters;
    if (filter) throw invalid(`filters: there is no filter ${shown(filter.id)} for cohorts`);
    const all = request.testMode ? [synthetic] : [];
    return place.kind === 'entry' ? all.filter(({ id }) => id === place.id) : all;
  },
};
