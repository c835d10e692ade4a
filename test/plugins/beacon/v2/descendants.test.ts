/** Filters with descendants, in a server of beacon and matchmaker. */
import { expect } from 'chai';
import { tokens } from '../../../../core/auth/contract.js';
import { configure } from '../../../../core/config.js';
import { erasures } from '../../../../core/erasures/contract.js';
import { decodeText } from '../../../../core/files.js';
import { jobs } from '../../../../core/jobs/contract.js';
import type { Plugin } from '../../../../core/plugin.js';
import { serveOn } from '../../../../core/testing/server.js';
import { beacon } from '../../../../plugins/beacon/contract.js';
import beaconPlugin from '../../../../plugins/beacon/plugin.js';
import { beaconSettings } from '../../../../plugins/beacon/settings.js';
import { matchmakerResources, type StoredResource } from '../../../../plugins/matchmaker/contract.js';
import matchmakerPlugin from '../../../../plugins/matchmaker/plugin.js';
import { readResource, storedResource } from '../../../../plugins/matchmaker/resources/update.js';
import { matchmakerSettings } from '../../../../plugins/matchmaker/settings.js';
import { at as atTime, load } from '../../../conformance/beacon/build.js';
import { sqlite } from '../../../support/storages.js';
import { useOnce } from '../../../support/use.js';
import { annotation, hpoa, obo } from '../../matchmaker/resources/support/build.js';
import { tokenWith } from '../support/observed.js';
import { dataset, type Json } from '../support/serve.js';
import { asking, at } from './support.js';

async function kept(text: string): Promise<StoredResource> {
  return storedResource(await readResource(await decodeText('file', Buffer.from(text))), 'file', new Date(0));
}

describe('beacon v2: descendants of terms', () => {
  const opened = useOnce(() =>
    sqlite.open([erasures, jobs, tokens, ...beaconPlugin.contracts, ...matchmakerPlugin.contracts]),
  );
  const server = useOnce(async () => {
    const { storage } = opened;
    const terms = [
      { id: 118, parents: [] },
      { id: 200, parents: [118] },
      { id: 201, parents: [200] },
    ];
    const resources = [await kept(obo(terms)), await kept(hpoa([annotation('OMIM:1', 201)]))];
    await storage.repository(matchmakerResources).replace(resources);
    const repository = storage.repository(beacon);
    await repository.addDataset(dataset('ds'), atTime(0));
    const facts = new Map([['s', { phenotypes: [{ id: 'HP:0000201' }] }]]);
    await load(repository, 'ds', ['s', 't'], [], { facts });
    const whole = await configure({ environment: {} });
    const plugins = [
      { key: 'beacon', plugin: beaconPlugin as Plugin, settings: beaconSettings.parse({}) },
      { key: 'matchmaker', plugin: matchmakerPlugin as Plugin, settings: matchmakerSettings.parse({}) },
    ];
    return serveOn({ configuration: { ...whole, plugins }, storage, jobs: false });
  });

  it('find people by what the matchmaker knows of the ontology', async () => {
    const ask = asking(server.url);
    const token = await tokenWith({ tokens: opened.storage.repository(tokens) }, 'beacon:cases:ds');
    const number = async (filters: string) => {
      const { status, body } = await ask(`/individuals?filters=${filters}`, { token });
      return status === 200 ? [at(body, 'responseSummary.numTotalResults'), at(body, 'info.warnings')] : status;
    };
    expect(await number('HP:0000200')).to.deep.equal([1, undefined]);
    expect(await number('HP:0000201')).to.deep.equal([1, undefined]);
    expect(await number('HP:0000777')).to.equal(400);
    const json = {
      meta: { apiVersion: 'v2.1.1' },
      query: { filters: [{ id: 'HP:0000200', includeDescendantTerms: false }] },
    };
    expect(at((await ask('/individuals', { json, token })).body, 'responseSummary.numTotalResults')).to.equal(0);
    const { body } = await ask('/filtering_terms?limit=0', { token });
    const listed = (at(body, 'response.filteringTerms') as Json[]).map(({ id }) => String(id));
    expect(listed.filter((id) => id.startsWith('HP:'))).to.deep.equal(['HP:0000118', 'HP:0000200', 'HP:0000201']);
    expect(at(body, 'response.resources')).to.deep.include.members([
      {
        id: 'hp',
        name: 'Human Phenotype Ontology',
        url: 'http://purl.obolibrary.org/obo/hp.owl',
        nameSpacePrefix: 'HP',
        iriPrefix: 'http://purl.obolibrary.org/obo/HP_',
        version: '2026-01-02',
      },
    ]);
  });
});
