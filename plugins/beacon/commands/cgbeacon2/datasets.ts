/**
 * Datasets and users of cgbeacon2: datasets with their samples, and users, who keep their tokens, of which only hashes are
 * stored.
 */
import type { CommandContext } from '../../../../core/commands.js';
import { carryToken, type Finding, Findings, type MongoDocument, weakTokenRemark } from '../../../../core/migration.js';
import { isFault } from '../../../../core/plugin.js';
import type { BeaconRepository, Dataset, DatasetDescription } from '../../contract.js';
import { describeDataset } from '../../domain/dataset.js';
import type { DatasetWords } from '../../domain/dataset-fields.js';
import { writeRight } from '../../rights.js';
import { nameOfDocument } from './documents.js';

export interface CarriedDataset {
  description: DatasetDescription;
  /** When cgbeacon2 created it. */
  created?: Date;
  /** Samples that it lists, whether they have alleles or not. */
  samples: string[];
  /** Its totals, which may be stale. */
  stated: { alleles?: number; calls?: number };
  isHere: boolean;
}

export interface DatasetPlan {
  datasets: CarriedDataset[];
  notCarried: Finding[];
  remarks: Finding[];
}

export async function planDatasets(
  repository: Pick<BeaconRepository, 'dataset'>,
  documents: readonly MongoDocument[],
): Promise<DatasetPlan> {
  const [notCarried, remarks] = [new Findings(), new Findings()];
  const datasets: CarriedDataset[] = [];
  for (const document of documents) {
    const name = nameOfDocument(document);
    const description = describe(document, (remark) => remarks.note(remark, name));
    if (typeof description === 'string') {
      notCarried.note(description, name);
      continue;
    }
    const here = await repository.dataset(description.id);
    const contradiction = here && contradictionOf(here, description);
    if (contradiction !== undefined) {
      notCarried.note(contradiction, name);
      continue;
    }
    if (here && isDescribedOtherwise(here, description)) {
      remarks.note('is here already with another description, which stays', name);
    }
    const { created, samples, variant_count: alleles, allele_count: calls } = document;
    datasets.push({
      description,
      ...(created instanceof Date && { created }),
      samples: Array.isArray(samples) ? [...new Set(samples.filter(isName))] : [],
      stated: { ...(typeof alleles === 'number' && { alleles }), ...(typeof calls === 'number' && { calls }) },
      isHere: here !== undefined,
    });
  }
  return { datasets, notCarried: notCarried.list(), remarks: remarks.list() };
}

/** The description, without values that cannot be kept; or why there is none. */
function describe(document: MongoDocument, remark: (text: string) => void): DatasetDescription | string {
  const { _id: id, name, authlevel, assembly_id: assembly } = document;
  if (![id, name, authlevel, assembly].every((value) => typeof value === 'string')) {
    return 'is not a dataset: _id, name, authlevel and assembly_id must be texts';
  }
  const words: DatasetWords = {
    id: id as string,
    name: name as string,
    access: authlevel as string,
    assembly: assembly as string,
  };
  const optional = {
    version: wordOfValue(document.version),
    description: wordOfValue(document.description),
    externalUrl: wordOfValue(document.external_url),
  };
  const fault = faultOf(words);
  if (fault !== undefined) return fault;
  for (const [field, value] of Object.entries(optional)) {
    if (value === undefined) continue;
    const why = faultOf({ ...words, [field]: value });
    if (why === undefined) Object.assign(words, { [field]: value });
    else remark(`loses a field: ${why}`);
  }
  return describeDataset(words);
}

function faultOf(words: DatasetWords): string | undefined {
  try {
    describeDataset(words);
    return undefined;
  } catch (error) {
    if (isFault(error)) return error.message;
    throw error;
  }
}

function wordOfValue(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Alleles may neither change their assembly nor become visible to more clients. */
function contradictionOf(here: Dataset, { assembly, access }: DatasetDescription): string | undefined {
  if (here.assembly !== assembly) return `is here already, and of ${here.assembly}`;
  if (here.access !== access) return `is here already, with another access level (${here.access})`;
  return undefined;
}

function isDescribedOtherwise(here: Dataset, description: DatasetDescription): boolean {
  return (['name', 'version', 'description', 'externalUrl'] as const).some(
    (field) => here[field] !== description[field],
  );
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

// Users of cgbeacon2.

export interface UsersReport {
  read: number;
  /** Tokens. */
  added: number;
  unchanged: number;
  notCarried: Finding[];
  /** Tokens that were carried over and should be replaced. */
  remarks: Finding[];
}

/** Each token is issued by itself, so that another run finishes an interrupted one. */
export async function carryUsers(
  context: Pick<CommandContext, 'issueToken' | 'listTokens' | 'now'>,
  documents: readonly MongoDocument[],
  dryRun: boolean,
): Promise<UsersReport> {
  const [notCarried, remarks] = [new Findings(), new Findings()];
  const report = { read: documents.length, added: 0, unchanged: 0 };
  const tokens = new Set<unknown>();
  for (const document of documents) {
    const { _id: id, token } = document;
    if (typeof id !== 'string' || !/^\S{1,200}$/.test(id)) {
      notCarried.note('has an id that is not 1 to 200 characters without blanks', nameOfDocument(document));
      continue;
    }
    const carried =
      typeof token === 'string' && tokens.has(token)
        ? { reason: 'has the token of another user: issue a new one' }
        : await carryToken(context, { owner: id, scopes: [writeRight.scope], token, dryRun });
    tokens.add(token);
    const remark = weakTokenRemark(carried, token);
    if (remark !== undefined) remarks.note(remark, id);
    if (carried === 'issued') report.added++;
    else if (carried === 'unchanged') report.unchanged++;
    else notCarried.note(carried.reason, id);
  }
  return { ...report, notCarried: notCarried.list(), remarks: remarks.list() };
}
