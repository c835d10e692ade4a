/** Which row a counterpart gets, if nodes give patients other ids and several patients are alike. */
import { expect } from 'chai';
import fc from 'fast-check';
import { type Sighting, sighted, type TriageRow } from '../../../../plugins/matchmaker/triage/contract.js';

type Identity = Pick<TriageRow, 'id' | 'patient' | 'formerIds' | 'content'>;

const identityOf = ({ id, patient, formerIds, content }: TriageRow): Identity => ({ id, patient, formerIds, content });

/** As `sighted` promises, looking through all rows for each sighting. */
function naive(rows: Identity[], sightings: readonly Pick<Sighting, 'id' | 'patient' | 'content'>[]): Identity[] {
  const ids = new Set(sightings.map(({ patient }) => patient));
  let all = [...rows];
  for (const { id, patient, content } of sightings) {
    const others = all.filter((row) => !ids.has(row.patient)).sort((one, other) => (one.id < other.id ? -1 : 1));
    const row =
      all.find((one) => one.patient === patient) ??
      others.find(({ formerIds }) => formerIds.includes(patient)) ??
      others.find((one) => one.content === content);
    const formerIds = row ? [row.patient, ...row.formerIds].filter((one) => one !== patient) : [];
    all = all
      .filter((one) => one !== row)
      .map((one) => ({ ...one, formerIds: one.formerIds.filter((former) => former !== patient) }));
    all.push({ id: row?.id ?? id, patient, formerIds, content });
  }
  return all;
}

describe('rows of counterparts', () => {
  it('are those of the same id, a former id or the same content, over any searches', () => {
    const search = fc.uniqueArray(
      fc.record({ patient: fc.constantFrom('p', 'q', 'r', 's', 't', 'u'), content: fc.constantFrom('x', 'y') }),
      { selector: ({ patient }) => patient, minLength: 1 },
    );
    const property = fc.property(fc.array(search, { maxLength: 8 }), (searches) => {
      let rows = new Map<string, TriageRow>();
      let expected: Identity[] = [];
      let number = 0;
      for (const counterparts of searches) {
        const sightings = counterparts.map((one) => ({
          ...{ ...one, id: `${(number++ * 7) % 97}`.padStart(2, '0'), at: new Date(number), submission: 1, owner: 'o' },
          ...{ own: [], node: { id: 'n', label: 'N' }, direction: 'found' as const, score: { patient: 1 } },
          ...{ contact: { name: 'A', href: 'mailto:a@example.org' }, genes: [], terms: [], stated: [] },
        }));
        expected = naive(expected, sightings);
        rows = new Map([...rows, ...sighted([...rows.values()], sightings).map((row) => [row.id, row] as const)]);
      }
      const byId = (one: Identity, other: Identity) => (one.id < other.id ? -1 : 1);
      expect([...rows.values()].map(identityOf).sort(byId)).to.deep.equal(expected.sort(byId));
    });
    fc.assert(property, { numRuns: 1000 });
  });
});
