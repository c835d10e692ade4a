import { expect } from 'chai';
import fc from 'fast-check';
import type { Patient } from '../../../../plugins/matchmaker/contract.js';
import { Profiler } from '../../../../plugins/matchmaker/matching/profile.js';
import { compare, phenotypeSimilarity } from '../../../../plugins/matchmaker/matching/score.js';
import type { Ontology } from '../../../../plugins/matchmaker/ontology/ontology.js';
import { featuresOf, patientOf, patientParts, smallWorld, toyWorld } from './support/toy.js';

const phenotypeOnly = { genotype: 0, phenotype: 1 };

/** simGIC by definition: sets of terms, sums over the intersection and the union. */
function naive(ontology: Ontology, one: Patient, other: Patient): number {
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
  const sum = (set: Iterable<number>) => [...set].reduce((total, term) => total + ontology.information(term), 0);
  const union = sum(new Set([...left, ...right]));
  return union === 0 ? 0 : sum([...left].filter((term) => right.has(term))) / union;
}

describe('matchmaker: phenotypes', () => {
  it('has the values computed by hand for the toy', async () => {
    // Four diseases: one with B, one with C, two with D. Information: A = D = ln 2, B = C = ln 4, R = 0.
    const resources = await toyWorld();
    const profiler = new Profiler(resources);
    const score = (one: number, other: number) =>
      compare(
        profiler.profile(patientOf('1', { features: featuresOf(one) })),
        profiler.profile(patientOf('2', { features: featuresOf(other) })),
        profiler.information,
        phenotypeOnly,
      ).phenotype;
    const [a, b, c, d] = [10, 11, 12, 20];
    expect(score(b, c)).to.be.closeTo(Math.log(2) / (Math.log(2) + 2 * Math.log(4)), 1e-9); // 0.693 / 3.466 = 0.2
    expect(score(b, c)).to.be.closeTo(0.2, 1e-9);
    expect(score(b, a)).to.be.closeTo(1 / 3, 1e-9);
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
        const { phenotype, total } = compare(left, right, profiler.information, phenotypeOnly);
        expect(phenotype).to.be.closeTo(naive(resources.ontology, one, other), 1e-8);
        expect(total).to.equal(phenotype);
        expect(compare(right, left, profiler.information, phenotypeOnly).phenotype).to.equal(phenotype);
        if (left.mass > 0) expect(compare(left, left, profiler.information, phenotypeOnly).phenotype).to.equal(1);
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
        const score = compare(profile(mine), profile(theirs), profiler.information, weights);
        expect(compare(profile(turned(mine)), profile(turned(theirs)), profiler.information, weights)).to.eql(score);
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
          compare(
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
