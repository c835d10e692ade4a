/** The beacon's section of the configuration. */
import { z } from 'zod';

const webAddress = z.url({ protocol: /^https?$/ });

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
    .describe('Whether the information names datasets that are not public, with their counts.'),
});

export type BeaconSettings = z.output<typeof beaconSettings>;
