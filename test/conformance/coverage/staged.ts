/** Sets that are staged and published as a whole, in histories of loads that overlap, replace each other, idle and are swept. */
import type { Build } from '../../../plugins/coverage/contract.js';
import { at, type Case, type CaseContext, type Contract, daysLater, faults, gate, property, same } from '../core.js';

export type Slot = readonly [name: string, build: Build];

export interface SetKind<Repository> {
  contract: Contract<Repository>;
  /** Names and builds of sets, in the order in which they are listed. */
  slots: readonly Slot[];
  /** Calls `halfway` between the rows and the end. */
  load(of: Repository, slot: Slot, rows: number, loaded: Date, halfway: () => Promise<void>): Promise<unknown>;
  /** Removes a set; without it sets are only replaced. */
  remove?(of: Repository, slot: Slot): Promise<{ loaded: Date } | undefined>;
  /** The sets, with their rows as recorded and as found. */
  sets(of: Repository): Promise<(readonly [...Slot, rows: number, found: number, loaded: Date])[]>;
}

interface Step {
  act: 'begin' | 'end' | 'remove' | 'sweep' | 'sleep';
  choice: number;
  /** Sweeps what is older than this moment, rather than half a day. */
  all: boolean;
}

interface Loading {
  slot: Slot;
  rows: number;
  loaded: Date;
  touched: number;
  isGivenUp: boolean;
  end(): Promise<unknown>;
}

export function historyOf<Repository extends { sweep(idleSince: Date): Promise<number> }>(
  kind: SetKind<Repository>,
): Case<Repository> {
  const check = async (context: CaseContext<Repository>, steps: readonly Step[]) => {
    const storage = await context.open([kind.contract]);
    const repository = storage.repository(kind.contract);
    const published = new Map<Slot, Pick<Loading, 'rows' | 'loaded'>>();
    const loads: Loading[] = [];
    let dropped: number[] = [];
    let [days, count] = [0, 0];
    const acts: Record<Step['act'], (choice: number, all: boolean) => Promise<unknown>> = {
      async begin(choice) {
        const [slot, rows, loaded] = [kind.slots[choice % kind.slots.length] as Slot, ++count, at(count / 8)];
        const [halfway, goOn] = [gate(), gate()];
        const loading = kind.load(repository, slot, rows, loaded, async () => {
          halfway.open();
          await goOn.passed;
        });
        const end = () => {
          goOn.open();
          return loading;
        };
        await halfway.passed;
        loads.push({ slot, rows, loaded, touched: Date.now(), isGivenUp: false, end });
      },
      async end(choice) {
        const [load] = loads.splice(choice % Math.max(1, loads.length), 1);
        if (load === undefined) return;
        if (load.isGivenUp) await faults('conflict', load.end());
        else {
          await load.end();
          if (published.has(load.slot)) dropped.push(Date.now());
          published.set(load.slot, load);
        }
      },
      async remove(choice) {
        const slot = kind.slots[choice % kind.slots.length] as Slot;
        if (kind.remove === undefined) return;
        same((await kind.remove(repository, slot))?.loaded, published.get(slot)?.loaded);
        if (published.delete(slot)) dropped.push(Date.now());
      },
      async sweep(_, all) {
        const since = Date.now() + (all ? 60_000 : -43_200_000);
        const idle = loads.filter(({ touched, isGivenUp }) => touched < since && !isGivenUp);
        for (const load of idle) load.isGivenUp = true;
        const stay = dropped.filter((touched) => touched >= since);
        same(await repository.sweep(new Date(since)), idle.length + dropped.length - stay.length);
        dropped = stay;
      },
      async sleep() {
        days += 1;
      },
    };
    const act = async ({ act, choice, all }: Step) => {
      await daysLater(days, () => acts[act](choice, all));
      const listed = kind.slots.flatMap((slot) => {
        const set = published.get(slot);
        return set ? [[...slot, set.rows, set.rows, set.loaded]] : [];
      });
      same(await kind.sets(repository), listed);
    };
    for (const step of steps) await act(step);
    while (loads.length > 0) await act({ act: 'end', choice: 0, all: true });
    await act({ act: 'sweep', choice: 0, all: true });
    const fresh = await context.open([kind.contract]);
    for (const [slot, { rows, loaded }] of published) {
      await kind.load(fresh.repository(kind.contract), slot, rows, loaded, async () => {});
    }
    same(await storage.rowCounts?.(), await fresh.rowCounts?.(), 'rows of each table');
  };
  return {
    name: 'histories of loads, removals and sweeps leave the sets of a naive model, and no other rows',
    promise: 'what is published is found as a whole; a load without a sign of life is given up when it is swept',
    run: (context) =>
      property<Step>(context, {
        runs: 6,
        generate: (random) =>
          random.list(5, 25, () => ({
            act: random.pick(['begin', 'begin', 'begin', 'end', 'end', 'remove', 'sweep', 'sleep'] as const),
            choice: random.int(0, 11),
            all: random.chance(0.3),
          })),
        check: (steps) => check(context, steps),
      }),
  };
}
