/** Beacon repositories that load, remove, describe or list wrongly. */
import { Fault, isFault } from '../../../../core/storage.js';
import {
  type CalledAllele,
  type Counts,
  type DatasetDescription,
  farthest,
  matches,
  sameDescription,
} from '../../../../plugins/beacon/contract.js';
import { toSeconds, type Wrong } from '../wrap.js';
import { byBatch, byRule, gathered, once, wrong } from './damage.js';

const largest = 'positions, copies and totals may be as large as the bounds allow';
const none: Counts = { alleles: 0, calls: 0, samples: 0 };

export const wrongBeaconWrites: readonly Wrong[] = [
  byBatch('loses the last allele of a batch', 'the batches of an import do not matter', (batch) => batch.slice(0, -1)),
  byBatch('stores only 32 766 alleles of a batch', 'a batch of 33 000 alleles is stored completely', (batch) =>
    batch.slice(0, 32_766),
  ),
  byBatch('leaves out the mate', 'an allele is returned with every field as it was imported', (batch) =>
    batch.map(({ mate: _, ...allele }) => allele),
  ),
  byBatch(
    'stores positions as far as it can',
    'values beyond the bounds are refused, and nothing of the import stays',
    (batch) => batch.map((allele) => ({ ...allele, end: Math.min(allele.end, farthest) })),
  ),
  byBatch('counts copies in a byte', largest, (batch) =>
    batch.map((allele) => ({
      ...allele,
      carriers: allele.carriers.map(([sample, copies]) => [sample, copies & 255] as const),
    })),
  ),
  wrong('counts calls in 32 bits', largest, () => (right) => ({
    dataset: async (id) => {
      const dataset = await right.dataset(id);
      return dataset && { ...dataset, callCount: dataset.callCount | 0 };
    },
  })),
  wrong(
    'shows half an import',
    'a query during an import sees the state before or after, never a part',
    () => (right) => ({
      importAlleles: async (request, now) => {
        const sum = { ...none };
        for await (const batch of request.alleles) {
          const change = await right.importAlleles({ ...request, alleles: once(batch) }, now);
          for (const key of ['alleles', 'calls', 'samples'] as const) sum[key] += change[key];
        }
        return sum;
      },
    }),
  ),
  wrong(
    'keeps what came before a failure',
    'an import whose source fails half-way leaves nothing behind',
    () => (right) => ({
      importAlleles: async (request, now) => {
        let failure: { error: unknown } | undefined;
        const alleles = (async function* () {
          try {
            yield* request.alleles;
          } catch (error) {
            failure = { error };
          }
        })();
        const change = await right.importAlleles({ ...request, alleles }, now);
        if (failure) throw failure.error;
        return change;
      },
    }),
  ),
  wrong(
    'does not listen to the signal',
    'an aborted import throws the reason and leaves nothing behind',
    () => (right) => ({
      importAlleles: ({ signal: _, ...request }, now) => right.importAlleles(request, now),
    }),
  ),
  wrong('never discards what a failed import staged', 'no invisible data takes space for good', () => {
    let staged = 0;
    return (right) => ({
      importAlleles: async (request, now) => {
        staged += 1;
        const change = await right.importAlleles(request, now);
        staged -= 1;
        return change;
      },
      leftovers: async () => staged,
    });
  }),
  wrong('normalises names', 'names are compared by code units, not by appearance', () => (right) => ({
    importAlleles: (request, now) =>
      right.importAlleles({ ...request, samples: request.samples.map((name) => name.normalize('NFC')) }, now),
  })),
  wrong(
    'imports into whatever dataset has the id at the end',
    'an import stays with the dataset that it began with',
    () => (right) => ({
      importAlleles: async (request, now) => {
        const alleles = await gathered(request.alleles);
        return right.importAlleles({ ...request, alleles: once(alleles) }, now);
      },
    }),
  ),
  wrong('blocks all writes during an import', 'other calls run during an import', () => {
    let importing = 0;
    const busy = async () => {
      if (importing > 0) throw new Fault('unavailable', 'The database is locked');
    };
    return (right) => ({
      importAlleles: async (request, now) => {
        await busy();
        importing += 1;
        return right.importAlleles(request, now).finally(() => {
          importing -= 1;
        });
      },
      addDataset: (description, now) => busy().then(() => right.addDataset(description, now)),
    });
  }),
  wrong('stores the last number of copies', 'a sample keeps its first number of copies', () => (right) => ({
    importAlleles: async (request, now) => {
      await right.removeSamples(request.dataset, request.samples, now);
      return right.importAlleles(request, now);
    },
  })),
  wrong('returns the size of the import as its change', 'importing the same again changes nothing', () => (right) => ({
    importAlleles: async (request, now) => {
      const alleles = await gathered(request.alleles);
      await right.importAlleles({ ...request, alleles: once(alleles) }, now);
      const calls = alleles.reduce((sum, { carriers }) => carriers.reduce((all, [, copies]) => all + copies, sum), 0);
      return { alleles: alleles.length, calls, samples: request.samples.length };
    },
  })),
  wrong('forgets samples without alleles', 'samples without any allele are counted', () => (right) => ({
    importAlleles: async (request, now) => {
      const alleles = await gathered(request.alleles);
      const carrying = new Set(alleles.flatMap(({ carriers }) => carriers.map(([sample]) => sample)));
      const samples = request.samples.filter((_, i) => carrying.has(i));
      const renumbered = alleles.map((allele) => ({
        ...allele,
        carriers: allele.carriers.map(
          ([sample, copies]) => [samples.indexOf(request.samples[sample] ?? ''), copies] as const,
        ),
      }));
      return right.importAlleles({ ...request, samples, alleles: once(renumbered) }, now);
    },
  })),
  wrong('loses an update of the totals', 'imports that overlap in time end with the right totals', () => {
    const stored = new Map<string, Counts>();
    return (right) => ({
      importAlleles: async (request, now) => {
        const before = stored.get(request.dataset) ?? none;
        const { alleles, calls, samples } = await right.importAlleles(request, now);
        stored.set(request.dataset, {
          alleles: before.alleles + alleles,
          calls: before.calls + calls,
          samples: before.samples + samples,
        });
        return { alleles, calls, samples };
      },
      dataset: async (id) => {
        const dataset = await right.dataset(id);
        const { alleles, calls, samples } = stored.get(id) ?? none;
        return dataset && { ...dataset, alleleCount: alleles, callCount: calls, sampleCount: samples };
      },
    });
  }),
  // Removals
  wrong('removes a shared allele with the sample', 'an allele that another sample carries stays', () => {
    const imports: { samples: readonly string[]; alleles: CalledAllele[] }[] = [];
    let description: DatasetDescription | undefined;
    return (right) => ({
      addDataset: (added, now) => {
        description = added;
        return right.addDataset(added, now);
      },
      importAlleles: async (request, now) => {
        const alleles = await gathered(request.alleles);
        imports.push({ samples: request.samples, alleles });
        return right.importAlleles({ ...request, alleles: once(alleles) }, now);
      },
      removeSamples: async (dataset, gone, now) => {
        const change = await right.removeSamples(dataset, gone, now);
        await right.removeDataset(dataset);
        if (description) await right.addDataset(description, now);
        for (const { samples, alleles } of imports) {
          const untouched = alleles.filter(({ carriers }) => !carriers.some(([i]) => gone.includes(samples[i] ?? '')));
          await right.importAlleles({ dataset, samples, alleles: once(untouched) }, now);
        }
        await right.removeSamples(dataset, gone, now);
        return change;
      },
    });
  }),
  wrong('removes nothing', 'removing samples restores the state without them', () => () => ({
    removeSamples: async (_dataset, samples) => ({ ...none, samples: samples.length }),
  })),
  wrong(
    'fails for a sample that does not exist',
    'names that the dataset does not have are ignored',
    () => (right) => ({
      removeSamples: async (dataset, samples, now) => {
        const known = await right.samples(dataset);
        if (samples.some((name) => !known.includes(name))) throw new Fault('not-found', 'There is no such sample');
        return right.removeSamples(dataset, samples, now);
      },
    }),
  ),
  wrong('keeps the alleles of a removed dataset', 'a dataset added again under an old id is empty', () => {
    const hidden = new Set<string>();
    return (right) => ({
      removeDataset: async (id) => {
        const there = (await right.dataset(id)) !== undefined && !hidden.has(id);
        hidden.add(id);
        return there;
      },
      addDataset: async (description, now) => {
        if (!hidden.delete(description.id)) return right.addDataset(description, now);
        await right.updateDataset(description, now);
      },
    });
  }),
  // Datasets and answers
  wrong('counts over all datasets', 'datasets that share an allele count it separately', () => (right) => ({
    search: async (query, ids) => {
      const all = (await right.datasets()).map(({ id }) => id);
      const hits = await right.search(query, all);
      const sum = (key: keyof Counts) => hits.reduce((total, hit) => total + hit[key], 0);
      return hits
        .filter(({ dataset }) => ids.includes(dataset))
        .map(({ dataset }) => ({ dataset, alleles: 1, calls: sum('calls'), samples: sum('samples') }));
    },
  })),
  wrong(
    'answers for datasets that were not named',
    'only the requested datasets are returned, by id ascending',
    () => (right) => ({
      search: async (query) =>
        right.search(
          query,
          (await right.datasets()).map(({ id }) => id),
        ),
    }),
  ),
  wrong('reports every dataset as present', 'a start is found at its exact position', () => () => ({
    present: async (_query, ids) => [...new Set(ids)].sort(),
  })),
  wrong('searches only 32 766 datasets', 'a query may name 40 000 datasets', () => (right) => ({
    search: (query, ids) => right.search(query, ids.slice(0, 32_766)),
  })),
  wrong(
    'lists a thousand samples at most',
    'more than a thousand samples are loaded, listed and removed',
    () => (right) => ({
      samples: async (dataset) => (await right.samples(dataset)).slice(0, 1000),
    }),
  ),
  byRule(
    'cuts an answer off',
    'a batch of 33 000 alleles is stored completely',
    (allele, query) => matches(allele, query) && (query.start !== undefined || allele.start < 1000),
  ),
  wrong('sorts as a language does', 'datasets are listed by id in code-unit order', () => (right) => ({
    datasets: async () => (await right.datasets()).sort((a, b) => a.id.localeCompare(b.id, 'en')),
  })),
  wrong('sorts samples by code point', 'samples are listed in code-unit order', () => (right) => ({
    samples: async (dataset) =>
      (await right.samples(dataset)).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
  })),
  wrong('compares ids regardless of case', 'ids and sample names differ by case', () => (right) => ({
    addDataset: (description, now) => right.addDataset({ ...description, id: description.id.toLowerCase() }, now),
  })),
  wrong(
    'keeps times of datasets to the second',
    'a dataset is returned with the description it was added with',
    () => (right) => ({
      addDataset: (description, now) => right.addDataset(description, toSeconds(now)),
    }),
  ),
  wrong(
    'returns null for missing fields of a dataset',
    'a dataset is returned with the description it was added with',
    () => (right) => ({
      dataset: async (id) => {
        const dataset = await right.dataset(id);
        return dataset && ({ description: null, externalUrl: null, ...dataset } as unknown as typeof dataset);
      },
    }),
  ),
  wrong(
    'lets the assembly of a full dataset change',
    'the assembly of a dataset with samples cannot change',
    () => (right) => ({
      updateDataset: (description, now) =>
        right.updateDataset(description, now).catch((error: unknown) => {
          if (!isFault(error)) throw error;
          return true;
        }),
    }),
  ),
  wrong(
    'updates from whatever description there is',
    'an update from a description succeeds only if it is still the description',
    () => (right) => ({ updateDataset: (description, now) => right.updateDataset(description, now) }),
  ),
  wrong(
    'compares the description before it updates',
    'an update from a description succeeds only if it is still the description',
    () => (right) => ({
      updateDataset: async (description, now, from) => {
        const known = await right.dataset(description.id);
        if (from && !(known && sameDescription(known, from))) return false;
        return right.updateDataset(description, now);
      },
    }),
  ),
  wrong('keeps fields that an update omits', 'updating replaces the whole description', () => (right) => ({
    updateDataset: async (description, now) => {
      const known = await right.dataset(description.id);
      const kept: Partial<DatasetDescription> = {};
      if (known?.description !== undefined) kept.description = known.description;
      return right.updateDataset({ ...kept, ...description }, now);
    },
  })),
  wrong(
    'mixes structural alleles among the examples',
    'examples are alleles of the dataset, structural or plain, no more than requested',
    () => (right) => ({
      examples: async (dataset, _structural, limit) => right.examples(dataset, false, limit),
    }),
  ),
  wrong(
    'removes visible samples when sweeping',
    'sweeping changes no result, and stops no running import',
    () => (right) => ({
      sweep: async (idleSince) => {
        for (const { id } of await right.datasets()) await right.removeSamples(id, await right.samples(id), idleSince);
        return 0;
      },
    }),
  ),
  wrong(
    'counts each import of an allele',
    'queries after any sequence of imports and removals agree with the reference model',
    () => {
      const imports = new Map<string, number>();
      return (right) => ({
        importAlleles: async (request, now) => {
          imports.set(request.dataset, (imports.get(request.dataset) ?? 0) + 1);
          return right.importAlleles(request, now);
        },
        search: async (query, ids) =>
          (await right.search(query, ids)).map((hit) =>
            (imports.get(hit.dataset) ?? 0) > 2 ? { ...hit, alleles: hit.alleles + 1 } : hit,
          ),
      });
    },
  ),
];
