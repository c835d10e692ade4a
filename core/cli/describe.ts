/**
 * `trefoil openapi` and `trefoil schema`: the API description of the enabled plugins, and the JSON Schema of configuration
 * files. Neither opens the storage.
 */
import { writeFile } from 'node:fs/promises';
import { Fault } from '../fault.js';
import type { Storage } from '../storage.js';
import { type CoreCommand, configure } from './core-command.js';

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

// `trefoil schema`: the JSON Schema of configuration files, for editors.

export const schema: CoreCommand = {
  name: 'schema',
  summary: 'print the JSON Schema of configuration files',
  description: 'Prints a JSON Schema for validation and completion of configuration files in editors.',
  options: [{ flags: '--out <file>', description: 'write it to this file instead' }],
  examples: ['schema --out schema.json'],
  async run(_context, { options }) {
    const { configurationSchema } = await import('../config/json-schema.js');
    const text = `${JSON.stringify(await configurationSchema(), null, 2)}\n`;
    if (options.out === undefined) process.stdout.write(text);
    else {
      const { why } = await import('../config/yaml.js');
      await writeFile(String(options.out), text).catch((error: unknown) => {
        throw new Fault('invalid', `The file ${options.out} ${why(error).replace('read', 'written')}`);
      });
    }
    return 0;
  },
};
