import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Patient } from '../../../../plugins/matchmaker/contract.js';
import { explain } from '../../../../plugins/matchmaker/matching/explanation.js';
import { PatientIndex } from '../../../../plugins/matchmaker/matching/patient-index.js';
import { Profiler } from '../../../../plugins/matchmaker/matching/profile.js';
import { Work } from '../../../../plugins/matchmaker/matching/work.js';
import { annotatedDiseases, patients as drawnPatients } from '../../../bench/support/patients.js';
import { random } from '../../../bench/support/vcf.js';
import { completeResources, describeWithShared, shared } from '../resources/support/shared.js';

const weights = { genotype: 0.75, phenotype: 0.25 };
const all = { weights, limit: 100, threshold: 0 };

describeWithShared('matchmaker: the 50 patients of the Matchmaker Exchange', () => {
  const read = (name: string) => JSON.parse(readFileSync(shared(name), 'utf8'));
  let patients: Patient[];
  let partners: Map<string, Set<string>>;
  let profiler: Profiler;
  let index: PatientIndex;

  before(async () => {
    patients = read('benchmark_patients.json');
    const groups: string[][] = Object.values(read('benchmark_groups.json').gene_groups);
    partners = new Map(groups.flatMap((group) => group.map((id) => [id, new Set(group.filter((one) => one !== id))])));
    profiler = new Profiler(await completeResources());
    index = new PatientIndex(profiler.information);
    patients.forEach((patient, i) => {
      index.put(i + 1, profiler.profile(patient));
    });
  });

  const found = async (query: Patient) => (await index.search(profiler.profile(query), all, new Work())).hits;
  const others = async (patient: Patient, query: Patient) => (await found(query)).filter(({ id }) => id !== patient.id);

  it('score 1 against themselves, except the two with a variant without a start', async () => {
    const scores = new Map<string, number>();
    for (const patient of patients) {
      const self = (await found(patient)).find(({ id }) => id === patient.id);
      scores.set(patient.id, self?.score.total ?? 0);
    }
    const startless = ['P0001017', 'P0001018'];
    for (const [id, score] of scores) {
      if (startless.includes(id)) expect(score, id).to.be.within(0.71875, 1 - 1e-9);
      else expect(score, id).to.equal(1);
    }
    expect(scores.size).to.equal(50);
  });

  it('rank a partner first, and all partners above all strangers', async () => {
    let withPartner = 0;
    for (const patient of patients) {
      const mine = partners.get(patient.id) ?? new Set();
      if (mine.size === 0) continue;
      withPartner++;
      const first = (await others(patient, patient)).map(({ id }) => id).slice(0, mine.size);
      expect(new Set(first), patient.id).to.eql(mine);
    }
    expect(withPartner).to.equal(34);
  });

  it('rank a partner first by their features alone', async () => {
    for (const patient of patients) {
      const mine = partners.get(patient.id) ?? new Set();
      if (mine.size === 0) continue;
      const { genomicFeatures: _, disorders: __, ...features } = patient;
      const [first] = await others(patient, features);
      expect(mine.has(first?.id ?? ''), patient.id).to.equal(true);
      expect(first?.score.total).to.be.at.most(0.25);
    }
  });

  it('are found by the documented query, in which a gene counts a quarter', async () => {
    // HP:0009623 and EFTUD2. patientMatcher has 0.1875 + 0.0345, a simGIC of 0.0345 / 0.25 = 0.138, and 0.0195 and 0.0156
    // for the next two (reference, section 7.4). With unshared information at 0.08, a shared part of 0.138 gives
    // 1 / (1 + 0.08 · (1 / 0.138 − 1)) = 0.667, and a quarter of it 0.167; our information of terms is another.
    const query = {
      id: 'q',
      contact: { name: 'x', href: 'mailto:x@example.org' },
      features: [{ id: 'HP:0009623' }],
      genomicFeatures: [{ gene: { id: 'EFTUD2' } }],
    };
    const [first, second] = await found(query);
    expect(first?.id).to.equal('P0000079');
    expect(first?.score.genotype).to.equal(0.1875);
    expect(first?.score.phenotype).to.be.within(0.12, 0.2);
    expect(['P0001058', 'P0000083']).to.include(second?.id);
    const partner = patients.find(({ id }) => id === 'P0000079');
    if (!partner) throw new Error('P0000079 is among the patients');
    const explained = (patient: Patient) => ({ patient, profile: profiler.profile(patient) });
    const { _matchedGenes, _matchedVariants, _matchedFeatures } = explain(
      explained(query),
      explained(partner),
      profiler,
    );
    expect(_matchedGenes).to.eql([{ id: 'ENSG00000108883', _geneName: 'EFTUD2' }]);
    expect(_matchedVariants).to.equal(undefined);
    const thumb = { id: 'HP:0009623', label: 'Proximal placement of thumb' };
    expect(_matchedFeatures).to.have.length(1);
    expect(_matchedFeatures?.[0]).to.deep.include({ query: thumb, patient: thumb });
    expect(_matchedFeatures?.[0]?.shared).to.include(thumb);
  });
});

