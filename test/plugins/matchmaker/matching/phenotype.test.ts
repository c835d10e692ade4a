import { expect } from 'chai';
import fc from 'fast-check';
import type { Patient } from '../../../../plugins/matchmaker/contract.js';
import { Profiler } from '../../../../plugins/matchmaker/matching/profile.js';
import {
  compareProfiles,
  phenotypeSimilarity,
  sharedFor,
  termSimilarity,
} from '../../../../plugins/matchmaker/matching/score.js';
import type { Ontology } from '../../../../plugins/matchmaker/resources/ontology.js';
import { featuresOf, patientOf, patientParts, smallWorld, toyWorld } from './support/toy.js';

const phenotypeOnly = { genotype: 0, phenotype: 1 };

/**
 * By definition: sets of terms with ancestors, each with the information that it adds to its most informative parent, and
 * each stated term with its own information, shared by half if it is stated by one and had by the other; unshared
 * information counts 0.08 of shared information.
 */
function naive(ontology: Ontology, one: Patient, other: Patient): number {
  const stated = ({ features = [] }: Patient): number[] => [
    ...new Set(
      features
        .filter(({ observed }) => observed !== 'no')
        .map(({ id }) => ontology.resolve(id)?.term)
        .filter((term) => term !== undefined),
    ),
  ];
  const terms = ({ features = [] }: Patient): Set<number> => {
    const found = new Set<number>();
    const climb = (term: number): void => {
      if (ontology.id(term) === 'HP:0000001') return;
      found.add(term);
      ontology.parents(term).forEach(climb);
    };
    for (const { id, observed } of features) {
      const resolved = ontology.resolve(id);
      if (observed !== 'no' && resolved) climb(resolved.term);
    }
    return found;
  };
  const [left, right] = [terms(one), terms(other)];
  const added = (term: number) =>
    ontology.information(term) -
    Math.max(0, ...[...ontology.parents(term)].map((parent) => ontology.information(parent)));
  const sum = (set: Iterable<number>, weight: (term: number) => number) =>
    [...set].reduce((total, term) => total + weight(term), 0);
  const own = (term: number) => ontology.information(term);
  const all = [sum(left, added), sum(right, added), sum(stated(one), own), sum(stated(other), own)];
  const shared =
    sum(left, (term) => (right.has(term) ? added(term) : 0)) +
    sum(stated(one), (term) => (right.has(term) ? own(term) / 2 : 0)) +
    sum(stated(other), (term) => (left.has(term) ? own(term) / 2 : 0));
  const unshared = sum(all, (part) => part) - 2 * shared;
  return shared < 1e-12 ? 0 : shared / (shared + 0.08 * unshared);
}

