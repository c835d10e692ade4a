/** A real server of the beacon plugin on a new, empty storage. */
import { Readable } from 'node:stream';

import { type TokenRepository, tokens } from '../../../../core/auth/contract.js';
import { configure } from '../../../../core/config.js';
import { erasures } from '../../../../core/erasures/contract.js';
import { openSource, type Source, sourceOf } from '../../../../core/files.js';
import { jobs } from '../../../../core/jobs/contract.js';
import type { Storage } from '../../../../core/storage.js';
import { type ServedStorage, serveOn } from '../../../../core/testing/server.js';
import {
  type BeaconRepository,
  beacon,
  beaconConsequences,
  beaconDepths,
  beaconGenes,
  beaconProtection,
  type ConsequenceRepository,
  type DatasetDescription,
  type GeneRepository,
  type ProtectionRepository,
} from '../../../../plugins/beacon/contract.js';
import { loadVariants } from '../../../../plugins/beacon/loading/load.js';
import { permitAll } from '../../../../plugins/beacon/loading/permit.js';
import { protectionSettings, protectsAny } from '../../../../plugins/beacon/protection/profiles.js';
import type { DepthRepository } from '../../../../plugins/beacon/vcf/depths/contract.js';
import type { Subject } from '../../../conformance/core.js';
import { type Answer, request } from '../../../support/http.js';
import { vcf } from './vcf.js';

/** Closing it removes its data. */
export interface Beacon extends ServedStorage {
  storage: Storage;
  repository: BeaconRepository;
  genes: GeneRepository;
  tokens: TokenRepository;
  depths: DepthRepository;
  consequences: ConsequenceRepository;
  /** Throws unless a dataset is protected by the settings. */
  protection(): ProtectionRepository;
}

export interface BeaconOptions {
  /** The plugin's settings. */
  settings?: Record<string, unknown>;
  demo?: boolean;
  /** The core's settings of the same name. */
  http?: Record<string, unknown>;
  auth?: Record<string, unknown>;
  s3?: readonly Record<string, unknown>[];
  /** Whether jobs are run. */
  work?: boolean;
  /** Whether answers are checked against their declarations; true if omitted. */
  checkAnswers?: boolean;
}

export async function serveBeacon(
  subject: Subject,
  { settings = {}, demo = false, http = {}, auth, s3, work = false, checkAnswers = true }: BeaconOptions = {},
): Promise<Beacon> {
  const { success, data } = protectionSettings.safeParse(settings.protection ?? {});
  const isProtecting = success && protectsAny(data);
  const opened = await subject.open([
    erasures,
    jobs,
    tokens,
    beacon,
    beaconGenes,
    beaconDepths,
    beaconConsequences,
    ...(isProtecting ? [beaconProtection] : []),
  ]);
  const { storage } = opened;
  const discard = async () => {
    await storage.close();
    await opened.discard?.();
  };
  try {
    const configuration = await configure({
      environment: {},
      // Tables of other plugins enabled by default do not exist.
      only: 'beacon',
      overrides: [
        { path: ['storage'], value: { adapter: 'memory' }, source: 'test' },
        { path: ['plugins'], value: { beacon: settings }, source: 'test' },
        { path: ['demo'], value: demo, source: 'test' },
        { path: ['http'], value: http, source: 'test' },
        ...(auth === undefined ? [] : [{ path: ['auth'], value: auth, source: 'test' }]),
        ...(s3 === undefined ? [] : [{ path: ['s3'], value: s3, source: 'test' }]),
        { path: ['jobs'], value: { pollSeconds: 0.05, retrySeconds: 0.05 }, source: 'test' },
      ],
    });
    const { close, ...server } = await serveOn({ configuration, storage, jobs: work, checkAnswers });
    return {
      ...server,
      storage,
      repository: storage.repository(beacon),
      genes: storage.repository(beaconGenes),
      tokens: storage.repository(tokens),
      depths: storage.repository(beaconDepths),
      consequences: storage.repository(beaconConsequences),
      protection: () => storage.repository(beaconProtection),
      close: () => close().finally(discard),
    };
  } catch (error) {
    await discard();
    throw error;
  }
}

export function dataset(id: string, more: Partial<DatasetDescription> = {}): DatasetDescription {
  return { id, name: `Dataset ${id}`, assembly: 'GRCh37', access: 'PUBLIC', version: 1, ...more };
}

/** Adds a dataset with the records of one VCF file; its samples are `a` and `b` unless others are named. */
export async function addRecords(
  repository: BeaconRepository,
  id: string,
  records: readonly string[],
  { samples = ['a', 'b'], ...description }: { samples?: string[] } & Partial<DatasetDescription> = {},
): Promise<void> {
  await repository.addDataset(dataset(id, description), new Date());
  await loadText(repository, id, vcf({ samples, records: [...records] }));
}

/** Loads the text of a VCF file into a dataset that exists. */
export async function loadText(repository: BeaconRepository, id: string, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  const source = sourceOf(`${id}.vcf`, bytes.length, () => Readable.from([bytes], { objectMode: false }));
  await loadSources(repository, id, [source]);
}

/** Loads files into a dataset that exists. */
export async function load(
  repository: BeaconRepository,
  id: string,
  paths: [string, ...string[]],
  samples: string[] = [],
) {
  return loadSources(repository, id, await Promise.all(paths.map((path) => openSource(path))), samples);
}

async function loadSources(
  repository: BeaconRepository,
  id: string,
  [first, ...others]: readonly Source[],
  samples: string[] = [],
) {
  const found = await repository.dataset(id);
  if (!found || !first) throw new Error(`there is no dataset ${id}, or no file`);
  return loadVariants({
    permit: permitAll,
    repository,
    dataset: found,
    sources: [first, ...others],
    samples,
    now: new Date(),
  });
}

export type Json = Record<string, unknown>;

export type Reply = Omit<Answer, 'text'>;

export const get = (url: string) => request(url);

/** A query by GET; lists are repeated parameters. */
export const ask = (url: string, query: Record<string, string | number | readonly string[]>) =>
  request(`${url}/apiv1.0/query`, { query });

export const post = (url: string, json: unknown, type = 'application/json') =>
  request(`${url}/apiv1.0/query`, { json, headers: { 'content-type': type } });
