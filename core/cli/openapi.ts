/** `trefoil openapi`: the API description of what the configuration enables, without opening the storage. */
import { configure } from '../config.js';
import { Fault } from '../fault.js';
import { createLog } from '../log.js';
import type { Storage } from '../storage.js';
import type { CoreCommand } from './core-command.js';

export const openapi: CoreCommand = {
  name: 'openapi',
  summary: 'print the OpenAPI description',
  description: 'Prints the OpenAPI 3.1 document that the server returns at /openapi.json. The storage is not opened.',
  examples: ['openapi > openapi.json'],
  async run({ configuration: options, now }) {
    const configuration = await configure(options);
    // Koa and all that belongs to it is for the commands that serve, not for every one.
    const { assemble } = await import('../start/assemble.js');
    const { app } = await assemble({
      configuration,
      storage: unopened,
      log: createLog({ level: 'silent' }),
      now,
      readiness: async () => ({ ready: false, checks: {} }),
    });
    process.stdout.write(`${JSON.stringify(app.openapi(), null, 2)}\n`);
    return 0;
  },
};

function refuse(): never {
  throw new Fault('unavailable', 'The storage is not open: a plugin may not use it while it is being registered');
}

/** Hands out repositories whose every verb refuses: registration reads no data. */
const unopened: Pick<Storage, 'repository' | 'transaction'> = {
  repository: <Repository>() => new Proxy({}, { get: () => refuse }) as Repository,
  transaction: async () => refuse(),
};
