/** Analyses that led to the calls of a sample, of samples whose pipeline and day of the analysis are stated. */
import type { SetEntryType } from '../framework/entry-type.js';
import { personEntry } from './people/matches.js';
import type { PeopleTools } from './people/who.js';

export function analysis(tools: PeopleTools): SetEntryType {
  return personEntry(
    {
      id: 'analysis',
      name: 'Bioinformatics analysis',
      description: 'The analysis of a sample, if its pipeline and its day are stated.',
      term: { id: 'edam:operation_2945', label: 'Analysis' },
      path: 'analyses',
      schema: {
        id: 'ga4gh-beacon-analysis-v2.0.0',
        name: 'Default schema for a bioinformatics analysis',
        file: 'analyses/defaultSchema.json',
        version: 'v2.0.0',
      },
      related: ['genomicVariant'],
      isKnown: ({ labels }) => labels.analysis_date !== undefined && labels.pipeline !== undefined,
      record: ({ labels: { analysis_date, pipeline, run_date } }, idOf) => ({
        id: idOf('analysis'),
        biosampleId: idOf('biosample'),
        individualId: idOf('individual'),
        ...(run_date !== undefined && { runId: idOf('run') }),
        analysisDate: analysis_date,
        pipelineName: pipeline,
      }),
    },
    tools,
  );
}
