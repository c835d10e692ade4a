/** `trefoil openapi`: the API description of the enabled plugins, without opening the storage. */
import { Fault } from '../fault.js';
import type { Storage } from '../storage.js';
import { configure } from './configured.js';
import type { CoreCommand } from './core-command.js';

export const openapi: CoreCommand = {
  name: 'openapi',
  summary: 'print the OpenAPI description',
  description: 'Prints the OpenAPI 3.1 document that the server returns at /openapi.json. The storage is not opened.',
  examples: ['openapi > openapi.json'],
  async run({ configuration: options, now }) {
    const configuration = await configure(options);
    // Imported here so that other commands need not load Koa.
    const { assemble } = await import('../start/assemble.js');
    const { createLog } = await import('../log.js');
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

/** Every method of its repositories throws: registration must not read data. */
const unopened: Pick<Storage, 'repository' | 'transaction'> = {
  repository: <Repository>() => new Proxy({}, { get: () => refuse }) as Repository,
  transaction: async () => refuse(),
};
