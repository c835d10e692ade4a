/** What the visas of tokens grant, kept until it must be found out again. */
import { createHash } from 'node:crypto';
import { isFault } from '../../fault.js';
import type { StorageLog } from '../../storage.js';
import { failureRetry, type Provider } from '../issuers/provider.js';
import { fetchVisas } from './fetch.js';
import { noRights, type PassportRights, type PassportRules, passportRights } from './rights.js';
import type { Visa, VisaChecker } from './visa.js';

/** The rights that visas give; undefined if the broker no longer accepts the token. */
export type Held = PassportRights | undefined;

export interface Holdings {
  /** Of an access token, by its broker. Throws `unavailable` if that cannot be asked now. */
  ofToken(provider: Provider, token: string, subject: string): Promise<Held>;
  /** Of a passport that its holder sent, once it was verified. */
  ofPassport(
    provider: PassportSource,
    token: string,
    subject: string,
    visas: readonly unknown[],
  ): Promise<PassportRights>;
}

/** Who vouches that visas belong to a subject, and for how long they count without being looked at again. */
export interface PassportSource {
  settings: Pick<Provider['settings'], 'issuer' | 'visaMinutes'>;
}

export interface HoldingsOptions {
  check: VisaChecker;
  rules: PassportRules;
  log: Pick<StorageLog, 'info' | 'warn'>;
  now(): Date;
}

/** Visas of one passport that are looked at; a person with more has lost the overview, or is an attack. */
const mostVisas = 50;
/** Tokens whose rights are kept; the ones that were asked for longest ago are forgotten. */
const mostTokens = 10_000;

interface Entry {
  held: Promise<Held>;
  /** Seconds since 1970. */
  until: number;
}

export function createHoldings({ check, rules, log, now }: HoldingsOptions): Holdings {
  const entries = new Map<string, Entry>();
  const seconds = () => now().getTime() / 1000;

  /** By a digest, so that no token is kept. */
  function remembered(token: string, find: (entry: { until: number }) => Promise<Held>): Promise<Held> {
    const key = createHash('sha256').update(token).digest('base64url');
    const known = entries.get(key);
    entries.delete(key);
    if (known !== undefined && seconds() < known.until) {
      entries.set(key, known);
      return known.held;
    }
    // While it is being found out, others wait for the same answer.
    const entry: Entry = { held: Promise.resolve(undefined), until: Number.POSITIVE_INFINITY };
    entry.held = find(entry).catch((error: unknown) => {
      entry.until = seconds() + failureRetry;
      throw error;
    });
    entries.set(key, entry);
    for (const oldest of entries.keys()) {
      if (entries.size <= mostTokens) break;
      entries.delete(oldest);
    }
    return entry.held;
  }

  async function evaluated(
    { settings: { issuer, visaMinutes } }: PassportSource,
    subject: string,
    visas: readonly unknown[],
    entry: { until: number },
  ): Promise<PassportRights> {
    const accepted: Visa[] = [];
    let until = seconds() + visaMinutes * 60;
    if (visas.length > mostVisas) log.warn({ issuer, visas: visas.length }, `only the first ${mostVisas} visas count`);
    for (const one of visas.slice(0, mostVisas)) {
      const visa = await check(one);
      if (!('ignored' in visa)) {
        accepted.push(visa);
        continue;
      }
      log.info({ issuer, reason: visa.ignored }, 'a visa was ignored');
      if (visa.retry !== undefined) until = Math.min(until, seconds() + visa.retry);
    }
    const rights = passportRights({ issuer, subject }, accepted, rules);
    entry.until = Math.min(until, rights.expires);
    return rights;
  }

  return {
    ofToken: (provider, token, subject) =>
      remembered(token, async (entry) => {
        const { issuer } = provider.settings;
        const fetched = await fetchVisas(provider, token, subject, seconds()).catch((error: unknown) => {
          const reason = isFault(error) && isFault(error.cause) ? error.cause.message : 'an unexpected error';
          log.warn({ issuer, reason }, 'the visas of a token could not be fetched');
          throw error;
        });
        if ('visas' in fetched) return evaluated(provider, subject, fetched.visas, entry);
        entry.until = seconds() + failureRetry;
        if ('refused' in fetched) return undefined;
        log.warn({ issuer, reason: fetched.ignored }, 'the visas of a token are ignored');
        return noRights;
      }),

    async ofPassport(provider, token, subject, visas) {
      return (await remembered(token, (entry) => evaluated(provider, subject, visas, entry))) ?? noRights;
    },
  };
}
