/** Sequencing runs, of samples whose day of the run is stated. */
import type { SetEntryType } from '../framework/entry-type.js';
import { personEntry } from './people/matches.js';
import type { PeopleTools } from './people/who.js';

export function run(tools: PeopleTools): SetEntryType {
  return personEntry(
    {
      id: 'run',
      name: 'Sequencing run',
      description: 'The sequencing of a sample, if its day is stated.',
      term: { id: 'NCIT:C148088', label: 'Sequencing Run' },
      path: 'runs',
      schema: {
        id: 'ga4gh-beacon-run-v2.0.0',
        name: 'Default schema for a sequencing run',
        file: 'runs/defaultSchema.json',
        version: 'v2.0.0',
      },
      related: ['genomicVariant', 'analysis'],
      isKnown: ({ labels }) => labels.run_date !== undefined,
      record: ({ labels: { run_date, assay } }, idOf) => ({
        id: idOf('run'),
        biosampleId: idOf('biosample'),
        individualId: idOf('individual'),
        runDate: run_date,
        ...(assay !== undefined && { libraryStrategy: assay }),
      }),
    },
    tools,
  );
}
