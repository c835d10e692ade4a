/**
 * The `auth` section of the configuration: who is recognised besides the holders of API tokens, with the sign-in of people, and
 * what claims of their tokens make of them: members of groups and tenants, holders of roles.
 */
import { z } from 'zod';
import { directoriesSetting } from '../files/directories.js';
import { isS3, s3Prefix } from '../outgoing/s3/settings.js';
import { isThingId, parts } from '../policy/policy.js';
import { issuersSetting, researchersSetting, visaGrantsSetting, visaIssuersSetting } from './issuers/settings.js';

/** The members of a path, such as `resource_access`, `my.client`, `roles`. */
export type ClaimPath = readonly string[];

/** Returns the path, or a sentence that says why the text is not one. */
export function parseClaimPath(text: string): ClaimPath | string {
  const path: string[] = [];
  const part = /(?:"([^"]+)"|([^."]+))(\.|$)/y;
  while (part.lastIndex < text.length) {
    const at = part.lastIndex;
    const [, quoted, plain, end] = part.exec(text) ?? [];
    const name = quoted ?? plain;
    if (name === undefined || (end === '.' && part.lastIndex === text.length)) {
      return `the path of a claim is names with dots between them, and quotes around a name with dots, such as realm_access.roles or resource_access."my.client".roles; got "${text}", which is wrong from "${text.slice(at)}"`;
    }
    path.push(name);
  }
  return path.length === 0 ? 'the path of a claim is not empty' : path;
}

/** The texts at the path: the members of a list, or one. Values of any other type are no values. */
export function textsAt(claims: Readonly<Record<string, unknown>>, path: ClaimPath): readonly string[] {
  let value: unknown = claims;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name)) return [];
    value = (value as Record<string, unknown>)[name];
  }
  return [value].flat().filter((one) => typeof one === 'string');
}

// The settings `auth.roles` and `auth.tenants`: which claims of access tokens grant what.

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
    .optional()
    .describe(
      'The whole value that the claim must have, or must contain if it is a list. A group as URN (AARC-G002, AARC-G069) ' +
        'also matches its subgroups and roles.',
    ),
  group: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe('Instead of `value`: the name of a group in the file `auth.groups`, whose id the claim must have.'),
  issuer: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe('The issuer (`iss`) whose tokens count, exactly as in the token; every accepted issuer if omitted.'),
});

/** With one of `value` and `group`. */
function oneValue<Rule extends z.ZodType<{ value?: string | undefined; group?: string | undefined }>>(
  rule: Rule,
): Rule {
  return rule.superRefine(({ value, group }, check) => {
    if (value === undefined && group === undefined) {
      check.addIssue({ code: 'custom', path: ['value'], message: 'is missing; expected string (or give `group`)' });
    }
    if (value !== undefined && group !== undefined) {
      check.addIssue({ code: 'custom', path: ['group'], message: 'cannot be given beside `value`' });
    }
  });
}

const thingIds = z
  .array(z.string().refine(isThingId, 'an id has 1 to 200 printable characters without blanks'))
  .default([]);

const memberSettings = oneValue(
  claimRule.extend({
    rights: z
      .array(z.enum(parts))
      .min(1)
      .describe(
        'What these members may do with what belongs to the tenant: `read` (queries, counts), `report` (reports on single ' +
          'samples, cases), `incidental` (findings in reports that nobody asked for), `load` (add and change data), `admin`.',
      ),
  }),
);

/** Beginnings of URLs: up to a slash, so that `/lab` does not cover `/laboratory`. */
const urlPrefix = z
  .string()
  .max(2000)
  .refine(
    (text) => (isS3(text) ? s3Prefix.safeParse(text).success : isHttpPrefix(text)),
    'the beginning of URLs is written as in a URL and ends with a slash, such as https://storage.example.org/cardio/ or ' +
      's3://bucket/cardio/',
  );

function isHttpPrefix(text: string): boolean {
  return URL.canParse(text) && new URL(text).href === text && /^https?:.*\/$/.test(text) && !/[?#@]/.test(text);
}

/** Names of tenants are in scopes, in the audit and in commands. */
const tenantName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,59}$/, 'the name of a tenant has up to 60 of a-z, 0-9, - and _');

/** Of fewer samples, reports list values instead of percentiles. */
const leastMinimum = 20;

const shareSettings = z.strictObject({
  dataset: z.string().describe('Id of one of the datasets of this tenant.'),
  with: z.array(tenantName).min(1).optional().describe('Names of tenants; every other tenant if omitted.'),
  minimum: z
    .int()
    .min(leastMinimum)
    .default(50)
    .describe('Samples of this dataset below which nothing is counted or compared for others.'),
  batch: z
    .int()
    .min(5)
    .default(10)
    .describe('New samples that count for others together, so that no difference between two days is of one person.'),
});

