/** Beacon repositories that know samples wrongly. */
import { type DatasetDescription, type Sample, unknownFacts } from '../../../../plugins/beacon/contract.js';
import type { Wrong } from '../wrap.js';
import { wrong } from './damage.js';

/** Changes every sample that is listed. */
function bySample(does: string, fails: string, change: (sample: Sample) => Sample): Wrong {
  return wrong(does, fails, () => (right) => ({
    sampleFacts: async (dataset) => (await right.sampleFacts(dataset)).map(change),
  }));
}

const asGiven = 'facts come back as an import gives them';

export const wrongSamples: readonly Wrong[] = [
  bySample('gives every sample the case of nobody', 'a sample of which nothing is said is its own case', (sample) => ({
    ...sample,
    case: '',
  })),
  wrong('sorts facts by code point', 'a sample of which nothing is said is its own case', () => (right) => ({
    sampleFacts: async (dataset) =>
      (await right.sampleFacts(dataset)).sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name))),
  })),
  bySample('keeps labels in lower case', asGiven, ({ labels, ...sample }) => ({
    ...sample,
    labels: Object.fromEntries(Object.entries(labels).map(([label, text]) => [label, text.toLowerCase()])),
  })),
  bySample('takes the depth of every sample from that of the same id', asGiven, (sample) => ({
    ...sample,
    coverageId: sample.name,
  })),
  bySample('loses the labels of terms', asGiven, ({ phenotypes, ...sample }) => ({
    ...sample,
    phenotypes: phenotypes.map(({ id }) => ({ id })),
  })),
  bySample('takes diseases for phenotypes', asGiven, ({ phenotypes, diseases, ...sample }) => ({
    ...sample,
    phenotypes: [...phenotypes, ...diseases],
    diseases: [],
  })),
  bySample('takes an unaffected sample for one of which it does not know', asGiven, (sample) => ({
    ...sample,
    affected: sample.affected || undefined,
  })),
  wrong(
    'keeps the facts of the first import',
    'a later import replaces what it says of a sample, and leaves the rest',
    () => (right) => ({
      importAlleles: async ({ facts, ...request }, now) => {
        const known = await right.samples(request.dataset);
        const fresh = new Map([...(facts ?? [])].filter(([name]) => !known.includes(name)));
        return right.importAlleles({ ...request, facts: fresh }, now);
      },
    }),
  ),
  wrong(
    'forgets what an import does not repeat',
    'a later import replaces what it says of a sample, and leaves the rest',
    () => (right) => ({
      importAlleles: ({ facts, ...request }, now) => {
        const whole = request.samples.map((name) => [name, { ...unknownFacts(name), ...facts?.get(name) }] as const);
        return right.importAlleles({ ...request, facts: new Map(whole) }, now);
      },
    }),
  ),
  wrong(
    'adds labels to those that are there',
    'a later import replaces what it says of a sample, and leaves the rest',
    () => (right) => ({
      importAlleles: async ({ facts = new Map(), ...request }, now) => {
        const known = new Map((await right.sampleFacts(request.dataset)).map(({ name, labels }) => [name, labels]));
        const more = [...facts].map(([name, change]) => {
          const labels = { ...known.get(name), ...change.labels };
          return [name, change.labels ? { ...change, labels } : change] as const;
        });
        return right.importAlleles({ ...request, facts: new Map(more) }, now);
      },
    }),
  ),
  wrong(
    'dates a sample by its last import',
    'a later import replaces what it says of a sample, and leaves the rest',
    () => {
      const last = new Map<string, Date>();
      return (right) => ({
        importAlleles: (request, now) => {
          for (const name of request.samples) last.set(name, now);
          return right.importAlleles(request, now);
        },
        sampleFacts: async (dataset) =>
          (await right.sampleFacts(dataset)).map((sample) => ({
            ...sample,
            added: last.get(sample.name) ?? sample.added,
          })),
      });
    },
  ),
  wrong(
    'asks what was searched for before it reads',
    'what samples were searched for adds up over imports',
    () => (right) => ({
      importAlleles: async ({ searched, ...request }, now) => {
        const kinds = searched?.();
        return right.importAlleles({ ...request, ...(kinds && { searched: () => kinds }) }, now);
      },
    }),
  ),
  wrong(
    'takes every sample for one of all kinds',
    'what samples were searched for adds up over imports',
    () => (right) => ({
      importAlleles: ({ searched, ...request }, now) => {
        const asked = () => {
          searched?.();
          return { small: true, structural: true };
        };
        return right.importAlleles({ ...request, searched: asked }, now);
      },
    }),
  ),
  wrong('updates a dataset with every import', 'an import that says nothing new changes nothing', () => {
    const last = new Map<string, Date>();
    return (right) => ({
      importAlleles: (request, now) => {
        last.set(request.dataset, now);
        return right.importAlleles(request, now);
      },
      dataset: async (id) => {
        const dataset = await right.dataset(id);
        return dataset && { ...dataset, updated: last.get(id) ?? dataset.updated };
      },
    });
  }),
  wrong(
    'overlooks facts without new alleles',
    'an import that says something new of its samples alone updates the dataset',
    () => (right) => ({
      importAlleles: async (request, now) => {
        const known = await right.samples(request.dataset);
        if (request.samples.some((name) => !known.includes(name))) return right.importAlleles(request, now);
        const { facts: _, searched: _searched, ...rest } = request;
        return right.importAlleles({ ...rest, searched: () => ({ small: false, structural: false }) }, now);
      },
    }),
  ),
  wrong('writes facts before it reads alleles', 'an import that fails says nothing of its samples', () => (right) => ({
    importAlleles: async (request, now) => {
      const known = await right.samples(request.dataset);
      const there = new Map([...(request.facts ?? [])].filter(([name]) => known.includes(name)));
      if (there.size > 0) await right.describeSamples(request.dataset, there, now);
      return right.importAlleles(request, now);
    },
  })),
  wrong(
    'counts every sample that it is given',
    'samples are corrected, and those that changed are counted',
    () => (right) => ({
      describeSamples: async (dataset, changes, now) => {
        await right.describeSamples(dataset, changes, now);
        return changes.size;
      },
    }),
  ),
  wrong('cannot take a fact back', 'samples are corrected, and those that changed are counted', () => (right) => ({
    describeSamples: (dataset, changes, now) => {
      const kept = [...changes].map(([name, { affected, ...change }]) => {
        return [name, affected === undefined ? change : { ...change, affected }] as const;
      });
      return right.describeSamples(dataset, new Map(kept), now);
    },
  })),
  wrong(
    'corrects those that it knows',
    'a correction of a sample that the dataset lacks changes nothing',
    () => (right) => ({
      describeSamples: async (dataset, changes, now) => {
        const known = await right.samples(dataset);
        return right.describeSamples(dataset, new Map([...changes].filter(([name]) => known.includes(name))), now);
      },
    }),
  ),
  wrong('remembers removed samples', 'what is known of a sample leaves with it', () => {
    const known = new Map<string, Sample>();
    return (right) => ({
      removeSamples: async (dataset, names, now) => {
        for (const sample of await right.sampleFacts(dataset)) known.set(sample.name, sample);
        return right.removeSamples(dataset, names, now);
      },
      sampleFacts: async (dataset) =>
        (await right.sampleFacts(dataset)).map((sample) => known.get(sample.name) ?? sample),
    });
  }),
  wrong(
    'knows a sample in every dataset',
    'what is known of samples leaves with their dataset, and others keep theirs',
    () => (right) => ({
      describeSamples: async (dataset, changes, now) => {
        const changed = await right.describeSamples(dataset, changes, now);
        for (const { id } of await right.datasets()) await right.describeSamples(id, changes, now);
        return changed;
      },
    }),
  ),
  wrong(
    'has one salt for all datasets',
    'every dataset has a salt of its own, as long as it exists',
    () => (right) => ({
      salt: async (dataset) => (await right.dataset(dataset)) && 'a salt of the whole storage',
    }),
  ),
  wrong('has another salt every time', 'every dataset has a salt of its own, as long as it exists', () => {
    let asked = 0;
    return (right) => ({
      salt: async (dataset) => {
        const salt = await right.salt(dataset);
        return salt && `${salt}${asked++}`;
      },
    });
  }),
  wrong('makes the salt from the id', 'every dataset has a salt of its own, as long as it exists', () => (right) => ({
    salt: async (dataset) => (await right.dataset(dataset)) && `the salt of ${dataset}`,
  })),
  wrong(
    'overlooks changes of phenotypes',
    'samples are corrected, and those that changed are counted',
    () => (right) => ({
      describeSamples: (dataset, changes, now) => {
        const kept = [...changes].map(([name, { phenotypes: _, ...change }]) => [name, change] as const);
        return right.describeSamples(dataset, new Map(kept), now);
      },
    }),
  ),
  wrong(
    'forgets counting rules',
    'the counting rules of a dataset come back, and are part of its description',
    () => (right) => ({
      addDataset: ({ counting: _, ...description }, now) => right.addDataset(description, now),
    }),
  ),
  wrong(
    'compares descriptions without their rules',
    'the counting rules of a dataset come back, and are part of its description',
    () => (right) => ({
      updateDataset: async (description, now, from) => {
        const counting = (await right.dataset(description.id))?.counting;
        const same: DatasetDescription | undefined = from && { ...from, ...(counting && { counting }) };
        return right.updateDataset(description, now, same);
      },
    }),
  ),
  bySample(
    'does not know of later imports',
    'it is known how many later imports may have changed the alleles of a sample',
    ({ later: _, ...sample }) => sample,
  ),
  wrong(
    'has the batches of a dataset in one series',
    'batches come back as they were added, in their series and order',
    () => (right) => ({
      batches: (dataset) => right.batches(dataset, 'one'),
      addBatches: (dataset, _, after, added) => right.addBatches(dataset, 'one', after, added),
    }),
  ),
  wrong(
    'adds batches to whatever is there',
    'of callers that know the same batches, one adds to them',
    () => (right) => ({
      addBatches: async (dataset, series, _, added) =>
        right.addBatches(dataset, series, (await right.batches(dataset, series)).length, added),
    }),
  ),
  wrong('lists the facts of a thousand samples', 'the facts of many samples are kept and corrected', () => (right) => ({
    sampleFacts: async (dataset) => (await right.sampleFacts(dataset)).slice(0, 1000),
  })),
];
