/** What a report says as a FHIR document, in English. */
export const fhir = {
  subject: 'Not stated: the specimen links to the person',
  part: (gene: string, reached: string, bases: string, percent: string, depth: string) =>
    `${gene}: ${reached} of ${bases} bases (${percent} %) at or above ${depth}; the BED files have the regions`,
  regions: (depth: string) =>
    `Called: every base is at or above ${depth}. Genes that are covered in part are listed as uncalled, with the percentage of their bases that is covered; the BED files have the exact regions.`,
  metrics: (bases: string, depth: string, counted: string) =>
    `Mean depth, and the percentage at or above ${depth}, of ${bases} distinct bases (${counted}).`,
  files: {
    studied: (build: string, _depth: string) => `Regions that were studied, ${build}`,
    called: (build: string, depth: string) => `Studied regions at or above ${depth}, ${build}`,
    uncalled: (build: string, depth: string) => `Studied regions below ${depth}, ${build}`,
  },
  sites: (sets: string, callable: string, all: string, depth: string) =>
    `Known sites (${sets}): ${callable} of ${all} callable at ${depth}.`,
  depths: 'Depth of each base (D4)',
};
