/** Changes of the beacon: by commands, and by servers that are killed and followed by another. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { issueToken } from '../../../core/auth/access.js';
import { tokens } from '../../../core/auth/contract.js';
import { erasures } from '../../../core/erasures/contract.js';
import { jobs } from '../../../core/jobs/contract.js';
import {
  type Allele,
  beacon,
  beaconConsequences,
  beaconDepths,
  beaconGenes,
  beaconProtection,
  pairNumber,
} from '../../../plugins/beacon/contract.js';
import { beaconEraser } from '../../../plugins/beacon/eraser.js';
import { withAllKept } from '../../../plugins/beacon/vcf/consequences/kept.js';
import { countOrphans } from '../../plugins/beacon/support/orphans.js';
import { fastaOf, loadFasta } from '../../plugins/beacon/support/reference.js';
import { dataset, load } from '../../plugins/beacon/support/serve.js';
import { vcf } from '../../plugins/beacon/support/vcf.js';
import { until } from '../../plugins/beacon/support/write.js';
import { selectNumber } from '../../support/sql.js';
import { started } from '../../support/started.js';
import { arrivals, steps } from '../../support/steps.js';
import { beaconBin, type Outcome, Running } from '../../support/trefoil.js';
import type { Change, Killed, Place } from '../harness.js';

const plain: Pick<Change, 'contracts' | 'settings'> = {
  contracts: [erasures, jobs, tokens, beacon, beaconGenes, beaconDepths, beaconConsequences],
  settings: () => ({ plugins: { beacon: {} } }),
};
const byCommand = (place: Place, words: readonly string[], killed?: Killed) =>
  place.run(words, { script: beaconBin, ...killed });
const verify = (place: Place) => place.done(['verify'], { script: beaconBin });

async function expectNothingLeft({ storage, home }: Place): Promise<void> {
  const repository = storage.repository(beacon);
  await repository.sweep(new Date(Date.now() + 60_000));
  expect(await repository.leftovers()).to.equal(0);
  expect(await countOrphans(home.section)).to.equal(0);
}

const first = vcf({ samples: ['a'], records: ['1 1 . A C . . . GT:AF 0/1:0.01', '1 2 . A C . . . GT:AF 1/1:0.02'] });
/** Unordered, with an allele that `a` already has and a breakend. */
const second = vcf({
  samples: ['a', 'b'],
  records: [
    '1 5 . A G . . . GT:AF 0/1:0.04 0/1:0.08',
    '2 7 . A A[3:9[ . . SVTYPE=BND GT 0/0 0/1',
    '1 1 . A C . . . GT:AF 0/1:0.2 1/1:0.16',
    '1 5 . A G . . . GT:AF 0/1:0.2 0/1:0.2',
  ],
});
/** Alleles, calls, samples, and the sum of the allele fractions: 1:1 once and 1:2 twice in a. */
const before = [2, 3, 1, 1 + 2];
/** And 1:5 once in each, 1:1 twice in b, and the breakend once in b. */
const after = [4, 8, 2, 1 + 2 + 4 + 8 + 16];
/** b alone: 1:5 once, 1:1 twice, the breakend once. */
const rest = [3, 4, 1, 8 + 16];

/** Small variants of a anew: 1:2 once and 1:9 once, beside what b has. */
const third = vcf({ samples: ['a'], records: ['1 2 . A C . . . GT:AF 0/1:0.03', '1 9 . A T . . . GT:AF 0/1:0.1'] });
const replaced = [5, 6, 2, 8 + 16 + 3 + 10];

interface Command extends Pick<Change, 'name' | 'steps'> {
  words: string[];
  /** The totals of the dataset; undefined if it does not exist. */
  from: number[];
  to: number[] | undefined;
}

