/** The tables of beacon-consequences@1. Alleles on a chromosome are in blocks, each of some hundred lines (`lines.ts`). */
import {
  boolean,
  bytes,
  defineTable,
  generated,
  integer,
  json,
  person,
  small,
  text,
  time,
} from '../../../../core/storage.js';
import type { AnnotationSource } from './contract.js';
import { unpackedBucket } from './genes.js';
import { unpacked } from './lines.js';

/** Every change of what is published holds the row of its dataset. */
export const datasets = defineTable({
  name: 'beacon_consequences_datasets',
  columns: {
    dataset: text(),
    // Whether alleles may be gone.
    stale: boolean(),
    // Rises with every change.
    revision: integer(),
  },
  key: ['dataset'],
});

export const sources = defineTable({
  name: 'beacon_consequences_sources',
  columns: {
    dataset: text(),
    number: small(),
    source: json<AnnotationSource>(),
    alleles: integer(),
    loaded: time(),
  },
  key: ['dataset', 'number'],
});

export const loads = defineTable({
  name: 'beacon_consequences_loads',
  columns: {
    number: generated(),
    dataset: text(),
    samples: person(json<readonly string[]>()),
    complete: boolean(),
    touched: time(),
  },
  key: ['number'],
  indexes: [['dataset']],
});

/** Lines with numbers of the sources beside them. */
export const staged = defineTable({
  name: 'beacon_consequences_staged',
  columns: {
    number: generated(),
    load: integer(),
    contig: small(),
    sources: json<readonly AnnotationSource[]>(),
    content: person(bytes()),
  },
  key: ['number'],
  indexes: [['load']],
  sound: ({ content }) => content === undefined || unpacked(content).length > 0,
});

/** The lines of a chromosome from a start to that of the next block. */
export const blocks = defineTable({
  name: 'beacon_consequences_blocks',
  // The changes of proteins (`proteins.ts`) are read of all blocks at once: before the content, they are on the row's first page.
  columns: {
    dataset: text(),
    contig: small(),
    first: small(),
    proteins: person(bytes()),
    content: person(bytes()),
  },
  key: ['dataset', 'contig', 'first'],
  sound: ({ content }) => content === undefined || unpacked(content).length > 0,
});

export const genes = defineTable({
  name: 'beacon_consequences_genes',
  columns: { dataset: text(), bucket: small(), content: person(bytes()) },
  key: ['dataset', 'bucket'],
  sound: ({ content }) => content === undefined || unpackedBucket(content) !== undefined,
});

/** In the order in which transactions lock them. */
export const all = [datasets, sources, loads, staged, blocks, genes] as const;
