/** The settings of the service of another server that knows which samples are covered. */
import { z } from 'zod';

export const callabilitySettings = z.strictObject({
  url: z
    .url({ protocol: /^https?$/ })
    .describe('Address of the other server, such as https://coverage.example.org; /coverage/registry is below it.'),
  token: z
    .string()
    .min(1)
    .describe('An API token of that server with the scope coverage:read, from the environment or a file of its own.'),
  timeout: z.int().min(1).max(600).default(30).describe('Seconds for each answer.'),
});
