/** Taking samples and datasets out. */
import { step } from '../../../core/storage.js';
import type { Change } from '../../../plugins/beacon/contract.js';
import type { Database } from '../binding.js';
import { copyWithoutSamples, type LeftOut } from './copy.js';
import { allelesOnlyIn, callsIn, type Published, published, sampleNames, take } from './published.js';
import { removeFacts } from './sample-facts.js';
import { StagedSegment } from './segment.js';
import { segmentSets, sweepSegment } from './sweep.js';

/** Segments that hold one of the samples are swapped for copies without it, or for nothing. */
export async function removeSamples(
  database: Database,
  dataset: string,
  samples: readonly string[],
  now: Date,
): Promise<Change> {
  const names = new Set(samples);
  for (;;) {
    const state = await published(database, dataset, samples);
    const affected = state.segments;
    if (affected.length === 0) return { alleles: 0, calls: 0, samples: 0 };
    const drop = affected.map(({ id }) => id);
    const copies: StagedSegment[] = [];
    const left = new Map<number, LeftOut>();
    let taken = false;
    try {
      for (const segment of affected) {
        const rest = await copyRest(database, dataset, segment, names, copies);
        if (rest) left.set(segment.id, rest);
      }
      step('beacon.remove.copied');
      const publish = copies.map(({ id }) => id);
      // Of a segment that is copied only the rows that are left out are looked at, not all that stay.
      const among = new Map([...left].map(([id, { rows }]) => [id, rows]));
      const whole = drop.filter((id) => !left.has(id));
      const calls = [...left.values()].reduce((sum, { calls }) => sum + calls, 0);
      const change = {
        alleles: await allelesOnlyIn(database, drop, dataset, { without: drop, with: publish, among }),
        calls: calls + (await callsIn(database, whole)),
        samples: [...sampleNames(affected)].filter((name) => names.has(name)).length,
      };
      const less = { alleles: -change.alleles, calls: -change.calls, samples: -change.samples };
      const facts = (scoped: Database) => removeFacts(scoped, dataset, samples);
      taken = await take(database, { dataset, revision: state.revision, publish, drop, change: less, facts, now });
      if (taken) {
        for (const id of drop) await sweepSegment(database, id);
        return change;
      }
    } finally {
      for (const copy of copies) {
        copy.close();
        if (!taken) await segmentSets.discard(database, copy.id);
      }
    }
  }
}

/** Returns undefined if nothing is left of the segment. */
async function copyRest(
  database: Database,
  dataset: string,
  segment: Published['segments'][number],
  names: ReadonlySet<string>,
  copies: StagedSegment[],
): Promise<LeftOut | undefined> {
  const rest = segment.samples.filter(({ name }) => !names.has(name));
  if (rest.length === 0) return undefined;
  const loads = Math.ceil((segment.loads * rest.length) / segment.samples.length);
  const copy = await StagedSegment.open(database, dataset, rest, { ...segment, loads });
  copies.push(copy);
  const gone = segment.samples.filter(({ name }) => names.has(name)).map(({ ordinal }) => ordinal);
  return copyWithoutSamples(database, segment.id, copy, new Set(gone));
}

export async function removeDataset(database: Database, id: string): Promise<boolean> {
  const segments = await database.transaction(async ({ write, engine }) => {
    const found = await engine.forUpdate(write('beacon_datasets').where({ id })).first();
    if (!found) return undefined;
    await write('beacon_datasets').where({ id }).delete();
    await write('beacon_sample_facts').where({ dataset: id }).delete();
    await write('beacon_batches').where({ dataset: id }).delete();
    const rows = await write('beacon_segments').where({ dataset: id }).select('id');
    await write('beacon_segments').where({ dataset: id }).update({ state: 'dropped' });
    step('beacon.remove.dropped');
    return rows.map((row) => Number(row.id));
  });
  step('beacon.remove.committed');
  for (const segment of segments ?? []) await sweepSegment(database, segment);
  return segments !== undefined;
}
