import { expect } from 'chai';
import fc from 'fast-check';
import { explain } from '../../../../plugins/matchmaker/matching/explanation.js';
import { Profiler } from '../../../../plugins/matchmaker/matching/profile.js';
import { compareProfiles } from '../../../../plugins/matchmaker/matching/score.js';
import { broaderSteps, exactMappings, patientOf, smallWorld, worldOfDiseases } from './support/toy.js';

const weights = { genotype: 0, phenotype: 1 };
const disorder = fc.constantFrom(
  ...[
    'MIM:1',
    'omim:01',
    'ORPHA:1',
    'MONDO:1',
    'MIM:2',
    'MONDO:0000002',
    'Orphanet:2',
    'MONDO:3',
    'DECIPHER:7',
    'MIM:9',
  ],
);
const disorders = fc.array(disorder, { maxLength: 5 });

const spelt = (id: string) => {
  const [name = '', number = ''] = id.toUpperCase().split(':');
  return `${{ MIM: 'OMIM', ORPHANET: 'ORPHA' }[name] ?? name}:${Number(number)}`;
};

/** By definition: all ids that can be reached by exact mappings. */
function idsOf(id: string): string {
  const found = new Set([spelt(id)]);
  for (const seen of found) {
    for (const pair of exactMappings) {
      const [one, other] = pair.map(spelt) as [string, string];
      if (one === seen) found.add(other);
      if (other === seen) found.add(one);
    }
  }
  return [...found].sort().join(' ');
}

function counts(one: string, other: string): number {
  if (one === other) return 1;
  const isStep = (low: string, high: string) =>
    broaderSteps.some(([from, to]) => idsOf(from) === low && idsOf(to) === high);
  return isStep(one, other) || isStep(other, one) ? 0.5 : 0;
}

/** The most that pairs of diseases count, each disease in one pair at most: every choice is tried. */
function most([first, ...rest]: readonly string[], others: readonly string[]): number {
  if (first === undefined) return 0;
  const choices = others.map((other) => {
    const left = others.filter((another) => another !== other);
    return counts(first, other) + most(rest, left);
  });
  return Math.max(most(rest, others), ...choices);
}

const diseasesOf = (ids: readonly string[]) => [...new Set(ids.map(idsOf))];

describe('matchmaker: shared disorders', () => {
  it('count as the naive rule says, in both directions, and more never count less', async () => {
    const profiler = new Profiler(await worldOfDiseases());
    const profile = (ids: readonly string[]) =>
      profiler.profile(patientOf('1', { disorders: ids.map((id) => ({ id })) }));
    const similarity = (mine: readonly string[], theirs: readonly string[]) =>
      compareProfiles(profile(mine), profile(theirs), profiler.information, weights).phenotype;
    fc.assert(
      fc.property(disorders, disorders, disorder, (mine, theirs, more) => {
        const found = similarity(mine, theirs);
        expect(found).to.equal(1 - 0.5 ** most(diseasesOf(mine), diseasesOf(theirs)));
        expect(similarity(theirs, mine)).to.equal(found);
        expect(similarity([...mine, more], theirs)).to.be.at.least(found);
        expect(similarity(mine, [...theirs, more])).to.be.at.least(found);
      }),
      { numRuns: 1000 },
    );
    // Steps by hand: one disease 1 − ½, one step 1 − √½, two steps and siblings nothing.
    expect(similarity(['MIM:1'], ['ORPHA:1'])).to.equal(0.5);
    expect(similarity(['MIM:1'], ['MIM:2'])).to.be.closeTo(0.2928932188, 1e-10);
    expect(similarity(['MIM:1'], ['ORPHA:2'])).to.equal(0);
    expect(similarity(['DECIPHER:7'], ['MIM:2'])).to.equal(0);
    expect(similarity(['MIM:1', 'ORPHA:1', 'MONDO:1'], ['MIM:1', 'ORPHA:1']), 'one disease').to.equal(0.5);
  });

  it('are explained with both ids and the way between them', async () => {
    const profiler = new Profiler(await worldOfDiseases());
    const of = (...ids: string[]) => {
      const patient = patientOf('1', { disorders: ids.map((id) => ({ id })) });
      return { patient, profile: profiler.profile(patient) };
    };
    const explained = (mine: string[], theirs: string[]) => {
      const [query, found] = [of(...mine), of(...theirs)];
      const score = compareProfiles(query.profile, found.profile, profiler.information, weights);
      return explain(query, found, profiler, { score });
    };
    expect(explained(['omim:1'], ['ORPHA:1'])).to.deep.equal({
      _matchedDisorders: ['omim:1'],
      _relatedDisorders: [
        {
          ...{ query: 'omim:1', patient: 'ORPHA:1', counts: 1 },
          way: [{ id: 'MIM:1' }, { id: 'MONDO:0000001', relation: 'exact' }, { id: 'Orphanet:1', relation: 'exact' }],
        },
      ],
      _disordersAdd: 0.5,
    });
    expect(explained(['MIM:1'], ['MIM:2'])).to.deep.equal({
      _relatedDisorders: [
        {
          ...{ query: 'MIM:1', patient: 'MIM:2', counts: 0.5 },
          way: [
            { id: 'MIM:1' },
            { id: 'MONDO:0000001', relation: 'exact' },
            { id: 'MONDO:0000002', relation: 'broader' },
            { id: 'MIM:2', relation: 'exact' },
          ],
        },
      ],
      _disordersAdd: 0.2929,
    });
    expect(explained(['MIM:1', 'MIM:9'], ['OMIM:1']), 'the same id needs no way').to.deep.equal({
      _matchedDisorders: ['MIM:1'],
      _disordersAdd: 0.5,
    });
    fc.assert(
      fc.property(disorders, disorders, (mine, theirs) => {
        for (const { query, patient, counts: count, way } of explained(mine, theirs)._relatedDisorders ?? []) {
          expect(count).to.equal(counts(idsOf(query), idsOf(patient)));
          expect([mine.includes(query), theirs.includes(patient)]).to.deep.equal([true, true]);
          expect([way[0], way.at(-1)].map((step) => spelt(step?.id ?? ''))).to.deep.equal([query, patient].map(spelt));
          const isStated = (pairs: readonly (readonly [string, string])[], from: string, to: string) =>
            pairs.some(([one, other]) => spelt(one) === from && spelt(other) === to);
          for (const [i, { id, relation }] of way.slice(1).entries()) {
            const [from, to] = [spelt(way[i]?.id ?? ''), spelt(id)];
            const [low, high] = relation === 'narrower' ? [to, from] : [from, to];
            const pairs = relation === 'exact' ? exactMappings : broaderSteps;
            const either = relation === 'exact' && isStated(pairs, to, from);
            expect(either || isStated(pairs, low, high), `${from} ${relation} ${to}`).to.equal(true);
          }
          expect(way.filter(({ relation }) => relation === 'broader' || relation === 'narrower')).to.have.length(
            count === 1 ? 0 : 1,
          );
        }
      }),
    );
  });

  it('are those with the same id if no mappings are loaded', async () => {
    const profiler = new Profiler(await smallWorld());
    const profile = (id: string) => profiler.profile(patientOf('1', { disorders: [{ id }] }));
    fc.assert(
      fc.property(disorder, disorder, (mine, theirs) => {
        const { phenotype } = compareProfiles(profile(mine), profile(theirs), profiler.information, weights);
        expect(phenotype).to.equal(spelt(mine) === spelt(theirs) ? 0.5 : 0);
      }),
    );
  });
});
