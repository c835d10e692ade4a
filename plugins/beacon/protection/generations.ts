/**
 * Generations of protected datasets: new samples and ordinary deletions become visible in answers together, once enough of them
 * wait, so that no two states differ by a few people.
 */
import type { CommandContext } from '../../../core/commands.js';
import { step } from '../../../core/storage.js';
import {
  type AlignedForm,
  type BeaconRepository,
  beaconDepths,
  beaconProtection,
  type Change,
  type Dataset,
  type Publication,
  type Rewriting,
  type Rewritten,
} from '../contract.js';
import { type DatasetForms, datasetForms, type OnMoved } from '../domain/dataset-forms.js';
import type { BeaconSettings } from '../settings.js';
import { pruneMarked, withAllKept } from '../vcf/consequences/kept.js';
import { settleConsequences } from '../vcf/consequences/staging.js';
import { alignedRepository } from '../vcf/reference/aligned.js';
import { consequenceToolsFor } from './annotations.js';
import { isDue, type WaitingChanges } from './changes.js';
import type { ProtectionRepository } from './contract.js';
import { bring, type PostponedImport, type PostponingTools, postpone } from './postponed.js';
import { type ProtectionSettings, protectionOfDataset, protectsAny } from './profiles.js';

/** What became of samples that were to be removed. */
interface RemovedSamples {
  /** What was removed at once. */
  removed: Change;
  /** Published samples that are removed with the next publication. */
  postponed: number;
  /** Undefined if the dataset is not protected. */
  waiting: WaitingChanges | undefined;
}

export interface Generations {
  /** Publishes what protected datasets have, unless anything is published of them; finishes publications that were interrupted. */
  begin(): Promise<void>;
  /**
   * Removes samples; published ones of a protected dataset are removed with the next publication, which follows if enough
   * changes wait. Names that the dataset does not have are ignored.
   */
  remove(dataset: Dataset, samples: readonly string[]): Promise<RemovedSamples>;
  /**
   * To be called before samples are added: what a protected dataset has by now is published, and an empty one takes its form.
   * Returns the dataset as it is then.
   */
  beforeLoad(dataset: Dataset): Promise<Dataset>;
  /** Samples that wait to be removed: more alleles of them would be mixed with those that are to go. */
  leaving(dataset: Dataset): Promise<readonly string[]>;
  /** Samples whose calls can only be replaced with the next publication: those that answers show, and those that wait. */
  postponed(dataset: Dataset): Promise<PostponedSamples>;
  /** Keeps an import that replaces for the next publication (`postpone` in `postponed.ts`). */
  postpone(dataset: Dataset, request: PostponedImport): Promise<void>;
  /** Publishes what waits, if it is enough; returns what still waits, undefined if the dataset is not protected. */
  settle(dataset: Dataset): Promise<WaitingChanges | undefined>;
  /** The ids of protected datasets for which enough changes wait. */
  due(): Promise<string[]>;
  /** What waits; undefined if the dataset is not protected. */
  waiting(dataset: Dataset): Promise<WaitingChanges | undefined>;
  /**
   * Gives a dataset the form that it is to take; a protected one, of which anything is published, takes it with its next
   * publication: of several forms of one change one is left, in new numbers. Undefined if nothing was done.
   */
  rewrite(dataset: Dataset, pause?: Rewriting['pause']): Promise<Rewritten | undefined>;
  /** The form that the dataset is to take; undefined if it has it, or if no reference of its assembly is loaded. */
  formFor(dataset: Dataset): AlignedForm | undefined;
  /** The ids of datasets with samples that `rewrite` would rewrite now. */
  outOfForm(): Promise<string[]>;
  /** Publishes all that waits. If it is interrupted, another call finishes it. */
  publish(dataset: Dataset): Promise<void>;
  /** Forgets what is stored about a dataset that was removed. */
  drop(dataset: string): Promise<void>;
  /**
   * Forgets all that is stored about people, at once: for erasures, after `begin`. Publications that run read their names
   * again; to be called once more after their alleles are removed, as one may have read them in between.
   */
  forget(samples: readonly string[]): Promise<void>;
}

interface PostponedSamples {
  published: readonly string[];
  /** Those whose replacement waits. */
  replacing: readonly string[];
}

/** What loads read of alleles is published with their samples (`annotations`), and takes the form of their dataset. */
interface GenerationTools extends Omit<PostponingTools, 'protection'> {
  /** Undefined if no dataset is protected. */
  protection: ProtectionRepository | undefined;
  settings: ProtectionSettings;
}

type UnprotectedTools = Pick<GenerationTools, 'repository' | 'now'> & { forms: DatasetForms };

