/** People: the individuals from whom the samples are. */
import type { OntologyTerm } from '../../../contract.js';
import { sexTerms } from '../../../individuals/vocabulary.js';
import type { SetEntryType } from '../framework/entry-type.js';
import { personEntry } from './people/matches.js';
import type { PeopleTools } from './people/who.js';

export function individual(tools: PeopleTools): SetEntryType {
  return personEntry(
    {
      id: 'individual',
      name: 'Individual',
      description: 'A person from whom a sample of a dataset is, with what is stated of them.',
      term: { id: 'NCIT:C25190', label: 'Person' },
      path: 'individuals',
      schema: {
        id: 'ga4gh-beacon-individual-v2.0.0',
        name: 'Default schema for an individual',
        file: 'individuals/defaultSchema.json',
        version: 'v2.0.0',
      },
      related: ['genomicVariant', 'biosample'],
      record: ({ sex, phenotypes, diseases }, idOf) => ({
        id: idOf('individual'),
        sex: sexTerms[sex],
        ...(phenotypes.length > 0 && { phenotypicFeatures: phenotypes.map((term) => ({ featureType: plain(term) })) }),
        ...(diseases.length > 0 && { diseases: diseases.map((term) => ({ diseaseCode: plain(term) })) }),
      }),
    },
    tools,
  );
}

function plain({ id, label }: OntologyTerm): OntologyTerm {
  return { id, ...(label !== undefined && { label }) };
}
