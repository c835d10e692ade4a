/** Deletes old entries, from the beginning of each chain: what is left can still be verified. */
import type { AuditRepository, Link } from './contract.js';
import type { AuditKeys } from './keys.js';

const day = 24 * 60 * 60 * 1000;
const pageSize = 1000;

export interface ExpiryOptions {
  repository: Pick<AuditRepository, 'chains' | 'links' | 'expire'>;
  keys: AuditKeys;
  now(): Date;
  /** 0 keeps all. */
  days: number;
}

/** Returns how many entries were deleted. An entry is kept as long as an earlier one of its chain is. */
export async function expireOld({ repository, keys, now, days }: ExpiryOptions): Promise<number> {
  if (days === 0) return 0;
  const limit = new Date(now().getTime() - days * day);
  let deleted = 0;
  for (const { id, base } of await repository.chains()) {
    const last = await lastBefore(repository, id, base, limit);
    if (last.sequence > base.sequence) deleted += await repository.expire(id, keys.sealed(id, 'base', last));
  }
  return deleted;
}

async function lastBefore(
  repository: Pick<AuditRepository, 'links'>,
  chain: string,
  base: Link,
  limit: Date,
): Promise<Link> {
  for (let last = base; ; ) {
    const page = await repository.links(chain, last.sequence, pageSize);
    const kept = page.findIndex(({ at }) => at >= limit);
    const old = kept === -1 ? page : page.slice(0, kept);
    last = old.at(-1) ?? last;
    if (kept !== -1 || page.length < pageSize) return last;
  }
}