const commands: Command[] = [
  {
    name: 'a load',
    words: ['add', 'variants', '--ds', 'ds', '--vcf', 'second.vcf'],
    ...{ from: before, to: after },
    // The sweep removes the segment staged first, which its reduced copy replaces.
    steps: [...steps.load, ...steps.publish, ...steps.sweep],
  },
  {
    name: 'a load that replaces',
    words: ['add', 'variants', '--ds', 'ds', '--vcf', 'third.vcf', '--replace', '--force'],
    ...{ from: after, to: replaced },
    steps: [...steps.load.slice(0, -1), ...steps.replacement, ...steps.publish.slice(1), ...steps.sweep],
  },
  {
    name: 'a deletion of samples',
    words: ['delete', 'variants', '--ds', 'ds', '--sample', 'a', '--yes'],
    ...{ from: after, to: rest },
    steps: [
      ...steps.load.slice(0, -1),
      ...steps.removal,
      // Only a load has `reduced` and `counted`: here the totals of the two segments are counted.
      ...steps.publish.slice(2),
      ...steps.sweep,
    ],
  },
  {
    name: 'a deletion of a dataset',
    words: ['delete', 'dataset', '--id', 'ds', '--yes'],
    ...{ from: after, to: undefined },
    steps: [...steps.removalOfDataset, ...steps.sweep],
  },
];

async function totals({ storage }: Place): Promise<number[] | undefined> {
  const repository = storage.repository(beacon);
  const found = await repository.dataset('ds');
  if (found === undefined) return undefined;
  const alleles: Allele[] = [];
  await repository.eachAllele('ds', async (some) => void alleles.push(...some));
  const percents = (await repository.fractions('ds', alleles)).flatMap((one) => [...one.values()]);
  const sum = percents.reduce((all, percent) => all + percent, 0);
  return [found.alleleCount, found.callCount, found.sampleCount, sum];
}

const changes = commands.map(
  ({ words, from, to, ...row }): Change => ({
    ...plain,
    ...row,
    name: `beacon: ${row.name}`,
    arrivals,
    async prepare(place) {
      const repository = place.storage.repository(beacon);
      await repository.addDataset(dataset('ds'), new Date());
      await load(repository, 'ds', [await place.write('first.vcf', first)]);
      const path = await place.write('second.vcf', second);
      await place.write('third.vcf', third);
      if (from !== before) await load(repository, 'ds', [path]);
    },
    make: (place, killed) => byCommand(place, words, killed),
    async isDone(place, step) {
      const seen = await totals(place);
      expect([from, to]).to.deep.include(seen);
      if (/committed|sweep/.test(step)) expect(seen, 'what was committed').to.deep.equal(to);
      await verify(place);
      // Once a sample or a dataset is deleted, a second command would find nothing to delete.
      return seen?.join() !== from.join();
    },
    async done(place) {
      expect(await totals(place)).to.deep.equal(to);
      await expectNothingLeft(place);
      if (to === undefined) return;
      const [alleles, calls, samples] = to;
      const repository = place.storage.repository(beacon);
      expect(await repository.recount('ds')).to.deep.equal({ alleles, calls, samples });
      // A sample without facts has no date.
      const dated = (await repository.sampleFacts('ds')).filter(({ added }) => added !== undefined);
      expect(dated.length).to.equal(samples);
    },
  }),
);

/** Two spellings of one deletion in each sample of one load, a third one of `a` in another, and one that has its place. */
const repeats = ['1 2 . CAC C . . . GT 1/1 0/1', '1 5 . ACA A . . . GT 0/1 1/1', '1 7 . AT A . . . GT 0/1 0/1'];
const [trimmed, aligned] = [
  [4, 9, 2, 0],
  [2, 6, 2, 0],
];

