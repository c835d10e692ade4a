/** Datasets: collections of variants, and of the people and samples that carry them. */
import type { Dataset } from '../../../contract.js';
import type { Disclosed } from '../../../disclosure.js';
import type { CollectionEntryType, EntryRecord } from '../framework/entry-type.js';
import { invalid, shown } from '../request/values.js';

const members = ['genomicVariant', 'individual', 'biosample', 'run', 'analysis'];

export const dataset: CollectionEntryType = {
  id: 'dataset',
  name: 'Dataset',
  description: 'A set of alleles of one assembly, called in a number of samples.',
  term: { id: 'NCIT:C47824', label: 'Data set' },
  path: 'datasets',
  schema: {
    id: 'ga4gh-beacon-dataset-v2.0.0',
    name: 'Default schema for datasets',
    file: 'datasets/defaultSchema.json',
    version: 'v2.0.0',
  },
  collectionOf: members,
  related: members,
  parameters: {},
  async list({ request, place, view, datasets }) {
    const [filter] = request.filters;
    if (filter) throw invalid(`filters: there is no filter ${shown(filter.id)} for datasets`);
    const named = new Set(request.datasets);
    const listed = view.listed.filter(({ id }) => named.size === 0 || named.has(id));
    // Those that answer come first: validators follow the addresses of the first record.
    const all = [...datasets.map(openRecord).sort(byId), ...listed.map(listedRecord).sort(byId)];
    return place.kind === 'entry' ? all.filter(({ id }) => id === place.id) : all;
  },
};

function byId(one: EntryRecord, other: EntryRecord): number {
  return one.id < other.id ? -1 : 1;
}

function openRecord({ dataset, granularity }: Disclosed): EntryRecord {
  const { alleleCount, callCount, sampleCount } = dataset;
  const counts = granularity !== 'boolean' && {
    counts: { alleles: alleleCount, calls: callCount, samples: sampleCount },
  };
  return described(dataset, { updateDateTime: dataset.updated.toISOString() }, { ...counts });
}

/** Counts that grow and dates that change with each load would tell strangers of new patients. */
function listedRecord(dataset: Dataset): EntryRecord {
  return described(dataset, {}, { counts: 'withheld' });
}

function described(dataset: Dataset, dates: Record<string, string>, info: Record<string, unknown>): EntryRecord {
  const { id, name, version, description, externalUrl, created, access, assembly } = dataset;
  return {
    id,
    name,
    ...(description !== undefined && { description }),
    version: String(version),
    ...(externalUrl !== undefined && { externalUrl }),
    createDateTime: created.toISOString(),
    ...dates,
    info: { accessLevel: access, assemblyId: assembly, ...info },
  };
}
