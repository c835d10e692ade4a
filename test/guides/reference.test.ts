/** The pages of config/reference say what the program has. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { readSource, sourcesIn } from '../core/structure/support.js';
import { referencePages } from '../support/reference/pages.js';

const folder = fileURLToPath(new URL('../../config/reference/', import.meta.url));
const stored = (name: string) => readFileSync(`${folder}${name}`, 'utf8');

describe('guides: the reference', () => {
  it('is what `npm run reference` writes', async () => {
    const pages = await referencePages();
    expect(readdirSync(folder).sort()).to.deep.equal([...pages.keys()].sort());
    for (const [name, text] of pages) expect(stored(name), name).to.equal(text);
  });

  it('lists every variable that the program reads', () => {
    const sources = sourcesIn('core', 'plugins', 'adapters').map(readSource);
    const read = sources.flatMap((text) => text.match(/\b(TREFOIL|AWS)_[A-Z0-9_]+\b/g) ?? []);
    const page = stored('environment.md');
    expect(read).to.include('TREFOIL_CONFIG');
    expect(read.filter((name) => !page.includes(`\`${name}\``))).to.deep.equal([]);
  });
});
