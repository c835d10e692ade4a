/** Replaces the stored resources, all or none: downloads or reads files, recognises each by its content, and packs it. */
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { decodeText, gathered, largestFile, readTextFile, type TextFile } from '../../../core/files.js';
import { ForbiddenHost, fetchNamed } from '../../../core/outgoing.js';
import { Fault } from '../../../core/plugin.js';
import type { ResourceSettings } from '../settings.js';
import { isChain, packChains, readChains } from './chains.js';
import { type ResourceKind, type ResourceRepository, resourceKinds, type StoredResource } from './contract.js';
import {
  type Annotations,
  type DiseaseList,
  hasDiseases,
  isAnnotationHeader,
  isDiseaseTable,
  isMappingHeader,
  packAnnotations,
  packDiseases,
  readDiseases,
  readDiseaseTable,
  readHpoa,
  readMappings,
} from './disease-files.js';
import { isGeneTable, packGenes, readGenes } from './genes.js';
import { assemble, kindNames, type Resources } from './resources.js';
import { type HpoTerms, isTermTable, packTerms, readObo, readTermTable } from './terms.js';

export interface ResourceUpdateOptions {
  repository: ResourceRepository;
  now: Date;
  signal: AbortSignal;
  /** Called with the name of each file before it is downloaded or read. */
  note?(line: string): void;
}

export interface ResourceUpdate {
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
export function updateFromFiles(paths: readonly string[], options: ResourceUpdateOptions): Promise<ResourceUpdate> {
  if (paths.length === 0) throw new Fault('invalid', 'Name at least one file');
  return update(
    paths.map((path) => ({ name: path, read: () => readTextFile(path, options.signal) })),
    options,
  );
}

/** The same from the addresses in the settings. Also throws `unavailable` if a download fails. */
export function updateFromNetwork(settings: ResourceSettings, options: ResourceUpdateOptions): Promise<ResourceUpdate> {
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

interface ResourceFile {
  name: string;
  read(): Promise<TextFile>;
}

async function update(
  origins: readonly ResourceFile[],
  { repository, now, signal, note }: ResourceUpdateOptions,
): Promise<ResourceUpdate> {
  const fresh = new Map<ResourceKind, StoredResource>();
  for (const { name, read } of origins) {
    note?.(name);
    const file = await read();
    signal.throwIfAborted();
    const resource = await storedResource(await readResource(file), file.name, now);
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

interface DownloadLimits {
  /** Seconds for the whole file. */
  timeout: number;
  /** Aborting throws the signal's reason. */
  signal: AbortSignal;
}

/** The file at an address, decompressed. Throws an `unavailable` fault if it cannot be downloaded completely. */
export async function download(address: string, { timeout, signal }: DownloadLimits): Promise<TextFile> {
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

// Recognises a file by its content, reads it and packs it.

/** The resource in a file; `content` is packed, but not compressed yet. */
export interface ReadResource {
  kind: ResourceKind;
  version?: string;
  entries: number;
  content: Uint8Array<ArrayBuffer>;
}

type ResourceReader = (file: TextFile) => ReadResource | Promise<ReadResource>;

/** Recognised by the first line of text, or a comment before it without its #. */
const readers: readonly [recognises: (line: string) => boolean, read: ResourceReader][] = [
  [(line) => line.startsWith('{'), readJson],
  [(line) => line.startsWith('format-version:'), (file) => ontologyResource(file, readObo(file))],
  [isTermTable, (file) => ontologyResource(file, readTermTable(file))],
  [isAnnotationHeader, (file) => annotationsResource(readHpoa(file))],
  [isDiseaseTable, (file) => annotationsResource(readDiseaseTable(file))],
  [isGeneTable, genesResource],
  [isMappingHeader, (file) => diseasesResource(readMappings(file))],
  [isChain, chainsResource],
];

const knownFiles =
  'HPO (hp.obo, hp.json), disease annotations (phenotype.hpoa), genes (complete set of HGNC), chain files of Ensembl, mappings of diseases (mondo.json, SSSOM)';

/** Reads a file of any known kind. Throws an `unprocessable` fault if it is of another kind, or not valid. */
export async function readResource(file: TextFile): Promise<ReadResource> {
  for (const line of firstLines(file.text)) {
    const reader = readers.find(([recognises]) => recognises(line));
    if (reader) return reader[1](file);
  }
  throw new Fault('unprocessable', `${file.name} is not a known kind of file; accepted are ${knownFiles}`);
}

/** The resource as it is stored. */
export async function storedResource(resource: ReadResource, source: string, loaded: Date): Promise<StoredResource> {
  return { ...resource, source, loaded, content: await promisify(gzip)(resource.content) };
}

/** The comments at the beginning, and the first line after them; empty lines are skipped. */
function* firstLines(text: string): Generator<string> {
  for (const line of text.slice(0, 20_000).split('\n', 100)) {
    const words = line.replace(/\r$/, '').trimStart();
    if (words === '') continue;
    yield words.replace(/^[#!]+/, '');
    if (!/^[#!]/.test(words)) return;
  }
}

async function readJson(file: TextFile): Promise<ReadResource> {
  const { readGraph, termsOfFile } = await import('./disease-files.js');
  const graph = readGraph(file);
  return hasDiseases(graph)
    ? diseasesResource(readDiseases(file, graph))
    : ontologyResource(file, termsOfFile(file, graph));
}

function ontologyResource(file: TextFile, { version, terms }: HpoTerms): ReadResource {
  const { packed, active } = packTerms(file.name, terms);
  return { kind: 'ontology', ...(version && { version }), entries: active, content: packed };
}

function annotationsResource(read: Annotations): ReadResource {
  const { version, diseases } = read;
  return { kind: 'annotations', ...(version && { version }), entries: diseases.size, content: packAnnotations(read) };
}

function genesResource(file: TextFile): ReadResource {
  const { version, genes: entries } = readGenes(file);
  return { kind: 'genes', ...(version && { version }), entries: entries.length, content: packGenes(entries) };
}

function chainsResource(file: TextFile): ReadResource {
  const list = readChains(file);
  const kind = list.from === 'GRCh37' ? 'lift-37-38' : 'lift-38-37';
  return { kind, entries: list.blocks.length, content: packChains(kind, list) };
}

function diseasesResource(list: DiseaseList): ReadResource {
  const { packed, ids } = packDiseases(list);
  return { kind: 'diseases', ...(list.version && { version: list.version }), entries: ids, content: packed };
}
