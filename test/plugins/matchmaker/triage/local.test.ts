/** What the plugins coverage and beacon know about the variants of a match, beside its row: for those who may know it. */
import { join } from 'node:path';
import { expect } from 'chai';
import { AuditKeys } from '../../../../core/audit/chain.js';
import { audit } from '../../../../core/audit/contract.js';
import { type ReadEntry, readEntries } from '../../../../core/audit/read.js';
import { beacon } from '../../../../plugins/beacon/contract.js';
import { coverageSamples } from '../../../../plugins/coverage/contract.js';
import { matchmaker, matchmakerResources } from '../../../../plugins/matchmaker/contract.js';
import { storedResource } from '../../../../plugins/matchmaker/resources/update.js';
import { dealt } from '../../../support/dealt.js';
import { blockFolder } from '../../../support/folder.js';
import { storages } from '../../../support/storages.js';
import { useOnce } from '../../../support/use.js';
import { allele } from '../../beacon/support/denominators.js';
import { add } from '../../beacon/support/observed.js';
import { dataset } from '../../beacon/support/serve.js';
import { checkOf, type Person } from '../../coverage/callability/support.js';
import { found } from '../exchange/support/peer.js';
import { read } from '../resources/support/build.js';
import { type Json, patient } from '../support/serve.js';
import { serveTriage, type TriageServer } from './support/served.js';

const key = 'a key of the audit, for tests only';
/** Zero-based. */
const at = 165_991_234;
/** The same base in GRCh37, by this chain: 234 bases after the beginning of its only block. */
const at37 = 166_847_744;
const chain = 'chain 1 2 242193529 + 165991000 165992000 2 243199373 + 166847510 166848510 1\n1000\n';
const variant = {
  ...{ assembly: 'GRCh38', referenceName: '2', start: at, end: at + 1 },
  ...{ referenceBases: 'G', alternateBases: 'A' },
};
const withVariant = (one: object) => ({
  genomicFeatures: [{ gene: { id: 'SCN1A' }, variant: { ...variant, ...one } }],
});

/** 30 reads at the variant for `SMP-cand`, 5 for `SMP-own`; both have 12 at the five bases from 100 after it on. */
const people: (Person & { tenant: string })[] = [
  { id: 'SMP-own', tenant: 'cardio', stretches: stretches(5) },
  { id: 'SMP-cand', tenant: 'neuro', stretches: stretches(30) },
  { id: 'SMP-37', tenant: 'cardio', build: 'GRCh37', stretches: [{ chromosome: '2', start: at37, depths: [20] }] },
  { id: 'SMP-5', tenant: 'cardio', thresholds: [5], stretches: [] },
];

function stretches(depth: number): Person['stretches'] {
  return [
    { chromosome: '2', start: at, depths: [depth] },
    { chromosome: '2', start: at + 100, depths: [12, 12, 12, 12, 12] },
  ];
}

/** Three samples, of which the first carries the variant. */
async function fill(lab: TriageServer, folder: string): Promise<void> {
  const samples = lab.server.repository(coverageSamples);
  const registered = people.map(({ id, build = 'GRCh38' as const, tenant }) => {
    return { id, build, sex: 'unknown' as const, file: { path: join(folder, tenant, `${id}.d4`) }, labels: {} };
  });
  await samples.register(registered, new Date(0));
  for (const person of people) {
    const [{ revision } = { revision: '' }] = await samples.find([person.id]);
    await samples.record(person.id, revision, checkOf(person));
  }
  const repository = lab.server.repository(beacon);
  await repository.addDataset(dataset('ds', { assembly: 'GRCh38', access: 'CONTROLLED' }), new Date());
  const carried = { ...allele('2', at + 1, 'G', 'A'), carriers: [[0, 1] as [number, number]] };
  await add(repository, 'ds', { 'SMP-own': {}, 'SMP-cand': {}, other: {} }, [carried], new Date());
  await lab.add(lab.scout, patient('P-1', { ...withVariant({}), _sample: 'SMP-own' }));
  const contact = { contact: { name: 'Dr. Far', href: 'mailto:far@clinic.example.org' } };
  const candidate = (id: string, more: object) => patient(id, { ...contact, ...more });
  await lab.add(
    lab.seqr,
    candidate('C-1', { _sample: 'SMP-cand' }),
    candidate('C-2', { _sample: 'SMP-unregistered' }),
    candidate('C-3', {}),
    candidate('C-4', { _sample: 'SMP-37' }),
    candidate('C-5', { _sample: 'SMP-5' }),
  );
  await lab.match(lab.scout, patient('P-1', withVariant({})));
  // With the position of a VCF file, and without an end that would show it.
  const { end: _, ...vcf } = variant;
  const other = { ...variant, start: at + 102, end: at + 103 };
  const deletion = { ...variant, start: at + 100, end: at + 102, referenceBases: 'GT', alternateBases: 'G' };
  const genomicFeatures = [{ ...vcf, start: at + 1 }, other, deletion].map((one) => {
    return { gene: { id: 'SCN1A' }, variant: one };
  });
  await lab.match(lab.seqr, patient('Q-1', { ...contact, genomicFeatures }));
}

