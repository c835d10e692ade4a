/**
 * What faces read of datasets, as far as a caller may know it. Protected datasets are read as they were last published, and how
 * long a decision takes does not reveal its result.
 */
import { createHash } from 'node:crypto';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { accountOf, type Caller, Fault, isFault } from '../../../core/plugin.js';
import {
  type Allele,
  type AlleleQuery,
  alleleKey,
  type BeaconRepository,
  type Dataset,
  type DatasetAlleles,
  type DatasetHit,
  type FoundAllele,
  type FoundOptions,
} from '../contract.js';
import type { FormOf, ReferenceForm } from '../domain/dataset-forms.js';
import { type Recent, recent } from '../rights.js';
import { type ProtectionRepository, type Publication, regionOfQuery } from './contract.js';
import type { Frequencies } from './frequencies.js';
import { answerBySpending, knownShare, type Newcomers, newcomersOfPublications, type SpendingRules } from './spend.js';

/** Options of `found` beyond those of the repository. */
interface HitReadOptions extends FoundOptions {
  /** Of protected datasets, only alleles for which this is true: the answer is about these alone. */
  only?: (allele: Allele) => boolean;
}

/** The verbs of the repository by which faces answer queries. */
export interface GuardedReads
  extends Pick<
    BeaconRepository,
    'present' | 'search' | 'eachAllele' | 'examples' | 'fractions' | 'sampleFacts' | 'salt'
  > {
  found(query: AlleleQuery, datasets: readonly string[], options: HitReadOptions): Promise<DatasetAlleles[]>;
}

/** A dataset of which a caller may only learn whether alleles are present. */
export interface GuardedDataset {
  dataset: Dataset;
  publication: Publication;
  allowed: SpendingRules;
}

interface GuardedTools {
  repository: BeaconRepository;
  protection: Pick<ProtectionRepository, 'answer'>;
  publications: Pick<Publications, 'now' | 'samples'>;
  /** Undefined without a reference: alleles are then taken to be as common as in the dataset. */
  frequencies: Pick<Frequencies, 'commonest'> | undefined;
  /** Left-aligned datasets answer for other spellings, too. */
  formOf?: FormOf | undefined;
  renewDays: number | undefined;
  now(): Date;
  /** Called with each question about a protected dataset. */
  onAnswer(dataset: string, account: string, exists: boolean): void;
}

/**
 * Alleles, and carriers of them, that a question may find before it counts as finding everyone: it is then about so much of a
 * genome that each person has something there. The setting for queries does not apply, so that it cannot change what an
 * answer costs.
 */
const mostRead = 10_000;

/** Datasets by what the caller may know of them; the others are as if they did not exist. */
interface DatasetsByAccess {
  /** Ids of those whose answers are exact. */
  open: readonly string[];
  /** By id ascending. */
  guarded: readonly GuardedDataset[];
}

/**
 * The reads of one caller. For open datasets they are the repository's own. Of a guarded one, `present` and `search` tell
 * whether it has a matching allele in published samples that can pay for the answer; counts are 0. `found` returns one
 * allele in place of all, without carriers, and everything else is empty.
 */
export function guardedReads(
  tools: GuardedTools,
  caller: Caller,
  split: (ids: readonly string[]) => Promise<DatasetsByAccess>,
): GuardedReads {
  const { repository } = tools;
  const account = accountOf(caller);
  const isOpen = async (id: string) => (await split([id])).open.length > 0;
  const answered = (about: GuardedDataset, query: AlleleQuery, reading: ReadingOptions) =>
    inSteps(() => firstAllele(tools, { account, about, query }, reading));

  return {
    async present(query, ids, options = {}) {
      const { most = Number.POSITIVE_INFINITY, signal } = options;
      const { open, guarded } = await split(ids);
      const found = open.length > 0 ? await repository.present(query, open, options) : [];
      for (const about of guarded) {
        if (found.length >= most) break;
        if (await answered(about, query, { signal })) found.push(about.dataset.id);
      }
      return found.sort();
    },

    async search(query, ids, options = {}) {
      const { open, guarded } = await split(ids);
      const hits: DatasetHit[] = open.length > 0 ? await repository.search(query, open, options) : [];
      for (const about of guarded) {
        if (!(await answered(about, query, options))) continue;
        hits.push({ dataset: about.dataset.id, alleles: 0, calls: 0, samples: 0 });
      }
      return hits.sort(byDataset);
    },

    async found(query, ids, { only, ...options }) {
      const { open, guarded } = await split(ids);
      const found = open.length > 0 ? await repository.found(query, open, options) : [];
      for (const about of guarded) {
        const allele = await answered(about, query, { only, signal: options.signal });
        if (allele) found.push({ dataset: about.dataset.id, alleles: [allele] });
      }
      return found.sort(byDataset);
    },

    async eachAllele(id, take, options) {
      if (await isOpen(id)) await repository.eachAllele(id, take, options);
    },
    examples: async (id, structural, limit) => ((await isOpen(id)) ? repository.examples(id, structural, limit) : []),
    fractions: async (id, alleles, options) => ((await isOpen(id)) ? repository.fractions(id, alleles, options) : []),
    sampleFacts: async (id) => ((await isOpen(id)) ? repository.sampleFacts(id) : []),
    salt: async (id) => ((await isOpen(id)) ? repository.salt(id) : undefined),
  };
}

