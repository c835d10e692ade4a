/**
 * What callers may do with the beacon's datasets: the rights, and the list of datasets with those that a caller may query and
 * change, and those that are listed for others.
 */
import {
  type Caller,
  defineRight,
  Fault,
  ofTenant,
  type Policy,
  type Principal,
  type Right,
  type Tenant,
} from '../../core/plugin.js';
import { type AccessType, accessTypes, type Dataset } from './contract.js';
import { quoted } from './domain/written-question.js';

type DatasetId = Pick<Dataset, 'id'>;

const dataset = { noun: 'dataset', id: ({ id }: DatasetId) => id };

/** To query a dataset and see its counts. Every caller may do so with a public one, bona fide researchers with a registered one. */
export const readRight = defineRight<Pick<Dataset, 'id' | 'access'>>({
  scope: 'beacon:read',
  summary: 'Query registered and controlled datasets, and see their counts',
  part: 'read',
  of: dataset,
  open: ({ access }) => access === 'PUBLIC',
  openToResearchers: ({ access }) => access === 'REGISTERED',
});

/** The same by a scope alone: not even a public dataset is open for it. */
export const heldReadRight = defineRight<DatasetId>({
  scope: readRight.scope,
  summary: readRight.summary,
  part: 'read',
  of: dataset,
});

/** To change a dataset, whether or not it exists yet. It does not include the right to query it. */
export const writeRight = defineRight<DatasetId>({
  scope: 'beacon:write',
  summary: 'Add and change datasets, and add and delete their variants',
  part: 'load',
  of: dataset,
});

/**
 * To see how often alleles were seen in a dataset. No dataset is open for it: homozygotes of a small dataset identify
 * people. A dataset that the caller may not observe is as if absent.
 */
export const observeRight = defineRight<DatasetId>({
  scope: 'beacon:observe',
  summary: 'See how often alleles were seen in a dataset: cases, carriers, homozygotes',
  part: 'read',
  of: dataset,
});

/** To see in whom. */
export const casesRight = defineRight<DatasetId>({
  scope: 'beacon:cases',
  summary: 'See the ids of cases and samples of a dataset; with beacon:observe, in which cases an allele was seen',
  part: 'report',
  of: dataset,
});

/** To count in the datasets that other tenants share; held for the tenant that they are shared with. */
export const sharedRight = defineRight<Pick<Tenant, 'name'>>({
  scope: 'beacon:shared',
  summary: 'See how often alleles were seen in the datasets that other tenants share with a tenant',
  part: 'read',
  of: ofTenant,
});

/** Needed in addition to `writeRight` to let more callers query a dataset. */
const adminRight = defineRight({
  scope: 'beacon:admin',
  summary: 'With beacon:write: lower the access level of a registered or controlled dataset',
  part: 'admin',
});

export const rights: readonly Right[] = [readRight, writeRight, adminRight, observeRight, casesRight, sharedRight];

/** The datasets that the caller may query. */
export function openTo(policy: Policy, caller: Caller, datasets: readonly Dataset[]): Promise<Dataset[]> {
  return policy.among(caller, readRight, datasets);
}

/** For a request that names only datasets that the caller may not query. */
export function withoutRight(caller: Caller): Fault {
  if (caller.kind === 'anonymous') {
    return new Fault('unauthenticated', 'The requested datasets are not public: an access token is required', {
      headers: { 'WWW-Authenticate': 'Bearer realm="beacon"' },
    });
  }
  return new Fault('forbidden', 'The access token does not open the requested datasets', {
    headers: { 'WWW-Authenticate': 'Bearer realm="beacon", error="insufficient_scope"' },
  });
}

/**
 * Throws an `invalid` fault for ids of `datasetIds` that the caller may not know of, whether or not there are such datasets:
 * without them the answer would be to another question.
 */
export function refuseUnknown(unknown: readonly string[]): void {
  if (unknown.length === 0) return;
  const more = unknown.length > 5 ? ` and ${unknown.length - 5} more` : '';
  throw new Fault('invalid', `datasetIds: not known: ${unknown.slice(0, 5).map(quoted).join(', ')}${more}`);
}

/** Throws a `forbidden` fault unless the caller may change the dataset with this id, whether or not it exists. */
export async function mustWrite(policy: Policy, caller: Principal, id: string): Promise<void> {
  if (await policy.may(caller, writeRight, { id })) return;
  throw new Fault('forbidden', 'The API token does not allow changes to this dataset');
}

/** Throws a `forbidden` fault if the change lets more callers query a dataset and the caller may not decide that. */
export async function mustKeepClosed(
  policy: Policy,
  caller: Principal,
  before: AccessType,
  after: AccessType,
): Promise<void> {
  if (accessTypes.indexOf(after) >= accessTypes.indexOf(before)) return;
  if (await policy.may(caller, adminRight)) return;
  throw new Fault(
    'forbidden',
    `To open a ${before.toLowerCase()} dataset the API token needs the scope ${adminRight.scope}`,
  );
}

// What every query needs: the list of datasets, and what is published of them.

/**
 * Milliseconds for which what was read serves further queries. Changes by other processes take effect so much later, which makes
 * no difference to privacy: a query just before the change would see the old state too.
 */
const fresh = 100;

export interface Recent<Value> {
  /** As of a moment ago at most. */
  current(): Promise<Value>;
  /** The next call of `current` reads anew: after a change by this process, whose client may query at once. */
  forget(): void;
}

/** All datasets. */
export type DatasetList = Recent<readonly Dataset[]>;

/** Reads at most ten times a second, and once for concurrent queries. */
export function recent<Value>(read: () => Promise<Value>): Recent<Value> {
  let known: Promise<Value> | undefined;
  let until = 0;
  return {
    current() {
      if (known && performance.now() < until) return known;
      const reading = read();
      known = reading;
      until = performance.now() + fresh;
      reading.catch(() => {
        // Those that wait get the error; the next query reads again.
        if (known === reading) known = undefined;
      });
      return reading;
    },
    forget() {
      known = undefined;
    },
  };
}

// The datasets that a beacon lists, and its own dates.

/** The datasets as a caller sees them; `open` has those that the caller may query, by id, as the caller sees them. */
export function listedDatasets(
  all: readonly Dataset[],
  open: ReadonlyMap<string, Dataset>,
  { listProtected }: { listProtected: boolean },
): Dataset[] {
  return all.filter(({ id }) => listProtected || open.has(id)).map((one) => open.get(one.id) ?? withheld(one));
}

/** A dataset as shown to clients that may not query it: counts that grow with each load would reveal new patients. */
function withheld(one: Dataset): Dataset {
  return { ...one, updated: one.created, alleleCount: 0, callCount: 0, sampleCount: 0 };
}

/** When the beacon was created, by its settings, its oldest dataset or the start of the server; and when it last changed. */
export function datesOfBeacon(
  listed: readonly Pick<Dataset, 'created' | 'updated'>[],
  settings: { createDateTime?: Date | undefined },
  started: Date,
): { created: Date; updated: Date } {
  const created = settings.createDateTime ?? extremeDate(listed.map((one) => one.created)) ?? started;
  return {
    created,
    updated:
      extremeDate(
        listed.map((one) => one.updated),
        -1,
      ) ?? created,
  };
}

/** The earliest of dates, or with a sign of -1 the latest. */
function extremeDate(dates: readonly Date[], sign = 1): Date | undefined {
  return [...dates].sort((one, other) => sign * (one.getTime() - other.getTime()))[0];
}
