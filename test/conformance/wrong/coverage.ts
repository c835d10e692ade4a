/** Adapters of coverage that break a promise in a way that no mutant does: by size, by sharing memory, or by guessing. */
import {
  coverage,
  coverageReports,
  coverageSamples,
  coverageSites,
  coverageTracks,
  type GeneAnswer,
  type Site,
} from '../../../plugins/coverage/contract.js';
import { sqlite } from '../../support/storages.js';
import { wrongRepository } from './wrap.js';

export const wrongIntervals = [
  wrongRepository(
    coverage,
    'takes the first of several genes',
    'a symbol that the set and HGNC give to different genes is ambiguous',
    () => (right) => ({
      findGenes: async (build, asked) => {
        const found = await right.findGenes(build, asked);
        const sure = async (answer: GeneAnswer): Promise<GeneAnswer> => {
          const [first] = 'candidates' in answer ? (answer.candidates ?? []) : [];
          return (first && (await right.findGenes(build, [first])).answers[0]) || answer;
        };
        return { ...found, answers: await Promise.all(found.answers.map(sure)) };
      },
    }),
    sqlite,
  ),
];

export const wrongRegistry = [
  wrongRepository(
    coverageSamples,
    'truncates long blocks',
    'thousands of samples, and megabytes of runs, are kept',
    () => (right) => ({
      runs: async (id, wanted) =>
        (await right.runs(id, wanted)).map((block) => ({ ...block, content: block.content.slice(0, 2 ** 16) })),
    }),
  ),
];

export const wrongTracks = [
  wrongRepository(
    coverageTracks,
    'loses every byte above 127',
    'blocks are returned unchanged, of published tracks and of one place',
    () => (right) => ({
      blocks: async (...asked) =>
        (await right.blocks(...asked)).map((block) => ({ ...block, content: block.content.map((byte) => byte & 127) })),
    }),
  ),
];

export const wrongSites = [
  wrongRepository(
    coverageSites,
    'publishes sites as they come',
    'the old set is found while another is loaded',
    () => (right) => ({
      load: async (request, now) => {
        const all: Site[] = [];
        async function* once() {
          yield [...all];
        }
        for await (const batch of request.sites) {
          all.push(...batch);
          await right.load({ ...request, sites: once() }, now);
        }
        return right.load({ ...request, sites: once() }, now);
      },
    }),
  ),
  wrongRepository(
    coverageSites,
    'truncates long lists',
    '33 000 sites, places and genes are stored and found',
    () => (right) => ({
      find: async (...asked) => {
        const { sets, sites } = await right.find(...asked);
        return { sets, sites: sites.slice(0, 32_000) };
      },
    }),
  ),
];

export const wrongReports = [
  wrongRepository(
    coverageReports,
    'hands out the pieces that it holds',
    'a kept report is not changed by what happens to its arguments',
    () => {
      const held = new Map<string, Uint8Array[]>();
      return (right) => ({
        content: async (id, part) => {
          const key = `${id} ${part}`;
          const pieces = held.get(key) ?? (await right.content(id, part));
          held.set(key, pieces);
          return pieces;
        },
      });
    },
  ),
  wrongRepository(
    coverageReports,
    'orders pieces as texts',
    'parts of many pieces keep their order',
    () => (right) => ({
      content: async (id, part) => {
        const pieces = await right.content(id, part);
        return Object.entries(pieces)
          .sort(([one], [two]) => (one < two ? -1 : 1))
          .map(([, piece]) => piece);
      },
    }),
  ),
];
