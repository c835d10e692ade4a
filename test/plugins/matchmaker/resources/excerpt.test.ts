import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Ontology } from '../../../../plugins/matchmaker/resources/ontology.js';
import { assemble, type Resources } from '../../../../plugins/matchmaker/resources/resources.js';
import { completeResources, describeWithShared } from './support/shared.js';

interface DemoPatient {
  id: string;
  test?: boolean;
  contact: { href: string };
  ageOfOnset?: string;
  inheritanceMode?: string;
  features?: { id: string }[];
  genomicFeatures?: { gene: { id: string } }[];
}

const patients = async (): Promise<DemoPatient[]> =>
  JSON.parse(await readFile(new URL('../../../../plugins/matchmaker/demo/patients.json', import.meta.url), 'utf8'));

describe('matchmaker excerpt', () => {
  let excerpt: Resources;
  before(async () => {
    excerpt = await assemble(0, []);
  });

  it('has every term and gene of the demo patients', async () => {
    const demo = await patients();
    expect(demo).to.have.lengthOf(12);
    for (const { ageOfOnset, inheritanceMode, features = [], genomicFeatures = [] } of demo) {
      for (const { id } of features) {
        const resolved = excerpt.ontology.resolve(id);
        expect(resolved && excerpt.ontology.ancestors(resolved.term).length, id).to.be.above(1);
      }
      for (const id of [ageOfOnset, inheritanceMode]) {
        if (id !== undefined) expect(excerpt.ontology.resolve(id), id).to.have.keys('term');
      }
      for (const { gene } of genomicFeatures)
        expect(excerpt.genes.resolve(gene.id), gene.id).to.include.keys('ensembl');
    }
  });

  it('comes with patients that are marked as tests and identify no person', async () => {
    for (const { id, test, contact } of await patients()) {
      expect({ test, contact: contact.href }, id).to.deep.equal({ test: true, contact: 'mailto:demo@example.org' });
    }
  });
});

describeWithShared('matchmaker excerpt beside the complete files', () => {
  it('has terms as in HPO, with the information of all annotations', async () => {
    const [{ ontology: part }, { ontology: whole }] = [await assemble(0, []), await completeResources()];
    const parents = (ontology: Ontology, term: number) =>
      [...ontology.parents(term)].map((parent) => ontology.id(parent));
    expect(part.diseases).to.equal(whole.diseases);
    for (let term = 0; term < part.size; term++) {
      const id = part.id(term);
      const same = whole.resolve(id)?.term ?? -1;
      expect(part.name(term), id).to.equal(whole.name(same));
      expect(parents(part, term), id).to.deep.equal(parents(whole, same));
      expect(part.information(term), id).to.be.closeTo(whole.information(same), 1e-12);
    }
  });

  it('has genes as in the whole table', async () => {
    const [{ genes: part }, { genes: whole }] = [await assemble(0, []), await completeResources()];
    for (let number = 0; number < part.size; number++) {
      const { number: _, ...gene } = part.gene(number);
      expect(whole.resolve(gene.symbol), gene.symbol).to.include(gene);
    }
  });
});
