/** The parameters of a query, as the contract lists them. */
export const parameterNames = [
  ...['assemblyId', 'referenceName', 'referenceBases', 'alternateBases', 'variantType', 'mateName', 'datasetIds'],
  ...['start', 'end', 'startMin', 'startMax', 'endMin', 'endMax', 'includeDatasetResponses'],
] as const;