const rewriting: Change = {
  ...plain,
  name: 'beacon: the rewriting of a dataset',
  steps: [
    ...steps.load.slice(0, -1),
    ...steps.rewrite,
    // Only a load has `reduced` and `counted`.
    ...steps.publish.slice(2),
    ...steps.sweep,
  ],
  arrivals,
  settings: (folder) => ({ plugins: { beacon: { references: { folder } } } }),
  async prepare(place) {
    const repository = place.storage.repository(beacon);
    await repository.addDataset(dataset('ds'), new Date());
    await load(repository, 'ds', [await place.write('both.vcf', vcf({ samples: ['a', 'b'], records: repeats }))]);
    const third = vcf({ samples: ['a'], records: ['1 3 . ACA A . . . GT 0/1'] });
    await load(repository, 'ds', [await place.write('third.vcf', third)]);
    expect(await totals(place)).to.deep.equal(trimmed);
    await loadFasta(place.folder, fastaOf({ chr1: 'GCACACATGG' }));
  },
  make: (place, killed) => byCommand(place, ['rewrite', 'datasets'], killed),
  async isDone(place, step) {
    const seen = await totals(place);
    expect([trimmed, aligned]).to.deep.include(seen);
    const found = await place.storage.repository(beacon).dataset('ds');
    expect(found?.alignedTo !== undefined, 'the form fits the totals').to.equal(seen?.join() === aligned.join());
    if (/committed|sweep/.test(step)) expect(seen, 'what was committed').to.deep.equal(aligned);
    await verify(place);
    return false;
  },
  async done(place) {
    expect(await totals(place)).to.deep.equal(aligned);
    await expectNothingLeft(place);
    const [alleles, calls, samples] = aligned;
    expect(await place.storage.repository(beacon).recount('ds')).to.deep.equal({ alleles, calls, samples });
    const removed = await place.storage.repository(beacon).removeSamples('ds', ['a'], new Date());
    expect(removed).to.deep.equal({ alleles: 0, calls: 3, samples: 1 });
  },
};

const publication: Change = {
  name: 'beacon: a publication of a protected dataset',
  steps: [...steps.load.slice(0, -1), ...steps.removal, ...steps.publish.slice(2), ...steps.sweep],
  // Once the alleles of those who leave are removed, and their names are published still.
  contracts: [...plain.contracts, beaconProtection],
  settings: () => ({ plugins: { beacon: { protection: { default: 'careful' } } } }),
  async prepare(place) {
    const repository = place.storage.repository(beacon);
    const protection = place.storage.repository(beaconProtection);
    await repository.addDataset(dataset('ds'), new Date());
    const records = ['1 1 . A C . . . GT 0/1 0/1 0/0', '1 2 . A C . . . GT 1/1 0/0 0/1'];
    await load(repository, 'ds', [await place.write('all.vcf', vcf({ samples: ['a', 'b', 'c'], records }))]);
    const { created = new Date() } = (await repository.dataset('ds')) ?? {};
    // c is new, a is to leave.
    const published = { dataset: 'ds', created, samples: ['a', 'b'], totals: { alleles: 2, calls: 4, samples: 2 } };
    await protection.publish(published, new Date());
    await protection.withdraw('ds', ['a']);
  },
  make: (place, killed) => byCommand(place, ['publish', 'dataset', '--ds', 'ds', '--now', '--yes'], killed),
  async isDone({ storage }) {
    const protection = storage.repository(beaconProtection);
    expect((await protection.published('ds'))?.samples).to.deep.equal(['a', 'b']);
    expect(await protection.leaving('ds')).to.deep.equal(['a']);
    expect(['a,b,c', 'b,c']).to.include((await storage.repository(beacon).samples('ds')).join());
    return false;
  },
  async done(place) {
    const protection = place.storage.repository(beaconProtection);
    expect((await protection.published('ds'))?.samples).to.deep.equal(['b', 'c']);
    expect(await protection.leaving('ds')).to.deep.equal([]);
    expect(await place.storage.repository(beacon).samples('ds')).to.deep.equal(['b', 'c']);
    const [made] = await protection.publications();
    expect(made?.totals).to.deep.equal({ alleles: 2, calls: 2, samples: 2 });
    await verify(place);
  },
};

const csq =
  '##INFO=<ID=CSQ,Number=.,Type=String,Description="Annotations from VEP. Format: Allele|Consequence|SYMBOL">';