const tenantSettings = z.strictObject({
  members: z.array(memberSettings).default([]).describe('Who belongs to the tenant, by claims of access tokens.'),
  roots: directoriesSetting.describe(
    'Directories with its files, below (or above) directories of `plugins.coverage.roots` or `plugins.beacon.roots`; as text, ' +
      'separated by colons.',
  ),
  urls: z
    .array(urlPrefix)
    .default([])
    .describe(
      'Beginnings of the URLs of its files, on hosts of `plugins.coverage.hosts` or in buckets of `plugins.coverage.buckets` or ' +
        '`plugins.beacon.buckets`.',
    ),
  sampleIds: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .describe(
      'How the ids of its registered samples begin, such as `cardio-`. It registers no others, and no other tenant registers ' +
        'these, so that a refused id does not reveal that another tenant uses it. Any id that is free if omitted.',
    ),
  datasets: thingIds.describe('Ids of the datasets of the beacon that belong to it.'),
  clients: thingIds.describe(
    'Ids of the clients of the matchmaker whose patients belong to it; its members add patients for the first.',
  ),
  panels: thingIds.describe('Ids of the gene panels that belong to it. Panels of a tenant may belong to others, too.'),
  shared: z
    .array(shareSettings)
    .default([])
    .describe(
      'Datasets whose samples count for members of other tenants with `read`, in sums over many samples only: counts of ' +
        'alleles and cohorts of coverage. Nothing is shared if omitted.',
    ),
});

const roleSettings = oneValue(
  claimRule.extend({
    role: z
      .enum(['read', 'work', 'admin'])
      .describe(
        'On the whole server: `read` sees everything and reports on it, `work` may also load data, `admin` may do everything.',
      ),
  }),
);

const rolesSetting = z
  .array(roleSettings)
  .default([])
  .describe('Rights on the whole server for people, by claims of their access tokens; none if omitted.');

const tenantsSetting = z
  .record(tenantName, tenantSettings)
  .superRefine((tenants, check) => {
    for (const [name, { datasets, shared }] of Object.entries(tenants)) {
      for (const [i, share] of shared.entries()) {
        const path = [name, 'shared', i];
        if (!datasets.includes(share.dataset)) {
          check.addIssue({
            code: 'custom',
            path: [...path, 'dataset'],
            message: 'must be one of the datasets of this tenant',
          });
        }
        if (shared.findIndex(({ dataset }) => dataset === share.dataset) < i) {
          check.addIssue({ code: 'custom', path: [...path, 'dataset'], message: 'is shared twice' });
        }
        for (const [n, other] of (share.with ?? []).entries()) {
          if (other !== name && Object.hasOwn(tenants, other)) continue;
          check.addIssue({ code: 'custom', path: [...path, 'with', n], message: 'must be the name of another tenant' });
        }
      }
    }
  })
  .optional()
  .describe(
    'Departments or laboratories that share this server, by name: their members and what belongs to them. If omitted, ' +
      'nothing is divided among tenants.',
  );

const groupsSetting = z
  .string()
  .min(1)
  .optional()
  .describe(
    'A file with the ids of groups and their names, for rules with `group`: lines with an id, a tab and a name. A relative ' +
      'path is relative to the configuration file.',
  );

export type RoleSettings = z.output<typeof rolesSetting>[number];
export type ClaimRule = z.output<typeof claimRule>;
export type TenantSettings = z.output<typeof tenantSettings>;

// `auth.signIn`: the identity provider at which people sign in to pages.

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether an address is reached by TLS, or without leaving this machine. */
function isPrivate(address: string): boolean {
  if (!URL.canParse(address)) return true; // another rule refuses it
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || loopback.test(hostname);
}

const signInSetting = z.strictObject({
  issuer: z
    .url({ protocol: /^https?$/ })
    .refine(isPrivate, 'The issuer must begin with https://, except on this machine')
    .describe(
      'The identity provider, exactly as its `iss` reads, such as https://login.example.org/realms/lab. Its settings are ' +
        'read from /.well-known/openid-configuration below it.',
    ),
  clientId: z.string().min(1).describe('The id under which this server is registered at the provider.'),
  clientSecret: z
    .string()
    .min(16)
    .describe('The secret of that registration, at least 16 characters; best read from a file, as passwords are.'),
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'A scope is one word'))
    .default(['openid', 'profile'])
    .refine((scopes) => scopes.includes('openid'), 'The scopes must include openid')
    .describe('What the provider is asked for; the claims that `auth.roles` and `auth.tenants` read may need more.'),
  sessionHours: z
    .number()
    .positive()
    .max(720)
    .default(10)
    .describe('Hours after which a person signs in again, however much the session was used.'),
  idleMinutes: z
    .number()
    .min(1)
    .max(43_200)
    .default(60)
    .describe('Minutes without a request after which a session ends.'),
});

export type SignInSettings = z.output<typeof signInSetting>;

export const authSettings = z.strictObject({
  issuers: issuersSetting,
  visaIssuers: visaIssuersSetting,
  visaGrants: visaGrantsSetting,
  researchers: researchersSetting,
  groups: groupsSetting,
  roles: rolesSetting,
  tenants: tenantsSetting,
  signIn: signInSetting.optional().describe('Sign-in of people to pages; off if omitted.'),
});

export type AuthSettings = z.output<typeof authSettings>;
