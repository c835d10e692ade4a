// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders in configuration files
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { parse } from 'yaml';
import { configurationSchema } from '../../../core/config/json-schema.js';

const folder = fileURLToPath(new URL('../../../config/', import.meta.url));

describe('configuration: config/schema.json', () => {
  it('matches the output of `npm run schema`', async () => {
    const stored = JSON.parse(await readFile(`${folder}schema.json`, 'utf8'));
    expect(stored).to.deep.equal(JSON.parse(JSON.stringify(await configurationSchema())));
  });

  it('accepts every file that we ship, and rejects what the server rejects', async () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const validate = ajv.compile(JSON.parse(await readFile(`${folder}schema.json`, 'utf8')));
    const files = (await readdir(folder, { recursive: true })).filter(
      (name) => name.endsWith('.yaml') && !name.startsWith('deploy'),
    );
    expect(files).to.include('default.yaml');
    for (const name of files) {
      expect(
        validate(parse(await readFile(`${folder}${name}`, 'utf8'))),
        `${name}: ${ajv.errorsText(validate.errors)}`,
      ).to.equal(true);
    }
    const wrong = [
      { http: { prot: 1 } },
      { http: { port: 'x' } },
      { jbos: {} },
      { storage: { adapter: 'oracle' } },
      { storage: { adapter: 'sqlite', flie: 'x' } },
      { plugins: { becon: {} } },
      { plugins: { beacon: { nonsense: 1 } } },
    ];
    for (const value of wrong) expect(validate(value), JSON.stringify(value)).to.equal(false);
    const right = [
      { http: { port: '${PORT}' } },
      { storage: { adapter: './mine.mjs', any: 1 } },
      { plugins: { '@lab/x': { a: 1 } } },
      { http: null },
    ];
    for (const value of right) expect(validate(value), JSON.stringify(value)).to.equal(true);
  });
});
