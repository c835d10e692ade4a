/** The tables of beacon-consequences@1. Alleles on a chromosome are in blocks, each of some thousand lines (`packed.ts`). */
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
import { isWhole } from './coder.js';
import type { AnnotationSource } from './contract.js';
import { isReadable } from './names.js';
import { unpacked } from './packed.js';

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

/** Lines of a chromosome: where the first and the last of them start, their changes of proteins (`proteins.ts`), and they themselves. */
const ofBlock = {
  // Changes and names are read of all blocks at once: before the content, they are on the first pages of a row.
  first: small(),
  last: small(),
  proteins: person(bytes()),
  names: person(bytes()),
  content: person(bytes()),
};

interface StoredBlock {
  names?: Uint8Array;
  content?: Uint8Array;
}

const isSound = ({ names, content }: StoredBlock) =>
  (names === undefined || isReadable(names)) && (content === undefined || isWhole(content));

const isIntact = ({ names, content }: StoredBlock) =>
  names === undefined || content === undefined || unpacked({ names, content }).length > 0;

/** Lines with numbers of the sources beside them, and how many lines each has. */
export const staged = defineTable({
  name: 'beacon_consequences_staged',
  columns: {
    number: generated(),
    load: integer(),
    contig: small(),
    sources: json<readonly AnnotationSource[]>(),
    alleles: json<readonly number[]>(),
    ...ofBlock,
  },
  key: ['number'],
  indexes: [['load']],
  sound: isSound,
  isIntact,
});

/** The lines of a chromosome from a start to that of the next block. */
export const blocks = defineTable({
  name: 'beacon_consequences_blocks',
  columns: { dataset: text(), contig: small(), ...ofBlock },
  key: ['dataset', 'contig', 'first'],
  sound: isSound,
  isIntact,
});

/** In the order in which transactions lock them. */
export const all = [datasets, sources, loads, staged, blocks] as const;