function byDataset(one: { dataset: string }, other: { dataset: string }): number {
  return one.dataset < other.dataset ? -1 : 1;
}

interface ReadingOptions {
  only?: HitReadOptions['only'];
  signal?: AbortSignal | undefined;
}

interface GuardedQuestion {
  account: string;
  about: GuardedDataset;
  query: AlleleQuery;
}

/** An allele that stands for all that match if the answer is yes; undefined if it is no. */
async function firstAllele(
  tools: GuardedTools,
  question: GuardedQuestion,
  reading: ReadingOptions,
): Promise<FoundAllele | undefined> {
  const { account, about: { dataset } } = question; // biome-ignore format: one line
  // The assembly of a dataset is public.
  if (question.query.assembly !== dataset.assembly) return undefined;
  const settled = await settledMatches(tools, question, reading);
  const { alleles } = settled.found;
  const exists = await decideAnswer(tools, settled.question, settled.found);
  tools.onAnswer(dataset.id, account, exists);
  const [first] = alleles;
  return exists && first ? { ...first, calls: 1, samples: 1, named: [] } : undefined;
}

/** How often a question is looked up again that publications overtake. */
const mostLookUps = 5;

/**
 * What a question finds, with the publication to which all of it belongs. While a publication changes the dataset it may have the
 * new calls of some people only: the answer would tell of them. Throws an `unavailable` fault then.
 */
async function settledMatches(
  tools: GuardedTools,
  question: GuardedQuestion,
  reading: ReadingOptions,
): Promise<{ question: GuardedQuestion; found: MatchingAlleles }> {
  let asked = question;
  for (let i = 0; i < mostLookUps; i++) {
    const found = await gatherMatches(tools, asked, reading);
    const { dataset, publication } = asked.about;
    const now = await tools.publications.now(dataset);
    if (now?.held) break;
    if ((now?.generation ?? 0) === publication.generation) return { question: asked, found };
    if (now) asked = { ...asked, about: { ...asked.about, publication: now } };
  }
  throw new Fault('unavailable', 'The dataset is being published: ask again in a moment');
}

interface MatchingAlleles {
  /** Those with a published carrier. */
  alleles: readonly FoundAllele[];
  /** In code-unit order. */
  carriers: readonly string[];
  newcomers: readonly Newcomers[];
  /** The question is so wide that everyone counts as a carrier; `alleles` is an example. */
  everyone?: boolean;
}

/** Looks up everything before anything is decided, so that a no takes the same steps for every reason. */
async function gatherMatches(
  { repository, publications }: GuardedTools,
  { about: { dataset, publication }, query }: GuardedQuestion,
  { only, signal }: ReadingOptions,
): Promise<MatchingAlleles> {
  const published = await publications.samples(publication);
  const options = { limit: mostRead, carriers: true, ...(signal && { signal }) };
  try {
    const found = await repository.found(query, [dataset.id], options);
    const alleles = found.flatMap((one) => one.alleles).filter((allele) => only?.(allele) ?? true);
    const carriers = new Set<string>();
    const seen = alleles.filter(({ named = [] }) => {
      const names = named.filter(([name]) => published.has(name));
      for (const [name] of names) carriers.add(name);
      return names.length > 0;
    });
    const names = [...carriers].sort();
    return { alleles: seen, carriers: names, newcomers: newcomersOfPublications(published, names) };
  } catch (error) {
    if (!isFault(error) || error.code !== 'invalid') throw error;
    const examples = [false, true].map((structural) => repository.examples(dataset.id, structural, 1));
    const [allele] = (await Promise.all(examples)).flat();
    const everyone = [...published.keys()].sort();
    return {
      alleles: allele ? [{ ...allele, calls: 1, samples: 1 }] : [],
      carriers: everyone,
      newcomers: newcomersOfPublications(published, everyone),
      everyone: true,
    };
  }
}

