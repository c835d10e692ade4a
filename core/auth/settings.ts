/** The `auth` section of the configuration: who is recognised besides the holders of API tokens. */
import { z } from 'zod';
import { rolesSetting, tenantsSetting } from './claims/settings.js';

export const authSettings = z.strictObject({
  roles: rolesSetting,
  tenants: tenantsSetting,
});

export type AuthSettings = z.output<typeof authSettings>;
