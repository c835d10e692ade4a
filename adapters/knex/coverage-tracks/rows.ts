/** Rows of callable tracks, their samples and blocks. */
import {
  builds,
  chromosomes,
  type TrackBlock,
  type TrackKey,
  type TrackMember,
  trackChecksum,
} from '../../../plugins/coverage/contract.js';
import { intact, type StoredRows } from '../rows.js';
import { blocks, members, tracks } from './migrations.js';

export interface TrackRow {
  number: number;
  id: string;
  build: TrackKey['build'];
  threshold: number;
  begun: unknown;
  bytes: unknown;
}

export interface MemberRow extends TrackMember {
  number: number;
  track: number;
  place: number;
}

export interface BlockRow {
  number: number;
  track: number;
  chromosome: number;
  start: number;
  checksum: unknown;
  content: Uint8Array;
}

export const trackRows: StoredRows<TrackRow, TrackKey> = {
  table: tracks,
  key: 'number',
  columns: ['number', 'id', 'build', 'threshold', 'begun', 'bytes'],
  read(_, { id, build, threshold }) {
    intact(builds.includes(build));
    return { id, build, threshold };
  },
};

export const memberRows: StoredRows<MemberRow, TrackMember> = {
  table: members,
  key: 'number',
  columns: ['number', 'track', 'place', 'sample', 'revision'],
  read: (_, { sample, revision }) => ({ sample, revision }),
};

/** For the search for damage: a block is never left out of a result. */
export const blockRows: StoredRows<BlockRow, TrackBlock> = {
  table: blocks,
  key: 'number',
  columns: ['number', 'track', 'chromosome', 'start', 'checksum', 'content'],
  read(values, row) {
    const chromosome = chromosomes[row.chromosome];
    intact(chromosome !== undefined);
    const block = {
      chromosome,
      start: row.start,
      checksum: values.parseBig(row.checksum),
      content: new Uint8Array(row.content.buffer, row.content.byteOffset, row.content.length),
    };
    intact(trackChecksum(block) === block.checksum);
    return block;
  },
};