describeWithShared('matchmaker: patients drawn from diseases', () => {
  it('find a patient with their disease among the first five at least as often as plain simGIC', async () => {
    const resources = await completeResources();
    const { ontology } = resources;
    const profiler = new Profiler(resources);
    const diseases = (await annotatedDiseases(shared('phenotype.hpoa.gz'))).filter(({ terms }) => terms.length > 4);
    const next = random(11);
    const some = Array.from(
      { length: 300 },
      () => diseases[Math.floor(next() * diseases.length)] as (typeof diseases)[0],
    );
    const parent = (id: string, draw: number): string => {
      const resolved = ontology.resolve(id);
      const parents = resolved ? ontology.parents(resolved.term) : [];
      return parents.length === 0 ? id : ontology.id(parents[Math.floor(draw * parents.length)] as number);
    };
    const index = new PatientIndex(profiler.information);
    const stored: { disease: string; terms: Set<number> }[] = [];
    for (const { disease, patient } of drawnPatients(some, 21, { imprecision: 0.3, noise: 0.3, parent })) {
      const profile = profiler.profile(patient);
      stored.push({ disease, terms: new Set(profile.terms) });
      index.put(stored.length, profile);
      if (stored.length === 1500) break;
    }
    const plain = (query: Set<number>): number[] =>
      stored
        .map(({ terms }, i) => {
          const sum = (chosen: Iterable<number>) => [...chosen].reduce((s, term) => s + ontology.information(term), 0);
          return { i, score: sum([...query].filter((term) => terms.has(term))) / sum(new Set([...query, ...terms])) };
        })
        .sort((one, other) => other.score - one.score)
        .slice(0, 5)
        .map(({ i }) => i);
    const hits = { plain: 0, features: 0, whole: 0 };
    let asked = 0;
    for (const { disease, patient } of drawnPatients(some, 22, { imprecision: 0.3, noise: 0.3, parent })) {
      if (asked++ === 150) break;
      const same = (i: number) => stored[i]?.disease === disease;
      const five = async (query: Patient) => {
        const { hits } = await index.search(profiler.profile(query), { weights, limit: 5, threshold: 0 }, new Work());
        return hits.some(({ number }) => same(number - 1));
      };
      const { genomicFeatures: _, ...features } = patient;
      if (plain(new Set(profiler.profile(patient).terms)).some(same)) hits.plain++;
      if (await five(features)) hits.features++;
      if (await five(patient)) hits.whole++;
    }
    expect(hits.plain).to.be.above(50);
    expect(hits.features).to.be.at.least(hits.plain);
    expect(hits.whole).to.be.at.least(hits.features);
  });
});
