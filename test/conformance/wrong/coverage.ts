/** Repositories of genes, transcripts and exons that break one promise. */
import type { GeneAnswer, IntervalRepository, SetRecord } from '../../../plugins/coverage/contract.js';
import { sqlite } from '../../support/storages.js';
import { coverage } from '../coverage.js';
import { type Damage, type Wrong, wrongRepository } from './wrap.js';

const wrong = (does: string, fails: string, damage: Damage<IntervalRepository>): Wrong =>
  wrongRepository(coverage, does, fails, damage, sqlite);

const anyName = 'a gene is found by any kind of name, in any case';
const record: SetRecord = { source: 'unasked', checksum: `sha256:${'0'.repeat(64)}`, read: 0, skipped: {} };

/** Look-ups of which each answer is changed. */
const answering =
  (change: (answer: GeneAnswer) => GeneAnswer): Damage<IntervalRepository> =>
  () =>
  (right) => ({
    findGenes: async (build, asked) => {
      const found = await right.findGenes(build, asked);
      return { ...found, answers: found.answers.map(change) };
    },
  });

export const wrongIntervals: readonly Wrong[] = [
  wrong(
    'finds symbols as they are written only',
    anyName,
    answering((answer) =>
      'genes' in answer && answer.by === 'symbol' && answer.genes.every(({ symbol }) => symbol !== answer.asked)
        ? { asked: answer.asked, reason: 'unknown' }
        : answer,
    ),
  ),
  wrong('returns one row for two equal names', anyName, () => (right) => ({
    findGenes: (build, asked) => right.findGenes(build, [...new Set(asked)]),
  })),
  wrong(
    'reports genes of the other build as unknown',
    'a build without genes is reported as such; a gene of the other build is known',
    answering((answer) =>
      'reason' in answer && answer.reason === 'not-in-build' ? { ...answer, reason: 'unknown' } : answer,
    ),
  ),
  wrong(
    'takes the first of several genes',
    'a symbol that the set and HGNC give to different genes is ambiguous',
    () => (right) => ({
      findGenes: async (build, asked) => {
        const found = await right.findGenes(build, asked);
        const sure = async (answer: GeneAnswer): Promise<GeneAnswer> => {
          const [first] = 'candidates' in answer ? (answer.candidates ?? []) : [];
          if (first === undefined) return answer;
          return (await right.findGenes(build, [first])).answers[0] ?? answer;
        };
        return { ...found, answers: await Promise.all(found.answers.map(sure)) };
      },
    }),
  ),
  wrong(
    'goes on reading for a caller that gave up',
    'an aborted read throws the reason, and leaves nothing behind',
    () => (right) => ({
      transcriptsOf: (build, genes) => right.transcriptsOf(build, genes),
    }),
  ),
  wrong('shows the sets of one build', 'a set replaces the one of its kind and build, and no other', () => (right) => ({
    sets: async () => (await right.sets()).filter(({ build }) => build !== 'GRCh38'),
  })),
  wrong(
    'puts in place what was not accepted',
    'accept gets the sets to be published and those they replace; if it throws, nothing changes',
    () => (right) => ({
      load: (request, now) => {
        const accept: typeof request.accept = (staged) => {
          try {
            return request.accept(staged);
          } catch {
            return record;
          }
        };
        return right.load({ ...request, accept }, now);
      },
    }),
  ),
  wrong(
    'leaves the order of exons to chance',
    'transcripts are returned with their exons, by position and rank, of these genes only',
    () => (right) => ({
      transcriptsOf: async (build, genes) => {
        const found = await right.transcriptsOf(build, genes);
        return {
          ...found,
          transcripts: found.transcripts.map((each) => ({ ...each, exons: [...each.exons].reverse() })),
        };
      },
    }),
  ),
  wrong(
    'lists intervals backwards',
    'intervals are selected by their own ids or by gene, sorted by position',
    () => (right) => ({
      select: async (kind, build, filter) => (await right.select(kind, build, filter)).reverse(),
    }),
  ),
  wrong('passes one row less', 'each passes a set on in the order of loading, up to the limit', () => (right) => ({
    each: (kind, build, limit, take) => right.each(kind, build, limit, (rows) => take(rows.slice(1))),
  })),
];
