/** Changes of the coverage registry, its cohorts and tracks, and of known sites and regions. */
import { expect } from 'chai';
import { tokens } from '../../../core/auth/contract.js';
import { erasures } from '../../../core/erasures/contract.js';
import { jobs } from '../../../core/jobs/contract.js';
import { KnownCohorts } from '../../../plugins/coverage/cohorts/layout-regions.js';
import { storedCohorts } from '../../../plugins/coverage/cohorts/values.js';
import {
  coverage,
  coverageCohorts,
  coverageRegions,
  coverageSamples,
  coverageSites,
  coverageTracks,
} from '../../../plugins/coverage/contract.js';
import { WorkQueue } from '../../../plugins/coverage/measure/work-queue.js';
import { createCallability } from '../../../plugins/coverage/samples/callability/callability.js';
import { removeSamples } from '../../../plugins/coverage/samples/changes.js';
import { trackFollower } from '../../../plugins/coverage/samples/tracks/make-tracks.js';
import { store } from '../../plugins/coverage/callability/support.js';
import { coveredAt10, person, runsOfBlock } from '../../plugins/coverage/registry/support.js';
import { record, vcf } from '../../plugins/coverage/sites/support.js';
import { steps } from '../../support/steps.js';
import type { Change, Place } from '../harness.js';

/** A server with the coverage plugin and its default settings, which may read the folder. */
export const coverageServer: Pick<Change, 'contracts' | 'settings'> = {
  contracts: [
    ...[erasures, jobs, tokens, coverage, coverageSamples, coverageTracks, coverageCohorts],
    ...[coverageSites, coverageRegions],
  ],
  settings: (folder) => ({ plugins: { coverage: { roots: [folder] } } }),
};

const add = ['coverage', 'add', 'samples', '--sheet', 'samples.tsv'];
const remove = ['coverage', 'delete', 'samples', '--sample', 'A', '--yes'];

/** The file of A, with 12x in the first run of `person` unless another depth is given. */
const writeFile = ({ folder }: Place, depth?: number) =>
  person(`${folder}/a.d4`, 'female', depth === undefined ? {} : { depth });

async function writeSheet(place: Place): Promise<void> {
  writeFile(place);
  await place.write('samples.tsv', 'sample\tcoverage_file_path\tbuild\nA\ta.d4\tGRCh38\n');
}

/** Bases at 10x as the check says and as the runs have them; undefined if there is no sample. */
async function covered({ storage }: Place): Promise<[number, number] | undefined> {
  const samples = storage.repository(coverageSamples);
  const [sample] = await samples.find(['A']);
  if (sample === undefined) return undefined;
  let bases = 0;
  for (const block of await samples.runs('A')) {
    for (const { start, end, depthClass } of runsOfBlock(block, 1)) bases += depthClass === 1 ? end - start : 0;
  }
  return [sample.check?.covered[0] ?? 0, bases];
}

const registered: readonly number[] = [coveredAt10, coveredAt10];
/** With 9x in place of 12x: the file is another one and covers a megabase less. */
const checked = registered.map((bases) => bases - 1_000_000);

interface Registration extends Pick<Change, 'name' | 'steps'> {
  words: readonly string[];
  before: readonly number[] | undefined;
  after: readonly number[] | undefined;
}

const registrations: Registration[] = [
  { name: 'a registration', words: add, steps: steps.register, before: undefined, after: checked },
  {
    name: 'the check of a file that was replaced',
    ...{ words: add, steps: steps.check, before: registered, after: checked },
  },
  { name: 'a deletion', words: remove, steps: steps.unregister, before: registered, after: undefined },
];

const registry = registrations.map(
  ({ words, before, after, ...row }): Change => ({
    ...coverageServer,
    ...row,
    name: `coverage: ${row.name}`,
    async prepare(place) {
      await writeSheet(place);
      if (before !== undefined) await place.done(add);
      expect(await covered(place)).to.deep.equal(before);
      if (words === add) writeFile(place, 9);
    },
    make: (place, killed) => place.run(words, killed),
    async isDone(place) {
      expect(await covered(place)).to.deep.equal(before);
      return false;
    },
    done: async (place) => expect(await covered(place)).to.deep.equal(after),
  }),
);

