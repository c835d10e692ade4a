/** Recognises a file by its content, reads it and packs it. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { TextFile } from '../../../core/files.js';
import { Fault } from '../../../core/plugin.js';
import { packGenes } from '../genes/packed-genes.js';
import { isGeneTable, readGenes } from '../genes/read.js';
import { isChain, packChains, readChains } from '../liftover/chains.js';
import {
  type Annotations,
  isAnnotationHeader,
  isDiseaseTable,
  packAnnotations,
  readDiseaseTable,
  readHpoa,
} from '../ontology/annotations.js';
import {
  type DiseaseList,
  hasDiseases,
  isMappingHeader,
  packDiseases,
  readDiseases,
  readMappings,
} from '../ontology/mondo.js';
import { isTermTable, readObo, readTermTable } from '../ontology/obo.js';
import { packTerms, type TermList } from '../ontology/terms.js';
import type { ResourceKind, StoredResource } from './contract.js';

/** The resource in a file; `content` is packed, but not compressed yet. */
export interface ReadResource {
  kind: ResourceKind;
  version?: string;
  entries: number;
  content: Uint8Array<ArrayBuffer>;
}

type Reader = (file: TextFile) => ReadResource | Promise<ReadResource>;

/** Recognised by the first line of text, or a comment before it without its #. */
const readers: readonly [recognises: (line: string) => boolean, read: Reader][] = [
  [(line) => line.startsWith('{'), readJson],
  [(line) => line.startsWith('format-version:'), (file) => ontology(file, readObo(file))],
  [isTermTable, (file) => ontology(file, readTermTable(file))],
  [isAnnotationHeader, (file) => annotations(readHpoa(file))],
  [isDiseaseTable, (file) => annotations(readDiseaseTable(file))],
  [isGeneTable, genes],
  [isMappingHeader, (file) => diseases(readMappings(file))],
  [isChain, chains],
];

const known =
  'HPO (hp.obo, hp.json), disease annotations (phenotype.hpoa), genes (complete set of HGNC), chain files of Ensembl, mappings of diseases (mondo.json, SSSOM)';

/** Reads a file of any known kind. Throws an `unprocessable` fault if it is of another kind, or not valid. */
export async function readResource(file: TextFile): Promise<ReadResource> {
  for (const line of beginning(file.text)) {
    const reader = readers.find(([recognises]) => recognises(line));
    if (reader) return reader[1](file);
  }
  throw new Fault('unprocessable', `${file.name} is not a known kind of file; accepted are ${known}`);
}

/** The resource as it is stored. */
export async function stored(resource: ReadResource, source: string, loaded: Date): Promise<StoredResource> {
  return { ...resource, source, loaded, content: await promisify(gzip)(resource.content) };
}

/** The comments at the beginning, and the first line after them; empty lines are skipped. */
function* beginning(text: string): Generator<string> {
  for (const line of text.slice(0, 20_000).split('\n', 100)) {
    const words = line.replace(/\r$/, '').trimStart();
    if (words === '') continue;
    yield words.replace(/^[#!]+/, '');
    if (!/^[#!]/.test(words)) return;
  }
}

async function readJson(file: TextFile): Promise<ReadResource> {
  const { readGraph, termsOf } = await import('../ontology/obographs.js');
  const graph = readGraph(file);
  return hasDiseases(graph) ? diseases(readDiseases(file, graph)) : ontology(file, termsOf(file, graph));
}

function ontology(file: TextFile, { version, terms }: TermList): ReadResource {
  const { packed, active } = packTerms(file.name, terms);
  return { kind: 'ontology', ...(version && { version }), entries: active, content: packed };
}

function annotations(read: Annotations): ReadResource {
  const { version, diseases } = read;
  return { kind: 'annotations', ...(version && { version }), entries: diseases.size, content: packAnnotations(read) };
}

function genes(file: TextFile): ReadResource {
  const { version, genes: entries } = readGenes(file);
  return { kind: 'genes', ...(version && { version }), entries: entries.length, content: packGenes(entries) };
}

function chains(file: TextFile): ReadResource {
  const list = readChains(file);
  const kind = list.from === 'GRCh37' ? 'lift-37-38' : 'lift-38-37';
  return { kind, entries: list.blocks.length, content: packChains(kind, list) };
}

function diseases(list: DiseaseList): ReadResource {
  const { packed, ids } = packDiseases(list);
  return { kind: 'diseases', ...(list.version && { version: list.version }), entries: ids, content: packed };
}
