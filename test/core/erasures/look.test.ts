/** Whom erasures mean, and an eraser that looks for their data in one way. */
import { expect } from 'chai';
import { type Erased, type Erasure, eraserOf, type PersonalData, peopleOf } from '../../../core/erasures/erasure.js';

const at = (day: number) => new Date(Date.UTC(2026, 0, day));
const erasure = (id: string, more: Partial<Erasure> = {}): Erasure => ({ id, holder: 'own', scope: 'all', ...more });

describe('people of erasures', () => {
  const all = [
    erasure('both'),
    erasure('sample', { names: 'sample', holder: 'any' }),
    erasure('patient', { names: 'patient' }),
    erasure('shared', { scope: 'sharing' }),
    erasure('elsewhere', { holder: { name: 'node' } }),
  ];

  it('are those of this institution that the ids name, in the order of the list', () => {
    expect(peopleOf(all, 'sample').ids).to.deep.equal(['both', 'sample', 'shared']);
    expect(peopleOf(all, 'patient').ids).to.deep.equal(['both', 'patient', 'shared']);
    expect(peopleOf(all, 'person').ids).to.deep.equal(['both', 'sample', 'patient', 'shared']);
    expect(peopleOf(all, 'person', 'all').ids).to.deep.equal(['both', 'sample', 'patient']);
    expect(peopleOf(all, 'sample', 'sharing').ids).to.deep.equal(['shared']);
  });

  it('are reached by any of their erasures, with what was stored before it, or is named by it', () => {
    const repeated = erasure('p', { before: at(5), revisions: new Set(['ahead']) });
    const people = peopleOf([erasure('p', { before: at(2) }), repeated], 'sample');
    expect(people.of('p')).to.have.length(2);
    expect([at(1), at(4), at(5), at(6)].map((stored) => people.reach('p', { name: 'thing', stored }))).to.deep.equal([
      ...[true, true, false, false],
    ]);
    expect(people.reach('p', { name: 'ahead', stored: at(9) })).to.equal(true);
    expect(people.reach('p', undefined), 'stored at an unknown moment').to.equal(true);
    expect(people.reach('q', undefined), 'nobody').to.equal(false);
  });
});

describe('an eraser', () => {
  const found = [{ what: 'notes', count: 2 }];
  const revisions = [{ name: 'note 1', stored: at(1) }];
  const asked: string[][] = [];
  const eraser = (erase: PersonalData['erase']) =>
    eraserOf(async (erasures) => {
      asked.push(erasures.map(({ id }) => id));
      return { found, revisions, erase };
    });

  it('erases nothing until it is told to, and says what was found or what was erased', async () => {
    let erased = 0;
    const count = async () => {
      erased += 1;
      return undefined;
    };
    expect(await eraser(count).find([erasure('a')])).to.equal(found);
    expect(await eraser(count).revisions?.([erasure('b')])).to.equal(revisions);
    expect(erased).to.equal(0);
    expect(await eraser(count).erase([erasure('c')])).to.equal(found);
    expect(erased).to.equal(1);
    const told: Erased[] = [{ what: 'pages', count: 5 }];
    expect(await eraser(async () => told).erase([erasure('d')])).to.equal(told);
    expect(asked).to.deep.equal([['a'], ['b'], ['c'], ['d']]);
    expect(eraser(count)).not.to.have.property('related');
  });
});
