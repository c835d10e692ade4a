/**
 * The index of patients: time to build, memory, and queries in process against a naive scan of the same patients in the
 * same run, whose answers must match. Then patients with a hundred genomic features of one gene each, and how long
 * other work waits during their comparison. At last what a saved patient costs if so many queries were recorded, each of
 * which found as many patients as a search returns (at most 100), the saved one among them. Options:
 * `--patients=10000,100000,1000000` (0 for none), `--queries=300`, `--scans=5`, `--crowded=150`, `--recorded=1000,10000`,
 * `--limits=5,100,1000`, `--engines=sqlite,postgres`; peaks of memory are those of the process, so give one of each.
 * Needs ../shared/data/matchmaker.
 */
import { randomUUID } from 'node:crypto';
import type { Storage } from '../../core/storage.js';
import {
  matchmaker,
  matchmakerMatches,
  matchmakerNodes,
  type NewMatch,
  type Patient,
  thisNode,
} from '../../plugins/matchmaker/contract.js';
import { Indirect } from '../../plugins/matchmaker/exchange/indirect.js';
import { Follower } from '../../plugins/matchmaker/matching/follower.js';
import { genotypeSimilarity } from '../../plugins/matchmaker/matching/genotype.js';
import { PatientIndex } from '../../plugins/matchmaker/matching/patient-index.js';
import { type Information, type Profile, Profiler } from '../../plugins/matchmaker/matching/profile.js';
import { byRank, sharedMass, termSimilarity, weightedScore } from '../../plugins/matchmaker/matching/score.js';
import type { IndexSearchOptions, PatientHit, PatientHits } from '../../plugins/matchmaker/matching/search.js';
import { Work } from '../../plugins/matchmaker/matching/work.js';
import { factsOfPatient } from '../../plugins/matchmaker/patients/patient.js';
import type { Resources } from '../../plugins/matchmaker/resources/resources.js';
import type { MatchmakerSettings } from '../../plugins/matchmaker/settings.js';
import { completeResources, shared } from '../plugins/matchmaker/resources/support/shared.js';
import type { Print } from './run.js';
import { onEachEngine } from './support/engines.js';
import { grouped } from './support/machine.js';
import { annotatedDiseases, patients } from './support/patients.js';

const asked: IndexSearchOptions = { weights: { genotype: 0.75, phenotype: 0.25 }, limit: 5, threshold: 0 };

