/** Each kind of wiring of the coverage plugin has one place: what declares, what builds, and what registers. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const folder = fileURLToPath(new URL('../../../plugins/coverage/', import.meta.url));
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

/** The files whose source matches, by path in the plugin. */
function filesWith(pattern: RegExp): string[] {
  return files.filter((file) => pattern.test(readFileSync(join(folder, file), 'utf8'))).sort();
}

describe('coverage: wiring', () => {
  it('registers routes, links and error bodies in register.ts', () => {
    expect(filesWith(/context\.(route|link|errorBody)\(/)).to.deep.equal(['register.ts']);
  });

  it('registers jobs in register.ts', () => {
    expect(filesWith(/jobs\.handle\(/)).to.deep.equal(['register.ts']);
  });

  it('builds repositories, files and token checks in services.ts', () => {
    expect(filesWith(/context\.(repository|tokenAccess|operatorAccess)\(/)).to.deep.equal(['services.ts']);
    expect(filesWith(/(coverageSources|bearerVerifier|uploadFolder)\(/)).to.deep.equal([
      'measure/sources.ts',
      'services.ts',
    ]);
  });

  it('lets only the plugin, the commands and other routes import a route', () => {
    const users = filesWith(/from '[./]*\/http\/(?!access\/)/).filter((file) => !file.startsWith('http/'));
    // The command line prints a set as GET /intervals returns it.
    expect(users).to.deep.equal(['commands/intervals.ts', 'register.ts']);
  });
});