export function generations(tools: GenerationTools): Generations {
  const { repository, annotations, protection, now } = tools;
  const { consequences, formOf } = annotations;
  const onMoved: OnMoved = ({ id }, moved) =>
    consequences.copy(
      id,
      moved.map(({ from, to }) => [from, to]),
    );
  const { wanted, take } = datasetForms({ repository, formOf, onMoved, now });
  const forms: DatasetForms = {
    wanted,
    async take(dataset, pause) {
      if (!wanted(dataset)) return undefined;
      // What waits has the old form: before, in case of an interruption, and again, as it may have been looked through in between.
      await consequences.mark(dataset.id);
      const rewritten = await take(dataset, pause);
      await consequences.mark(dataset.id);
      await pruneMarked(annotations, dataset.id);
      return rewritten;
    },
  };
  if (protection === undefined) return withoutGenerations({ repository, forms, now });
  return protectedGenerations({ ...tools, protection, forms });
}

function withoutGenerations({ repository, forms, now }: UnprotectedTools): Generations {
  const nothing = async () => undefined;
  return {
    begin: nothing,
    remove: async ({ id }, samples) => ({
      removed: await repository.removeSamples(id, samples, now()),
      postponed: 0,
      waiting: undefined,
    }),
    beforeLoad: (dataset) => formed(dataset, { repository, forms }),
    leaving: async () => [],
    postponed: async () => ({ published: [], replacing: [] }),
    async postpone() {
      throw new Error('Nothing is published in batches');
    },
    settle: nothing,
    due: async () => [],
    waiting: nothing,
    rewrite: forms.take,
    formFor: forms.wanted,
    outOfForm: async () => (await filledDatasets(repository)).filter(forms.wanted).map(({ id }) => id),
    publish: nothing,
    drop: nothing,
    forget: nothing,
  };
}

/** The others take their form with their first load (`formed`), whose reading it would refuse otherwise. */
async function filledDatasets(repository: BeaconRepository): Promise<Dataset[]> {
  return (await repository.datasets()).filter(({ sampleCount }) => sampleCount > 0);
}

/** The dataset with its form, if it is empty. */
async function formed(dataset: Dataset, { repository, forms }: Pick<UnprotectedTools, 'repository' | 'forms'>) {
  if (dataset.sampleCount > 0 || !(await forms.take(dataset))) return dataset;
  return (await repository.dataset(dataset.id)) ?? dataset;
}

/** Whether nothing was loaded or removed in between. */
function isSameState(one: Dataset | undefined, other: Dataset | undefined): boolean {
  const state = (of: Dataset | undefined) =>
    of && [of.created.getTime(), of.updated.getTime(), of.alleleCount, of.callCount, of.sampleCount].join();
  return state(one) === state(other);
}

type ProtectingTools = UnprotectedTools & PostponingTools & Pick<GenerationTools, 'settings'>;

const unchanged: Change = { alleles: 0, calls: 0, samples: 0 };

