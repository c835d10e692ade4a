/** The erasers of the enabled plugins, in the order of the configuration. */

import { eachPlugin } from '../each-plugin.js';
import { Fault } from '../fault.js';
import type { Erased, Eraser, Erasure, Revision } from './erasure.js';

/** What one plugin has, or had. */
export interface PluginErased extends Erased {
  readonly plugin: string;
}

export interface Erasers {
  /** Throws an `internal` fault after registration. */
  add(plugin: string, eraser: Eraser): void;
  /** Closes registration. */
  seal(): void;
  /** All ids of these samples, and of those of the cases, that any plugin knows; the given ones first. */
  samplesOf(of: { cases: readonly string[]; samples: readonly string[] }): Promise<string[]>;
  find(erasures: readonly Erasure[]): Promise<PluginErased[]>;
  /** What is stored of the people, of all plugins. */
  revisions(erasures: readonly Erasure[]): Promise<Revision[]>;
  /**
   * Calls every plugin but `except`, which erases its own part itself. If some fail, the others still erase; then an
   * `unavailable` fault names those that failed.
   */
  erase(erasures: readonly Erasure[], options?: { except?: string }): Promise<PluginErased[]>;
}

const what = 'the erasure of a person';

export function createErasers(): Erasers {
  const all: { plugin: string; eraser: Eraser }[] = [];
  let open = true;

  const reported = async (
    erasers: typeof all,
    call: (eraser: Eraser) => Promise<readonly Erased[]>,
  ): Promise<PluginErased[]> => {
    if (open) throw new Fault('internal', `${what} is announced during registration; announce it when it happens`);
    const found: PluginErased[] = [];
    await eachPlugin(erasers, what, async ({ plugin, eraser }) => {
      for (const one of await call(eraser)) if (one.count > 0) found.push({ plugin, ...one });
    });
    return found;
  };

  return {
    add(plugin, eraser) {
      if (!open) throw new Fault('internal', 'A plugin begins to listen while it registers, not later');
      if (typeof eraser?.find !== 'function' || typeof eraser.erase !== 'function') {
        throw new Fault('invalid', 'onErase takes an object with the functions find and erase');
      }
      all.push({ plugin, eraser });
    },
    seal() {
      open = false;
    },
    async samplesOf({ cases, samples }) {
      const known = new Set(samples);
      // An id that was found may be known to another plugin under yet another one.
      for (let asked = { cases, samples }; asked.cases.length + asked.samples.length > 0; ) {
        const more: string[] = [];
        await eachPlugin(all, what, async ({ eraser }) => {
          for (const id of (await eraser.related?.(asked)) ?? []) {
            if (known.has(id)) continue;
            known.add(id);
            more.push(id);
          }
        });
        asked = { cases: [], samples: more };
      }
      return [...known];
    },
    async revisions(erasures) {
      const found: Revision[] = [];
      await eachPlugin(all, what, async ({ eraser }) => {
        found.push(...((await eraser.revisions?.(erasures)) ?? []));
      });
      return found;
    },
    find: (erasures) => reported(all, (eraser) => eraser.find(erasures)),
    erase: (erasures, { except } = {}) =>
      reported(
        all.filter(({ plugin }) => plugin !== except),
        (eraser) => eraser.erase(erasures),
      ),
  };
}
