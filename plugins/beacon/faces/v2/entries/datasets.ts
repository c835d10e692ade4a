/** Collections: datasets of variants and of the people who carry them; and cohorts, of which the beacon has none. */
import { type AnnotationSource, type Dataset, sourceText } from '../../../contract.js';
import type { DisclosedDataset } from '../../../disclosure.js';
import { type CollectionEntryType, defaultSchema, type EntryRecord } from '../framework/entry-type.js';
import { type BeaconRequest, invalid, shownValue } from '../framework/request.js';

const members = ['genomicVariant', 'individual', 'biosample', 'run', 'analysis'];

export const dataset: CollectionEntryType = {
  id: 'dataset',
  name: 'Dataset',
  description: 'A set of alleles of one assembly, called in a number of samples.',
  term: { id: 'NCIT:C47824', label: 'Data set' },
  path: 'datasets',
  schema: defaultSchema('dataset', 'datasets', 'datasets'),
  collectionOf: members,
  related: members,
  parameters: {},
  async list({ request, view, datasets }) {
    refuseFilters(request, 'datasets');
    const named = new Set(request.datasets);
    const listed = view.listed.filter(({ id }) => named.size === 0 || named.has(id));
    // Those that answer come first: validators follow the addresses of the first record.
    const open: EntryRecord[] = [];
    for (const one of datasets) open.push(openRecord(one, await view.annotated(one.dataset.id)));
    return [...open.sort(byEntryId), ...listed.map(listedRecord).sort(byEntryId)];
  },
};

function refuseFilters({ filters: [filter] }: BeaconRequest, what: string): void {
  if (filter) throw invalid(`filters: there is no filter ${shownValue(filter.id)} for ${what}`);
}

function byEntryId(one: EntryRecord, other: EntryRecord): number {
  return one.id < other.id ? -1 : 1;
}

function openRecord({ dataset, granularity }: DisclosedDataset, annotated: readonly AnnotationSource[]): EntryRecord {
  const { alleleCount, callCount, sampleCount } = dataset;
  const counts = granularity !== 'boolean' && {
    counts: { alleles: alleleCount, calls: callCount, samples: sampleCount },
  };
  const annotatedBy = annotated.length > 0 && { annotatedBy: annotated.map(sourceText) };
  return datasetRecord(dataset, { updateDateTime: dataset.updated.toISOString() }, { ...counts, ...annotatedBy });
}

/** Counts that grow and dates that change with each load would reveal new patients to strangers. */
function listedRecord(dataset: Dataset): EntryRecord {
  return datasetRecord(dataset, {}, { counts: 'withheld' });
}

function datasetRecord(dataset: Dataset, dates: Record<string, string>, info: Record<string, unknown>): EntryRecord {
  const { id, name, version, description, externalUrl, created, access, assembly, alignedTo } = dataset;
  return {
    id,
    name,
    ...(description !== undefined && { description }),
    version: String(version),
    ...(externalUrl !== undefined && { externalUrl }),
    createDateTime: created.toISOString(),
    ...dates,
    info: { accessLevel: access, assemblyId: assembly, ...(alignedTo !== undefined && { alignedTo }), ...info },
  };
}

// Cohorts: the beacon has none, and says so.

/** For test mode, in which every entry type has an entry. */
const synthetic: EntryRecord = { id: 'synthetic', name: 'Synthetic cohort', cohortType: 'beacon-defined' };

export const cohort: CollectionEntryType = {
  id: 'cohort',
  name: 'Cohort',
  description: 'A group of people that was put together for a study. No cohorts are defined.',
  term: { id: 'NCIT:C61512', label: 'Cohort' },
  path: 'cohorts',
  schema: defaultSchema('cohort', 'cohorts', 'cohorts'),
  collectionOf: ['individual'],
  related: [],
  parameters: {},
  async list({ request }) {
    refuseFilters(request, 'cohorts');
    return request.testMode ? [synthetic] : [];
  },
};
