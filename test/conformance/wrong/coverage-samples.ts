/** Repositories of registered samples that break one promise. */
import type { RegistrationOutcome, RunBlock, SampleRepository } from '../../../plugins/coverage/contract.js';
import { coverageSamples } from '../coverage.js';
import { type Damage, toSeconds, type Wrong, wrongRepository } from './wrap.js';

const wrong = (does: string, fails: string, damage: Damage<SampleRepository>): Wrong =>
  wrongRepository(coverageSamples, does, fails, damage);

const asGiven = 'registered samples are returned unchanged, pending and without a check';
const inOrder = 'a successful check is returned with its runs, in order';
const starting = 'the blocks of many samples are returned by where they start';
const moved = 'another file or build makes the sample pending, and the last check stays';
const stale = 'what was found of an earlier revision is not recorded';

export const wrongRegistry: readonly Wrong[] = [
  wrong(
    'compares the beginnings of files as they are written',
    'samples are found by the beginnings of their files, if any are named',
    () => (right) => ({
      find: async (ids, begins) =>
        (await right.find(ids)).filter(({ file }) => begins?.some((begin) => file.path.startsWith(begin)) ?? true),
    }),
  ),
  wrong('keeps times to the second', asGiven, () => (right) => ({
    register: (samples, now) => right.register(samples, toSeconds(now)),
  })),
  wrong('forgets the track of a file', asGiven, () => (right) => ({
    register: (samples, now) =>
      right.register(
        samples.map((sample) => ({ ...sample, file: { path: sample.file.path } })),
        now,
      ),
  })),
  wrong('finds a sample for each time it is named', asGiven, () => (right) => ({
    find: async (ids) => (await Promise.all(ids.map((id) => right.find([id])))).flat(),
  })),
  wrong(
    'keeps labels that are no longer stated',
    'registering a sample again replaces what is stated of it',
    () => (right) => ({
      register: async (samples, now) => {
        const known = new Map((await right.find(samples.map(({ id }) => id))).map((one) => [one.id, one]));
        const merged = samples.map((one) => ({ ...one, labels: { ...known.get(one.id)?.labels, ...one.labels } }));
        return right.register(merged, now);
      },
    }),
  ),
  wrong(
    'registers samples one by one',
    'a sample that is given twice is refused, and so is the whole list',
    () => (right) => ({
      register: async (samples, now) => {
        const outcomes: RegistrationOutcome[] = [];
        for (const sample of samples) outcomes.push(...(await right.register([sample], now)));
        return outcomes;
      },
    }),
  ),
  wrong('returns runs as they were written', inOrder, () => {
    const written = new Map<string, readonly RunBlock[]>();
    return (right) => ({
      record: async (id, revision, outcome) => {
        const done = await right.record(id, revision, outcome);
        if (done && outcome.state === 'ready') written.set(id, outcome.runs);
        return done;
      },
      runs: async (id, wanted) =>
        (written.get(id) ?? []).filter(({ chromosome }) => wanted?.includes(chromosome) ?? true),
    });
  }),
  wrong('returns all runs if none are wanted', inOrder, () => (right) => ({
    runs: (id, wanted) => right.runs(id, wanted?.length === 0 ? undefined : wanted),
  })),
  wrong('takes every sample for ready', 'revisions and states are those of the samples themselves', () => (right) => ({
    revisions: async (ids) => (await right.revisions(ids)).map((one) => ({ ...one, state: 'ready' })),
  })),
  wrong('finds blocks that only reach into the span', starting, () => (right) => ({
    runsFrom: async (ids, chromosome, { start, end }) =>
      (await right.runsFrom(ids, chromosome, { start: 0, end }))
        .map((one) => ({ ...one, blocks: one.blocks.filter((block) => block.end > start) }))
        .filter(({ blocks }) => blocks.length > 0),
  })),
  wrong('returns blocks under an earlier revision', starting, () => {
    const revisions = new Map<string, string>();
    return (right) => ({
      runsFrom: async (ids, chromosome, span) =>
        (await right.runsFrom(ids, chromosome, span)).map((one) => {
          if (!revisions.has(one.sample)) revisions.set(one.sample, one.revision);
          return { ...one, revision: revisions.get(one.sample) ?? '' };
        }),
    });
  }),
  wrong('truncates long blocks', 'thousands of samples, and megabytes of runs, are kept', () => (right) => ({
    runs: async (id, wanted) =>
      (await right.runs(id, wanted)).map((block) => ({ ...block, content: block.content.slice(0, 2 ** 16) })),
  })),
  wrong('adds the runs of a check to those of the last', 'a further check replaces the check and all runs', () => {
    const all = new Map<string, RunBlock[]>();
    return (right) => ({
      record: (id, revision, outcome) => {
        if (outcome.state !== 'ready') return right.record(id, revision, outcome);
        const runs = [...(all.get(id) ?? []), ...outcome.runs];
        all.set(id, runs);
        return right.record(id, revision, { ...outcome, runs });
      },
    });
  }),
  wrong(
    'removes the runs of a file that fails',
    'a failing or changed file keeps the last check and its runs',
    () => (right) => ({
      record: async (id, revision, outcome) => {
        const [known] = await right.find([id]);
        if (outcome.state !== 'failing' || known?.check === undefined) return right.record(id, revision, outcome);
        await right.record(id, revision, { state: 'ready', check: known.check, runs: [] });
        const [after] = await right.find([id]);
        return right.record(id, after?.revision ?? '', outcome);
      },
    }),
  ),
  wrong('forgets the check of a sample that moves', moved, () => (right) => ({
    register: async (samples, now) => {
      const outcomes = await right.register(samples, now);
      const gone = samples.filter((_, i) => outcomes[i] === 'moved');
      await right.remove(gone.map(({ id }) => id));
      await right.register(gone, now);
      return outcomes;
    },
  })),
  wrong('keeps the revision of a sample that moves', moved, () => {
    const first = new Map<string, string>();
    return (right) => ({
      find: async (ids) =>
        (await right.find(ids)).map((sample) => {
          if (!first.has(sample.id)) first.set(sample.id, sample.revision);
          return { ...sample, revision: first.get(sample.id) ?? '' };
        }),
      record: async (id, _, outcome) => {
        const [now] = await right.find([id]);
        return right.record(id, now?.revision ?? '', outcome);
      },
    });
  }),
  wrong('records what was found of an earlier revision', stale, () => (right) => ({
    record: async (id, _, outcome) => {
      const [now] = await right.find([id]);
      return right.record(id, now?.revision ?? '', outcome);
    },
  })),
  wrong('records both of two checks', 'of two concurrent checks of one revision, one is recorded', () => (right) => ({
    record: async (id, revision, outcome) => {
      if (await right.record(id, revision, outcome)) return true;
      const [now] = await right.find([id]);
      return right.record(id, now?.revision ?? '', outcome);
    },
  })),
  wrong('takes `after` for a number of samples', 'samples are listed by id and page by page', () => (right) => ({
    list: async ({ after, ...page }) => {
      const all = await right.list({ ...page, limit: 1000 });
      return all.slice(Number(after ?? 0)).slice(0, page.limit);
    },
  })),
  wrong('limits a page before it looks at states', 'samples are listed by state', () => (right) => ({
    list: async ({ states, after, limit }) =>
      (await right.list({ ...(after !== undefined && { after }), limit: Math.min(limit, 2) })).filter(
        ({ state }) => states?.includes(state) ?? true,
      ),
  })),
  wrong('counts ids instead of samples', 'samples leave with everything, and others stay', () => (right) => ({
    remove: async (ids) => {
      await right.remove(ids);
      return ids.length;
    },
  })),
  wrong('keeps the reason of a failure', 'a failing or changed file keeps the last check and its runs', () => {
    const reasons = new Map<string, string>();
    return (right) => ({
      record: (id, revision, outcome) => {
        if (outcome.state === 'failing') reasons.set(id, outcome.reason);
        return right.record(id, revision, outcome);
      },
      find: async (ids) =>
        (await right.find(ids)).map((sample) => {
          const reason = reasons.get(sample.id);
          return reason === undefined ? sample : { ...sample, reason };
        }),
    });
  }),
  wrong('changes what a model does not', 'random changes leave what a plain model has', () => (right) => ({
    record: async (id, revision, outcome) =>
      outcome.state === 'changed'
        ? right.record(id, revision, { state: 'failing', reason: 'changed' })
        : right.record(id, revision, outcome),
  })),
];