/** As counted by hand: SMP-own carries it with 5 reads, SMP-cand is covered, the third has no registration. */
const counts = {
  ...{ dataset: 'ds', shared: false, carriers: 1, homozygotes: 0, alleleCount: 1, samples: 3 },
  denominator: {
    ...{ threshold: 10, total: 3, covered: 1, notCovered: 1, unknown: 1 },
    ...{ carriers: 1, homozygotes: 0, alleleCount: 1, alleleNumber: 4, carriersBelowThreshold: 1 },
  },
};
const unseen = {
  ...{ dataset: 'ds', shared: false, carriers: 0, homozygotes: 0, alleleCount: 0, samples: 3 },
  denominator: {
    ...{ threshold: 10, total: 3, covered: 2, notCovered: 0, unknown: 1 },
    ...{ carriers: 0, homozygotes: 0, alleleCount: 0, alleleNumber: 4, carriersBelowThreshold: 0 },
  },
};

const numberOf = async (lab: TriageServer, id: string) =>
  (await lab.server.repository(matchmaker).patient(id))?.number ?? 0;

async function localOf(lab: TriageServer, token: string, id = 'P-1'): Promise<Record<string, Json>> {
  const { body } = await lab.ask('GET', `/matchmaker/submissions/${await numberOf(lab, id)}`, { token });
  return Object.fromEntries(body.rows.map(({ patient: other, local }: Json) => [other, local]));
}

async function audited(lab: TriageServer): Promise<ReadEntry[]> {
  const all: ReadEntry[] = [];
  const keys = new AuditKeys(key);
  for await (const page of readEntries({ repository: lab.server.repository(audit), keys }, {})) all.push(...page);
  return all;
}