const annotatedVcf = (version: string, records: string[]) =>
  vcf({ samples: ['a'], header: [`##VEP="${version}"`, csq], records });

/** a is published with alleles that it has no more by the calls that wait, of which something is known. */
const waiting = annotatedVcf('v1', [
  '1 3 . A C . . CSQ=C|stop_gained|G GT 0|1',
  '1 4 . A C . . CSQ=C|stop_lost|G GT 0|1',
]);
const pair = pairNumber('1', { start: 2, alternate: 'C' }, { start: 3, alternate: 'C' }) as number;

/** What is known of the alleles of a dataset, and of the pair in its samples. */
async function known({ storage }: Place): Promise<[starts: number[], phases: unknown[]]> {
  const { alleles } = await storage.repository(beaconConsequences).ofGene('ds', { symbol: 'G' });
  const phases = await storage.repository(beaconDepths).findPhases('ds', [pair], ['a', 'b']);
  return [alleles.map(({ allele }) => allele.start), [...phases].map(([name, own]) => [name, own.get(pair)])];
}
const protectedSettings: Change['settings'] = () => ({
  plugins: { beacon: { protection: { datasets: { ds: { profile: 'careful', batch: 2 } } } } },
});

async function preparePublished(place: Place): Promise<void> {
  const repository = place.storage.repository(beacon);
  await repository.addDataset(dataset('ds'), new Date());
  const records = ['1 1 . A C . . . GT 0/1 0/1', '1 2 . A C . . . GT 1/1 0/0'];
  await load(repository, 'ds', [await place.write('all.vcf', vcf({ samples: ['a', 'b'], records }))]);
  const { created = new Date() } = (await repository.dataset('ds')) ?? {};
  const totals = { alleles: 2, calls: 4, samples: 2 };
  await place.storage
    .repository(beaconProtection)
    .publish({ dataset: 'ds', created, samples: ['a', 'b'], totals }, new Date());
  await place.write('waiting.vcf', waiting);
}

const waits = ['add', 'variants', '--ds', 'ds', '--vcf', 'waiting.vcf', '--replace', '--force'];

/** The loads that wait, and the totals. */
async function waitingIn(place: Place): Promise<[loads: number, totals: number[] | undefined]> {
  const { created = new Date() } = (await place.storage.repository(beacon).dataset('ds')) ?? {};
  const loads = await place.storage.repository(beaconProtection).loads({ dataset: 'ds', created });
  return [loads.length, await totals(place)];
}

const postponed: Change = {
  name: 'beacon: a load that waits for a publication',
  steps: [...steps.waiting],
  contracts: [...plain.contracts, beaconProtection],
  settings: protectedSettings,
  prepare: preparePublished,
  make: (place, killed) => byCommand(place, waits, killed),
  async isDone(place, step) {
    const isKept = step === 'beacon.wait.kept';
    expect(await waitingIn(place)).to.deep.equal([isKept ? 1 : 0, [2, 4, 2, 0]]);
    return isKept;
  },
  async done(place) {
    expect(await waitingIn(place)).to.deep.equal([1, [2, 4, 2, 0]]);
    await verify(place);
  },
};

