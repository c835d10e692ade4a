/** Records what callers learn of protected datasets, below all faces: before a read returns, its record is durable. */
import type { Audit, Caller, Policy } from '../../core/plugin.js';
import type { Dataset, DatasetAlleles } from './contract.js';
import type { DatasetList } from './domain/listing.js';
import type { Guard } from './protection/guard.js';
import { type ProtectionSettings, protectionOf } from './protection/profiles.js';
import type { BeaconReads } from './protection/reads.js';
import { casesRight, readRight } from './rights.js';

interface Tools {
  audit: Audit;
  policy: Policy;
  datasets: Pick<DatasetList, 'current'>;
  protection: ProtectionSettings;
}

/** The guard, whose reads are recorded if they are about datasets that are not public, or that have a budget. */
export function auditedGuard(guard: Guard, tools: Tools): Guard {
  return {
    open: (caller, datasets) => guard.open(caller, datasets),
    reads: (caller) => auditedReads(guard.reads(caller), caller, tools),
  };
}

/** What of a dataset was read. */
interface Read {
  ids: readonly string[];
  /** The question, whose digest is recorded; none if all of the dataset was read. */
  query?: object;
  what: 'presence' | 'counts' | 'alleles' | 'all alleles' | 'people';
  found?: boolean;
  /** Samples that carry what was found, for callers that may know them. */
  carriers?: ReadonlyMap<string, readonly string[]>;
}

/** Made for one request: what the request reads twice is recorded once. */
function auditedReads(reads: BeaconReads, caller: Caller, tools: Tools): BeaconReads {
  const { audit, policy } = tools;
  const recorded = new Map<string, Promise<void>>();

  async function record({ ids, query, what, found, carriers }: Read): Promise<void> {
    const read = new Set(ids);
    const datasets = (await recordable(tools)).filter(({ id }) => read.has(id));
    const digest = query && audit.digest(JSON.stringify(query, sortedKeys));
    const byReason = new Map<string | undefined, Dataset[]>();
    for (const dataset of datasets) {
      const because = await policy.why(caller, readRight, dataset);
      const some = byReason.get(because);
      if (some === undefined) byReason.set(because, [dataset]);
      else some.push(dataset);
    }
    for (const [because, some] of byReason) {
      const names = await carriersOf(some, carriers);
      const about = [...some.map(({ id }) => `dataset:${id}`), ...names.map((name) => `sample:${name}`)];
      const key = JSON.stringify([about, digest ?? what]);
      const detail = { what, ...(found !== undefined && { found }), ...(digest && { query: digest }) };
      const entry = { action: 'beacon.query', about, because, outcome: 'answered', detail };
      const once = recorded.get(key) ?? audit.record(caller, entry);
      recorded.set(key, once);
      await once;
    }
  }

  /** The carriers that the caller may know by name. */
  async function carriersOf(datasets: readonly Dataset[], carriers: Read['carriers']): Promise<string[]> {
    if (carriers === undefined) return [];
    const named = await policy.among(caller, casesRight, datasets);
    return [...new Set(named.flatMap(({ id }) => carriers.get(id) ?? []))];
  }

  return {
    async present(query, ids, options) {
      const found = await reads.present(query, ids, options);
      await record({ ids, query, what: 'presence', found: found.length > 0 });
      return found;
    },
    async search(query, ids, options) {
      const hits = await reads.search(query, ids, options);
      await record({ ids, query, what: 'counts', found: hits.length > 0 });
      return hits;
    },
    async found(query, ids, options) {
      const found = await reads.found(query, ids, options);
      const carriers = new Map(found.map((one) => [one.dataset, namesIn(one)]));
      await record({ ids, query, what: 'alleles', found: found.length > 0, carriers });
      return found;
    },
    async eachAllele(id, ...rest) {
      await record({ ids: [id], what: 'all alleles' });
      await reads.eachAllele(id, ...rest);
    },
    async examples(id, ...rest) {
      await record({ ids: [id], what: 'alleles' });
      return reads.examples(id, ...rest);
    },
    async sampleFacts(id, ...rest) {
      await record({ ids: [id], what: 'people' });
      return reads.sampleFacts(id, ...rest);
    },
    salt: (id) => reads.salt(id),
  };
}

async function recordable({ datasets, protection }: Tools): Promise<Dataset[]> {
  const all = await datasets.current();
  return all.filter(({ id, access }) => access !== 'PUBLIC' || protectionOf(protection, id) !== undefined);
}

function namesIn({ alleles }: DatasetAlleles): string[] {
  return [...new Set(alleles.flatMap(({ named = [] }) => named.map(([name]) => name)))];
}

/** Faces build the same question in different orders. */
function sortedKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
