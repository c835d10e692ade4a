/**
 * The `auth` section of the configuration: who is recognised besides the holders of API tokens, with the sign-in of people and
 * the tenants.
 */
import { z } from 'zod';
import type { Tenant } from '../policy/tenants.js';
import { groupsSetting, rolesSetting, tenantsSetting } from './claims/settings.js';
import { issuersSetting, researchersSetting, visaGrantsSetting, visaIssuersSetting } from './issuers/settings.js';

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

// The tenants of the configuration.

/** By name, as the configuration orders them. */
export function tenantsIn(auth: Pick<AuthSettings, 'tenants'> | undefined): Tenant[] {
  return Object.entries(auth?.tenants ?? {}).map(([name, { members: _, ...things }]) => ({ name, ...things }));
}
