/** Rules that name groups by a file of their ids. */
import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { grantsFromClaims } from '../../../core/auth/claims.js';
import { defineRight } from '../../../core/policy/policy.js';
import { configured, faultsOf } from '../../support/configured.js';
import { useFolder } from '../../support/folder.js';

const cardiology = '5b1f9e3a-0c1d-4c56-9d0e-6f1f4f6c9a01';
const doctors = '0a7c2f10-9b0e-4c1f-8a33-2f6de0b9c702';

describe('groups by name', () => {
  const folder = useFolder();

  async function configuration(groups: string | undefined, auth: string): Promise<string> {
    if (groups !== undefined) await folder.write('groups.tsv', groups);
    return folder.write('lab.yaml', `storage: { adapter: memory }\nauth:\n${auth}`);
  }
  const rules = `  groups: groups.tsv
  roles:
    - { claim: groups, group: All doctors, role: read }
    - { claim: groups, value: plain, role: work }
  tenants:
    cardio: { members: [{ claim: groups, group: Cardiology, rights: [report] }] }
`;
  const faults = async (groups: string | undefined, auth: string) =>
    (await faultsOf({ file: await configuration(groups, auth) })).map(
      ({ path, message }) => `${path}: ${message.replaceAll(`${folder.path()}/`, '')}`,
    );

  it('are those whose ids the file beside the configuration has', async () => {
    const groups = `\uFEFF# id\tname\r\n${doctors}\tAll doctors\r\n\r\n${cardiology}\t Cardiology \r\n`;
    const { core } = await configured({ file: await configuration(groups, rules) });
    const right = defineRight({ scope: 'demo:read', summary: 'Read', part: 'read' });
    if (core.auth === undefined) throw new Error('the section auth is configured');
    const rightsOf = grantsFromClaims(core.auth, [right]);
    const granted = (...held: string[]) => rightsOf({ groups: held }, 'https://login.test');
    expect(granted(doctors).grants).to.have.lengthOf(1);
    expect(granted(cardiology).tenants).to.deep.equal(['cardio']);
    expect(granted('plain').grants).to.have.lengthOf(1);
    for (const name of ['All doctors', 'Cardiology', doctors.toUpperCase(), '']) {
      expect(granted(name), name).to.deep.equal({ tenants: [], grants: [] });
    }
  });

  it('are refused with file and line if the file is wrong', async () => {
    const wrong = `${doctors}\tAll doctors\n${cardiology} Cardiology\n\n${doctors}\tOther\nother\tAll doctors\n\tx\na\tb\tc\n`;
    expect(await faults(wrong, rules)).to.deep.equal([
      `auth.groups: groups.tsv: 5 mistakes
  line 2: expected the id of a group, a tab and its name
  line 4: has the id of line 1
  line 5: has the name of line 1
  line 6: expected the id of a group, a tab and its name
  line 7: expected the id of a group, a tab and its name`,
    ]);
    await writeFile(`${folder.path()}/latin1.tsv`, Buffer.from(`${doctors}\tLäkare\n`, 'latin1'));
    expect(await faults(undefined, rules.replace('groups.tsv', 'latin1.tsv'))).to.deep.equal([
      'auth.groups: latin1.tsv is not UTF-8 text',
    ]);
    expect(await faults(undefined, rules.replace('groups.tsv', 'none.tsv'))).to.deep.equal([
      'auth.groups: the file none.tsv does not exist',
    ]);
  });

  it('are refused with the rule if the file lacks them, or if there is no file', async () => {
    expect(await faults(`${doctors}\tAll doctors\nx\tCardio1ogy\n`, rules)).to.deep.equal([
      'auth.tenants.cardio.members.0.group: groups.tsv has no group "Cardiology"; did you mean "Cardio1ogy"?',
    ]);
    expect(await faults(undefined, rules.replace('  groups: groups.tsv\n', ''))).to.deep.equal([
      'auth.roles.0.group: names a group, but no file with the ids of groups is set (auth.groups)',
      'auth.tenants.cardio.members.0.group: names a group, but no file with the ids of groups is set (auth.groups)',
    ]);
  });

  it('take the place of a value: a rule has one of the two', async () => {
    const role = (more: string) => `  roles: [{ claim: groups, role: read${more} }]\n`;
    expect(await faults(undefined, role(''))).to.deep.equal([
      'auth.roles.0.value: is missing; expected string (or give `group`)',
    ]);
    expect(await faults(undefined, role(', value: x, group: y'))).to.deep.equal([
      'auth.roles.0.group: cannot be given beside `value`',
    ]);
  });
});
