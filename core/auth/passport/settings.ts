/** The settings of GA4GH passports: which visas count, and what they grant. */
import { z } from 'zod';
import { address, issuerName } from '../issuers/settings.js';

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
