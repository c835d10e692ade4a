/** The `auth` section of the configuration: who is recognised besides the holders of API tokens. */
import { z } from 'zod';

export const authSettings = z.strictObject({});

export type AuthSettings = z.output<typeof authSettings>;
