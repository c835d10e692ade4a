/** The settings `auth.roles` and `auth.tenants`: which claims of access tokens grant what. */
import { z } from 'zod';
import { directoriesSetting } from '../../files/roots.js';
import { parts } from '../../policy/right.js';
import { isThingId } from '../../policy/scopes.js';
import { parseClaimPath } from './path.js';

const claimPath = z
  .string()
  .max(500)
  .superRefine((text, check) => {
    const parsed = parseClaimPath(text);
    if (typeof parsed === 'string') check.addIssue({ code: 'custom', message: parsed });
  });

const claimRule = z.strictObject({
  claim: claimPath.describe(
    'Where the claim is in the token: `groups`, `realm_access.roles`; names with dots in quotes: `resource_access."my.client".roles`.',
  ),
  value: z
    .string()
    .min(1)
    .max(1000)
    .describe(
      'The whole value that the claim must have, or must contain if it is a list. A group as URN (AARC-G002, AARC-G069) ' +
        'also matches its subgroups and roles.',
    ),
  issuer: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe('The issuer (`iss`) whose tokens count, exactly as in the token; every accepted issuer if omitted.'),
});

const thingIds = z
  .array(z.string().refine(isThingId, 'an id has 1 to 200 printable characters without blanks'))
  .default([]);

const memberSettings = claimRule.extend({
  rights: z
    .array(z.enum(parts))
    .min(1)
    .describe(
      'What these members may do with what belongs to the tenant: `read` (queries, counts), `report` (reports on single ' +
        'samples, cases), `load` (add and change data), `admin`.',
    ),
});

/** Beginnings of URLs: up to a slash, so that `/lab` does not cover `/laboratory`. */
const urlPrefix = z
  .string()
  .max(2000)
  .refine(
    (text) => URL.canParse(text) && new URL(text).href === text && /^https?:.*\/$/.test(text) && !/[?#@]/.test(text),
    'the beginning of URLs is written as in a URL and ends with a slash, such as https://storage.example.org/cardio/',
  );

const tenantSettings = z.strictObject({
  members: z.array(memberSettings).default([]).describe('Who belongs to the tenant, by claims of access tokens.'),
  roots: directoriesSetting.describe(
    'Directories with its files, each under a directory of `plugins.coverage.roots`; as text, separated by colons.',
  ),
  urls: z
    .array(urlPrefix)
    .default([])
    .describe('Beginnings of the URLs of its files, on hosts of `plugins.coverage.hosts`.'),
  datasets: thingIds.describe('Ids of the datasets of the beacon that belong to it.'),
});

const roleSettings = claimRule.extend({
  role: z
    .enum(['read', 'work', 'admin'])
    .describe(
      'On the whole server: `read` sees everything and reports on it, `work` may also load data, `admin` may do everything.',
    ),
});

/** Names of tenants are in scopes, in the audit and in commands. */
const tenantName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,59}$/, 'the name of a tenant has up to 60 of a-z, 0-9, - and _');

export const rolesSetting = z
  .array(roleSettings)
  .default([])
  .describe('Rights on the whole server for people, by claims of their access tokens; none if omitted.');

export const tenantsSetting = z
  .record(tenantName, tenantSettings)
  .optional()
  .describe(
    'Departments or laboratories that share this server, by name: their members and what belongs to them. If omitted, ' +
      'nothing is divided among tenants.',
  );

export type RoleSettings = z.output<typeof rolesSetting>[number];
export type ClaimRule = z.output<typeof claimRule>;
export type TenantSettings = z.output<typeof tenantSettings>;
