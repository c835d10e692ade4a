/** The named steps of the sources are those at which tests kill the process. */
import { expect } from 'chai';
import { steps } from '../../support/steps.js';
import { readSource, sourcesIn } from './support.js';

describe('the steps of changes', () => {
  it('are announced in one place each, under a name at which a test kills the process', () => {
    const announced = sourcesIn('core', 'plugins', 'adapters')
      .flatMap((file) => [...readSource(file).matchAll(/\bstep\('([^']+)'\)/g)])
      .map(([, name]) => name);
    expect(announced.sort()).to.deep.equal(Object.values(steps).flat().sort());
  });
});
