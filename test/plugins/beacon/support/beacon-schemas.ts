/**
 * Validates answers of /beacon/v2 by the published schemas of Beacon v2.1.1 and VRS 1.3 (shared data). Formats of text are
 * checked as far as an answer could break them: addresses and dates.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { shared } from './shared.js';

const published = 'https://raw.githubusercontent.com/ga4gh-beacon/beacon-v2/main';
const vrs = 'https://w3id.org/ga4gh/schema/vrs/1.3/vrs.json';
const model = 'models/json/beacon-v2-default-model';

let ajv: Ajv2020 | undefined;

function validators(): Ajv2020 {
  if (ajv) return ajv;
  const made = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  made.addFormat('uri', (text) => URL.canParse(text));
  made.addFormat('uri-template', (text) => URL.canParse(text.replaceAll(/\{\w+\}/g, 'x')));
  made.addFormat('date-time', (text) => /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text));
  made.addFormat('date', (text) => /^\d{4}-\d\d-\d\d$/.test(text));
  made.addFormat('datetime', true);
  for (const format of ['int32', 'int64']) made.addFormat(format, { type: 'number', validate: Number.isInteger });
  const folder = shared('schemas/beacon-v2');
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    // The lists of endpoints and examples are not schemas.
    if (!/\.json$/.test(file) || /endpoints|filteringTerms\.json$|beaconMap\.json|beaconConfiguration\.json/.test(file))
      continue;
    made.addSchema(withoutDialect(join(folder, file)), `${published}/${file}`);
  }
  made.addSchema(withoutDialect(join(folder, 'framework/json/requests/filteringTerms.json')), `${published}/framework/json/requests/filteringTerms.json`); // biome-ignore format: one
  // The model refers to these, and does not have them.
  for (const file of ['info.json', 'beaconCommonComponents.json']) {
    const path = join(folder, 'framework/json/common', file);
    made.addSchema(withoutDialect(path), `${published}/${model}/common/${file}`);
  }
  made.addSchema(withoutDialect(shared('schemas/vrs/vrs-1.3.json')), vrs);
  ajv = made;
  return made;
}

/** VRS states another dialect, of which it uses nothing that differs. */
function withoutDialect(file: string): object {
  const { $schema: _, ...schema } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  return schema;
}

/** What a schema says against a value; empty if it is valid. */
function faults(path: string, value: unknown): string[] {
  const validate = validators().getSchema(`${published}/${path}`) as ValidateFunction | undefined;
  if (!validate) throw new Error(`there is no schema ${path}`);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${path} ${instancePath}: ${message}`);
}

/** By a schema of the framework: `responses/beaconInfoResponse.json`. */
export const frameworkFaults = (path: string, value: unknown) => faults(`framework/json/${path}`, value);

const entities: Readonly<Record<string, string>> = {
  genomicVariant: 'genomicVariations',
  dataset: 'datasets',
  individual: 'individuals',
  biosample: 'biosamples',
  run: 'runs',
  analysis: 'analyses',
  cohort: 'cohorts',
};

/** By the schema of an entry type. */
export const recordFaults = (entryType: string, value: unknown) =>
  faults(`${model}/${entities[entryType]}/defaultSchema.json`, value);

interface Answer {
  meta?: { returnedGranularity?: string };
  response?: { resultSets?: { results?: unknown[] }[]; collections?: unknown[] };
  error?: unknown;
}

/** The envelope that fits an answer for entries of a type, and each of its records. */
export function answerFaults(entryType: string, answer: unknown): string[] {
  const { meta, response, error } = answer as Answer;
  if (error !== undefined) return frameworkFaults('responses/beaconErrorResponse.json', answer);
  const { returnedGranularity } = meta ?? {};
  if (returnedGranularity === 'boolean') return frameworkFaults('responses/beaconBooleanResponse.json', answer);
  if (returnedGranularity === 'count') return frameworkFaults('responses/beaconCountResponse.json', answer);
  const { collections, resultSets = [] } = response ?? {};
  const envelope = collections ? 'beaconCollectionsResponse' : 'beaconResultsetsResponse';
  const records = collections ?? resultSets.flatMap(({ results = [] }) => results);
  return [
    ...frameworkFaults(`responses/${envelope}.json`, answer),
    ...records.flatMap((record) => recordFaults(entryType, record)),
  ];
}
