/** Repositories of beacon-protection@1 that break one promise. */
import type { Asking, ProtectionRepository, Region } from '../../../../plugins/beacon/contract.js';
import { beaconProtection } from '../../beacon.js';
import { type Damage, toSeconds, type Wrong, wrongRepository } from '../wrap.js';

const wrong = (does: string, fails: string, damage: Damage<ProtectionRepository>): Wrong =>
  wrongRepository(beaconProtection, does, fails, damage);

const unchanged = 'what was published is returned unchanged, and the next publication replaces it';
const after = 'what was read before a publication or an erasure is not published after it';
const first = 'the first publication is made once, and anew for another dataset of the same id';
const leaving = 'samples that are to leave stay published until the next publication';
const forgotten = 'forgotten samples are published no longer, and nothing is spent of them';
const paying = 'a yes costs its carriers, and those who cannot pay count no longer';
const remembered = 'a yes that was given is given again, without a charge, while there are enough carriers';

const at = ({ contig }: Region, stretch: number): Region => ({ contig, first: stretch, last: stretch });

export const wrongProtection: readonly Wrong[] = [
  wrong('keeps times of publications to the second', unchanged, () => (right) => ({
    publish: (publishing, now, options) => right.publish(publishing, toSeconds(now), options),
  })),
  wrong('adds what is published to what was', unchanged, () => (right) => ({
    publish: async (publishing, now, options) => {
      const before = (await right.published(publishing.dataset))?.samples ?? [];
      return right.publish({ ...publishing, samples: [...new Set([...before, ...publishing.samples])] }, now, options);
    },
  })),
  wrong('takes everyone for new in each publication', unchanged, () => (right) => ({
    published: async (dataset) => {
      const known = await right.published(dataset);
      return known && { ...known, since: known.samples.map(() => known.generation) };
    },
  })),
  wrong('lets every process begin', first, () => (right) => ({
    publish: (publishing, now) => right.publish(publishing, now),
  })),
  wrong('publishes what was read before another publication', after, () => (right) => ({
    publish: (publishing, now, options) => right.publish(publishing, now, options?.after === 0 ? options : undefined),
  })),
  wrong('publishes names that were forgotten before they were published', after, () => (right) => ({
    forget: async (samples) => {
      const published: string[] = [];
      for (const { dataset } of await right.publications()) {
        published.push(...((await right.published(dataset))?.samples ?? []));
      }
      if (samples.some((name) => published.includes(name))) await right.forget(samples);
    },
  })),
  wrong(
    'loses sight of samples that are to leave in a publication',
    'a sample that is published on is to leave still',
    () => {
      const kept = new Map<string, string[]>();
      return (right) => ({
        publish: async (publishing, now, options) => {
          kept.set(publishing.dataset, []);
          return right.publish(publishing, now, options);
        },
        withdraw: async (dataset, samples) => {
          await right.withdraw(dataset, samples);
          kept.set(dataset, await right.leaving(dataset));
        },
        leaving: async (dataset) => kept.get(dataset) ?? [],
      });
    },
  ),
  wrong('takes a dataset for an earlier one with its id', first, () => {
    const created = new Map<string, Date>();
    return (right) => ({
      publish: (publishing, now, options) => {
        if (!created.has(publishing.dataset)) created.set(publishing.dataset, publishing.created);
        const of = created.get(publishing.dataset) ?? publishing.created;
        return right.publish({ ...publishing, created: of }, now, options);
      },
    });
  }),
  wrong('removes samples that are to leave at once', leaving, () => (right) => ({
    withdraw: async (dataset, samples) => {
      await right.withdraw(dataset, samples);
      const known = await right.publications();
      const [publication] = known.filter((one) => one.dataset === dataset);
      const published = await right.published(dataset);
      if (!publication || !published) return;
      const left = published.samples.filter((name) => !samples.includes(name));
      await right.publish({ ...publication, samples: left }, publication.at);
    },
  })),
  wrong('forgets samples in no more than one dataset', forgotten, () => (right) => ({
    forget: async (samples) => {
      const before = await right.published('e');
      await right.forget(samples);
      const [publication] = (await right.publications()).filter(({ dataset }) => dataset === 'e');
      if (before && publication) {
        await right.publish({ ...publication, samples: [...before.samples, ...samples] }, publication.at);
      }
    },
  })),
  wrong('keeps the events of a dropped dataset', 'of a dropped dataset nothing is left', () => {
    const given = new Set<string>();
    const name = ({ dataset, account, event }: Asking) => JSON.stringify([dataset, account, event]);
    return (right) => ({
      answer: async (asking, rule, now) => {
        const exists = given.has(name(asking)) || (await right.answer(asking, rule, now));
        if (exists) given.add(name(asking));
        return exists;
      },
    });
  }),
  wrong('has one budget for all accounts', paying, () => (right) => ({
    answer: (asking, rule, now) => right.answer({ ...asking, account: 'x' }, rule, now),
  })),
  wrong('has one budget for all datasets', paying, () => (right) => ({
    answer: (asking, rule, now) => right.answer({ ...asking, dataset: 'd' }, rule, now),
  })),
  wrong('charges for a no', 'too few carriers are a no, which costs nothing', () => (right) => ({
    answer: async (asking, rule, now) => {
      const exists = await right.answer(asking, rule, now);
      const least = { ...rule, allowed: { ...rule.allowed, least: 1 } };
      const elsewhere = { event: `no ${asking.event}`, region: { contig: 'Y', first: 0, last: 0 } as const };
      if (!exists) await right.answer({ ...asking, ...elsewhere }, least, now);
      return exists;
    },
  })),
  wrong(
    'takes no notice of what others have spent',
    'those who have spent their budgets make the crowd smaller, and answers about others cost more',
    () => (right) => ({
      answer: (asking, rule, now) =>
        right.answer({ ...asking, account: `${asking.account} ${asking.carriers}` }, rule, now),
    }),
  ),
  wrong(
    'counts a person for every question about a region',
    'a person counts for one question about a stretch and those next to it',
    () => {
      let next = 0;
      return (right) => ({
        answer: (asking, rule, now) => right.answer({ ...asking, region: at(asking.region, 3 * next++) }, rule, now),
      });
    },
  ),
  wrong(
    'takes no notice of the stretches next to a region',
    'a person counts for one question about a stretch and those next to it',
    () => (right) => ({
      answer: (asking, rule, now) =>
        right.answer({ ...asking, region: at(asking.region, 3 * asking.region.first) }, rule, now),
    }),
  ),
  wrong(
    'notes who was consulted in the first stretch of a region',
    'a question about a wide region consults people in each of its stretches',
    () => (right) => ({
      answer: (asking, rule, now) =>
        right.answer({ ...asking, region: at(asking.region, asking.region.first) }, rule, now),
    }),
  ),
  wrong(
    'consults people for a yes alone',
    'people are consulted by a no as well, unless it does not depend on them',
    () => {
      const consulted = new Set<string>();
      let next = 0;
      return (right) => ({
        answer: async (asking, rule, now) => {
          const name = (sample: string) => `${asking.account} ${asking.region.first} ${sample}`;
          const carriers = asking.carriers.filter((one) => !consulted.has(name(one)));
          const exists = await right.answer({ ...asking, carriers, region: at(asking.region, 3 * next++) }, rule, now);
          if (exists) for (const one of carriers) consulted.add(name(one));
          return exists;
        },
      });
    },
  ),
  wrong(
    'keeps those who were consulted in the crowd',
    'those who were consulted make the crowd of the region smaller, and answers about others cost more',
    () => {
      let asked = 0;
      return (right) => ({
        answer: (asking, rule, now) => right.answer(asking, { ...rule, people: rule.people + asked++ }, now),
      });
    },
  ),
  wrong('keeps in mind who was consulted of forgotten samples', forgotten, () => {
    const gone = new Set<string>();
    return (right) => ({
      forget: async (samples) => {
        for (const one of samples) gone.add(one);
        await right.forget(samples);
      },
      answer: (asking, rule, now) =>
        right.answer({ ...asking, carriers: asking.carriers.filter((one) => !gone.has(one)) }, rule, now),
    });
  }),
  wrong('charges for every repetition', remembered, () => {
    let next = 0;
    return (right) => ({
      answer: (asking, rule, now) => right.answer({ ...asking, event: `${asking.event} ${next++}` }, rule, now),
    });
  }),
  wrong('remembers a yes without its carriers', remembered, () => {
    const given = new Set<string>();
    return (right) => ({
      answer: async (asking, rule, now) => {
        const name = `${asking.account} ${asking.event}`;
        if (given.has(name)) return true;
        const exists = await right.answer(asking, rule, now);
        if (exists) given.add(name);
        return exists;
      },
    });
  }),
  wrong(
    'gives nothing back',
    'what was spent is given back by half in each half-life, and never without one',
    () => (right) => ({
      answer: (asking, { renewDays: _, ...rule }, now) => right.answer(asking, rule, now),
    }),
  ),
  wrong('decides before it stores', 'concurrent answers never spend more than a budget', () => {
    // Each answer is decided alone, as in a process that read the budgets before the others wrote theirs.
    let next = 0;
    return (right) => ({
      answer: (asking, rule, now) => right.answer({ ...asking, account: `${asking.account} ${next++}` }, rule, now),
    });
  }),
  wrong('keeps charges that were rolled back', 'an answer in a transaction that fails costs nothing', () => {
    const charged = new Set<string>();
    return (right) => ({
      answer: async (asking, rule, now) => {
        // Somebody who was charged in a transaction that failed has no budget left.
        const exists = charged.size < 2 && (await right.answer(asking, rule, now));
        if (exists) charged.add(asking.event);
        return exists;
      },
    });
  }),
  wrong(
    'charges three hundred carriers at most',
    'hundreds of carriers with any names pay together',
    () => (right) => ({
      answer: (asking, rule, now) => {
        const most = asking.carriers.slice(0, 300);
        const least = Math.min(rule.allowed.least, most.length);
        return right.answer({ ...asking, carriers: most }, { ...rule, allowed: { ...rule.allowed, least } }, now);
      },
    }),
  ),
  wrong('replaces tallies', 'tallies of accounts are added up', () => {
    const last = new Map<string, { account: string; questions: number; hits: number }>();
    return (right) => ({
      count: async (dataset, tallies) => {
        for (const one of tallies) if (dataset === 'd') last.set(one.account, one);
        await right.count(dataset, tallies);
      },
      tallies: async () => [...last.values()].sort((one, other) => (one.account < other.account ? -1 : 1)),
    });
  }),
];
