/** The job that sends the notifications that are due. */
import { z } from 'zod';
import type { JobHandler } from '../../../core/plugin.js';
import type { Outbox } from '../mail/outbox.js';

const payload = z.strictObject({});

export function mailJob({ send }: Pick<Outbox, 'send'>): JobHandler<z.output<typeof payload>> {
  return {
    payload,
    run: async (_, { signal }) => ({ sent: await send(signal) }),
  };
}