for (const storage of dealt(storages, 'postgres')) {
  describe(`matchmaker: coverage and counts beside rows on ${storage.name}`, function () {
    this.timeout(60_000);
    const folder = blockFolder();
    const lab = useOnce(async () => {
      const plugins = { coverage: { roots: [folder] }, beacon: {} };
      return serveTriage(storage, { plugins, settings: { audit: { key } } });
    });
    let reader: string;
    before(async () => {
      await fill(lab, folder);
      reader = await lab.server.token('matchmaker:read', 'coverage:read', 'beacon:observe');
    });

    it('say whether the candidate is covered, why that is unknown, and how often the allele was seen', async () => {
      const local = await localOf(lab, reader);
      const shown = { from: 'submission', gene: 'SCN1A', counts: [counts] };
      const stated = {
        ...{ assembly: 'GRCh38', chromosome: '2', start: at, end: at + 1, reference: 'G', alternate: 'A' },
      };
      const unknown = (reason: string) => ({ state: 'unknown', threshold: 10, reason });
      expect(local['C-1']).to.deep.equal([
        { ...shown, variant: stated, coverage: { state: 'covered', threshold: 10 } },
      ]);
      const coverages = ['C-2', 'C-3', 'C-4', 'C-5'].map((id) => local[id][0].coverage);
      expect(coverages).to.deep.equal([
        unknown('unregistered'),
        undefined,
        unknown('other-build'),
        unknown('other-threshold'),
      ]);
      expect(local['C-3']).to.deep.equal([{ ...shown, variant: stated }]);
    });

    it('say it of our sample at the variants of others, also with positions of VCF files', async () => {
      const { 'Q-1': local } = await localOf(lab, reader);
      expect(local.map(({ from, coverage }: Json) => [from, coverage.state])).to.deep.equal([
        // At both of the places that the stated position may mean.
        ['counterpart', 'not-covered'],
        ['counterpart', 'covered'],
        // One base before the deletion has no reads.
        ['counterpart', 'not-covered'],
      ]);
      expect(local[0].counts).to.deep.equal([{ ...counts, oneBased: true }]);
      expect(local[1].counts).to.deep.equal([unseen]);
    });

    it('ask each service once for all rows, and record who saw what', async () => {
      const before = (await audited(lab)).length;
      await localOf(lab, reader);
      const entries = (await audited(lab)).slice(before);
      const about = (action: string) => entries.filter((one) => one.action === action).map((one) => one.about);
      expect(about('beacon.observe')).to.deep.equal([['dataset:ds']]);
      expect(about('coverage.callability').map((all) => [...(all ?? [])].sort())).to.deep.equal([
        ['sample:SMP-37', 'sample:SMP-5', 'sample:SMP-cand', 'sample:SMP-own'],
      ]);
    });

    it('show each caller what the rights allow, and ask nothing without a right', async () => {
      const before = (await audited(lab)).length;
      expect(Object.values(await localOf(lab, lab.scout)).filter((one) => one !== undefined)).to.deep.equal([]);
      const asked = (await audited(lab)).slice(before).map(({ action }) => action);
      expect(asked).to.not.include('coverage.callability').and.not.include('beacon.observe');
      const covers = await lab.server.token('matchmaker:read', 'coverage:read');
      const { 'C-1': [covered] = [], 'C-3': none } = await localOf(lab, covers);
      expect([covered.coverage.state, covered.counts, none]).to.deep.equal(['covered', undefined, undefined]);
      const observes = await lab.server.token('matchmaker:read', 'beacon:observe:ds');
      const { 'C-1': [observed] = [] } = await localOf(lab, observes);
      expect([observed.coverage, observed.counts]).to.deep.equal([undefined, [counts]]);
    });

    it('are on the pages, in both languages', async () => {
      const number = await numberOf(lab, 'P-1');
      const page = async (path: string, language: string) => {
        const headers = { accept: 'text/html', 'accept-language': language };
        return (await lab.ask('GET', path, { token: reader, headers })).text;
      };
      const list = await page(`/matchmaker/submissions/${number}`, 'en');
      expect(list)
        .to.include('covered (≥ 10x)')
        .and.include('in the other patient')
        .and.include('coverage unknown: the linked sample is not registered')
        .and.include('1 carrier, 0 of them among 1 covered sample of 3')
        .and.not.include('SMP-');
      const { id } = await lab.rowOf(reader, number, 'Q-1');
      const row = await page(`/matchmaker/submissions/${number}/rows/${id}`, 'sv');
      expect(row)
        .to.include('Täckning och förekomst på denna server')
        .and.include('inte täckt (≥ 10x)')
        .and.include('1 bärare, varav 0 bland 1 täckt prov av 3; om startpositionen räknas från 1')
        .and.include('0 bärare bland 2 täckta prover av 3');
    });

    it('rest on a sample id that no other client and no node sees', async () => {
      lab.peer.behave(found(patient('F-1')));
      await lab.matchFar(lab.scout, 'P-1');
      const sent = JSON.stringify(lab.peer.asked);
      const match = await lab.ask('POST', '/match', {
        token: lab.seqr,
        body: { patient: patient('C-1', { _sample: 'SMP-x' }) },
      });
      const records = await lab.ask('GET', '/matches/C-1', { token: lab.seqr });
      const theirs = await lab.ask('GET', '/matches/P-1', { token: lab.scout });
      for (const text of [sent, match.text, records.text, theirs.text])
        expect(text).to.include('P-1').and.not.include('SMP-');
      const own = await lab.ask('GET', '/patient/P-1', { token: lab.scout });
      expect(own.body.patient._sample).to.equal('SMP-own');
      const bad = await lab.ask('POST', '/patient/add', {
        token: lab.scout,
        body: { patient: patient('X', { _sample: 7 }) },
      });
      expect(bad.body._warnings).to.deep.equal([
        { path: 'patient._sample', message: 'is not the id of a sample: no sample is linked' },
      ]);
    });
  });
}

