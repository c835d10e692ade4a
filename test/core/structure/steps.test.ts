/** The named steps of the sources are those at which tests kill the process. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { steps } from '../../support/steps.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

describe('the steps of changes', () => {
  it('are announced in one place each, under a name at which a test kills the process', () => {
    const announced = ['core', 'plugins', 'adapters'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .flatMap((file) => [...readFileSync(join(root, folder, file), 'utf8').matchAll(/\bstep\('([^']+)'\)/g)])
        .map(([, name]) => name),
    );
    expect(announced.sort()).to.deep.equal(Object.values(steps).flat().sort());
  });
});
