/** The section `tracing` of the configuration. */
import { z } from 'zod';

export const tracingSettings = z.strictObject({
  endpoint: z
    .url({ protocol: /^https?$/ })
    .describe('Address that receives traces by OTLP over HTTP, such as http://127.0.0.1:4318/v1/traces.'),
  token: z
    .string()
    .min(1)
    .optional()
    .describe('Sent to the endpoint as `Authorization: Bearer …`; read it from a file of secrets.'),
  service: z.string().min(1).default('trefoil').describe('Name of the service in traces.'),
  ratio: z
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('Part of the traces that begin here that is recorded; others follow the decision of their caller.'),
});

export type TracingSettings = z.output<typeof tracingSettings>;
