/** The beacon information at /apiv1.0, with the keys of the contract in alphabetical order. */
import { z } from 'zod';
import { anonymous, type Caller } from '../../../../core/plugin.js';
import type { Include } from '../../ask.js';
import { assemblies, type Dataset } from '../../contract.js';
import type { SeenDataset } from '../../protection/guard.js';
import { datesOfBeacon, listedDatasets } from '../../rights.js';
import type { BeaconServices } from '../../services.js';
import { accessInfo, alleleRequest, apiVersion, count } from './answers.js';
import { parametersOfAllele } from './query.js';

const httpDate = z.string().regex(/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/);

const dataset = z
  .strictObject({
    assembly_id: z.enum(assemblies),
    callCount: count,
    created: httpDate,
    id: z.string(),
    info: accessInfo.extend({
      counts: z
        .literal('withheld')
        .optional()
        .describe('Counts and the date of the last change are withheld from this caller.'),
    }),
    name: z.string(),
    sampleCount: count,
    updated: httpDate,
    variantCount: count,
    version: z.number(),
  })
  .meta({ id: 'BeaconDataset' });

export const infoResponse = z
  .strictObject({
    alternativeUrl: z.string().nullable(),
    apiVersion: z.literal(`v${apiVersion}`),
    createDateTime: httpDate,
    datasets: z.array(dataset),
    description: z.string(),
    id: z.string(),
    name: z.string(),
    organisation: z.strictObject({
      address: z.string(),
      contactUrl: z.string(),
      description: z.string(),
      id: z.string(),
      info: z.array(z.strictObject({ key: z.string(), value: z.string() })),
      logoUrl: z.string(),
      name: z.string(),
      welcomeUrl: z.string(),
    }),
    sampleAlleleRequests: z.array(alleleRequest),
    updateDateTime: httpDate,
    version: z.string(),
    welcomeUrl: z.string().nullable(),
  })
  .meta({ id: 'Beacon' });

/** Describes the beacon, its datasets, and example requests that have a hit. */
export async function information(
  { settings, version, started, repository, guard }: BeaconServices,
  caller: Caller,
): Promise<z.output<typeof infoResponse>> {
  const all = await repository.datasets();
  const open = new Map((await guard.open(caller, all)).map((one) => [one.id, one]));
  const listed = listedDatasets(all, open, settings);
  const { created, updated } = datesOfBeacon(listed, settings, started);
  return {
    alternativeUrl: settings.alternativeUrl,
    apiVersion: `v${apiVersion}`,
    createDateTime: created.toUTCString(),
    datasets: listed.map((one) => datasetEntry(one, open.has(one.id))),
    description: settings.description,
    id: settings.id,
    name: settings.name,
    organisation: settings.organisation,
    sampleAlleleRequests: await sampleRequests(await guard.open(anonymous, all), repository),
    updateDateTime: updated.toUTCString(),
    version: `v${version}`,
    welcomeUrl: settings.welcomeUrl,
  };
}

function datasetEntry(one: Dataset, open: boolean): z.output<typeof dataset> {
  return {
    assembly_id: one.assembly,
    callCount: one.callCount,
    created: one.created.toUTCString(),
    id: one.id,
    info: { accessType: one.access, ...(!open && { counts: 'withheld' }) },
    name: one.name,
    sampleCount: one.sampleCount,
    updated: one.updated.toUTCString(),
    variantCount: one.alleleCount,
    version: one.version,
  };
}

/**
 * Two requests with a hit in the first dataset that has alleles and is not protected: for a small allele and, if there is one, a structural
 * one.
 */
export async function sampleRequests(datasets: readonly SeenDataset[], repository: BeaconServices['repository']) {
  const filled = datasets.find(({ alleleCount, guarded }) => alleleCount > 0 && !guarded);
  if (!filled) return [];
  const small = await repository.examples(filled.id, false, 2);
  const structural = await repository.examples(filled.id, true, 2);
  const chosen = [...small.slice(0, 1), ...structural, ...small.slice(1)].slice(0, 2);
  return chosen.map((allele) => {
    const includeDatasetResponses: Include = allele.structural ? 'ALL' : 'HIT';
    return alleleRequest.parse({
      ...parametersOfAllele(allele, filled.assembly),
      datasetIds: [filled.id],
      includeDatasetResponses,
    });
  });
}
