/**
 * Which datasets are protected from a caller, and what the caller sees of them; questions about them are counted for their
 * operators.
 */
import type { Caller, Policy } from '../../../core/plugin.js';
import type { BeaconRepository, Dataset } from '../contract.js';
import type { FormOf } from '../domain/dataset-forms.js';
import { type DatasetList, heldReadRight, openTo } from '../rights.js';
import type { AccountTally, ProtectionRepository, Publication } from './contract.js';
import type { Frequencies } from './frequencies.js';
import { type Protection, type ProtectionSettings, protectionOfDataset } from './profiles.js';
import { type GuardedDataset, type GuardedReads, guardedReads, Publications } from './reads.js';
import type { SpendingRules } from './spend.js';

/** A dataset as a caller sees it. */
export interface SeenDataset extends Dataset {
  /** The caller may only learn whether alleles are present; totals are those of the last publication. */
  guarded?: true;
}

/** What callers may know of datasets. */
export interface Guard {
  /** Those of the datasets that the caller may query, in their order, as the caller sees them. */
  open(caller: Caller, datasets: readonly Dataset[]): Promise<SeenDataset[]>;
  /** Reads alleles of datasets that the caller may query. */
  reads(caller: Caller): GuardedReads;
  /** Stores how often callers asked about protected datasets; undefined if none is protected. */
  storeTallies?(): Promise<void>;
}

/** No dataset is protected. */
export function openGuard({ repository, policy }: { repository: BeaconRepository; policy: Policy }): Guard {
  return {
    open: (caller, datasets) => openTo(policy, caller, datasets),
    reads: () => repository,
  };
}

interface GuardTools {
  repository: BeaconRepository;
  protection: ProtectionRepository;
  datasets: DatasetList;
  /** How common alleles are in a reference population; undefined without one. */
  frequencies?: Pick<Frequencies, 'commonest'> | undefined;
  /** By which references datasets are left-aligned. */
  formOf?: FormOf | undefined;
  policy: Policy;
  settings: ProtectionSettings;
  now(): Date;
}

export function protectingGuard(tools: GuardTools): Guard {
  const { repository, protection, policy, settings, datasets, frequencies, formOf, now } = tools;
  const publications = new Publications(protection);
  const tallies = new Tallies(protection);

  /** The ids among these of datasets that are protected from the caller. */
  async function protectedFrom(caller: Caller, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const some = ids.filter((id) => protectionOfDataset(settings, id) !== undefined).map((id) => ({ id }));
    const held = await policy.among(caller, heldReadRight, some);
    return new Set(some.filter((one) => !held.includes(one)).map(({ id }) => id));
  }

  /** Undefined if the caller may not query the protected dataset. */
  async function guardedOf(caller: Caller, dataset: Dataset): Promise<GuardedDataset | undefined> {
    const publication = (await publications.of(dataset)) ?? nothingPublished(dataset);
    const allowed = allowedTo(caller, protectionOfDataset(settings, dataset.id), publication);
    return allowed && { dataset, publication, allowed };
  }

  return {
    storeTallies: () => tallies.store(),

    async open(caller, all) {
      const open = await openTo(policy, caller, all);
      const closed = await protectedFrom(
        caller,
        open.map(({ id }) => id),
      );
      const seen: SeenDataset[] = [];
      for (const dataset of open) {
        const about = closed.has(dataset.id) ? await guardedOf(caller, dataset) : undefined;
        if (!closed.has(dataset.id)) seen.push(dataset);
        else if (about) seen.push(asPublished(about));
      }
      return seen;
    },

    reads(caller) {
      const onAnswer: Tallies['add'] = (...answer) => tallies.add(...answer);
      const { renewDays } = settings;
      const answering = { repository, protection, publications, frequencies, formOf, renewDays, now, onAnswer };
      return guardedReads(answering, caller, async (ids) => {
        const closed = await protectedFrom(caller, ids);
        const guarded: GuardedDataset[] = [];
        for (const dataset of closed.size > 0 ? await datasets.current() : []) {
          const about = closed.has(dataset.id) ? await guardedOf(caller, dataset) : undefined;
          if (about) guarded.push(about);
        }
        return { open: ids.filter((id) => !closed.has(id)), guarded };
      });
    },
  };
}

/** Undefined if the caller may not query the dataset. */
function allowedTo(
  caller: Caller,
  protection: Protection | undefined,
  { people }: Publication,
): SpendingRules | undefined {
  if (!protection) return undefined;
  const { anonymous, named, minimumSize } = protection;
  if (caller.kind !== 'anonymous') return named;
  return anonymous === 'none' || people < minimumSize ? undefined : anonymous;
}

/** Of a dataset that was added a moment ago. */
function nothingPublished({ id, created }: Dataset): Publication {
  const totals = { alleles: 0, calls: 0, samples: 0 };
  return { dataset: id, created, generation: 0, at: created, totals, people: 0 };
}

function asPublished({ dataset, publication: { at, totals } }: GuardedDataset): SeenDataset {
  const { alleles, calls, samples } = totals;
  return {
    ...dataset,
    updated: at,
    alleleCount: alleles,
    callCount: calls,
    sampleCount: samples,
    guarded: true,
  };
}

// Counts questions about protected datasets for their operators, in memory, and adds them to the storage now and then.

export class Tallies {
  readonly #repository: Pick<ProtectionRepository, 'count'>;
  #counted = new Map<string, Map<string, AccountTally>>();

  constructor(repository: Pick<ProtectionRepository, 'count'>) {
    this.#repository = repository;
  }

  add(dataset: string, account: string, isHit: boolean): void {
    this.#add(dataset, { account, questions: 1, hits: isHit ? 1 : 0 });
  }

  /** What was counted since the last time. If it fails, it is kept for the next. */
  async store(): Promise<void> {
    const counted = this.#counted;
    this.#counted = new Map();
    for (const [dataset, tallies] of counted) {
      try {
        await this.#repository.count(dataset, [...tallies.values()]);
        counted.delete(dataset);
      } catch (error) {
        for (const [left, again] of counted) for (const tally of again.values()) this.#add(left, tally);
        throw error;
      }
    }
  }

  #add(dataset: string, { account, questions, hits }: AccountTally): void {
    const tallies = this.#counted.get(dataset) ?? new Map<string, AccountTally>();
    const before = tallies.get(account) ?? { questions: 0, hits: 0 };
    this.#counted.set(dataset, tallies);
    tallies.set(account, { account, questions: before.questions + questions, hits: before.hits + hits });
  }
}
