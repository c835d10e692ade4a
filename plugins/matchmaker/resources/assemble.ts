/** Makes `Resources` of stored releases. The excerpt replaces a missing ontology and missing genes. */
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { largestFile, readTextFile } from '../../../core/files.js';
import { Fault } from '../../../core/plugin.js';
import { type Columns, unpack } from '../formats/packed.js';
import { PackedGenes, packGenes } from '../genes/packed-genes.js';
import { readGenes } from '../genes/read.js';
import { ChainLift, Direction } from '../liftover/lift-over.js';
import { DiseaseMappings } from '../ontology/diseases.js';
import { readTermTable } from '../ontology/obo.js';
import { countedAs, countedFrom, PackedOntology } from '../ontology/packed-ontology.js';
import { packTerms } from '../ontology/terms.js';
import { type ResourceKind, type ResourceRelease, resourceKinds, type StoredResource } from './contract.js';
import type { Resources, UsedRelease } from './resources.js';

const unzip = promisify(gunzip);

/** Throws an `unprocessable` fault if a content cannot be read. */
export async function assemble(revision: number, stored: readonly StoredResource[]): Promise<Resources> {
  const parts = new Map<ResourceKind, Columns>();
  for (const { kind, content } of stored) parts.set(kind, unpack(kind, await inflated(kind, content)));
  const [terms, annotations, genes] = [parts.get('ontology'), parts.get('annotations'), parts.get('genes')];
  // Information is computed from both files: neither is of use without the other.
  const whole = terms && annotations;
  const excerpt: Excerpt | undefined = whole && genes ? undefined : await readExcerpt();
  const ontology = whole ? new PackedOntology(terms, countedFrom(annotations)) : excerpt?.ontology;
  const table = genes ? new PackedGenes(genes) : excerpt?.genes;
  if (!ontology || !table) throw new Error('the excerpt must replace what is missing');
  const [to38, to37] = [parts.get('lift-37-38'), parts.get('lift-38-37')];
  const lift = new ChainLift({
    ...(to38 && { GRCh37: new Direction(to38) }),
    ...(to37 && { GRCh38: new Direction(to37) }),
  });
  const diseases = new DiseaseMappings(parts.get('diseases'));
  const used = [
    ...stored.filter(({ kind }) => whole || (kind !== 'ontology' && kind !== 'annotations')).map(releaseOf),
    ...(excerpt?.releases ?? []).filter(({ kind }) => (kind === 'genes' ? !genes : !whole)),
  ].sort((left, right) => resourceKinds.indexOf(left.kind) - resourceKinds.indexOf(right.kind));
  return Object.freeze({
    revision,
    ontology,
    genes: table,
    lift,
    diseases,
    releases: used,
    excerpt: excerpt !== undefined,
    bytes: ontology.bytes + table.bytes + lift.bytes + diseases.bytes,
  });
}

function releaseOf({ kind, version, source, entries, loaded }: ResourceRelease): UsedRelease {
  return { kind, ...(version !== undefined && { version }), source, entries, loaded, excerpt: false };
}

async function inflated(kind: ResourceKind, content: Uint8Array): Promise<Uint8Array> {
  try {
    return await unzip(content, { maxOutputLength: largestFile });
  } catch (cause) {
    const message = `The stored ${kind} are damaged: load them again with "update resources"`;
    throw new Fault('unprocessable', message, { public: 'The resources for matching must be loaded again', cause });
  }
}

interface Excerpt {
  ontology: PackedOntology;
  genes: PackedGenes;
  releases: UsedRelease[];
}

const asset = (name: string): string => fileURLToPath(new URL(`../assets/${name}`, import.meta.url));

async function readExcerpt(): Promise<Excerpt> {
  const [termFile, geneFile] = await Promise.all([
    readTextFile(asset('hpo-excerpt.tsv')),
    readTextFile(asset('genes-excerpt.tsv')),
  ]);
  const table = readTermTable(termFile);
  const terms = unpack('ontology', packTerms(termFile.name, table.terms).packed);
  const ontology = new PackedOntology(terms, countedAs(table.counts));
  const list = readGenes(geneFile);
  const genes = new PackedGenes(unpack('genes', packGenes(list.genes)));
  const of = ({ version }: { version?: string }): { version?: string } => (version === undefined ? {} : { version });
  return {
    ontology,
    genes,
    releases: [
      { kind: 'ontology', ...of(table), source: termFile.name, entries: ontology.size, excerpt: true },
      { kind: 'genes', ...of(list), source: geneFile.name, entries: genes.size, excerpt: true },
    ],
  };
}
