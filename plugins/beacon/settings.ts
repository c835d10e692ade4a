/** The beacon's section of the configuration. */
import { z } from 'zod';
import { directoriesSetting } from '../../core/files.js';
import { bucketsSetting, uploadPlace } from '../../core/outgoing.js';
import { optionalSection } from '../../core/plugin.js';
import { granularities } from './disclosure.js';
import { loqusdbSettings } from './loqusdb/settings.js';
import { protectionSettings } from './protection/profiles.js';

const callabilitySettings = z.strictObject({
  url: z
    .url({ protocol: /^https?$/ })
    .describe('Address of the other server, such as https://coverage.example.org; /coverage/registry is below it.'),
  token: z
    .string()
    .min(1)
    .describe('An API token of that server with the scope coverage:read, from the environment or a file of its own.'),
  timeout: z.int().min(1).max(600).default(30).describe('Seconds for each answer.'),
});

const webAddress = z.url({ protocol: /^https?$/ });

function isCaseUrl(text: string): boolean {
  return text.includes('{case}') && webAddress.safeParse(text.replaceAll('{case}', 'x')).success;
}

/** Values of a VCF's FILTER column, or the word all. */
const filters = z
  .array(
    z
      .string()
      .trim()
      .regex(/^[^\s;]+$/),
  )
  .min(1)
  .refine((names) => names.length === 1 || !names.includes('all'), 'either all, or a list without all');

const datasetId = z.string().min(1);

/** Samples that one VCF file may have, unless the configuration says otherwise. */
export const defaultMostSamples = 10_000;

/** Interfaces for queries of alleles, by the version of Beacon that they speak; `v1` is the one at /apiv1.0. */
const faceNames = ['v1', 'v1.1', 'v2'] as const;

const faces = z.array(z.enum(faceNames));

const granularity = z.enum(granularities);

