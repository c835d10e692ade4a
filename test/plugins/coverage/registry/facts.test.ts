/** Facts of samples that are known twice: by their registration, and by a beacon. */
import { expect } from 'chai';
import { type BeaconRepository, beacon } from '../../../../plugins/beacon/contract.js';
import { sampleFactsService } from '../../../../plugins/beacon/register.js';
import type { RegisteredSample, SampleSex } from '../../../../plugins/coverage/contract.js';
import { factsOfSample } from '../../../../plugins/coverage/samples/find.js';
import type { DatasetFacts } from '../../../../plugins/services/beacon.js';
import { useOnce } from '../../../support/use.js';
import { serveCoverage } from '../support/serve.js';

const day = new Date(0);

function sample(fields: Partial<RegisteredSample> = {}, predicted?: SampleSex): RegisteredSample {
  const check = {
    at: day,
    fingerprint: '0',
    build: 'GRCh38',
    depths: { x: 1, y: 1, autosomes: 1 },
    warnings: [],
    thresholds: [10],
    covered: [0],
    bytes: 0,
  } as const;
  const file = { path: 'a.d4' };
  return {
    ...{ id: 's', build: 'GRCh38', file, sex: 'unknown', labels: {}, revision: 'r', state: 'ready' },
    ...{ registered: day, updated: day },
    ...fields,
    ...(predicted && { check: { ...check, sex: predicted } }),
  };
}

function linked(dataset: string, fields: Partial<DatasetFacts> = {}): DatasetFacts {
  return { dataset, sex: 'unknown', labels: {}, ...fields };
}

describe('facts of a registered sample', () => {
  it('have the declared sex, else the predicted one, and unknown if anything contradicts it', () => {
    const m = 'male';
    const f = 'female';
    const u = 'unknown';
    // Declared at the registration, in two datasets, predicted: declared, for counting, warnings.
    const rows: [SampleSex, SampleSex[], SampleSex | undefined, SampleSex, SampleSex, string][] = [
      [u, [], undefined, u, u, ''],
      [u, [], m, u, m, ''],
      [m, [], undefined, m, m, ''],
      [m, [], m, m, m, ''],
      [m, [], u, m, m, ''],
      [m, [], f, m, u, 'sex-mismatch'],
      [u, [f], u, f, f, ''],
      [u, [u, f], m, f, u, 'sex-mismatch'],
      [m, [m, u], m, m, m, ''],
      [m, [f], m, u, u, 'sex-contradiction'],
      [u, [f, m], m, u, u, 'sex-contradiction'],
    ];
    for (const [own, theirs, predicted, declared, sex, warnings] of rows) {
      const datasets = theirs.map((one, i) => linked(`d${i}`, { sex: one }));
      const found = factsOfSample(sample({ sex: own }, predicted), datasets);
      const codes = found.warnings.map(({ code }) => code).join();
      expect([found.declared, found.sex, codes], `${own} ${theirs} ${predicted}`).to.deep.equal([
        declared,
        sex,
        warnings,
      ]);
    }
  });

  it('have the case and labels that either states, and a warning if they differ', () => {
    const own = sample({ case: 'F1', labels: { assay: 'WES', kit: 'k' } });
    const found = factsOfSample(own, [
      linked('a', { case: 'F1', labels: { assay: 'WES', run: '7' } }),
      linked('b', { labels: { kit: 'other' } }),
    ]);
    expect([found.case, found.labels, found.datasets]).to.deep.equal([
      'F1',
      { assay: 'WES', kit: 'k', run: '7' },
      ['a', 'b'],
    ]);
    expect(found.warnings).to.deep.equal([
      {
        code: 'label-contradiction',
        message: 'The label kit is stated differently: k in the registration, other in dataset b.',
      },
    ]);
    expect(factsOfSample(sample(), []).case).to.equal('s');
    expect(factsOfSample(sample(), [linked('a', { case: 'F2' })]).case).to.equal('F2');
    const [warning] = factsOfSample(own, [linked('a', { case: 'F2' })]).warnings;
    expect(warning?.message).to.equal('The case is stated differently: F1 in the registration, F2 in dataset a.');
  });
});

describe('facts of a registered sample that a beacon knows', () => {
  const server = useOnce(() => serveCoverage({ withBeacon: true }));
  let repository: BeaconRepository;
  before(async () => {
    repository = server.storage.repository(beacon);
    for (const id of ['one', 'two']) {
      await repository.addDataset({ id, name: id, assembly: 'GRCh38', access: 'CONTROLLED', version: 1 }, day);
    }
    const none = async function* () {
      yield [];
    };
    const facts = new Map([['s', { case: 'F1', sex: 'male' as const, labels: { assay: 'WGS' } }]]);
    await repository.importAlleles({ dataset: 'one', samples: ['s', 't'], alleles: none(), facts }, day);
    await repository.importAlleles({ dataset: 'two', samples: ['s'], alleles: none() }, day);
    await server.samples.register([{ ...sample(), file: { path: 'a.d4' } }].map(stated), day);
  });

  it('are those that every dataset states of it', async () => {
    const service = sampleFactsService(repository);
    expect([...(await service.factsOf(['t', 'nobody', 's']))]).to.deep.equal([
      ['s', [linked('one', { case: 'F1', sex: 'male', labels: { assay: 'WGS' } }), linked('two')]],
      ['t', [linked('one')]],
    ]);
    expect((await service.factsOf([])).size).to.equal(0);
  });

  it('come with the sample, and follow a correction', async () => {
    const token = await server.token('coverage:read');
    const facts = async () => {
      const response = await fetch(`${server.url}/coverage/registry/samples/s`, { headers: { 'X-Auth-Token': token } });
      return ((await response.json()) as { facts: unknown }).facts;
    };
    const expected = { case_id: 'F1', sex: 'male', labels: { assay: 'WGS' }, datasets: ['one', 'two'] };
    expect(await facts()).to.deep.equal(expected);
    await repository.describeSamples('one', new Map([['s', { sex: 'female' as const }]]), day);
    expect(await facts()).to.deep.equal({ ...expected, sex: 'female' });
  });
});

function stated({ id, build, file, sex, labels }: RegisteredSample) {
  return { id, build, file, sex, labels };
}
