/** `trefoil schema`: the JSON Schema of configuration files, for editors. */
import { writeFile } from 'node:fs/promises';
import { Fault } from '../fault.js';
import type { CoreCommand } from './core-command.js';

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