const gene = { chromosome: '1' as const, start: 1_999_900, end: 2_000_100 };

/** Mean depth of the gene; fails unless the registered sample is the one that has it. */
async function mean({ storage }: Place): Promise<number | undefined> {
  const cohorts = storage.repository(coverageCohorts);
  const question = { build: 'GRCh38' as const, targets: [{ regions: [gene] }], thresholds: [10] };
  const found = await storedCohorts(new KnownCohorts(cohorts)).values(question, new AbortController().signal);
  if (found.samples.length === 0) return undefined;
  const [sample] = await storage.repository(coverageSamples).find(['A']);
  const source = (await cohorts.state('GRCh38'))?.members[0]?.source ?? '';
  expect(source).to.include(sample?.check?.fingerprint);
  return found.targets.at(0)?.means[0];
}

const cohort: Change = {
  ...coverageServer,
  name: 'coverage: the values of a cohort',
  steps: steps.cohort,
  async prepare(place, step) {
    const rows = (async function* () {
      yield { genes: [{ ensembl: 'G', ...gene }] };
    })();
    const accept = () => ({ source: 'test', checksum: 'c', read: 1, skipped: {} });
    const sets = [{ kind: 'genes' as const, build: 'GRCh38' as const }];
    await place.storage.repository(coverage).load({ sets, rows, accept }, new Date());
    await writeSheet(place);
    const isFirst = step === 'coverage.cohort.used';
    if (!isFirst) await place.done(add);
    // Half of the gene is in the first run of `person`, with 12x and then with 9x.
    expect(await mean(place)).to.equal(isFirst ? undefined : 6);
    writeFile(place, 9);
  },
  make: (place, killed) => place.run(add, killed),
  async isDone(place) {
    // The file is known to be another one: the values of the former do not count, and those of this one are not there.
    expect(await mean(place)).to.equal(undefined);
    return false;
  },
  done: async (place) => expect(await mean(place)).to.equal(4.5),
};

const sitesOf = async ({ storage }: Place) => {
  const places = [{ chromosome: '1' as const, start: 0, end: 1000 }];
  const { sets, sites } = await storage.repository(coverageSites).find('GRCh38', { places, genes: [] });
  return [...sets.map(({ release }) => release), ...sites.map(({ id, start }) => `${id} ${start}`)];
};
const loadSites = (file: string, release: string) => ['coverage', 'load-sites', '--vcf', file, '--release', release];

const sites: Change = {
  ...coverageServer,
  name: 'coverage: a load of known sites',
  steps: steps.sites,
  async prepare(place) {
    await place.write('old.vcf', vcf([record('1 100 old G A'), record('1 101 old G A')]));
    await place.write('next.vcf', vcf([record('1 200 new G A'), record('1 201 new G A'), record('2 5 new G A')]));
    await place.done(loadSites('old.vcf', '2026-10'));
  },
  make: (place, killed) => place.run(loadSites('next.vcf', '2026-11'), killed),
  async isDone(place) {
    expect(await sitesOf(place)).to.deep.equal(['2026-10', 'old 99', 'old 100']);
    return false;
  },
  async done(place) {
    expect(await sitesOf(place)).to.deep.equal(['2026-11', 'new 199', 'new 200']);
    // The replaced set, and that of the killed load.
    const later = new Date(Date.now() + 60_000);
    expect(await place.storage.repository(coverageSites).sweep(later)).to.equal(2);
  },
};

const regionsOf = async ({ storage }: Place) => {
  const places = [{ chromosome: '1' as const, start: 0, end: 1000 }];
  const found = await storage.repository(coverageRegions).find('GRCh38', { kind: 'caution', places });
  return found.flatMap(({ set, bounds }) => [set.source, ...(bounds.get('1') ?? [])]);
};
const loadRegions = (file: string) => [
  'coverage',
  'load-regions',
  '--build',
  'GRCh38',
  '--name',
  'duplications',
  '--bed',
  file,
];

