/** Repositories with faults that no mutant of a store has: by size, by sharing memory, by guessing. Each breaks one promise. */
import type { ApiToken } from '../../../core/auth/contract.js';
import { Fault } from '../../../core/storage.js';
import {
  coverage,
  coverageReports,
  coverageSamples,
  coverageSites,
  coverageTracks,
  type GeneAnswer,
  type Site,
} from '../../../plugins/coverage/contract.js';
import { matchmaker, matchmakerTriage, type PatientCounts } from '../../../plugins/matchmaker/contract.js';
import { sqlite } from '../../support/storages.js';
import { audit, jobs, sessions, tokens } from '../core.js';
import { panels } from '../panels.js';
import { type WrongRepository, wrongRepository } from './wrap.js';

/** The instant at which UTC clocks show what local clocks show now, or its reverse. */
function shifted(time: Date, sign: 1 | -1): Date {
  return new Date(time.getTime() - sign * time.getTimezoneOffset() * 60_000);
}

export const wrongRepositories: readonly WrongRepository[] = [
  wrongRepository(
    tokens,
    'puts the hash into the message of the fault',
    'an id or a hash that exists is refused',
    (right) => ({
      add: (token) =>
        right.add(token).catch(() => {
          throw new Fault('conflict', `duplicate key: (hash)=(${token.hash})`);
        }),
    }),
  ),
  wrongRepository(
    tokens,
    'stores times in the time zone of the process',
    'a time is the same instant in every time zone',
    (right) => ({
      add: (token) => right.add({ ...token, created: shifted(token.created, 1) }),
      findByHash: async (hash) => {
        const token = (await right.findByHash(hash)) as ApiToken;
        return { ...token, created: shifted(token.created, -1) };
      },
    }),
  ),
  wrongRepository(sessions, 'cuts long sealed text', 'a session is returned as it was added', (right) => ({
    add: (session) => right.add({ ...session, sealed: session.sealed.slice(0, 8192) }),
  })),
  wrongRepository(jobs, 'reads only the first 32 766 kinds', 'only jobs of the given kinds are claimed', (right) => ({
    claim: (claim) => right.claim({ ...claim, kinds: claim.kinds.slice(0, 32_766) }),
  })),
  wrongRepository(jobs, 'lists a thousand jobs at most', 'more than a thousand jobs are listed', (right) => ({
    list: ({ limit, ...rest }) => right.list({ ...rest, limit: Math.min(limit, 1000) }),
  })),
  wrongRepository(
    audit,
    'finds only the first two thousand people',
    'an entry may be about thousands of people',
    (right) => ({ people: (lookups) => right.people(lookups.slice(0, 2000)) }),
  ),
  wrongRepository(panels, 'cuts long panels', 'a version of a panel is returned as it was added', (right) => ({
    add: (version) => right.add({ ...version, content: version.content.slice(0, 65_535) }),
  })),
  wrongRepository(
    panels,
    'looks for the first thousand genes',
    'versions are found by thousands of genes',
    (right) => ({ holding: (hgnc) => right.holding(hgnc.slice(0, 1000)) }),
  ),
  wrongRepository(
    coverage,
    'takes the first of several genes',
    'a symbol that the set and HGNC give to different genes is ambiguous',
    (right) => ({
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
  wrongRepository(
    coverageSamples,
    'truncates long blocks',
    'thousands of samples, and megabytes of runs, are kept',
    (right) => ({
      runs: async (id, wanted) =>
        (await right.runs(id, wanted)).map((block) => ({ ...block, content: block.content.slice(0, 2 ** 16) })),
    }),
  ),
  wrongRepository(
    coverageTracks,
    'loses every byte above 127',
    'blocks are returned unchanged, of published tracks and of one place',
    (right) => ({
      blocks: async (...asked) =>
        (await right.blocks(...asked)).map((block) => ({ ...block, content: block.content.map((byte) => byte & 127) })),
    }),
  ),
  wrongRepository(
    coverageSites,
    'publishes sites as they come',
    'the old set is found while another is loaded',
    (right) => ({
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
    (right) => ({
      find: async (...asked) => {
        const { sets, sites } = await right.find(...asked);
        return { sets, sites: sites.slice(0, 32_000) };
      },
    }),
  ),
  wrongRepository(
    coverageReports,
    'hands out the pieces that it holds',
    'a kept report is not changed by what happens to its arguments',
    (right) => {
      const held = new Map<string, Uint8Array[]>();
      return {
        content: async (id, part) => {
          const key = `${id} ${part}`;
          const pieces = held.get(key) ?? (await right.content(id, part));
          held.set(key, pieces);
          return pieces;
        },
      };
    },
  ),
  wrongRepository(coverageReports, 'orders pieces as texts', 'parts of many pieces keep their order', (right) => ({
    content: async (id, part) => {
      const pieces = await right.content(id, part);
      return [...pieces.keys()]
        .map(String)
        .sort()
        .map((place) => pieces[Number(place)] as Uint8Array);
    },
  })),
  wrongRepository(
    matchmakerTriage,
    'keeps scores as small numbers',
    'a counterpart is returned as a search saw it',
    (right) => ({
      seen: (sightings) => {
        const small = ({ score }: (typeof sightings)[number]) => ({ ...score, patient: Math.fround(score.patient) });
        return right.seen(sightings.map((sighting) => ({ ...sighting, score: small(sighting) })));
      },
    }),
  ),
  wrongRepository(
    matchmakerTriage,
    'notes the first thousand counterparts',
    'thousands of counterparts are noted at once',
    (right) => ({ seen: (sightings) => right.seen(sightings.slice(0, 1000)) }),
  ),
  wrongRepository(
    matchmakerTriage,
    'takes % in a text for any characters',
    'rows are found by any text in them',
    (right) => ({
      submissions: ({ text, ...page }, person) =>
        right.submissions({ ...page, ...(text !== undefined && !text.includes('%') && { text }) }, person),
    }),
  ),
  wrongRepository(
    matchmaker,
    'counts only once and keeps the result',
    'changes and counts equal those of a naive model',
    (right) => {
      let counted: Promise<PatientCounts> | undefined;
      return {
        counts: () => {
          counted ??= right.counts();
          return counted;
        },
      };
    },
    sqlite,
  ),
];
