/** Rows of registered samples and of their runs. */
import { placeOf } from '../../../core/storage.js';
import {
  builds,
  checksumOf,
  chromosomes,
  type RegisteredSample,
  type RunBlock,
  type SampleCheck,
  type SampleLabels,
  sampleSexes,
  sampleStates,
} from '../../../plugins/coverage/contract.js';
import type { Engine } from '../binding.js';
import { intact, type StoredRows } from '../rows.js';
import { runs, samples } from './migrations.js';

export interface SampleRow {
  id: string;
  revision: string;
  build: RegisteredSample['build'];
  path: string;
  track: string | null;
  case_id: string | null;
  sex: RegisteredSample['sex'];
  analysed: string | null;
  labels: unknown;
  state: RegisteredSample['state'];
  reason: string | null;
  registered: unknown;
  updated: unknown;
  checked: unknown;
  found: unknown;
}

export const sampleRows: StoredRows<SampleRow, RegisteredSample> = {
  table: samples,
  key: 'id',
  columns: [
    'id',
    'revision',
    'build',
    'path',
    'track',
    'case_id',
    'sex',
    'analysed',
    'labels',
    'state',
    'reason',
    'registered',
    'updated',
    'checked',
    'found',
  ],
  read(values, row) {
    const { id, revision, build, path, track, sex, analysed, state, reason } = row;
    intact(builds.includes(build) && sampleSexes.includes(sex) && sampleStates.includes(state));
    return {
      id,
      revision,
      build,
      file: { path, ...(track !== null && { track }) },
      ...(row.case_id !== null && { case: row.case_id }),
      sex,
      ...(analysed !== null && { analysed }),
      labels: values.parseJson(row.labels) as SampleLabels,
      state,
      ...(reason !== null && { reason }),
      registered: values.parseTime(row.registered),
      updated: values.parseTime(row.updated),
      ...(row.found !== null && { check: checkIn(values, row) }),
    };
  },
};

function checkIn(values: Engine['values'], { checked, found }: SampleRow): SampleCheck {
  return { at: values.parseTime(checked), ...(values.parseJson(found) as Omit<SampleCheck, 'at'>) };
}

/** The columns of a check. */
export function columnsOfCheck(values: Engine['values'], { at, ...found }: SampleCheck): Record<string, unknown> {
  return { checked: values.time(at), found: values.json(found) };
}

/** The columns of a sample, except those of its check. */
export function columnsOf(values: Engine['values'], sample: RegisteredSample): Record<string, unknown> {
  const { id, revision, build, file, sex, state } = sample;
  return {
    id,
    revision,
    build,
    path: file.path,
    place: placeOf(file.path),
    track: file.track ?? null,
    case_id: sample.case ?? null,
    sex,
    analysed: sample.analysed ?? null,
    labels: values.json(sample.labels),
    state,
    reason: sample.reason ?? null,
    registered: values.time(sample.registered),
    updated: values.time(sample.updated),
  };
}

export interface RunRow {
  number: number;
  chromosome: number;
  start: number;
  stop: number;
  checksum: string;
  content: Uint8Array;
}

export function blockOf({ chromosome, start, stop, checksum, content }: RunRow): RunBlock {
  const name = chromosomes[chromosome];
  intact(name !== undefined);
  return {
    chromosome: name,
    start,
    end: stop,
    checksum,
    content: new Uint8Array(content.buffer, content.byteOffset, content.length),
  };
}

/** For the search for damage: a block is never left out of a result, since its bases would then count as not covered. */
export const runRows: StoredRows<RunRow, RunBlock> = {
  table: runs,
  key: 'number',
  columns: ['number', 'chromosome', 'start', 'stop', 'checksum', 'content'],
  read(_, row) {
    const block = blockOf(row);
    intact(checksumOf(block.content) === block.checksum);
    return block;
  },
};
