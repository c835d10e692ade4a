/** Repositories with faults that no mutant of a store has: each breaks one promise. */
import type { AuditRepository } from '../../../core/audit/contract.js';
import type { ApiToken, SessionRepository, TokenRepository } from '../../../core/auth/contract.js';
import type { JobRepository } from '../../../core/jobs/contract.js';
import { Fault } from '../../../core/storage.js';
import type { PanelRepository } from '../../../plugins/panels/contract.js';
import { audit, jobs, sessions, tokens } from '../core.js';
import { panels } from '../panels.js';
import { type Damage, type Wrong, wrongRepository } from './wrap.js';

const wrongToken = (does: string, fails: string, damage: Damage<TokenRepository>): Wrong =>
  wrongRepository(tokens, does, fails, damage);
const wrongJob = (does: string, fails: string, damage: Damage<JobRepository>): Wrong =>
  wrongRepository(jobs, does, fails, damage);
const wrongPanel = (does: string, fails: string, damage: Damage<PanelRepository>): Wrong =>
  wrongRepository(panels, does, fails, damage);

/** The instant at which UTC clocks show what local clocks show now, or its reverse. */
function shifted(time: Date, sign: 1 | -1): Date {
  return new Date(time.getTime() - sign * time.getTimezoneOffset() * 60_000);
}

export const wrongTokens: readonly Wrong[] = [
  wrongToken(
    'puts the hash into the message of the fault',
    'an id or a hash that exists is refused',
    () => (right) => ({
      add: (token) =>
        right.add(token).catch(() => {
          throw new Fault('conflict', `duplicate key: (hash)=(${token.hash})`);
        }),
    }),
  ),
  wrongToken(
    'stores times in the time zone of the process',
    'a time is the same instant in every time zone',
    () => (right) => ({
      add: (token) => right.add({ ...token, created: shifted(token.created, 1) }),
      findByHash: async (hash) => {
        const token = (await right.findByHash(hash)) as ApiToken;
        return { ...token, created: shifted(token.created, -1) };
      },
    }),
  ),
];

export const wrongSessions: readonly Wrong[] = [
  wrongRepository<SessionRepository>(
    sessions,
    'cuts long sealed text',
    'a session is returned as it was added',
    () => (right) => ({ add: (session) => right.add({ ...session, sealed: session.sealed.slice(0, 8192) }) }),
  ),
];

export const wrongJobs: readonly Wrong[] = [
  wrongJob('reads only the first 32 766 kinds', 'only jobs of the given kinds are claimed', () => (right) => ({
    claim: (claim) => right.claim({ ...claim, kinds: claim.kinds.slice(0, 32_766) }),
  })),
  wrongJob('lists a thousand jobs at most', 'more than a thousand jobs are listed', () => (right) => ({
    list: ({ limit, ...rest }) => right.list({ ...rest, limit: Math.min(limit, 1000) }),
  })),
];

export const wrongAuditTrails: readonly Wrong[] = [
  wrongRepository<AuditRepository>(
    audit,
    'finds only the first two thousand people',
    'an entry may be about thousands of people',
    () => (right) => ({ people: (lookups) => right.people(lookups.slice(0, 2000)) }),
  ),
];

export const wrongPanels: readonly Wrong[] = [
  wrongPanel('cuts long panels', 'a version of a panel is returned as it was added', () => (right) => ({
    add: (version) => right.add({ ...version, content: version.content.slice(0, 65_535) }),
  })),
  wrongPanel('looks for the first thousand genes', 'versions are found by thousands of genes', () => (right) => ({
    holding: (hgnc) => right.holding(hgnc.slice(0, 1000)),
  })),
];
