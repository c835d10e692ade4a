/** Samples, checks and runs of the cases on registered samples. */
import assert from 'node:assert/strict';
import {
  checksumOf,
  type RegisteredSample,
  type RunBlock,
  type SampleCheck,
  type SampleDescription,
  type SampleRepository,
} from '../../../plugins/coverage/contract.js';
import { oddText, same } from '../core.js';
import { at } from './build.js';

/** A promise that cases of two files check. */
export const recording =
  'record: ready replaces the check and all runs, and gives a new revision; failing and changed keep them';

export function sample(id: string, fields: Partial<SampleDescription> = {}): SampleDescription {
  return { id, build: 'GRCh38', file: { path: `exomes/${id}.d4` }, sex: 'unknown', labels: {}, ...fields };
}

export const described = sample(' NA 12878-a\u0308rende ', {
  case: oddText,
  sex: 'female',
  file: { path: `https://storage.example.org/a b.d4?signature=%C3%A5${oddText}`, track: oddText },
  unique: { path: `https://storage.example.org/a b.q20.d4?signature=${oddText}`, quality: 255 },
  analysed: '2026-04-23',
  labels: { assay: 'WES', run: oddText, kit: '“Twist” v2', pipeline: 'raredisease 2.1', mapq: '20', group: 'g' },
});

export function check(second: number, fields: Partial<SampleCheck> = {}): SampleCheck {
  return {
    at: at(second),
    ...{ fingerprint: '00f1c2d3e4b5a697', uniqueFingerprint: '796a5b4e3d2c1f00' },
    build: 'GRCh38',
    sex: 'female',
    depths: { x: 30.25, y: 0, autosomes: 31.5 },
    warnings: [{ code: 'capped', message: oddText }],
    thresholds: [10, 20],
    covered: [2_900_000_000, 2_100_000_000],
    bytes: 7,
    ...fields,
  };
}

export function block(chromosome: RunBlock['chromosome'], start: number, end: number, content: Uint8Array): RunBlock {
  return { chromosome, start, end, checksum: checksumOf(content), content };
}

/** Every value of a byte. */
const everyByte = Uint8Array.from({ length: 256 }, (_, i) => i);
export const runs = [
  block('2', 0, 5, Uint8Array.of(1)),
  block('10', 0, 100, everyByte),
  block('10', 100, 133_797_422, Uint8Array.of(0, 255)),
  block('X', 0, 1, Uint8Array.of(7)),
];

export async function only(repository: SampleRepository, id: string): Promise<RegisteredSample> {
  const [found] = await repository.find([id]);
  assert.ok(found, `the sample "${id}" exists`);
  return found;
}

export async function registerAll(repository: SampleRepository, ids: readonly string[]): Promise<void> {
  const outcomes = await repository.register(
    ids.map((id) => sample(id)),
    at(1),
  );
  same(new Set(outcomes), new Set(['added']));
}

/** Records a successful check; the sample must be there. */
export async function ready(
  repository: SampleRepository,
  id: string,
  blocks = runs,
  found = check(1),
): Promise<RegisteredSample> {
  const { revision } = await only(repository, id);
  assert.ok(await repository.record(id, revision, { state: 'ready', check: found, runs: blocks }));
  return only(repository, id);
}

/** Everything that a caller can see, without revisions. */
export async function stateOf(repository: SampleRepository): Promise<unknown> {
  const all = await repository.list({ limit: 1000 });
  return Promise.all(all.map(async ({ revision: _, ...one }) => ({ ...one, runs: await repository.runs(one.id) })));
}
