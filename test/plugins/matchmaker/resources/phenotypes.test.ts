import { expect } from 'chai';
import { decodeText } from '../../../../core/files.js';
import type { StoredResource } from '../../../../plugins/matchmaker/contract.js';
import { assemble, phenotypeService } from '../../../../plugins/matchmaker/resources/resources.js';
import { readResource, storedResource } from '../../../../plugins/matchmaker/resources/update.js';
import { annotation, hpoa, obo } from './support/build.js';

async function kept(text: string): Promise<StoredResource> {
  return storedResource(await readResource(await decodeText('file', Buffer.from(text))), 'file', new Date(0));
}

describe('matchmaker: phenotypes for other plugins', () => {
  it('have lineages, names and the active term of other ids, if an ontology is loaded', async () => {
    const terms = [
      { id: 1, parents: [] },
      { id: 118, parents: [1] },
      { id: 200, parents: [118], alternatives: [299] },
      { id: 201, parents: [118] },
      { id: 202, parents: [200, 201] },
    ];
    const resources = await assemble(1, [await kept(obo(terms)), await kept(hpoa([annotation('OMIM:1', 202)]))]);
    const service = phenotypeService(async () => resources);
    const found = await service.terms(['HP:0000202', 'HP:0000299', 'HP:0000001', 'HP:0000777', 'OMIM:1']);
    expect([...found].map(([id, term]) => [id, term.id, term.lineage])).to.deep.equal([
      ['HP:0000202', 'HP:0000202', ['HP:0000118', 'HP:0000200', 'HP:0000201', 'HP:0000202']],
      ['HP:0000299', 'HP:0000200', ['HP:0000118', 'HP:0000200']],
      ['HP:0000001', 'HP:0000001', ['HP:0000001']],
    ]);
    expect(found.get('HP:0000202')?.name).to.equal(resources.ontology.name(4));
    expect(await service.release()).to.deep.equal({ version: '2026-01-02' });
  });

  it('are unknown as long as only the excerpt is there', async () => {
    const resources = await assemble(0, []);
    const service = phenotypeService(async () => resources);
    expect(await service.release()).to.equal(undefined);
    expect([...(await service.terms(['HP:0001250']))]).to.deep.equal([]);
  });
});