async function decideAnswer(
  { protection, frequencies, formOf, renewDays, now }: GuardedTools,
  { account, about: { dataset, publication, allowed }, query }: GuardedQuestion,
  { alleles, carriers, newcomers, everyone = false }: MatchingAlleles,
): Promise<boolean> {
  const { people } = publication;
  const reference = everyone ? undefined : await frequencies?.commonest(dataset.assembly, mostCarried(alleles));
  const share = knownShare({ people, carriers: carriers.length, ...(reference && { reference }) });
  const unspent = new Map(carriers.map((name) => [name, 0]));
  // What is so common that it costs nothing needs no budget.
  const { exists, charges } = answerBySpending({ carriers: unspent, people, spent: [], share, newcomers }, allowed);
  if (exists && charges.size === 0) return true;
  const asking = {
    ...{ dataset: dataset.id, account, carriers },
    event: eventOf(alleles, carriers),
    formerly: formerEvents(alleles, carriers, formOf?.(dataset.assembly)),
    region: regionOfQuery(query),
  };
  const rule = { allowed, people, share, newcomers, ...(renewDays !== undefined && { renewDays }) };
  return protection.answer(asking, rule, now());
}

/** Alleles that are looked up in the reference: one of those that most people carry decides what a wide question costs. */
const mostLookedUp = 20;

function mostCarried(alleles: readonly FoundAllele[]): readonly FoundAllele[] {
  return alleles.toSorted((one, other) => other.samples - one.samples).slice(0, mostLookedUp);
}

/** The same for all questions that find these alleles in these carriers, by whichever face and words they are asked. */
function eventOf(alleles: readonly Allele[], carriers: readonly string[]): string {
  const found = [...new Set(alleles.map(alleleKey))].sort();
  return createHash('sha256')
    .update(JSON.stringify([found, carriers]), 'utf8')
    .digest('base64url');
}

/** What a question for one allele was, in the same carriers, when the dataset had it in another spelling: it was paid for then. */
function formerEvents(
  alleles: readonly Allele[],
  carriers: readonly string[],
  form: ReferenceForm | undefined,
): string[] {
  const [allele, ...others] = alleles;
  if (allele === undefined || others.length > 0 || form === undefined) return [];
  return [...form.spellings(allele)].slice(1).map((one) => eventOf([one], carriers));
}

// What is published of protected datasets, which every query on them needs.

interface PublishedNames {
  key: string;
  samples: Promise<ReadonlyMap<string, number>>;
}

export class Publications {
  readonly #repository: Pick<ProtectionRepository, 'publications' | 'published'>;
  readonly #all: Recent<ReadonlyMap<string, Publication>>;
  /** Names of the published samples by dataset: read once for each generation. */
  readonly #names = new Map<string, PublishedNames>();

  constructor(repository: Pick<ProtectionRepository, 'publications' | 'published'>) {
    this.#repository = repository;
    this.#all = recent(async () => new Map((await repository.publications()).map((one) => [one.dataset, one])));
  }

  /** Undefined if nothing is published of the dataset, as of a moment ago at most. */
  async of({ id, created }: Pick<Dataset, 'id' | 'created'>): Promise<Publication | undefined> {
    const publication = (await this.#all.current()).get(id);
    // A dataset of the same id that was removed does not count.
    return publication?.created.getTime() === created.getTime() ? publication : undefined;
  }

  /** The same as of now. */
  async now({ id, created }: Pick<Dataset, 'id' | 'created'>): Promise<Publication | undefined> {
    const publication = (await this.#repository.publications()).find(({ dataset }) => dataset === id);
    return publication?.created.getTime() === created.getTime() ? publication : undefined;
  }

  /** The published samples, each with the generation since which it is published. */
  async samples({ dataset, created, generation }: Publication): Promise<ReadonlyMap<string, number>> {
    const key = `${created.getTime()} ${generation}`;
    const known = this.#names.get(dataset);
    if (known?.key === key) return known.samples;
    const samples = this.#repository.published(dataset).then((published) => {
      const since = published?.since ?? [];
      return new Map(published?.samples.map((name, i) => [name, since[i] ?? generation]));
    });
    this.#names.set(dataset, { key, samples });
    samples.catch(() => this.#names.delete(dataset));
    return samples;
  }
}

// Hides how long a decision took: the time of an answer must not reveal more than the answer.

/** Milliseconds. Most decisions take less than one step. */
const step = 2;

/**
 * Resolves or rejects as the work does, a whole number of steps after it began: a "no" because carriers cannot pay reads more
 * than one because there are no carriers, and repetition would show a difference of microseconds.
 */
async function inSteps<Result>(work: () => Promise<Result>): Promise<Result> {
  const begin = performance.now();
  try {
    return await work();
  } finally {
    const taken = performance.now() - begin;
    await reached(begin + Math.ceil(taken / step) * step);
  }
}

/** Timers are exact to a millisecond only: the rest is waited for turn by turn, while other requests are served. */
async function reached(moment: number): Promise<void> {
  const whole = Math.floor(moment - performance.now()) - 1;
  if (whole >= 1) await setTimeout(whole);
  while (performance.now() < moment) await setImmediate();
}
