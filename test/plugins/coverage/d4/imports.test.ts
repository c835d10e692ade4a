import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect } from 'chai';

describe('d4: an independent library', () => {
  it('imports nothing outside its folder except Node and piscina', () => {
    const root = resolve(import.meta.dirname, '../../../../plugins/coverage/d4');
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /\.m?[jt]s$/.test(name));
    expect(files.length).to.be.greaterThan(30);
    for (const file of files) {
      const source = readFileSync(join(root, file), 'utf8');
      for (const [, from = ''] of source.matchAll(/(?:from|import\()\s*'([^']+)'/g)) {
        const isOwn = from.startsWith('.') && resolve(root, dirname(file), from).startsWith(`${root}/`);
        const isBootstrap = file.endsWith('worker-from-source.mjs') && from === 'tsx/esm/api';
        expect(isOwn || isBootstrap || from.startsWith('node:') || from === 'piscina', `${file}: ${from}`).to.equal(
          true,
        );
      }
    }
  });
});