function protectedGenerations(tools: ProtectingTools): Generations {
  const { repository, annotations, protection, settings, forms, now } = tools;
  const { consequences } = annotations;
  const isProtected = ({ id }: Dataset) => protectionOfDataset(settings, id) !== undefined;

  /** Publishes what the dataset has; false if its publication is not that of generation `after` any more. */
  async function store({ id, created }: Dataset, after: number, brings: readonly number[] = []): Promise<boolean> {
    const { dataset, samples } = await settled(id);
    // It was removed, or is another one by now.
    if (dataset?.created.getTime() !== created.getTime()) return true;
    const { alleleCount: alleles, callCount: calls, sampleCount } = dataset;
    const totals = { alleles, calls, samples: sampleCount };
    return protection.publish({ dataset: id, created, samples, totals, brings }, now(), { after });
  }

  /** What is published of the dataset; undefined if nothing is. */
  async function publicationOf({ id, created }: Dataset): Promise<Publication | undefined> {
    const known = (await protection.publications()).find((one) => one.dataset === id);
    return known?.created.getTime() === created.getTime() ? known : undefined;
  }

  const loadsOf = ({ id, created }: Dataset) => protection.loads({ dataset: id, created });

  /** The dataset with its samples as of one moment: a load may end between the two reads. */
  async function settled(id: string): Promise<{ dataset: Dataset | undefined; samples: string[] }> {
    for (;;) {
      const dataset = await repository.dataset(id);
      const samples = await repository.samples(id);
      if (isSameState(dataset, await repository.dataset(id))) return { dataset, samples };
    }
  }

  /** Whether strangers have answers about its people, which change with publications alone. */
  const waitsForPublication = async (dataset: Dataset) =>
    isProtected(dataset) && ((await protection.published(dataset.id))?.samples.length ?? 0) > 0;

  const begun = async (dataset: Dataset) => {
    if ((await publicationOf(dataset)) === undefined) await store(dataset, 0);
    // An interrupted publication leaves consequences of published samples.
    await settleConsequences(annotations, dataset.id, now());
  };

  async function publish(dataset: Dataset): Promise<void> {
    await begun(dataset);
    for (;;) {
      // An erasure, or another publication, increases it: names that were read before are then read again.
      const generation = (await publicationOf(dataset))?.generation ?? 0;
      const read = await consequences.waiting(dataset.id);
      const gone = await protection.leaving(dataset.id);
      const loads = await loadsOf(dataset);
      // Questions find alleles as they are written and as they are aligned: nobody sees it.
      await forms.take((await repository.dataset(dataset.id)) ?? dataset);
      if (gone.length + loads.length > 0) {
        // Until all of it has changed, answers would tell of a few people.
        await protection.hold(dataset.id);
        step('beacon.publish.held');
      }
      const brought: number[] = [];
      for (const load of loads) {
        const staged = await bring(dataset, load, tools);
        if (staged !== undefined) brought.push(staged);
      }
      if (gone.length > 0) await repository.removeSamples(dataset.id, gone, now());
      // What one replacement brought another may have taken out again.
      if (gone.length + loads.length > 0) await consequences.mark(dataset.id);
      const numbers = loads.map(({ number }) => number);
      if (!(await store(dataset, generation, numbers))) continue;
      step('beacon.publish.stored');
      await consequences.publish(dataset.id, [...read, ...brought], now());
      return pruneMarked(annotations, dataset.id);
    }
  }

  async function waiting(dataset: Dataset): Promise<WaitingChanges | undefined> {
    const protectedAs = protectionOfDataset(settings, dataset.id);
    if (!protectedAs) return undefined;
    const published = new Set((await protection.published(dataset.id))?.samples);
    const added = (await repository.samples(dataset.id)).filter((name) => !published.has(name));
    const leaving = await protection.leaving(dataset.id);
    const waitingNames = new Set((await loadsOf(dataset)).flatMap(({ samples }) => samples));
    const replaced = [...waitingNames].filter((name) => published.has(name) && !leaving.includes(name)).length;
    const isHeld = (await publicationOf(dataset))?.held === true;
    return {
      ...{ added: added.length, leaving: leaving.length, batch: protectedAs.batch },
      ...(replaced > 0 && { replaced }),
      ...(isHeld && { unfinished: true as const }),
    };
  }

  async function settle(dataset: Dataset): Promise<WaitingChanges | undefined> {
    const waits = await waiting(dataset);
    if (!isDue(waits)) return waits;
    await publish(dataset);
    return waiting(dataset);
  }

  return {
    async begin() {
      for (const dataset of (await repository.datasets()).filter(isProtected)) {
        await begun(dataset);
        if ((await publicationOf(dataset))?.held) await publish(dataset);
      }
    },

    async remove(dataset, samples) {
      if (!isProtected(dataset)) {
        const removed = await repository.removeSamples(dataset.id, samples, now());
        return { removed, postponed: 0, waiting: undefined };
      }
      await begun(dataset);
      const published = new Set((await protection.published(dataset.id))?.samples);
      const postponed = [...new Set(samples)].filter((name) => published.has(name));
      const others = samples.filter((name) => !published.has(name));
      await protection.dropFromLoads(dataset.id, samples);
      const removed = others.length > 0 ? await repository.removeSamples(dataset.id, others, now()) : unchanged;
      await protection.withdraw(dataset.id, postponed);
      return { removed, postponed: postponed.length, waiting: await settle(dataset) };
    },

    beforeLoad: async (dataset) => {
      if (isProtected(dataset)) await begun(dataset);
      return formed(dataset, { repository, forms });
    },
    leaving: async (dataset) => (isProtected(dataset) ? protection.leaving(dataset.id) : []),
    async postponed(dataset) {
      if (!isProtected(dataset)) return { published: [], replacing: [] };
      const published = (await protection.published(dataset.id))?.samples ?? [];
      return { published, replacing: (await loadsOf(dataset)).flatMap(({ samples }) => samples) };
    },

    postpone: (dataset, request) => postpone(dataset, request, tools),
    settle,
    async due() {
      const due: string[] = [];
      for (const dataset of await repository.datasets()) if (isDue(await waiting(dataset))) due.push(dataset.id);
      return due;
    },
    waiting,
    rewrite: async (dataset, pause) => ((await waitsForPublication(dataset)) ? undefined : forms.take(dataset, pause)),
    formFor: forms.wanted,
    async outOfForm() {
      const found: string[] = [];
      for (const dataset of (await filledDatasets(repository)).filter(forms.wanted)) {
        if (!(await waitsForPublication(dataset))) found.push(dataset.id);
      }
      return found;
    },
    publish: async (dataset) => {
      if (isProtected(dataset)) await publish(dataset);
    },
    drop: (dataset) => protection.drop(dataset),
    forget: (samples) => protection.forget(samples),
  };
}

type GenerationsContext = Pick<CommandContext<BeaconSettings>, 'repository' | 'settings' | 'now' | 'announce'>;

/** For commands. */
export async function generationsFor({
  repository,
  settings,
  now,
  announce,
}: GenerationsContext): Promise<Generations> {
  const protection = protectsAny(settings.protection) ? await repository(beaconProtection) : undefined;
  const depths = await repository(beaconDepths);
  const annotations = await consequenceToolsFor({ repository, settings, announce });
  // Waiting loads have the form of their files.
  const { repository: aligned } = await alignedRepository({ repository, settings, announce });
  const stored = withAllKept(aligned, { depths, ...annotations });
  return generations({ repository: stored, annotations, depths, protection, settings: settings.protection, now });
}