const regions: Change = {
  ...coverageServer,
  name: 'coverage: a load of regions',
  steps: steps.regions,
  async prepare(place) {
    await place.write('old.bed', '1\t10\t20\n');
    await place.write('next.bed', 'chr1\t30\t40\nchr2\t30\t40\n');
    await place.done(loadRegions('old.bed'));
  },
  make: (place, killed) => place.run(loadRegions('next.bed'), killed),
  async isDone(place) {
    expect(await regionsOf(place)).to.deep.equal(['old.bed', 10, 20]);
    return false;
  },
  async done(place) {
    expect(await regionsOf(place)).to.deep.equal(['next.bed', 30, 40]);
    // The replaced set, and that of the killed load.
    const later = new Date(Date.now() + 60_000);
    expect(await place.storage.repository(coverageRegions).sweep(later)).to.equal(2);
  },
};

/** All cover base 5 of chromosome 1; those with an even number also base 6. */
function people(from: number, to: number) {
  return Array.from({ length: to - from }, (_, i) => {
    const stretch = { chromosome: '1' as const, start: 5, depths: (from + i) % 2 === 0 ? [10, 10] : [10, 9] };
    return { id: `s${from + i}`, stretches: [stretch] };
  });
}

/** How many of so many samples cover each of the two bases. */
async function counts({ storage }: Place, samples: number): Promise<(readonly number[])[]> {
  const service = createCallability({
    erasures: { objecting: async () => new Set() },
    samples: storage.repository(coverageSamples),
    tracks: storage.repository(coverageTracks),
    queue: new WorkQueue(),
    memory: 2 ** 20,
  });
  const groups = [people(0, samples).map(({ id }) => id)];
  const places = [5, 6].map((start) => ({ chromosome: '1' as const, intervals: [{ start, end: start + 1 }] }));
  const question = { build: 'GRCh38' as const, threshold: 10, groups, places };
  return (await service.covered(question, new AbortController().signal)).places.map((place) => place.covered);
}

/** How many samples each published track has. */
async function members({ storage }: Place): Promise<number[]> {
  const tracks = storage.repository(coverageTracks);
  const found = await tracks.find((await tracks.published()).map(({ id }) => id));
  return found.map((track) => track.members.length);
}

const making = steps.track.filter((step) => step !== 'coverage.track.removed');
const rebuild = ['coverage', 'rebuild', 'tracks'];

const tracks: Change = {
  ...coverageServer,
  name: 'coverage: the making of callable tracks',
  steps: making,
  async prepare(place) {
    const samples = place.storage.repository(coverageSamples);
    await store(samples, people(0, 8));
    const first = await place.done(rebuild);
    expect(first.stdout + first.stderr).to.include('Made 1 track');
    expect(await members(place)).to.deep.equal([8]);
    await store(samples, people(8, 16));
  },
  make: (place, killed) => place.run(rebuild, killed),
  async isDone(place) {
    expect(await members(place)).to.deep.equal([8]);
    expect(await counts(place, 16)).to.deep.equal([[16], [8]]);
    return false;
  },
  async again(place) {
    const { stdout, stderr } = await place.done(rebuild);
    expect(stdout + stderr).to.include('Callable tracks of GRCh38 at 10x: 16 samples in 1 track');
  },
  async done(place) {
    expect(await members(place)).to.deep.equal([16]);
    expect(await counts(place, 16)).to.deep.equal([[16], [8]]);
    // A removed sample takes its track with it.
    const { storage } = place;
    const samples = storage.repository(coverageSamples);
    const transaction = storage.transaction.bind(storage);
    const all = { samples, followers: [trackFollower], transaction, changed: async () => undefined };
    await removeSamples(all, ['s15']);
    expect(await members(place)).to.deep.equal([]);
    expect(await counts(place, 15)).to.deep.equal([[15], [8]]);
  },
};

export const coverageChanges: readonly Change[] = [...registry, cohort, sites, regions, tracks];
