/** The setting `authorize`: a system outside that decides who may see which sample. */
import { z } from 'zod';
import { addressSetting } from '../../../core/plugin.js';

export const authorizeSetting = z
  .strictObject({
    url: addressSetting.describe(
      'Where it is asked, by POST: https, or http on this machine. It answers as the access evaluations endpoint of the ' +
        'OpenID AuthZEN Authorization API 1.0 does.',
    ),
    secret: z
      .string()
      .min(16, 'must have at least 16 characters')
      .max(1000)
      .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without blanks, as it is sent in a header')
      .describe('Secret by which it knows this server, sent as a bearer token; best from a secret file.'),
    timeout: z.number().min(0.1).max(30).default(5).describe('Seconds in which it must answer.'),
    cache: z
      .number()
      .min(0)
      .max(60)
      .default(30)
      .describe(
        'Seconds for which an answer holds, whether yes or no: a withdrawal takes effect after that; 0 asks each time.',
      ),
  })
  .describe(
    'Asks a system outside, such as the case system of the laboratory, whether a person may see a sample, before people get ' +
      'anything about it. Narrows what `auth.roles` and `auth.tenants` allow; without these it alone decides. API tokens and ' +
      'tickets are not asked about. Off if omitted.',
  );

export type AuthorizeSettings = z.output<typeof authorizeSetting>;
