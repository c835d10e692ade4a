/** The layouts in use, their regions, and the members that were read last: kept in memory, and checked at each read. */
import type { Build } from '../contract.js';
import type { BlocksWanted, CohortBlock, CohortMember, CohortRepository, CohortState } from './contract.js';
import { damagedValues } from './damaged.js';
import { CohortRegions } from './regions.js';

export interface KnownCohort {
  regions: CohortRegions;
  state: CohortState;
  members: ReadonlyMap<string, CohortMember>;
  /** Sums that are beside their blocks: column → region → sum. */
  beyond: ReadonlyMap<number, ReadonlyMap<number, number>>;
}

export class KnownCohorts {
  readonly #repository: Pick<CohortRepository, 'state' | 'regions' | 'read'>;
  readonly #known = new Map<Build, KnownCohort>();

  constructor(repository: Pick<CohortRepository, 'state' | 'regions' | 'read'>) {
    this.#repository = repository;
  }

  /** As it is now; undefined if the build has no layout. */
  async current(build: Build): Promise<KnownCohort | undefined> {
    for (;;) {
      const state = await this.#repository.state(build);
      if (state === undefined) {
        this.#known.delete(build);
        return undefined;
      }
      const before = this.#known.get(build);
      if (before?.state.layout.id === state.layout.id) return this.#keep(build, before.regions, state);
      const pieces = await this.#repository.regions(state.layout.id);
      // Otherwise the layout was replaced between the two.
      if (pieces !== undefined) {
        return this.#keep(build, CohortRegions.read(pieces, state.layout), state);
      }
    }
  }

  /** Blocks, and the members as of the same moment; undefined if the build has no layout. */
  async read<Plan extends BlocksWanted>(
    build: Build,
    wanted: (cohort: KnownCohort) => Plan,
  ): Promise<{ cohort: KnownCohort; plan: Plan; blocks: readonly CohortBlock[] } | undefined> {
    for (;;) {
      const before = this.#known.get(build) ?? (await this.current(build));
      if (before === undefined) return undefined;
      const plan = wanted(before);
      const { layout, version } = before.state;
      const found = await this.#repository.read(layout.id, plan, version);
      if (found === undefined) {
        this.#known.delete(build);
        continue;
      }
      const cohort = found.state === undefined ? before : this.#keep(build, before.regions, found.state);
      return { cohort, plan, blocks: found.blocks };
    }
  }

  #keep(build: Build, regions: CohortRegions, state: CohortState): KnownCohort {
    const cohort: KnownCohort = {
      regions,
      state,
      members: new Map(state.members.map((member) => [member.sample, member])),
      beyond: new Map(state.members.map(({ column, beyond }) => [column, new Map(beyond)])),
    };
    this.#known.set(build, cohort);
    return cohort;
  }
}

/** The sum of a region that is beside its block. Throws an `unavailable` fault if there is none. */
export function sumBeyond({ beyond }: KnownCohort, column: number, region: number): number {
  const sum = beyond.get(column)?.get(region);
  if (sum === undefined) throw damagedValues();
  return sum;
}
