/**
 * The settings of identity providers and of GA4GH passports: whose access tokens are accepted, which visas count, and what they
 * grant.
 */
import { z } from 'zod';
import { isFault } from '../../fault.js';
import { isConfigurable } from '../../outgoing/reach.js';
import { checkScope, type Right } from '../../policy/policy.js';

/** An address of a provider. */
export const address = z
  .string()
  .max(255)
  .refine(isConfigurable, 'must be an https address without user name, such as https://login.example.org/jwks');

/** `iss` as in tokens. Issuers are compared character by character: a slash at the end makes another issuer. */
const issuerName = address.describe(
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

// The settings of GA4GH passports.

/** Who may state something (GA4GH Passport 1.2, `by`). */
const authorities = ['self', 'peer', 'system', 'so', 'dac'] as const;

const text = z.string().min(1).max(255);

const visaIssuer = z.strictObject({
  issuer: issuerName,
  jku: z
    .array(address)
    .min(1)
    .describe('Its key sets. A visa may name one of them (`jku`) and no other; the first is for visas that name none.'),
  sources: z
    .record(text, z.array(text).min(1))
    .describe(
      'By type of visa, such as ControlledAccessGrants, on whose behalf (`source`) it may sign. Other types are ignored. ' +
        'LinkedIdentities lets it say that two accounts are of one person.',
    ),
  subjectsOf: issuerName
    .optional()
    .describe('The issuer of access tokens whose `sub` its visas use; if omitted, `sub` is of the visa issuer itself.'),
  maxAgeDays: z
    .number()
    .positive()
    .max(36_500)
    .optional()
    .describe('Days after which a visa is no longer believed, counted from `asserted`; until it expires if omitted.'),
});

export const visaIssuersSetting = z
  .array(visaIssuer)
  .default([])
  .refine((all) => new Set(all.map((one) => one.issuer)).size === all.length, 'names an issuer twice')
  .describe('Whose visas count (GA4GH Passport 1.2); none if omitted.');

const visaGrant = z.strictObject({
  value: text.describe(
    'The whole value of the ControlledAccessGrants visa: never a part of it, and upper and lower case differ.',
  ),
  issuer: issuerName.optional().describe('Who must have signed the visa; any configured visa issuer if omitted.'),
  source: text.optional().describe('On whose behalf; any that the visa issuer may sign for if omitted.'),
  by: z.array(z.enum(authorities)).min(1).default(['dac']).describe('Who must have decided.'),
  scopes: z
    .array(z.string().min(1))
    .min(1)
    .describe('What it grants: rights to read single things, such as beacon:read:DATASET.'),
});

export const visaGrantsSetting = z
  .array(visaGrant)
  .default([])
  .describe('What ControlledAccessGrants visas grant; nothing if omitted.');

const authorityList = z.array(z.enum(authorities)).min(1);

export const researchersSetting = z
  .strictObject({
    status: authorityList.default(['so', 'system']).describe('Who may state the ResearcherStatus.'),
    terms: authorityList.default([...authorities]).describe('Who may state that the terms were accepted.'),
  })
  .optional()
  .describe(
    'Bona fide researchers, by the visas AcceptedTermsAndPolicies and ResearcherStatus: they may query registered datasets. ' +
      'Nobody is one if omitted.',
  );

export type VisaIssuerSettings = z.output<typeof visaIssuer>;
export type VisaGrantSettings = z.output<typeof visaGrant>;
export type ResearcherSettings = NonNullable<z.output<typeof researchersSetting>>;

// What is wrong with the scopes that visas are to grant.

interface GrantFault {
  /** Positions in `auth.visaGrants` and in its `scopes`. */
  grant: number;
  scope: number;
  message: string;
}

/** `rights` are those of the core and of the enabled plugins. */
export function grantFaults(grants: readonly VisaGrantSettings[], rights: readonly Right[]): GrantFault[] {
  return grants.flatMap(({ scopes }, grant) =>
    scopes.flatMap((text, scope) => {
      const message = faultOf(text, rights);
      return message === undefined ? [] : [{ grant, scope, message }];
    }),
  );
}

/** Others decide on visas, so that they open single things, and only for reading. */
function faultOf(scope: string, rights: readonly Right[]): string | undefined {
  try {
    checkScope(scope, rights);
  } catch (error) {
    if (isFault(error)) return error.message;
    throw error;
  }
  const right = rights.find((one) => scope.startsWith(`${one.scope}:`));
  if (right?.of !== undefined && right.part === 'read') return undefined;
  return `"${scope}" is more than a visa may grant; accepted are rights to read one thing, such as beacon:read:DATASET`;
}
