/**
 * What the audit records: which datasets were queried, whose data was shown, and what callers learn of protected datasets. A
 * record is durable before the response leaves.
 */
import { type CommandContext, type NamedThings, recordShown } from '../../core/commands.js';
import { type Audit, type Caller, disclosing, type Policy, type RecordedRequest } from '../../core/plugin.js';
import type { Dataset, DatasetAlleles, Sample } from './contract.js';
import type { Observable } from './counts/observing.js';
import type { Guard } from './protection/guard.js';
import { type ProtectionSettings, protectionOfDataset } from './protection/profiles.js';
import type { GuardedReads } from './protection/reads.js';
import { casesRight, type DatasetList, heldReadRight, observeRight, readRight, writeRight } from './rights.js';

/** Each resolves once the record is durable: the answer leaves after that. Without an audit they do nothing. */
export function recording(context: { audit: Audit; policy: Policy }) {
  const disclose = disclosing(context);

  return {
    /** Counts of alleles in datasets, with the cases that the answer names. */
    async observed(
      request: RecordedRequest,
      told: { datasets: readonly Pick<Observable, 'dataset' | 'shared'>[]; cases: readonly string[]; alleles: number },
    ): Promise<void> {
      const event = { action: 'beacon.observe', detail: { alleles: told.alleles } };
      const own = told.datasets.filter(({ shared }) => shared === undefined).map(({ dataset }) => dataset);
      const by = told.cases.length > 0 ? casesRight : observeRight;
      const about = { ...inDatasets(...own), case: told.cases };
      if (own.length > 0) await disclose(request, { ...event, about, by, of: own[0] });
      for (const { dataset, shared } of told.datasets) {
        if (!shared) continue;
        await disclose(request, { ...event, about: inDatasets(dataset), by: `shared dataset ${dataset.id}` });
      }
    },
    /** What is known of samples of a dataset. */
    samples: (request: RecordedRequest, of: Dataset, samples: readonly Pick<Sample, 'name' | 'case'>[]) =>
      disclose(request, {
        action: 'beacon.samples',
        about: { ...inDatasets(of), ...peopleIn(samples) },
        by: casesRight,
        of,
      }),
    /** Samples whose calls a load replaces; nobody is shown. */
    replaced: (request: RecordedRequest, of: Dataset, samples: readonly string[]) =>
      disclose(request, {
        action: 'beacon.replace',
        about: { ...inDatasets(of), sample: samples },
        by: writeRight,
        of,
      }),
    /** All alleles of a dataset, without samples. */
    exported: (request: RecordedRequest, of: Dataset) =>
      disclose(request, { action: 'beacon.export', about: inDatasets(of), by: heldReadRight, of }),
    /** The answer to a client at a configured address, with the people that it names. */
    loqusdb: (request: RecordedRequest, of: Dataset, people: NamedThings) =>
      disclose(request, { action: 'beacon.loqusdb', about: { ...inDatasets(of), ...people }, by: 'configured client' }),
  };
}

export type Recording = ReturnType<typeof recording>;

/** Records what an operator does with a dataset and its people; call it before anything is written or changed. */
export function recordCommand(
  context: Pick<CommandContext, 'audit'>,
  what: 'export' | 'samples' | 'observe' | 'annotate' | 'describe',
  { id }: Pick<Dataset, 'id'>,
  people?: NamedThings,
): Promise<void> {
  return recordShown(context, `beacon.${what}`, { dataset: [id], ...people });
}

/** Records whose calls an operator replaces; to be called before any is. */
export function recordReplacement(
  context: Pick<CommandContext, 'audit'>,
  { id }: Pick<Dataset, 'id'>,
  samples: readonly string[],
): Promise<void> {
  return recordShown(context, 'beacon.replace', { dataset: [id], sample: samples });
}

function inDatasets(...datasets: readonly Dataset[]): NamedThings {
  return { dataset: datasets.map(({ id }) => id) };
}

/** Samples, and their cases. */
export function peopleIn(samples: readonly Pick<Sample, 'name' | 'case'>[]): NamedThings {
  return { sample: samples.map(({ name }) => name), case: samples.map((sample) => sample.case) };
}

// Records what callers learn of protected datasets, below all faces: before a read returns, its record is durable.

interface AuditTools {
  audit: Audit;
  policy: Policy;
  datasets: Pick<DatasetList, 'current'>;
  protection: ProtectionSettings;
}

/** The guard, whose reads are recorded if they are about datasets that are not public, or that have a budget. */
export function auditedGuard(guard: Guard, tools: AuditTools): Guard {
  return { ...guard, reads: (caller) => auditedReads(guard.reads(caller), caller, tools) };
}

/** What of a dataset was read. */
interface AuditedRead {
  ids: readonly string[];
  /** The question, whose digest is recorded; none if all of the dataset was read. */
  query?: object;
  what: 'presence' | 'counts' | 'alleles' | 'all alleles' | 'people';
  found?: boolean;
  /** Samples that carry what was found, for callers that may know them. */
  carriers?: ReadonlyMap<string, readonly string[]>;
}

/** Made for one request: what the request reads twice is recorded once. */
function auditedReads(reads: GuardedReads, caller: Caller, tools: AuditTools): GuardedReads {
  const { audit, policy } = tools;
  const recorded = new Map<string, Promise<void>>();

  async function record({ ids, query, what, found, carriers }: AuditedRead): Promise<void> {
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
  async function carriersOf(datasets: readonly Dataset[], carriers: AuditedRead['carriers']): Promise<string[]> {
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
    // Of alleles whose carriers were read, and recorded, as well.
    fractions: (...asked) => reads.fractions(...asked),
    salt: (id) => reads.salt(id),
  };
}

async function recordable({ datasets, protection }: AuditTools): Promise<Dataset[]> {
  const all = await datasets.current();
  return all.filter(({ id, access }) => access !== 'PUBLIC' || protectionOfDataset(protection, id) !== undefined);
}

function namesIn({ alleles }: DatasetAlleles): string[] {
  return [...new Set(alleles.flatMap(({ named = [] }) => named.map(([name]) => name)))];
}

/** Faces build the same question in different orders. */
function sortedKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
