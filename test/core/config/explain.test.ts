import { expect } from 'chai';
import { z } from 'zod';
import { authSettings } from '../../../core/auth/settings.js';
import { explainedIssue } from '../../../core/schema.js';
import { protectionSettings } from '../../../plugins/beacon/protection/profiles.js';

function faultsIn(schema: z.ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value);
  return (error?.issues ?? []).flatMap(explainedIssue).map(({ path = [], message }) => `${path.join('.')}: ${message}`);
}

describe('configuration: explanations of values with several forms', () => {
  it('list the names that are accepted', () => {
    const [fault, ...more] = faultsIn(protectionSettings, { default: 'paranoid' });
    expect(fault).to.match(/^default: .*"open"\|"careful"\|"strict".*or: .*object/);
    expect(more).to.deep.equal([]);
  });

  it('name the member that is wrong if the value has one of the forms', () => {
    const named = { budget: 2, least: 0 };
    const [anonymous, budget, ...more] = faultsIn(protectionSettings, {
      datasets: { cardio: { named, anonymous: 'all' } },
    });
    expect(anonymous).to.match(/^datasets\.cardio\.anonymous: .*"none".*or: .*object/);
    expect(budget).to.match(/^datasets\.cardio\.named\.budget: .*<1/);
    expect(more).to.have.lengthOf(1);
  });

  it('say what a key must look like', () => {
    expect(faultsIn(authSettings, { tenants: { 'Lab A': {} } })).to.deep.equal([
      'tenants.Lab A: the name of a tenant has up to 60 of a-z, 0-9, - and _',
    ]);
  });

  it('say what is expected where a value with several forms is missing', () => {
    const schema = z.object({ audience: z.union([z.string(), z.array(z.string())]) });
    expect(faultsIn(schema, {})).to.have.lengthOf(1);
    expect(faultsIn(schema, {})[0]).to.match(/^audience: .*string.*or: .*array/);
  });
});
