/** beacon-depths@1 above tables, and what keeps it in step with the samples of datasets. */
import { defineStore, defineTable, integer, json, person, text } from '../../../../core/storage.js';
import type { CalledDepth } from '../../../services/beacon.js';
import { type Contig, contigs } from '../../domain/allele.js';
import {
  beaconDepths,
  chosenDepths,
  type DepthRepository,
  type DepthsOfSamples,
  type Phase,
  type PhasedPairs,
  type PhasesOfSamples,
  pairsEnd,
  phaseNames,
  phaseOfBoth,
  stretchOfPair,
} from './contract.js';

/** Contig, zero-based start, depth. */
type StoredDepth = readonly [contig: Contig, start: number, depth: number];

const depths = defineTable({
  name: 'beacon_depths_called',
  columns: {
    dataset: text(),
    sample: person(text()),
    assembly: text(),
    places: person(json<readonly StoredDepth[]>()),
  },
  key: ['dataset', 'sample'],
  sound: ({ places }) =>
    places === undefined ||
    places.every(([contig, ...numbers]) => contigs.includes(contig) && numbers.every(Number.isInteger)),
});

const phases = defineTable({
  name: 'beacon_depths_phases',
  columns: {
    dataset: text(),
    sample: person(text()),
    /** `stretchOfPair` of its pairs. */
    stretch: integer(),
    /** The number of each pair, times four, and the place of its phase in `phaseNames`. */
    pairs: person(json<readonly number[]>()),
  },
  key: ['dataset', 'sample', 'stretch'],
  sound: ({ pairs }) =>
    pairs === undefined ||
    pairs.every((one) => Number.isInteger(one) && one >= 0 && one < 4 * pairsEnd && phaseNames[one % 4] !== undefined),
});

function phasesOf(pairs: readonly number[]): Map<number, Phase> {
  return new Map(pairs.map((one) => [Math.floor(one / 4), phaseNames[one % 4] as Phase]));
}

function stored(pairs: PhasedPairs): number[] {
  return [...pairs].map(([pair, phase]) => pair * 4 + phaseNames.indexOf(phase));
}

/** The pairs of each stretch of each sample, in the order in which rows are locked. */
function stretchesOf(added: PhasesOfSamples): { sample: string; stretch: number; pairs: PhasedPairs }[] {
  const rows = [...added].flatMap(([sample, pairs]) => {
    const stretches = new Map<number, Map<number, Phase>>();
    for (const [pair, phase] of pairs) {
      const own = stretches.get(stretchOfPair(pair));
      if (own) own.set(pair, phase);
      else stretches.set(stretchOfPair(pair), new Map([[pair, phase]]));
    }
    return [...stretches].map(([stretch, own]) => ({ sample, stretch, pairs: own }));
  });
  const bySample = (one: string, other: string) => (one < other ? -1 : Number(one > other));
  return rows.sort((one, other) => bySample(one.sample, other.sample) || one.stretch - other.stretch);
}

function depthsOf(places: readonly StoredDepth[]): CalledDepth[] {
  return places.map(([chromosome, start, depth]) => ({ chromosome, start, depth }));
}

/** Samples, or their stretches, that are locked and written at once. */
const portion = 500;

export const store = defineStore<DepthRepository>({
  contract: beaconDepths,
  tables: [depths, phases],
  steps: { '001-depths': { tables: [depths] }, '002-phases': { tables: [phases] } },
  repository: (tables) => ({
    async add(dataset, assembly, added) {
      const all = [...added];
      for (let from = 0; from < all.length; from += portion) {
        await tables.transaction(async (inside) => {
          const some = all.slice(from, from + portion);
          const where = { dataset, assembly, sample: { among: some.map(([sample]) => sample) } };
          const known = new Map((await inside.table(depths).lock(where)).map((row) => [row.sample, row.places]));
          for (const [sample, own] of some) {
            const chosen = chosenDepths([...depthsOf(known.get(sample) ?? []), ...own]);
            const places = chosen.map(({ chromosome, start, depth }): StoredDepth => [chromosome, start, depth]);
            await inside.table(depths).put({ dataset, sample, assembly, places });
          }
        });
      }
    },

    async find(dataset, assembly, samples): Promise<DepthsOfSamples> {
      const rows = await tables.table(depths).find({ where: { dataset, assembly, sample: { among: samples } } });
      return new Map(rows.map(({ sample, places }) => [sample, depthsOf(places)]));
    },

    async addPhases(dataset, added) {
      const all = stretchesOf(added);
      for (let from = 0; from < all.length; from += portion) {
        await tables.transaction(async (inside) => {
          const [some, table] = [all.slice(from, from + portion), inside.table(phases)];
          const fresh = await table.addMany(some.map((row) => ({ ...row, dataset, pairs: stored(row.pairs) })));
          const isFresh = new Set(fresh.map(({ sample, stretch }) => `${stretch} ${sample}`));
          for (const { sample, stretch, pairs } of some) {
            if (isFresh.has(`${stretch} ${sample}`)) continue;
            const row = { dataset, sample, stretch };
            // Only holds the row, or adds it if it was removed meanwhile.
            const merged = phasesOf((await table.put({ ...row, pairs: [] }, [])).pairs);
            for (const [pair, phase] of pairs) merged.set(pair, phaseOfBoth(merged.get(pair), phase));
            await table.put({ ...row, pairs: stored(merged) });
          }
        });
      }
    },

    async findPhases(dataset, pairs, samples): Promise<PhasesOfSamples> {
      const wanted = new Set(pairs);
      const stretches = [...new Set(pairs.map(stretchOfPair))];
      const found = new Map<string, Map<number, Phase>>();
      if (stretches.length === 0 || samples.length === 0) return found;
      const where = { dataset, sample: { among: samples }, stretch: { among: stretches } };
      for await (const { sample, pairs: known } of tables.table(phases).each({ where })) {
        const own = found.get(sample) ?? new Map<number, Phase>();
        for (const [pair, phase] of phasesOf(known)) if (wanted.has(pair)) own.set(pair, phase);
        if (own.size > 0) found.set(sample, own);
      }
      return found;
    },

    async remove(dataset, samples, what) {
      const where = { dataset, ...(samples && { sample: { among: samples } }) };
      await tables.transaction(async (inside) => {
        if (what !== 'phases') await inside.table(depths).remove(where);
        if (what !== 'depths') await inside.table(phases).remove(where);
      });
    },

    async retain(dataset, samples) {
      const kept = new Set(samples);
      const rows = await tables.table(depths).find({ where: { dataset }, without: ['places'], latest: true });
      const gone = rows.map(({ sample }) => sample).filter((sample) => !kept.has(sample));
      if (gone.length > 0) await tables.table(depths).remove({ dataset, sample: { among: gone } });
    },
  }),
});