const brought: Change = {
  name: 'beacon: a publication that brings calls that waited',
  steps: [...steps.bringing, ...steps.replacement, ...steps.publish.slice(1), ...steps.brought, ...steps.consequences],
  contracts: [...plain.contracts, beaconProtection],
  settings: protectedSettings,
  async prepare(place) {
    await preparePublished(place);
    await byCommand(place, waits);
  },
  make: (place, killed) => byCommand(place, ['publish', 'dataset', '--ds', 'ds', '--now', '--yes'], killed),
  async isDone(place, step) {
    const [publication] = await place.storage.repository(beaconProtection).publications();
    const seen = await totals(place);
    const isStored = [...steps.brought, ...steps.consequences].some((one) => one === step);
    // Old calls or new ones, and no answers to callers without a grant from the moment on at which they change.
    expect([
      [2, 4, 2, 0],
      [3, 3, 2, 0],
    ]).to.deep.include(seen);
    expect([publication?.generation, publication?.held]).to.deep.equal(isStored ? [2, undefined] : [1, true]);
    expect((await waitingIn(place))[0]).to.equal(isStored ? 0 : 1);
    const isPublished = steps.consequences.some((one) => one === step);
    expect((await known(place))[0]).to.deep.equal(isPublished ? [2, 3] : []);
    return false;
  },
  async done(place) {
    expect(await waitingIn(place)).to.deep.equal([0, [3, 3, 2, 0]]);
    expect(await known(place)).to.deep.equal([[2, 3], [['a', 'cis']]]);
    const consequences = place.storage.repository(beaconConsequences);
    await consequences.sweep(new Date(Date.now() + 60_000));
    expect([await consequences.unsettled(), await consequences.waiting('ds')]).to.deep.equal([[], []]);
    const protection = place.storage.repository(beaconProtection);
    const [publication] = await protection.publications();
    expect([publication?.generation, publication?.held]).to.deep.equal([2, undefined]);
    expect((await protection.published('ds'))?.since).to.deep.equal([2, 1]);
    await verify(place);
  },
};

const annotatedLoad: Change = {
  name: 'beacon: a load that replaces calls and consequences',
  steps: steps.consequences,
  ...plain,
  async prepare(place) {
    await place.storage.repository(beacon).addDataset(dataset('ds'), new Date());
    const records = ['1 1 . A C . . CSQ=C|stop_gained|G GT 0/1', '1 2 . A C . . CSQ=C|stop_lost|G GT 0/1'];
    await place.write('first.vcf', annotatedVcf('v1', records));
    await byCommand(place, ['add', 'variants', '--ds', 'ds', '--vcf', 'first.vcf']);
    const others = ['1 2 . A C . . CSQ=C|stop_lost|G GT 0/1', '1 3 . A T . . CSQ=T|stop_gained|H GT 0/1'];
    await place.write('second.vcf', annotatedVcf('v2', others));
  },
  make: (place, killed) =>
    byCommand(place, ['add', 'variants', '--ds', 'ds', '--vcf', 'second.vcf', '--replace', '--force'], killed),
  async isDone(place, step) {
    // The calls are replaced; what nobody carries is known to be there until it is removed.
    expect(await totals(place)).to.deep.equal([2, 2, 1, 0]);
    const consequences = place.storage.repository(beaconConsequences);
    expect(await consequences.unsettled()).to.deep.equal([{ dataset: 'ds', isMarked: true }]);
    const { alleles } = await consequences.ofGene('ds', { symbol: 'G' });
    expect(alleles.map(({ source }) => source.version)).to.deep.equal(/pruned/.test(step) ? ['v2'] : ['v1', 'v2']);
    return false;
  },
  async done({ storage }) {
    const consequences = storage.repository(beaconConsequences);
    expect(await consequences.unsettled()).to.deep.equal([]);
    expect((await consequences.sources('ds')).map(({ version, alleles }) => [version, alleles])).to.deep.equal([
      ['v2', 2],
    ]);
    expect((await consequences.ofGene('ds', { symbol: 'G' })).alleles).to.have.length(1);
  },
};

