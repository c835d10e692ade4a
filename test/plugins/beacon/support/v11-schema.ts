/** The answers of Beacon 1.1.0 as a JSON schema, closed at every level, written from the specification. */
import { Ajv2020 } from 'ajv/dist/2020.js';

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };
const date = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?Z$' };
const uri = { type: 'string', pattern: '^https?://[^ ]+$' };
const chromosome = { enum: [...Array.from({ length: 22 }, (_, i) => String(i + 1)), 'X', 'Y', 'MT'] };
const bases = { type: 'string', pattern: '^([ACGTN]+)$' };

const closed = (required: string[], properties: Record<string, unknown>) => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
});

const request = closed(['referenceName', 'referenceBases', 'assemblyId'], {
  referenceName: chromosome,
  referenceBases: bases,
  assemblyId: text,
  start: count,
  end: count,
  startMin: count,
  startMax: count,
  endMin: count,
  endMax: count,
  alternateBases: bases,
  variantType: text,
  mateName: chromosome,
  datasetIds: { type: 'array', items: text },
  includeDatasetResponses: { enum: ['ALL', 'HIT', 'MISS', 'NONE'] },
});

const error = closed(['errorCode'], { errorCode: { type: 'integer' }, errorMessage: text });

const handover = closed(['handoverType', 'url'], {
  handoverType: closed(['id'], { id: text, label: text }),
  url: uri,
  note: text,
});

const datasetResponse = closed(['datasetId'], {
  datasetId: text,
  exists: { type: 'boolean' },
  error,
  frequency: { type: 'number', minimum: 0, maximum: 1 },
  variantCount: count,
  callCount: count,
  sampleCount: count,
  note: text,
  externalUrl: uri,
  info: { type: 'object' },
  datasetHandover: { type: 'array', items: handover, minItems: 1 },
});

const answer = closed(['beaconId', 'apiVersion', 'exists', 'datasetAlleleResponses'], {
  beaconId: text,
  apiVersion: { const: 'v1.1.0' },
  exists: { type: ['boolean', 'null'] },
  alleleRequest: request,
  datasetAlleleResponses: { type: 'array', items: datasetResponse },
  error,
  info: { type: 'object' },
  beaconHandover: { type: 'array', items: handover, minItems: 1 },
});

const dataset = closed(['id', 'name', 'assemblyId', 'createDateTime', 'updateDateTime'], {
  id: text,
  name: text,
  description: text,
  assemblyId: text,
  createDateTime: date,
  updateDateTime: date,
  version: text,
  variantCount: count,
  callCount: count,
  sampleCount: count,
  externalUrl: uri,
  info: { type: 'object' },
  dataUseConditions: { type: 'object' },
});

const beacon = closed(['id', 'name', 'apiVersion', 'organization', 'datasets'], {
  id: text,
  name: text,
  apiVersion: { const: 'v1.1.0' },
  organization: closed(['id', 'name'], {
    id: text,
    name: text,
    description: text,
    address: text,
    welcomeUrl: uri,
    contactUrl: text,
    logoUrl: uri,
    info: { type: 'object' },
  }),
  description: text,
  version: text,
  welcomeUrl: uri,
  alternativeUrl: uri,
  createDateTime: date,
  updateDateTime: date,
  datasets: { type: 'array', minItems: 1, items: dataset },
  sampleAlleleRequests: { type: 'array', items: request },
  info: { type: 'object' },
});

const service = {
  type: 'object',
  required: ['id', 'name', 'type', 'organization', 'version'],
  properties: {
    id: text,
    name: text,
    type: closed(['group', 'artifact', 'version'], {
      group: { const: 'org.ga4gh' },
      artifact: { const: 'beacon' },
      version: { const: '1.1.0' },
    }),
    organization: closed(['name', 'url'], { name: text, url: uri }),
    version: text,
    createdAt: date,
    updatedAt: date,
  },
};

/** An answer has an `error` if and only if `exists` is null; then no dataset answers. */
const either = {
  if: { properties: { exists: { type: 'null' } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['error'], properties: { datasetAlleleResponses: { maxItems: 0 } } },
  else: { required: ['alleleRequest'], not: { required: ['error'] } },
};

const ajv = new Ajv2020({ strict: false });
const validators = {
  answer: ajv.compile({ ...answer, ...either }),
  beacon: ajv.compile(beacon),
  service: ajv.compile(service),
};

/** Throws an error that says where a body differs from the specification. */
export function mustBeV11(kind: keyof typeof validators, body: unknown): void {
  const validate = validators[kind];
  if (validate(body)) return;
  throw new Error(`${ajv.errorsText(validate.errors)} in ${JSON.stringify(body).slice(0, 2000)}`);
}
