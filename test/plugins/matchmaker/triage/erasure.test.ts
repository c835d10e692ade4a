/** The erasure of a person reaches the rows of matches, of which no record may be left. */
import { expect } from 'chai';
import {
  matchmaker,
  matchmakerAudit,
  matchmakerMatches,
  matchmakerTriage,
  type Sighting,
} from '../../../../plugins/matchmaker/contract.js';
import { matchmakerEraser } from '../../../../plugins/matchmaker/eraser.js';
import { erasePatient, personOfId } from '../../../../plugins/matchmaker/erasure.js';
import { dealt } from '../../../support/dealt.js';
import { storages } from '../../../support/storages.js';
import { useOnce } from '../../../support/use.js';
import { addPeer, personContracts, personId, savePerson } from '../support/person.js';

const now = new Date('2026-03-02T08:00:00Z');

function sighting(number: number, submission: number, node: string, patient: string): Sighting {
  return {
    ...{ id: `00000000-0000-4000-8000-00000000000${number}`, at: now, submission, owner: 'lab', own: [] },
    ...{ node: { id: node, label: node }, patient, content: `${number}`, direction: 'found' },
    ...{
      contact: { name: 'Dr', href: 'mailto:dr@example.org' },
      score: { patient: 1 },
      genes: [],
      terms: [],
      stated: [],
    },
  };
}

for (const engine of dealt(storages, 'postgres')) {
  describe(`matchmaker: erasure of rows of matches on ${engine.name}`, () => {
    const opened = useOnce(() => engine.open([...personContracts, matchmakerTriage]));

    it('erases the submission and the counterpart of this node, and another’s by its name', async () => {
      const { storage } = opened;
      await storage.transaction(async (scope) => {
        await addPeer(scope);
        await savePerson(scope);
      });
      const rows = storage.repository(matchmakerTriage);
      // The person is stored as number 1; 8 and 9 are other submissions.
      await rows.seen([
        sighting(1, 1, 'peer', 'found'),
        sighting(2, 8, 'trefoil', personId),
        sighting(3, 9, 'other-node', personId),
        sighting(4, 9, 'other-node', 'somebody else'),
      ]);
      const options = {
        transaction: <Result>(work: Parameters<typeof storage.transaction<Result>>[0]) => storage.transaction(work),
        now: () => now,
        triage: true,
      };
      expect((await personOfId(options, personId)).whose).to.equal('here');
      const here = await erasePatient(options, personId, 'here');
      expect([here.patient, here.rows, here.left]).to.deep.equal([true, 2, { 'other-node': 1 }]);
      expect((await rows.rowsAbout(personId)).map(({ node }) => node)).to.deep.equal(['other-node']);
      expect(await rows.rows(1)).to.deep.equal([]);
      const there = await erasePatient(options, personId, { of: 'other-node' });
      expect([there.patient, there.rows]).to.deep.equal([false, 1]);
      expect((await rows.rows(9)).map(({ patient }) => patient)).to.deep.equal(['somebody else']);
    });
  });
}

for (const engine of dealt(storages, 'postgres')) {
  describe(`matchmaker: erasure of a sample on ${engine.name}`, () => {
    const opened = useOnce(() => engine.open([...personContracts, matchmakerTriage]));

    it('erases the patients that are linked to it, and no others', async () => {
      const { storage } = opened;
      const patients = storage.repository(matchmaker);
      const facts = { submitter: 's', diagnosed: false, genes: [], variants: [], features: [] };
      const stored = ['linked', 'other', 'case.SMP-1', 'SMP-1.case'].map((id) => {
        const linked = { linked: 'SMP-1', other: 'SMP-2' }[id];
        const patient = { id, contact: { name: 'N', href: 'mailto:n@example.org' }, features: [] };
        return { ...patient, ...(linked && { _sample: linked }) };
      });
      await patients.savePatients(
        stored.map((patient) => ({ patient, facts, writer: { owner: 'lab', all: false }, at: now })),
      );
      const tools = {
        ...{ patients, matches: storage.repository(matchmakerMatches), audit: storage.repository(matchmakerAudit) },
        rows: storage.repository(matchmakerTriage),
        transaction: <Result>(work: Parameters<typeof storage.transaction<Result>>[0]) => storage.transaction(work),
        now: () => now,
        triage: true,
      };
      const left = async () => (await patients.patients({ limit: 10 })).map(({ patient }) => patient.id);
      const sample = { id: 'SMP-1', names: 'sample', holder: 'own', scope: 'all' } as const;
      const counted = (found: readonly { what: string; count: number }[]) => found[0]?.count;
      const stating = matchmakerEraser({ ...tools, samples: 'stated' });
      expect(counted(await stating.find([{ ...sample, names: 'patient' }]))).to.equal(0);
      expect(counted(await stating.find([{ ...sample, before: now }])), 'stored since').to.equal(0);
      expect(counted(await stating.find([sample]))).to.equal(1);
      // Of several lines of a list about a person one suffices, wherever it is, and whichever id it has.
      const later = { ...sample, before: new Date(now.getTime() + 1) };
      const earlier = { ...sample, names: undefined, before: now };
      const ofPatient = { ...earlier, id: 'linked', names: 'patient' } as const;
      for (const list of [
        [later, earlier],
        [earlier, later],
        [ofPatient, later],
        [later, ofPatient],
      ]) {
        expect(counted(await stating.find(list)), JSON.stringify(list)).to.equal(1);
      }
      expect(counted(await matchmakerEraser({ ...tools, samples: 'scout-id' }).find([sample]))).to.equal(2);
      expect(counted(await stating.erase([sample]))).to.equal(1);
      expect(await left()).to.have.members(['other', 'case.SMP-1', 'SMP-1.case']);
      expect(counted(await stating.erase([sample])), 'again').to.equal(0);
    });
  });
}