describe('matchmaker: phenotypes', () => {
  it('has the values computed by hand for the toy', async () => {
    // Four diseases: one with B, one with C, two with D. Information: A = D = ln 2, B = C = ln 4, R = 0. Thus A adds ln 2
    // to R, B and C add ln 4 − ln 2 = ln 2 to A, and D adds ln 2 to R. In units of ln 2: all terms add 1; stated, A and D
    // count 1, B and C 2. Somebody with B has 1 (A) + 1 (B) + 2 (stated) = 4, with A 1 + 1 = 2.
    const resources = await toyWorld();
    const profiler = new Profiler(resources);
    const score = (one: number, other: number) =>
      compareProfiles(
        profiler.profile(patientOf('1', { features: featuresOf(one) })),
        profiler.profile(patientOf('2', { features: featuresOf(other) })),
        profiler.information,
        phenotypeOnly,
      ).phenotype;
    const [a, b, c, d] = [10, 11, 12, 20];
    // B and C share A: 1 of 4 each, so that 3 + 3 are not shared: 1 / (1 + 0.08 · 6).
    expect(score(b, c)).to.be.closeTo(0.6756756757, 1e-9);
    // B and A share A: 1, and half of 1 since one states A and the other has it: 1.5 of 4 and 2, 3 not shared.
    expect(score(b, a)).to.be.closeTo(1.5 / (1.5 + 0.08 * 3), 1e-9);
    expect(score(a, b)).to.equal(score(b, a));
    expect(score(b, b)).to.equal(1);
    expect(score(b, d)).to.equal(0);
    expect(score(118, 118)).to.equal(0);
  });

  it('equals the naive sets on random patients', async () => {
    const resources = await smallWorld();
    const profiler = new Profiler(resources);
    fc.assert(
      fc.property(patientParts, patientParts, ({ features: mine }, { features: theirs }) => {
        const [one, other] = [patientOf('1', { features: mine }), patientOf('2', { features: theirs })];
        const [left, right] = [profiler.profile(one), profiler.profile(other)];
        const { phenotype, total } = compareProfiles(left, right, profiler.information, phenotypeOnly);
        expect(phenotype).to.be.closeTo(naive(resources.ontology, one, other), 1e-8);
        expect(total).to.equal(phenotype);
        expect(compareProfiles(right, left, profiler.information, phenotypeOnly).phenotype).to.equal(phenotype);
        if (left.mass > 0)
          expect(compareProfiles(left, left, profiler.information, phenotypeOnly).phenotype).to.equal(1);
      }),
      { numRuns: 500 },
    );
  });

  it('is bit-identical for any order of features, disorders and genomic features', async () => {
    const profiler = new Profiler(await smallWorld());
    const weights = { genotype: 0.75, phenotype: 0.25 };
    const turned = ({ features = [], disorders = [], genomicFeatures = [] }: Partial<Patient>): Partial<Patient> => ({
      features: features.toReversed(),
      disorders: disorders.toReversed(),
      genomicFeatures: genomicFeatures.toReversed(),
    });
    fc.assert(
      fc.property(patientParts, patientParts, (mine, theirs) => {
        const profile = (parts: Partial<Patient>) => profiler.profile(patientOf('x', parts));
        const score = compareProfiles(profile(mine), profile(theirs), profiler.information, weights);
        expect(compareProfiles(profile(turned(mine)), profile(turned(theirs)), profiler.information, weights)).to.eql(
          score,
        );
      }),
    );
  });

  it('ignores excluded, unknown and withdrawn terms; follows alternative ids', async () => {
    const profiler = new Profiler(await smallWorld());
    const profile = (...features: Patient['features'] & object) => profiler.profile(patientOf('1', { features }));
    expect([...profile({ id: 'HP:0000900' }).terms]).to.eql([...profile({ id: 'HP:0000204' }).terms]);
    expect(profile({ id: 'HP:0000204' }).terms).to.have.length.above(0);
    expect(profile({ id: 'HP:0000204', observed: 'no' }).mass).to.equal(0);
    expect(profile({ id: 'HP:0000901' }, { id: 'HP:9999999' }).mass).to.equal(0);
  });

  it('is raised by a shared disorder, never lowered by a different one', async () => {
    const profiler = new Profiler(await smallWorld());
    fc.assert(
      fc.property(patientParts, patientParts, fc.constantFrom('MIM:1', 'ORPHA:2', 'MIM:77'), (mine, theirs, id) => {
        const score = (one: Partial<Patient>, other: Partial<Patient>) =>
          compareProfiles(
            profiler.profile(patientOf('1', one)),
            profiler.profile(patientOf('2', other)),
            profiler.information,
            phenotypeOnly,
          ).phenotype;
        const before = score(mine, theirs);
        const more = (parts: Partial<Patient>) => ({ ...parts, disorders: [...(parts.disorders ?? []), { id }] });
        expect(score(more(mine), theirs)).to.be.at.least(before);
        expect(score(mine, more(theirs))).to.be.at.least(before);
        expect(score(more(mine), more(theirs))).to.be.at.least(before);
        expect(score(more(mine), more(theirs)))
          .to.be.at.most(1)
          .and.above(0);
      }),
    );
    expect(phenotypeSimilarity(0.5, 1)).to.equal(0.75);
    expect(phenotypeSimilarity(0, 2)).to.equal(0.75);
    expect(phenotypeSimilarity(1, 3)).to.equal(1);
  });

  it('is lower if less is shared than it takes, and hardly less takes as much', () => {
    const mass = fc.integer({ min: 1, max: 2 ** 40 });
    fc.assert(
      fc.property(
        mass,
        mass,
        mass,
        fc.double({ min: 1e-6, max: 1, noNaN: true }),
        (shared, mine, theirs, similarity) => {
          const all = shared + mine + theirs;
          const least = sharedFor(similarity, all);
          const of = (sum: number) => termSimilarity(sum, sum + mine, all - mine);
          if (shared < least) expect(of(shared)).to.be.below(similarity);
          // What only one has is then what is left of all.
          const enough = least * (1 + 1e-8);
          if (enough <= all) expect(termSimilarity(enough, all, enough)).to.be.at.least(similarity);
        },
      ),
    );
    // By hand: a similarity of ½ needs 0.08 of what is unshared, so that 0.08 of 1.08 is shared.
    expect(sharedFor(0.5, 1.08)).to.be.closeTo(0.08, 1e-9);
    expect([sharedFor(0, 1), sharedFor(1.1, 1), sharedFor(1, 7)]).to.deep.equal([0, Infinity, 7 * (1 - 1e-9)]);
  });

  it('reads disorders in every spelling', async () => {
    const profiler = new Profiler(await smallWorld());
    const keys = (...ids: string[]) =>
      profiler.profile(patientOf('1', { disorders: ids.map((id) => ({ id })) })).disorders;
    expect(keys('MIM:610536', 'OMIM:610536', 'omim:0610536')).to.have.length(1);
    expect(keys('Orphanet:79113', 'ORPHA:79113')).to.have.length(1);
    expect(keys('MONDO:0012516', 'MONDO:12516')).to.have.length(1);
    expect(keys('MIM:1', 'ORPHA:1', 'MONDO:1', 'DOID:1')).to.have.length(3);
  });
});