export const beaconSettings = z.strictObject({
  id: z.string().min(1).default('trefoil-beacon').describe('Unique id of the beacon, in every response.'),
  name: z.string().min(1).default('Trefoil beacon').describe('Name of the beacon.'),
  description: z
    .string()
    .default('Tells whether an allele was observed in the datasets of this beacon.')
    .describe('What the beacon offers, for people.'),
  organisation: z
    .strictObject({
      id: z.string().default('').describe('Unique id of the organisation.'),
      name: z.string().default('').describe('Name of the organisation that runs the beacon.'),
      description: z.string().default('').describe('Description of the organisation.'),
      address: z.string().default('').describe('Postal address.'),
      contactUrl: z.string().default('').describe('Contact address, such as mailto:beacon@example.org.'),
      logoUrl: z.string().default('').describe('Address of its logo.'),
      welcomeUrl: z.string().default('').describe('Its home page.'),
      info: z
        .array(z.strictObject({ key: z.string().min(1), value: z.string() }))
        .default([])
        .describe('Anything else, as keys and values.'),
    })
    .prefault({})
    .describe('Who runs the beacon.'),
  alternativeUrl: webAddress.nullable().default(null).describe('Another address of this beacon.'),
  welcomeUrl: webAddress.nullable().default(null).describe('A page about this beacon.'),
  createDateTime: z
    .union([z.iso.date(), z.iso.datetime({ offset: true })])
    .transform((value) => new Date(value))
    .optional()
    .describe('When the beacon was created, such as 2024-05-31; if omitted, when its oldest dataset was added.'),
  listProtected: z
    .boolean()
    .default(true)
    .describe(
      'Whether the beacon lists datasets that are not public; their counts are withheld. Never if `auth.tenants` is set.',
    ),
  environment: z
    .enum(['prod', 'test', 'dev', 'staging'])
    .default('prod')
    .describe('What v2 states of the beacon: whether it is in production, a test, or under development.'),
  faces: z
    .union([
      z
        .string()
        .transform((text) => text.split(',').map((name) => name.trim()))
        .pipe(faces),
      faces,
    ])
    .default([...faceNames])
    .describe(
      'Interfaces for queries: v1 at /apiv1.0 with its page, v1.1 at /beacon/v1, v2 at /beacon/v2; as text, separated by commas.',
    ),
  disclosure: z
    .strictObject({
      granularity: granularity
        .default('record')
        .describe(
          'The most that v1.1 and v2 tell of a dataset: boolean (whether it has the allele), count, or record.',
        ),
      datasets: z.record(datasetId, granularity).default({}).describe('The same for single datasets, by their id.'),
    })
    .prefault({})
    .describe('What v1.1 and v2 tell those who may query a dataset; /apiv1.0 always tells counts.'),
  protection: protectionSettings
    .prefault({})
    .describe('What callers without a grant may learn about the people of a dataset.'),
  queries: z
    .strictObject({
      limit: z
        .int()
        .min(1)
        .default(100_000)
        .describe(
          'Largest number of carriers of matching alleles, one for each allele and sample, in a query that requests ' +
            'counts by dataset; a wider query is refused. Queries without counts, and queries that match a single ' +
            'allele, are not limited.',
        ),
    })
    .prefault({})
    .describe('Limits of queries.'),
  loads: z
    .strictObject({
      samples: z
        .int()
        .min(1)
        .max(500_000)
        .default(defaultMostSamples)
        .describe(
          'Largest number of samples in one VCF file, whether or not all are loaded; a file with more is refused. Samples are ' +
            'compared with each other, so loading takes time by the square of their number.',
        ),
    })
    .prefault({})
    .describe('Limits of loads.'),
  observations: z
    .strictObject({
      caseUrl: z
        .string()
        .refine(isCaseUrl, 'must be an http(s) address with {case} where the id of a case belongs')
        .optional()
        .describe(
          'Address of the page of a case, such as https://scout.example.org/cust000/{case}; cases are not links if omitted.',
        ),
      heteroplasmy: z
        .array(z.int().min(1).max(100))
        .min(1)
        .max(10)
        .refine((levels) => levels.every((level, i) => i === 0 || level > (levels[i - 1] as number)), 'must ascend')
        .default([10, 50, 95])
        .describe('Allele fractions in percent from which on carriers of an allele of MT are counted by themselves.'),
    })
    .prefault({})
    .describe('The page and the interface of local observations.'),
  comparison: z
    .strictObject({
      sites: z
        .int()
        .min(20)
        .max(1000)
        .default(100)
        .describe(
          'Sites that two samples need in common, and half as many at which one is homozygous to be of the same person; of ' +
            'fewer nothing is said.',
        ),
      samePerson: z
        .number()
        .min(0.5)
        .max(1)
        .default(0.85)
        .describe(
          'Share of equal genotypes, among sites at which at least one of the two is homozygous, from which on two ' +
            'samples are of one person.',
        ),
      parentChild: z
        .number()
        .min(0)
        .max(0.5)
        .default(0.1)
        .describe(
          'Largest number of sites without a common allele that parent and child may have, for each site at which ' +
            'both are heterozygous.',
        ),
      unrelated: z
        .number()
        .min(0.1)
        .max(1)
        .default(0.35)
        .describe('The same number from which on two people count as unrelated; it is 0.5 of unrelated people.'),
    })
    .prefault({})
    .describe('How samples are compared with each other, and with those of their dataset, when they are loaded.'),
  roots: directoriesSetting.describe(
    'Directories from which VCF files may be loaded over HTTP by path; as text, separated by colons. With `auth.tenants`, into a ' +
      'tenant’s dataset only from those of its `roots` that are below them.',
  ),
  buckets: bucketsSetting.describe(
    'Beginnings of the names of VCF files in S3 that may be loaded over HTTP: s3://bucket/ or s3://bucket/cases/. The section ' +
      '`s3` says how they are reached. With `auth.tenants`, into a tenant’s dataset only those below its `urls`.',
  ),
  filter: z
    .union([
      z
        .string()
        .transform((text) => text.split(','))
        .pipe(filters),
      filters,
    ])
    .default(['all'])
    .describe(
      'VCF records to load, by their FILTER column: all, or a list of accepted values, such as PASS; as text, ' +
        'separated by commas.',
    ),
  genes: z
    .strictObject({
      grch37: webAddress
        .default('https://grch37.ensembl.org/biomart/martservice')
        .describe('BioMart service with the genes of GRCh37.'),
      grch38: webAddress
        .default('https://ensembl.org/biomart/martservice')
        .describe('BioMart service with the genes of GRCh38.'),
      timeout: z.int().min(1).default(600).describe('Seconds for the complete response.'),
      limit: z
        .int()
        .min(1)
        .default(64 * 1024 ** 2)
        .describe('Largest response in bytes.'),
    })
    .prefault({})
    .describe('Where `update genes --download` fetches genes.'),
  uploads: z
    .strictObject({
      folder: uploadPlace
        .default('data/uploads')
        .describe(
          'Where uploaded VCF files stay until they are loaded: a folder, relative to the one that the server is started in, or ' +
            's3://bucket/prefix/. Servers on one database share it.',
        ),
      limit: z
        .int()
        .min(1)
        .default(2 * 1024 ** 3)
        .describe('Largest upload in bytes. It must arrive within http.requestTimeout.'),
    })
    .prefault({})
    .describe('VCF files that come with a request.'),
  references: z
    .strictObject({
      folder: z
        .string()
        .min(1)
        .default('data/references')
        .describe(
          'Where `load-reference` puts the sequences of genome builds, 0.8 GB each: a folder, relative to the one that the server ' +
            'is started in. Servers and commands on one database share it.',
        ),
    })
    .prefault({})
    .describe('Reference sequences, by which insertions and deletions are left-aligned.'),
  callability: optionalSection(() => callabilitySettings).describe(
    'Another server whose coverage plugin knows which samples are covered; the coverage plugin of this server if omitted.',
  ),
  loqusdb: optionalSection(() => loqusdbSettings).describe(
    'Routes and commands of loqusdb, for clients such as Scout; none if omitted.',
  ),
});

export type BeaconSettings = z.output<typeof beaconSettings>;
