/** The setting `auth.issuers`: whose access tokens are accepted. */
import { z } from 'zod';
import { isConfigurable } from '../../outgoing/addresses.js';

/** An address of a provider. */
export const address = z
  .string()
  .max(255)
  .refine(isConfigurable, 'must be an https address without user name, such as https://login.example.org/jwks');

/** `iss` as in tokens. Issuers are compared character by character: a slash at the end makes another issuer. */
export const issuerName = address.describe(
  'The issuer (`iss`), exactly as in its tokens, with or without a slash at its end.',
);

const issuer = z
  .strictObject({
    issuer: issuerName,
    audience: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
      .describe(
        'What `aud` of its access tokens must be or contain, often the id of this server as a client; or a list of them.',
      ),
    requireAudience: z
      .boolean()
      .default(true)
      .describe(
        'false also accepts passports, and access tokens with the scopes openid and ga4gh_passport_v1, that name no audience: ' +
          'only their visas count, not their claims.',
      ),
    jwksUrl: address.optional().describe("Its keys; taken from the provider's metadata if omitted."),
    userinfoUrl: address.optional().describe("Where visas are read; taken from the provider's metadata if omitted."),
    tokenUrl: address.optional().describe("Where tokens are exchanged; taken from the provider's metadata if omitted."),
    algorithms: z
      .array(z.enum(['RS256', 'ES256', 'PS256', 'RS384', 'ES384', 'PS384', 'RS512', 'ES512', 'PS512', 'EdDSA']))
      .min(1)
      .default(['RS256', 'ES256'])
      .describe('Accepted signatures of access tokens. Passports and visas are signed with RS256 or ES256.'),
    clockTolerance: z.int().min(0).max(300).default(60).describe('Seconds by which clocks may differ.'),
    timeout: z.number().positive().max(60).default(5).describe('Seconds within which the provider must respond.'),
    visas: z
      .enum(['none', 'userinfo', 'exchange'])
      .default('none')
      .describe('How the visas of an access token are fetched: from the userinfo, or as a passport by token exchange.'),
    visaMinutes: z
      .int()
      .min(1)
      .max(60)
      .default(60)
      .describe('Minutes after which visas are fetched again, so that withdrawn ones end. Brokers allow once an hour.'),
    clientId: z.string().min(1).optional().describe('Id of this server at the provider, for the token exchange.'),
    clientSecret: z.string().min(1).optional().describe('Its secret.'),
  })
  .refine(
    ({ visas, clientId, clientSecret }) =>
      visas !== 'exchange' || (clientId !== undefined && clientSecret !== undefined),
    {
      path: ['visas'],
      error: 'exchange needs clientId and clientSecret',
    },
  );

export const issuersSetting = z
  .array(issuer)
  .default([])
  .refine((all) => new Set(all.map((one) => one.issuer)).size === all.length, 'names an issuer twice')
  .describe('Identity providers whose access tokens are accepted as `Authorization: Bearer`; none if omitted.');

export type IssuerSettings = z.output<typeof issuer>;
