/** Services between plugins are declared in `plugins/services` and listed in the guide. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { transform } from 'esbuild';

const plugins = fileURLToPath(new URL('../../../plugins/', import.meta.url));
const textOf = (file: string) => readFileSync(join(plugins, file), 'utf8');
const declared = readdirSync(join(plugins, 'services')).map((file) => `services/${file}`);
const key = /'?([a-z]+\/[a-z-]+@\d+)'?/;
const keysIn = (text: string, before: string, after = '') =>
  [...text.matchAll(new RegExp(`${before}${key.source}${after}`, 'gm'))].map(([, found = '']) => found).sort();

describe('services between plugins', () => {
  it('are declared as types only', async () => {
    for (const file of declared) {
      const { code } = await transform(textOf(file), { loader: 'ts', format: 'esm' });
      expect(code, file).to.equal('');
    }
  });

  it('are offered, declared and described under the same keys', () => {
    const sources = readdirSync(plugins, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const offered = sources.flatMap((file) => keysIn(textOf(file), '\\.offer\\(\\s*')).sort();
    expect(offered).to.have.length(13);
    expect(keysIn(textOf('services/services.ts'), '^  ', ': ')).to.deep.equal(offered);
    const [, guide = ''] = textOf('README.md').split('## Services between plugins');
    expect(keysIn(guide.split('\n## ')[0] ?? '', '^\\| `', '` +\\|')).to.deep.equal(offered);
  });
});