const erasedLoad: Change = {
  name: 'beacon: a load of a person who is erased then',
  steps: [...steps.load.slice(0, -1), ...steps.publish.slice(1), ...steps.consequences.slice(0, 1)],
  ...plain,
  async prepare(place) {
    await place.storage.repository(beacon).addDataset(dataset('ds'), new Date());
    const records = ['1 1 . A C . . CSQ=C|stop_gained|G GT 0|1', '1 2 . A C . . CSQ=C|stop_lost|G GT 0|1'];
    await place.write('first.vcf', annotatedVcf('v1', records));
  },
  make: (place, killed) => byCommand(place, ['add', 'variants', '--ds', 'ds', '--vcf', 'first.vcf'], killed),
  async isDone({ storage, home }) {
    const [depths, consequences] = [storage.repository(beaconDepths), storage.repository(beaconConsequences)];
    const repository = withAllKept(storage.repository(beacon), { depths, consequences });
    const generations = { begin: async () => undefined, forget: async () => undefined };
    const eraser = beaconEraser({ repository, generations, depths, consequences, now: () => new Date() });
    await eraser.erase([{ id: 'a', holder: 'own', scope: 'all' }]);
    expect([await repository.samples('ds'), await repository.leftovers()]).to.deep.equal([[], 0]);
    expect(await countOrphans(home.section)).to.equal(0);
    expect(await consequences.sweep(new Date(Date.now() + 60_000)), 'loads that were killed').to.equal(0);
    await consequences.publish('ds', await consequences.waiting('ds'), new Date());
    expect(await consequences.ofGene('ds', { symbol: 'G' })).to.deep.equal({ alleles: [] });
    return true;
  },
  done: verify,
};

/** Servers whose jobs are taken over soon after a kill. */
const server: Pick<Change, 'contracts' | 'settings'> = {
  ...plain,
  settings: (folder) => ({
    http: { port: 0 },
    jobs: { pollSeconds: 0.1, leaseSeconds: 1, renewSeconds: 0.1, retrySeconds: 0.1 },
    plugins: { beacon: { uploads: { folder: join(folder, 'uploads') } } },
  }),
};
/** The server that follows one that was killed. */
async function withNext(place: Place, work: (url: string) => Promise<void>): Promise<void> {
  const next = await started(join(place.folder, 'trefoil.yaml'));
  try {
    await work(next.url);
  } finally {
    await next.stop();
  }
}

/** Runs a server until it is killed; `act` is done once it listens. */
async function serveKilled(place: Place, killed: Killed, act?: (url: string) => Promise<void>): Promise<Outcome> {
  const running = new Running(['serve', '--config', 'trefoil.yaml'], { cwd: place.folder, ...killed });
  try {
    const [, url = ''] = act ? await running.says(/"url":"([^"]+)".*is ready/) : [];
    await act?.(url);
    return await running.ended;
  } finally {
    await running.kill('SIGKILL');
  }
}

const size = 3000;
const lines = Array.from({ length: size }, (_, i) => `1\t${i + 1}\t.\tA\tC\t.\t.\t.\tGT\t0/1\t1/1\n`);
const uploaded = `##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n${lines.join('')}`;
/** `a` has one copy of each allele, `b` two. */
const loaded = { alleles: size, calls: 3 * size, samples: 2 };
const recount = ({ storage }: Place) => storage.repository(beacon).recount('ds');
const uploads = ({ folder }: Place) => readdir(join(folder, 'uploads'));
const queued = ({ storage }: Place) => storage.repository(jobs).list({ limit: 2 });

/** Sends the file; the server may be killed before it responds. */
async function send({ storage }: Place, url: string): Promise<void> {
  const { token } = await issueToken(storage.repository(tokens), { owner: 'lab', scopes: ['*'] }, new Date());
  const response = await fetch(`${url}/apiv1.0/add?dataset_id=ds&assemblyId=GRCh37`, {
    method: 'POST',
    headers: { 'X-Auth-Token': token, 'Content-Type': 'text/vcf' },
    body: uploaded,
  }).catch((error: unknown) => {
    expect(error, 'the connection broke off').to.be.instanceOf(TypeError);
  });
  if (response) expect(response.status).to.equal(202);
}

async function finished(place: Place): Promise<void> {
  await until(async () => ['done', 'failed'].includes((await queued(place))[0]?.state ?? ''));
  expect((await queued(place))[0]).to.include({ state: 'done' });
}

