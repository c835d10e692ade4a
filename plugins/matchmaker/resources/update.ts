/** Replaces the stored resources, all or none. */
import { basename } from 'node:path';
import { decodeText, gathered, largestFile, readTextFile, type TextFile } from '../../../core/files.js';
import { ForbiddenHost, fetchNamed } from '../../../core/outgoing.js';
import { Fault } from '../../../core/plugin.js';
import { assemble } from './assemble.js';
import { type ResourceKind, type ResourceRepository, resourceKinds, type StoredResource } from './contract.js';
import { readResource, stored } from './recognise.js';
import { kindNames } from './report.js';
import type { Resources } from './resources.js';
import type { ResourceSettings } from './settings.js';

export interface UpdateOptions {
  repository: ResourceRepository;
  now: Date;
  signal: AbortSignal;
  /** Called with the name of each file before it is downloaded or read. */
  note?(line: string): void;
}

export interface Update {
  revision: number;
  /** The kinds that were replaced. */
  replaced: ResourceKind[];
  /** The resources as they are now. */
  resources: Resources;
}

/**
 * Loads files, each recognised by its content. Throws an `unprocessable` fault if one is not valid, and `invalid` if two are
 * of the same kind; then nothing changes.
 */
export function updateFromFiles(paths: readonly string[], options: UpdateOptions): Promise<Update> {
  if (paths.length === 0) throw new Fault('invalid', 'Name at least one file');
  return update(
    paths.map((path) => ({ name: path, read: () => readTextFile(path, options.signal) })),
    options,
  );
}

/** The same from the addresses in the settings. Also throws `unavailable` if a download fails. */
export function updateFromNetwork(settings: ResourceSettings, options: UpdateOptions): Promise<Update> {
  const { ontology, annotations, genes, chains, diseases, timeout } = settings;
  const { signal } = options;
  return update(
    [ontology, annotations, genes, ...chains, ...(diseases === false ? [] : [diseases])].map((address) => ({
      name: address,
      read: () => download(address, { timeout, signal }),
    })),
    options,
  );
}

interface Origin {
  name: string;
  read(): Promise<TextFile>;
}

async function update(origins: readonly Origin[], { repository, now, signal, note }: UpdateOptions): Promise<Update> {
  const fresh = new Map<ResourceKind, StoredResource>();
  for (const { name, read } of origins) {
    note?.(name);
    const file = await read();
    signal.throwIfAborted();
    const resource = await stored(await readResource(file), file.name, now);
    const other = fresh.get(resource.kind);
    if (other) {
      throw new Fault(
        'invalid',
        `${other.source} and ${file.name} are both ${kindNames[resource.kind]}: load only one of them`,
      );
    }
    fresh.set(resource.kind, resource);
  }
  const old = await repository.load();
  const kept = old.resources.filter(({ kind }) => !fresh.has(kind));
  const whole = [...kept, ...fresh.values()];
  checkPair(new Set(whole.map(({ kind }) => kind)));
  // Tried here as the servers will do it, while a failure changes nothing.
  const tried = await assemble(old.revision, whole);
  if (tried.ontology.diseases === 0) {
    throw new Fault(
      'unprocessable',
      'No term of the disease annotations is a phenotype of this ontology: load files that belong together',
    );
  }
  signal.throwIfAborted();
  const revision = await repository.replace([...fresh.values()]);
  return {
    revision,
    replaced: resourceKinds.filter((kind) => fresh.has(kind)),
    resources: { ...tried, revision },
  };
}

/** Information is computed from ontology and annotations: each needs the other, loaded now or before. */
function checkPair(kinds: ReadonlySet<ResourceKind>): void {
  if (kinds.has('ontology') === kinds.has('annotations')) return;
  const [has, lacks] = kinds.has('ontology')
    ? ['The ontology', 'the disease annotations (phenotype.hpoa)']
    : ['Disease annotations', 'the ontology (hp.obo or hp.json)'];
  throw new Fault('unprocessable', `${has} cannot be used without ${lacks}: load both together`);
}

interface Download {
  /** Seconds for the whole file. */
  timeout: number;
  /** Aborting throws the signal's reason. */
  signal: AbortSignal;
}

/** The file at an address, decompressed. Throws an `unavailable` fault if it cannot be downloaded completely. */
export async function download(address: string, { timeout, signal }: Download): Promise<TextFile> {
  const { host, pathname } = new URL(address);
  const name = `${basename(pathname)} (${host})`;
  const patience = AbortSignal.timeout(timeout * 1000);
  try {
    const response = await fetchNamed(address, { signal: AbortSignal.any([signal, patience]) });
    if (!response.ok || !response.body) {
      await response.body?.cancel();
      throw new Fault('unavailable', `${name}: the server responded with status ${response.status}`);
    }
    const large = new Fault('unavailable', `${name}: the server sent more than ${largestFile} bytes`);
    return await decodeText(name, await gathered(response.body as AsyncIterable<Uint8Array>, large));
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    if (cause instanceof Fault) throw cause;
    if (cause instanceof ForbiddenHost) throw new Fault('unavailable', `${name}: ${cause.message}`);
    const reason = patience.aborted
      ? `was not downloaded within ${timeout} s`
      : 'cannot be reached, or the connection was lost';
    throw new Fault('unavailable', `${name} ${reason}`, { cause });
  }
}
