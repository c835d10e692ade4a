/** Samples that were sequenced. Of their tissue and state nothing is stated. */
import type { SetEntryType } from '../framework/entry-type.js';
import { personEntry } from './people/matches.js';
import type { PeopleTools } from './people/who.js';

export function biosample(tools: PeopleTools): SetEntryType {
  return personEntry(
    {
      id: 'biosample',
      name: 'Biological sample',
      description: 'A sample of a dataset.',
      term: { id: 'NCIT:C70699', label: 'Biospecimen' },
      path: 'biosamples',
      schema: {
        id: 'ga4gh-beacon-biosample-v2.0.0',
        name: 'Default schema for a biological sample',
        file: 'biosamples/defaultSchema.json',
        version: 'v2.0.0',
      },
      related: ['genomicVariant', 'run', 'analysis'],
      record: ({ labels: { assay } }, idOf) => ({
        id: idOf('biosample'),
        individualId: idOf('individual'),
        biosampleStatus: { id: 'NCIT:C17998', label: 'Unknown' },
        sampleOriginType: { id: 'OBI:0000747', label: 'material sample' },
        ...(assay !== undefined && { info: { assay } }),
      }),
    },
    tools,
  );
}