describe('matchmaker: coverage beside rows of the other build', function () {
  this.timeout(60_000);
  const folder = blockFolder();
  let lab: TriageServer;
  before(async () => {
    const [engine] = storages;
    if (!engine) throw new Error('there is an engine');
    const plugins = { coverage: { roots: [folder] }, beacon: {} };
    lab = await serveTriage(engine, { plugins, matchmaker: { resources: { check: 0.05 } } });
    await lab.server
      .repository(matchmakerResources)
      .replace([await storedResource(await read(chain), 'chain', new Date(0))]);
    const loaded = async () => {
      const { body } = await lab.ask('GET', '/heartbeat', { token: lab.scout });
      return 'lift-38-37' in body._resources.versions;
    };
    while (!(await loaded())) await new Promise((resolve) => setTimeout(resolve, 20));
    await fill(lab, folder);
    const others = { 'P-2': at + 1, 'P-3': at + 5000 };
    for (const [id, start] of Object.entries(others)) {
      const genomicFeatures = [{ gene: { id: 'SCN2A' }, variant: { ...variant, start, end: start + 1 } }];
      await lab.add(lab.scout, patient(id, { genomicFeatures }));
      await lab.match(lab.scout, patient(id, { genomicFeatures }));
    }
  });
  after(async () => {
    await lab?.close();
  });

  it('is that of the bases to which the chains lift the variant, and says so', async () => {
    const reader = await lab.server.token('matchmaker:read', 'coverage:read');
    const coverage = async (id: string, of: string) => (await localOf(lab, reader, id))[of][0].coverage;
    expect(await coverage('P-1', 'C-4')).to.deep.equal({ state: 'covered', threshold: 10, lifted: 'GRCh37' });
    expect(await coverage('P-1', 'C-1'), 'of its own build').to.deep.equal({ state: 'covered', threshold: 10 });
    expect(await coverage('P-2', 'C-4')).to.deep.equal({ state: 'not-covered', threshold: 10, lifted: 'GRCh37' });
    expect(await coverage('P-3', 'C-4'), 'beyond the chain').to.deep.equal({
      ...{ state: 'unknown', threshold: 10, reason: 'other-build' },
    });
    const path = `/matchmaker/submissions/${await numberOf(lab, 'P-1')}`;
    const page = async (language: string) =>
      (await lab.ask('GET', path, { token: reader, headers: { accept: 'text/html', 'accept-language': language } }))
        .text;
    expect(await page('en')).to.include('covered (≥ 10x), lifted over to GRCh37');
    expect(await page('sv')).to.include('täckt (≥ 10x), omräknat till GRCh37');
  });
});

describe('matchmaker: coverage and counts beside rows of tenants', function () {
  this.timeout(60_000);
  const folder = blockFolder();
  let lab: TriageServer;
  before(async () => {
    const [engine] = storages;
    if (!engine) throw new Error('there is an engine');
    const tenants = {
      cardio: { clients: ['scout'], roots: [join(folder, 'cardio')] },
      neuro: { clients: ['seqr'], roots: [join(folder, 'neuro')], datasets: ['ds'] },
    };
    const plugins = { coverage: { roots: [folder] }, beacon: {} };
    lab = await serveTriage(engine, { plugins, settings: { auth: { tenants } } });
    await fill(lab, folder);
  });
  after(async () => {
    await lab?.close();
  });

  it('show nothing of samples and datasets of another tenant, not even that a sample is linked', async () => {
    const cardio = await lab.server.token('matchmaker:read:scout', 'coverage:read:cardio', 'beacon:observe:other');
    const local = await localOf(lab, cardio);
    expect([local['C-1'], local['C-2'], local['C-3']]).to.deep.equal([undefined, undefined, undefined]);
    expect(local['Q-1'].map(({ coverage, counts: all }: Json) => [coverage.state, all])).to.deep.equal([
      ['not-covered', undefined],
      ['covered', undefined],
      ['not-covered', undefined],
    ]);
    const neuro = await lab.server.token('matchmaker:read', 'coverage:read:neuro', 'beacon:observe:ds');
    const { 'C-1': [ofCandidate] = [], 'Q-1': [ofOwn] = [] } = await localOf(lab, neuro);
    expect([ofCandidate.coverage.state, ofOwn.coverage]).to.deep.equal([
      'covered',
      { state: 'unknown', threshold: 10, reason: 'unregistered' },
    ]);
  });
});
