/** The beacon's section of the configuration. */
import { z } from 'zod';
import { directoriesSetting } from '../../core/files.js';

const webAddress = z.url({ protocol: /^https?$/ });

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

export const beaconSettings = z.strictObject({
  id: z.string().min(1).default('trefoil-beacon').describe('Unique id of the beacon, in every answer.'),
  name: z.string().min(1).default('Trefoil beacon').describe('Name of the beacon.'),
  description: z
    .string()
    .default('Tells whether an allele was observed in the datasets of this beacon.')
    .describe('What the beacon offers, for people.'),
  organisation: z
    .strictObject({
      id: z.string().default('').describe('Unique id of the organisation.'),
      name: z.string().default('').describe('Name of the organisation that runs the beacon.'),
      description: z.string().default('').describe('What it does.'),
      address: z.string().default('').describe('Postal address.'),
      contactUrl: z.string().default('').describe('How to reach those responsible, such as mailto:beacon@example.org.'),
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
    .describe('When the beacon came to be, such as 2024-05-31; where absent, when its oldest dataset was added.'),
  listProtected: z
    .boolean()
    .default(true)
    .describe('Whether the information names datasets that are not public; their counts are withheld.'),
  queries: z
    .strictObject({
      limit: z
        .int()
        .min(1)
        .default(100_000)
        .describe(
          'Most carriers that the alleles of a query with counts for each dataset may have, counted once for each ' +
            'allele and sample; a wider query is refused. Whether there is any allele at all, and how many carry a ' +
            'single one, is answered without such a limit.',
        ),
    })
    .prefault({})
    .describe('What queries may ask of the server.'),
  roots: directoriesSetting.describe(
    'Directories whose VCF files may be loaded over HTTP by their path; as a text, joined by colons.',
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
      'Which VCF records are loaded by their FILTER column: all, or a list of what may stand in it, such as PASS; ' +
        'as a text, joined by commas.',
    ),
  genes: z
    .strictObject({
      grch37: webAddress
        .default('https://grch37.ensembl.org/biomart/martservice')
        .describe('BioMart service with the genes of GRCh37.'),
      grch38: webAddress
        .default('https://ensembl.org/biomart/martservice')
        .describe('BioMart service with the genes of GRCh38.'),
      timeout: z.int().min(1).default(600).describe('Seconds within which the whole answer must come.'),
      limit: z
        .int()
        .min(1)
        .default(64 * 1024 ** 2)
        .describe('Largest answer in bytes.'),
    })
    .prefault({})
    .describe('Where `update genes --download` fetches genes.'),
  uploads: z
    .strictObject({
      folder: z
        .string()
        .min(1)
        .default('data/uploads')
        .describe(
          'Where uploaded VCF files stay until they are loaded, relative to the folder that the server is started in. ' +
            'Servers on one database share it.',
        ),
      limit: z
        .int()
        .min(1)
        .default(2 * 1024 ** 3)
        .describe('Largest upload in bytes. It must arrive within http.requestTimeout.'),
    })
    .prefault({})
    .describe('VCF files that come with a request.'),
});

export type BeaconSettings = z.output<typeof beaconSettings>;
