/** The `auth` section of the configuration: who is recognised besides the holders of API tokens. */
import { z } from 'zod';
import { groupsSetting, rolesSetting, tenantsSetting } from './claims/settings.js';
import { issuersSetting } from './issuers/settings.js';
import { researchersSetting, visaGrantsSetting, visaIssuersSetting } from './passport/settings.js';
import { signInSetting } from './sessions/settings.js';

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
