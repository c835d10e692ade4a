/** Settings of the panels plugin. */
import { z } from 'zod';

export const panelSettings = z.strictObject({
  signatures: z
    .int()
    .min(1)
    .max(2)
    .default(1)
    .describe('how many people must sign a version of a panel before it is signed off, each another person'),
  signers: z
    .enum(['anyone', 'people'])
    .default('anyone')
    .describe(
      'who may sign, of those with the right: `people` are recognised by an identity provider (`auth`), so that nobody signs twice, ' +
        'with a token of another name; `anyone` is also the holder of an API token, whose owner counts as the person',
    ),
  panelApp: z
    .strictObject({
      url: z
        .url({ protocol: /^https?$/ })
        .endsWith('/', 'expected an address that ends with a slash')
        .default('https://panelapp.genomicsengland.co.uk/api/v1/')
        .describe('address of the PanelApp API that `trefoil panels import-panelapp` reads'),
      timeout: z.number().positive().max(600).default(60).describe('seconds for one answer'),
    })
    .prefault({}),
});

export type PanelSettings = z.infer<typeof panelSettings>;