const upload: Change = {
  ...server,
  name: 'beacon: the acceptance of an upload',
  steps: steps.add,
  prepare: ({ storage }) => storage.repository(beacon).addDataset(dataset('ds'), new Date()),
  make: (place, killed) => serveKilled(place, killed as Killed, (url) => send(place, url)),
  async isDone(place, step) {
    expect(await recount(place)).to.deep.equal({ alleles: 0, calls: 0, samples: 0 });
    expect(await uploads(place)).to.have.length(1);
    expect(await queued(place)).to.have.length(step === 'beacon.add.queued' ? 1 : 0);
    return false;
  },
  again: (place, step) =>
    withNext(place, async (url) => {
      const isReceived = step === 'beacon.add.received';
      // An upload without a job is kept for ten minutes; the client sends it again.
      if (isReceived) await send(place, url);
      await finished(place);
      await until(async () => (await uploads(place)).length === (isReceived ? 1 : 0));
    }),
  done: async (place) => expect(await recount(place)).to.deep.equal(loaded),
};

const repeated: Change = {
  ...upload,
  name: 'beacon: the load of an upload, six times',
  steps: ['beacon.load.stored'],
  async make(place, killed) {
    for (let kills = 1; ; kills++) {
      const act = kills === 1 ? (url: string) => send(place, url) : undefined;
      const outcome = await serveKilled(place, killed as Killed, act);
      if (kills === 6) return outcome;
      expect(outcome.signal).to.equal('SIGKILL');
    }
  },
  isDone: async () => false,
  async done(place, step) {
    // More where a busy machine lets a lease expire.
    expect((await queued(place))[0]?.crashes).to.be.at.least(6);
    await upload.done(place, step);
  },
};

export const imports = 9;
/** Of the n-th sample: an allele that all have, one that only it has, and a breakend. */
export const small = (n: number) =>
  vcf({
    samples: [`s${n}`],
    records: [
      '1 41 . T C . . . GT 0/1',
      `1 ${100 + n} . A G . . . GT 1/1`,
      `2 7 . A A[3:9[ . . SVTYPE=BND;CIPOS=-${n},3 GT 0/1`,
    ],
  });
export const published = ({ home }: Pick<Place, 'home'>) =>
  selectNumber(home.section, "select count(*) as number from beacon_segments where state = 'published'");

/** All of a dataset of samples that were loaded one by one. */
export async function contents({ storage }: Pick<Place, 'storage'>) {
  const repository = storage.repository(beacon);
  const exported: unknown[] = [];
  await repository.eachAllele('ds', async (alleles) => void exported.push(...alleles));
  return { exported, dataset: await repository.dataset('ds'), recount: await repository.recount('ds') };
}

/** What each place held before its merging. */
const held = new WeakMap<Place, unknown>();

const merging: Change = {
  ...server,
  name: 'beacon: the merging of small imports',
  steps: [...steps.load.slice(0, -1), ...steps.compact, ...steps.publish.slice(2), ...steps.sweep],
  // Where merging becomes visible.
  async prepare(place) {
    const repository = place.storage.repository(beacon);
    await repository.addDataset(dataset('ds'), new Date());
    for (let n = 0; n < imports; n++) await load(repository, 'ds', [await place.write(`${n}.vcf`, small(n))]);
    held.set(place, await contents(place));
  },
  make: (place, killed) => serveKilled(place, killed as Killed),
  async isDone(place, step) {
    expect(await contents(place)).to.deep.equal(held.get(place));
    expect(await published(place)).to.equal(/committed|sweep/.test(step) ? 2 : imports);
    return false;
  },
  again: (place) =>
    withNext(place, () => until(async () => (await place.storage.repository(beacon).fragmented()).length === 0)),
  async done(place) {
    expect(await contents(place)).to.deep.equal(held.get(place));
    await expectNothingLeft(place);
    // Eight in one, and the last.
    expect(await published(place)).to.equal(2);
    const removed = await place.storage.repository(beacon).removeSamples('ds', ['s3'], new Date());
    expect(removed).to.deep.equal({ alleles: 1, calls: 4, samples: 1 });
  },
};

export const beaconChanges: readonly Change[] = [
  ...changes,
  annotatedLoad,
  erasedLoad,
  rewriting,
  publication,
  postponed,
  brought,
  upload,
  repeated,
  merging,
];
