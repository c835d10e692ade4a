/** Two people in every plugin: one that is erased, and one that stays. */
import { expect } from 'chai';
import { tokens } from '../../../core/auth/contract.js';
import { erasures } from '../../../core/erasures/contract.js';
import { jobs } from '../../../core/jobs/contract.js';
import type { Contract, Storage, StorageScope } from '../../../core/storage.js';
import { beacon, beaconConsequences, beaconDepths, beaconGenes } from '../../../plugins/beacon/contract.js';
import {
  coverage,
  coverageCohorts,
  coverageRegions,
  coverageSamples,
  coverageSites,
  coverageTracks,
} from '../../../plugins/coverage/contract.js';
import { matchmakerResources } from '../../../plugins/matchmaker/contract.js';
import { at, called, dataset, small } from '../../conformance/beacon/build.js';
import * as patient from '../../plugins/matchmaker/support/person.js';
import type { Home, storages } from '../../support/storages.js';

export const contracts: readonly Contract[] = [
  erasures,
  jobs,
  tokens,
  beacon,
  beaconGenes,
  beaconDepths,
  beaconConsequences,
  coverage,
  coverageSamples,
  coverageCohorts,
  coverageSites,
  coverageRegions,
  coverageTracks,
  matchmakerResources,
  ...patient.personContracts,
];

/** An empty storage with both people in it. */
export async function openWithBoth(
  engine: (typeof storages)[number],
  at?: Date,
): Promise<{ home: Home; storage: Storage }> {
  const home = await engine.home(contracts);
  const storage = await home.open(contracts);
  await saveBoth(storage, at);
  return { home, storage };
}

/** The text of a configuration with all plugins on this storage. */
export function configurationOf({ section: storage }: Home, more: object): string {
  const plugins = { beacon: {}, coverage: {}, matchmaker: {} };
  return JSON.stringify({ http: { port: 0 }, migrate: 'manual', demo: false, storage, plugins, ...more });
}

/** Of the sample and of the patient; occurs nowhere else. */
export const personId = patient.personId;
export const otherId = 'Other-person';

async function* batch<Value>(...values: Value[]): AsyncGenerator<Value[]> {
  yield values;
}

/** Stores the person, as of January and March 2026 or another moment: in two datasets, the coverage registry and the matchmaker. */
export async function savePerson(storage: Storage, moment?: Date): Promise<void> {
  const repository = storage.repository(beacon);
  for (const id of ['cardio', 'neuro']) {
    if ((await repository.dataset(id)) === undefined) await repository.addDataset(dataset(id), at(0));
    const alleles = batch(
      called(small('1', 100, 'A', 'C'), [0, 1], [1, 2]), // carried by both
      called(small('1', 200, 'G', 'T'), [0, 2]), // carried by the person only
    );
    const facts = new Map([[personId, { case: 'F7', coverageId: `${personId}-depth` }]]);
    await repository.importAlleles({ dataset: id, samples: [personId, otherId], alleles, facts }, moment ?? at(1));
  }
  const registered = [`${personId}-depth`, otherId].map((id) => ({
    id,
    build: 'GRCh38' as const,
    file: { path: `/data/${id}.d4` },
    sex: 'unknown' as const,
    labels: {},
  }));
  await storage.repository(coverageSamples).register(registered, moment ?? at(2));
  await patient.savePerson(storage, moment);
}

export async function saveBoth(storage: Storage, moment?: Date): Promise<void> {
  await patient.addPeer(storage);
  await savePerson(storage, moment);
}

export interface Traces {
  /** Datasets with the sample. */
  datasets: string[];
  registered: boolean;
  patient: patient.Traces;
}

export const whole: Traces = { datasets: ['cardio', 'neuro'], registered: true, patient: patient.whole };
export const none: Traces = { datasets: [], registered: false, patient: patient.none };

/** What is left of the person. The other person must be there as ever, and totals agree with what is stored. */
export async function tracesOf(scope: StorageScope): Promise<Traces> {
  const repository = scope.repository(beacon);
  const datasets: string[] = [];
  for (const { id, alleleCount, callCount, sampleCount } of await repository.datasets()) {
    const samples = await repository.samples(id);
    expect(samples).to.include(otherId);
    const isThere = samples.includes(personId);
    if (isThere) datasets.push(id);
    // By hand: the other person has two copies of one allele, the person one of that and two of another.
    const totals = isThere ? { alleles: 2, calls: 5, samples: 2 } : { alleles: 1, calls: 2, samples: 1 };
    expect({ alleles: alleleCount, calls: callCount, samples: sampleCount }).to.deep.equal(totals);
    expect(await repository.recount(id)).to.deep.include({ alleles: totals.alleles, calls: totals.calls });
  }
  const registered = await scope.repository(coverageSamples).find([`${personId}-depth`, otherId]);
  expect(registered.map(({ id }) => id)).to.include(otherId);
  return { datasets, registered: registered.length === 2, patient: await patient.tracesOf(scope) };
}