export default async function match(print: Print, options: Readonly<Record<string, string>>): Promise<void> {
  const sizes = numbersIn(options.patients ?? '10000,100000,1000000');
  const queries = Number(options.queries ?? 300);
  const scans = Number(options.scans ?? 5);
  const diseases = await annotatedDiseases(shared('phenotype.hpoa.gz'));
  const profiler = new Profiler(await completeResources());
  for (const size of sizes) {
    const index = new PatientIndex(profiler.information);
    const scan = new Scan(index, profiler.information);
    let [profiling, putting, terms] = [0, 0, 0];
    let number = 0;
    for (const { patient } of patients(diseases, 1)) {
      const begin = performance.now();
      const profile = profiler.profile(patient);
      const middle = performance.now();
      index.put(++number, profile);
      profiling += middle - begin;
      putting += performance.now() - middle;
      terms += profile.terms.length;
      scan.add(profile);
      if (number === size) break;
    }
    print(`${grouped(size)} patients, ${(terms / size).toFixed(1)} terms with ancestors each`);
    print(
      `  build ${((profiling + putting) / 1000).toFixed(1)} s (profiles ${(profiling / 1000).toFixed(1)} s, ` +
        `index ${(putting / 1000).toFixed(1)} s)`,
    );
    const drawn: Profile[] = [];
    for (const { patient } of patients(diseases, 2, { noise: 0.2 })) {
      drawn.push(profiler.profile(patient));
      if (drawn.length === queries) break;
    }
    const kinds = {
      'whole patients': drawn,
      'features only': drawn.map((profile) => ({ ...profile, genomic: [] })),
      'genes only': drawn.map((profile) => ({
        ...profile,
        terms: new Uint32Array(),
        stated: new Uint32Array(),
        mass: 0,
      })),
    };
    for (const [kind, profiles] of Object.entries(kinds)) {
      for (const profile of profiles.slice(0, 30)) await index.search(profile, asked, new Work());
      const ours: Timed<PatientHits>[] = [];
      const steps: number[] = [];
      for (const profile of profiles) {
        const work = new Work();
        ours.push(await timed(() => index.search(profile, asked, work)));
        steps.push(work.steps);
      }
      const theirs: Timed<PatientHit[]>[] = [];
      for (const profile of profiles.slice(0, scans)) theirs.push(await timed(() => scan.search(profile, asked)));
      theirs.forEach(({ result }, i) => {
        if (JSON.stringify(result) !== JSON.stringify(ours[i]?.result.hits))
          throw new Error('The scan finds other patients');
      });
      const shares = (runs: Timed<unknown>[], what: 'time' | 'processor' | 'wait') => {
        const sorted = runs.map((run) => run[what]).sort((a, b) => a - b);
        const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(2);
        return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, most ${(sorted.at(-1) ?? 0).toFixed(2)} ms`;
      };
      print(`  ${kind}: ${shares(ours, 'time')}; naive scan ${shares(theirs, 'time')}`);
      print(`    of a processor: ${shares(ours, 'processor')}; naive scan ${shares(theirs, 'processor')}`);
      const mean = steps.reduce((sum, count) => sum + count, 0) / steps.length;
      print(
        `    steps: p50 ${grouped(steps.sort((a, b) => a - b)[steps.length >> 1] ?? 0)}, mean ${grouped(Math.round(mean))}`,
      );
      print(`    longest wait of others during a query: ${shares(ours, 'wait')}`);
    }
    print(`  memory of the index ${(index.bytes / 1e6).toFixed(0)} MB (${(index.bytes / size).toFixed(0)} bytes each)`);
  }
  if (sizes.length > 0) await crowded(print, Number(options.crowded ?? 150));
  for (const recorded of numbersIn(options.recorded ?? '1000,10000')) {
    for (const limit of numbersIn(options.limits ?? '5,100,1000')) {
      await onEachEngine(options, [matchmaker, matchmakerMatches, matchmakerNodes], (storage, name) =>
        saves(print, { storage, name, recorded, limit, diseases, resources: profiler.resources }),
      );
    }
  }
}

function numbersIn(list: string): number[] {
  return list
    .split(',')
    .map(Number)
    .filter((number) => number > 0);
}

interface Saves {
  storage: Storage;
  name: string;
  recorded: number;
  limit: number;
  diseases: Awaited<ReturnType<typeof annotatedDiseases>>;
  resources: Resources;
}

async function saves(print: Print, { storage, name, recorded, limit, diseases, resources }: Saves): Promise<void> {
  const matches = storage.repository(matchmakerMatches);
  const drawn: Patient[] = [];
  for (const { patient } of patients(diseases, 3, { noise: 0.2 })) {
    drawn.push(patient);
    if (drawn.length === recorded + limit + 10) break;
  }
  const [known, fresh] = [drawn.splice(0, limit), drawn.splice(0, 10)];
  const score = { patient: 0.5, _genotype: 0.25, _phenotype: 0.25, _matchedTerms: known[0]?.features ?? [] };
  const results = [{ node: thisNode, patients: known.slice(0, 100).map((patient) => ({ patient, score })) }];
  for (let i = 0; i < recorded; i += 50) {
    const some = drawn.slice(i, Math.min(recorded, i + 50)).map((patient): NewMatch => {
      const [type, direction] = ['internal', 'incoming'] as const;
      const about = { id: randomUUID(), created: new Date(), type, direction, asker: `client-${i % 20}`, patient };
      return { ...about, results, errors: [], matchedGenes: [] };
    });
    await matches.add(...some);
  }
  const indirect = new Indirect({
    trail: {
      transaction: (work) =>
        storage.transaction((scope) =>
          work({ repository: (contract) => scope.repository(contract), trace: async () => {}, matched() {} }),
        ),
    },
    settings: {
      maxResults: limit,
      includeQuery: false,
      scoreThreshold: 0,
      maxGenotypeScore: 0.75,
      maxPhenotypeScore: 0.25,
    } as MatchmakerSettings,
    patients: storage.repository(matchmaker),
    matches,
    nodes: storage.repository(matchmakerNodes),
    resources: () => resources,
    notices: async () => [],
    sightings: undefined,
    now: () => new Date(),
    reading: () => undefined,
  });
  const save = async (patient: Patient) => {
    const facts = factsOfPatient(patient, resources.genes);
    const saved = { patient, facts, writer: { owner: 'bench', all: false }, at: new Date() };
    await storage.repository(matchmaker).savePatients([saved]);
    const stored = await storage.repository(matchmaker).patient(patient.id);
    if (!stored) throw new Error('The patient was not saved');
    return timed(() => indirect.search(stored, 'bench'));
  };
  const first = await save(known[0] as Patient);
  const mean = async (all: readonly Patient[]) => {
    let [sum, wait] = [0, 0];
    for (const one of all) {
      const { processor, wait: longest } = await save(one);
      sum += processor / all.length;
      wait = Math.max(wait, longest);
    }
    return `${sum.toFixed(0)} ms of a processor (others wait ${wait.toFixed(0)} ms at most)`;
  };
  print(`${name}, ${grouped(recorded)} recorded queries, at most ${limit} matches a save`);
  print(`  the first save ${first.processor.toFixed(0)} ms, a new patient ${await mean(fresh.slice(0, 3))}`);
  print(`  one that all of them found, with another label ${await mean(known.slice(1, 4))}`);
  print(`  peak memory of the process ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB`);
}

/** Patients with a hundred features of one gene: every feature of one could match any of the other. */
async function crowded(print: Print, many: number): Promise<void> {
  const patient = (id: string, start: number): Patient => ({
    id,
    contact: { name: 'x', href: 'mailto:x@example.org' },
    genomicFeatures: Array.from({ length: 100 }, (_, i) => ({
      gene: { id: 'SCN1A' },
      variant: {
        assembly: 'GRCh37',
        referenceName: '2',
        start: 166_850_000 + start + i * (1 + (start % 3)),
        referenceBases: 'A',
        alternateBases: i % 2 === 0 ? 'C' : 'G',
      },
      zygosity: 1 + ((i * start) % 2),
      type: { id: i % 5 === 0 ? 'SO:0001587' : 'SO:0001583' },
    })),
  });
  const saved = Array.from({ length: many }, (_, i) => ({
    number: i + 1,
    version: 1,
    owner: 'bench',
    created: new Date(0),
    updated: new Date(0),
    patient: patient(`P${i}`, i),
  }));
  const source = {
    async *changesSince(revision: number) {
      if (revision === 0) yield { revision: 1, saved, removed: [] };
    },
  };
  const follower = new Follower(source, await completeResources(), new AbortController().signal);
  await follower.catchUp();
  const query = follower.profiler.profile(patient('q', 40));
  await follower.search(query, asked);
  const work = new Work();
  const { time, wait } = await timed(() => follower.search(query, asked, work));
  print(
    `${many} patients with 100 features of one gene each, asked with 100: ${time.toFixed(0)} ms, ` +
      `${grouped(work.steps)} steps, others wait ${wait.toFixed(1)} ms at most`,
  );
}

interface Timed<Result> {
  result: Result;
  /** Milliseconds of elapsed time, and of processor time. */
  time: number;
  processor: number;
  /** The longest wait of other work for a turn of the event loop, in milliseconds. */
  wait: number;
}

async function timed<Result>(work: () => Result | Promise<Result>): Promise<Timed<Result>> {
  let [wait, isOver] = [0, false];
  const others = (async () => {
    while (!isOver) {
      const begin = performance.now();
      await new Promise((resolve) => setImmediate(resolve));
      wait = Math.max(wait, performance.now() - begin);
    }
  })();
  const [begin, used] = [performance.now(), process.cpuUsage()];
  const result = await work();
  const { user, system } = process.cpuUsage(used);
  const time = performance.now() - begin;
  isOver = true;
  await others;
  return { result, time, processor: (user + system) / 1000, wait };
}

/** Compares the query with every patient. */
class Scan {
  readonly #index: PatientIndex;
  readonly #information: Information;
  readonly #profiles: Profile[] = [];

  constructor(index: PatientIndex, information: Information) {
    this.#index = index;
    this.#information = information;
  }

  add({ terms, stated, mass, id, species }: Profile): void {
    this.#profiles.push({ terms, stated, mass, id, species, disorders: [], nearDisorders: [], genomic: [] });
  }

  search(query: Profile, { weights, limit }: IndexSearchOptions): PatientHit[] {
    const genomic = this.#index.features.translated(query.genomic);
    let best: PatientHit[] = [];
    for (const [slot, profile] of this.#profiles.entries()) {
      const terms = termSimilarity(sharedMass(query, profile, this.#information), query.mass, profile.mass);
      const genotype = genotypeSimilarity(genomic, this.#index.features.features(slot));
      const score = weightedScore(genotype, terms, weights);
      if (score.total <= 0 || (best.length === limit && score.total < (best.at(-1)?.score.total ?? 0))) continue;
      best.push({ number: this.#index.number(slot), id: profile.id, score });
      best = best.sort(byRank).slice(0, limit);
    }
    return best;
  }
}
