/** Services between plugins: what is offered is declared in `plugins/services`, and described in the guide as it is. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { transform } from 'esbuild';
import { blocksOf } from '../../support/guide.js';

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
    expect(offered).to.have.length(8);
    expect(keysIn(textOf('services/services.ts'), '^  ', ': ')).to.deep.equal(offered);
    const [, guide = ''] = textOf('README.md').split('## Services between plugins');
    expect(keysIn(guide.split('\n## ')[0] ?? '', '^\\| `', '` +\\|')).to.deep.equal(offered);
  });

  it('are described in the guide with the signatures that they have', () => {
    const bare = (text: string) => text.replace(/\/\*\*.*?\*\//gs, '').replace(/\s+/g, ' ');
    const [signatures] = blocksOf('plugins/README.md', 'Services between plugins').filter(
      ({ language, rest }) => language === 'ts' && rest === '',
    );
    const all = bare(declared.map(textOf).join('\n'));
    const shown = bare(signatures?.text ?? '').split(/ ?(?=interface )/);
    const offered = [...textOf('services/services.ts').matchAll(/@\d+': (\w+);/g)].map(([, name]) => name);
    expect(shown.map((one) => /^interface (\w+)/.exec(one)?.[1])).to.include.members(offered);
    for (const one of shown) expect(all).to.include(`export ${one.trim()}`);
  });
});
