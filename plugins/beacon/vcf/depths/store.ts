/** beacon-depths@1 above tables, and what keeps it in step with the samples of datasets. */
import { defineStore, defineTable, json, person, text } from '../../../../core/storage.js';
import type { CalledDepth } from '../../../services/beacon.js';
import { type Contig, contigs } from '../../domain/allele.js';
import { beaconDepths, chosenDepths, type DepthRepository, type DepthsOfSamples } from './contract.js';

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

function depthsOf(places: readonly StoredDepth[]): CalledDepth[] {
  return places.map(([chromosome, start, depth]) => ({ chromosome, start, depth }));
}

/** Samples that are locked and written at once. */
const portion = 500;

export const store = defineStore<DepthRepository>({
  contract: beaconDepths,
  tables: [depths],
  steps: { '001-depths': { tables: [depths] } },
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

    async remove(dataset, samples) {
      await tables.table(depths).remove({ dataset, ...(samples && { sample: { among: samples } }) });
    },

    async retain(dataset, samples) {
      const kept = new Set(samples);
      const rows = await tables.table(depths).find({ where: { dataset }, without: ['places'], latest: true });
      const gone = rows.map(({ sample }) => sample).filter((sample) => !kept.has(sample));
      if (gone.length > 0) await tables.table(depths).remove({ dataset, sample: { among: gone } });
    },
  }),
});
