/** One identity provider: its metadata, its keys, and the tokens that it signs. */
import type { JWTVerifyGetKey } from 'jose';
import { Fault } from '../../fault.js';
import { type Address, configured, discoveredAddress } from '../../outgoing/reach.js';
import { send } from '../../outgoing/request.js';
import type { StorageLog } from '../../storage.js';
import type { IssuerSettings } from './settings.js';
import { type JsonMembers, jsonObject, keySet } from './signed-tokens.js';

export interface IssuerOptions {
  settings: IssuerSettings;
  log: Pick<StorageLog, 'warn'>;
  now(): Date;
}

export interface Issuer {
  readonly settings: IssuerSettings;
  /** Throws an `unavailable` fault if the provider must be asked where its keys are and cannot be. */
  keys(): Promise<JWTVerifyGetKey>;
  /** Where visas are read or tokens are exchanged. Throws `unavailable` if the provider cannot be asked, or names no such address. */
  endpoint(name: 'userinfo' | 'token'): Promise<Address>;
}

/** Largest metadata, in bytes. */
const maxBytes = 256 * 1024;
/** Milliseconds for which metadata are kept. */
const keep = 60 * 60 * 1000;
/** Seconds after which a provider that failed is asked again. */
export const failureRetry = 30;
/** Seconds between two fetches of keys because of an unknown one, which anyone can name. */
export const keyRefresh = 300;

export function createIssuer({ settings, log, now }: IssuerOptions): Issuer {
  const { issuer, timeout } = settings;
  const home = configured(issuer);
  let metadata: { read: Promise<JsonMembers>; until: number } | undefined;
  let keys: { set: Promise<JWTVerifyGetKey>; url: string } | undefined;

  async function fetchMetadata(): Promise<JsonMembers> {
    const url = new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    const { status, body } = await send({ method: 'GET', url, reach: home.reach, timeoutMs: timeout * 1000, maxBytes });
    const found = status === 200 ? jsonObject(body) : undefined;
    // Otherwise anyone who controls one path of the host could speak for the issuer.
    if (found === undefined || found.issuer !== issuer) throw new Fault('unavailable', 'has no valid metadata');
    return found;
  }

  function readMetadata(): Promise<JsonMembers> {
    const time = now().getTime();
    if (metadata !== undefined && time < metadata.until) return metadata.read;
    const entry = { read: fetchMetadata(), until: time + keep };
    metadata = entry;
    entry.read.catch((error: unknown) => {
      entry.until = now().getTime() + failureRetry * 1000;
      const reason = error instanceof Fault ? error.message : 'an unexpected error';
      log.warn({ issuer, reason }, 'the metadata of an identity provider could not be fetched');
    });
    return entry.read;
  }

  async function addressOf(own: string | undefined, member: string): Promise<Address> {
    if (own !== undefined) return configured(own);
    try {
      const address = discoveredAddress((await readMetadata())[member], home);
      if (address !== undefined) return address;
    } catch (cause) {
      throw unavailableProvider(cause);
    }
    log.warn({ issuer, member }, 'the metadata of an identity provider name no address that may be asked');
    throw unavailableProvider();
  }

  return {
    settings,
    async keys() {
      const { url, reach } = await addressOf(settings.jwksUrl, 'jwks_uri');
      if (keys?.url !== url.href) keys = { set: guardedKeys({ url, reach }, timeout, log), url: url.href };
      return keys.set;
    },
    endpoint: (name) =>
      name === 'userinfo'
        ? addressOf(settings.userinfoUrl, 'userinfo_endpoint')
        : addressOf(settings.tokenUrl, 'token_endpoint'),
  };
}

/** The keys at an address, which are fetched as seldom as those of all issuers. `timeout` in seconds. */
export function guardedKeys(address: Address, timeout: number, log: IssuerOptions['log']): Promise<JWTVerifyGetKey> {
  return keySet({ ...address, timeout, cooldown: keyRefresh, retry: failureRetry, log });
}

/** The fault if a provider cannot be reached: the token may well be valid. */
export function unavailableProvider(cause?: unknown): Fault {
  return new Fault('unavailable', 'The identity provider cannot be asked at the moment; try again later', {
    headers: { 'Retry-After': String(failureRetry) },
    cause,
  });
}
