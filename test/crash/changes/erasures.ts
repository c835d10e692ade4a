/** Erasures of a person: from all plugins with the list of erasures, and from the matchmaker alone. */
import { readdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect } from 'chai';
import { tokens } from '../../../core/auth/contract.js';
import { erasures as erasureMemory } from '../../../core/erasures/contract.js';
import { jobs } from '../../../core/jobs/contract.js';
import { matchmakerAudit } from '../../../plugins/matchmaker/contract.js';
import { contracts, none, personId, saveBoth, savePerson, tracesOf, whole } from '../../core/erasures/people.js';
import * as patient from '../../plugins/matchmaker/support/person.js';
import { steps } from '../../support/steps.js';
import type { Change, Place } from '../harness.js';

const erase = ['erase', '--sample', personId, '--yes'];
const replay = ['erase', '--replay'];
const within = ['beacon.remove.copied', 'coverage.unregister.removed', 'matchmaker.erase.removed'];

const isWhole = async ({ storage }: Place) => {
  expect(await tracesOf(storage)).to.deep.equal(whole);
  return false;
};
const isNone = async ({ storage }: Place) => expect(await tracesOf(storage)).to.deep.equal(none);

const everywhere: Omit<Change, 'name' | 'steps' | 'again'> = {
  contracts,
  settings: (folder) => ({
    ...{ http: { port: 0 }, migrate: 'manual', demo: false, erasures: { file: `${folder}/list` } },
    plugins: { beacon: {}, coverage: {}, matchmaker: {} },
  }),
  prepare: ({ storage }) => saveBoth(storage),
  make: (place, killed) => place.run(erase, killed),
  isDone: async (place, step) => step === 'core.erase.listed' && isWhole(place),
  done: isNone,
};

const all: Change[] = [
  {
    ...everywhere,
    name: 'an erasure in all plugins, which is then repeated',
    steps: [...steps.eraseAll, ...within],
  },
  {
    ...everywhere,
    name: 'an erasure in all plugins, whose list is then replayed',
    steps: [...steps.eraseAll, ...within],
    again: (place) => place.done(replay),
  },
  {
    ...everywhere,
    name: 'an erasure that writes its list',
    steps: steps.list,
    isDone: isWhole,
    async again(place) {
      // The list holds up nobody.
      await place.done(['check']);
      await place.done(replay);
      await isNone(place);
      await place.done(erase);
    },
    async done(place) {
      await isNone(place);
      expect((await readdir(place.folder)).toSorted()).to.deep.equal(['list', 'list.key', 'trefoil.yaml']);
    },
  },
  {
    ...everywhere,
    name: 'a replay of the list of erasures',
    steps: steps.replay,
    async prepare(place) {
      await saveBoth(place.storage);
      await place.done(erase);
      await savePerson(place.storage);
    },
    make: (place, killed) => place.run(replay, killed),
  },
];

const isErased = (step: string) => step === 'matchmaker.erase.committed';
const eraseOne = ['matchmaker', 'erase', '--patient', personId, '--yes'];

async function recorded({ storage }: Place): Promise<number> {
  const entries = await storage.repository(matchmakerAudit).entries({ actor: 'cli', limit: 10 });
  return entries.filter(({ action }) => action === 'erase').length;
}

const one: Change = {
  name: 'an erasure in the matchmaker',
  steps: steps.erase,
  contracts: [erasureMemory, jobs, tokens, ...patient.personContracts],
  settings: () => ({ migrate: 'auto', demo: false, plugins: { matchmaker: {} } }),
  async prepare({ storage }) {
    await patient.addPeer(storage);
    await patient.savePerson(storage);
  },
  make: (place, killed) => place.run(eraseOne, killed),
  async isDone(place, step) {
    const left = await patient.tracesOf(place.storage);
    expect(left).to.deep.equal(isErased(step) ? patient.none : patient.whole);
    expect(await recorded(place)).to.equal(isErased(step) ? 1 : 0);
    return false;
  },
  async again(place, step) {
    const { code, stderr } = await place.run(eraseOne);
    // No person is left to erase, but traces remain to be cleaned from the files.
    expect(code, stderr).to.equal(isErased(step) ? 1 : 0);
    if (isErased(step)) expect(stderr).to.match(/^trefoil: There is no patient with this id/);
  },
  async done(place) {
    expect(await patient.tracesOf(place.storage)).to.deep.equal(patient.none);
    expect(await recorded(place)).to.equal(1);
    const { adapter, file } = place.home.section;
    if (adapter === 'sqlite') expect(await inFiles(String(file))).to.equal(false);
  },
};

/** Returns whether the id occurs in the database file or its log. */
async function inFiles(file: string): Promise<boolean> {
  const names = await readdir(dirname(file));
  const texts = await Promise.all(names.map((name) => readFile(`${dirname(file)}/${name}`, 'latin1')));
  expect(texts.some((text) => text.includes('matchmaker_patients'))).to.equal(true);
  return texts.some((text) => text.includes(personId));
}

export const erasures: readonly Change[] = [...all, one];
