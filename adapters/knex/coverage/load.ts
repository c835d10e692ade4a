/** Loading: intervals are staged in new sets, which are then published together in one short transaction. */
import { Fault } from '../../../core/storage.js';
import type { Batch, IntervalSet, Load, SetKind, SetRecord, StagedSet } from '../../../plugins/coverage/contract.js';
import type { Database } from '../binding.js';
import { among, intervalSets, publishedSets } from './sets.js';
import { joinExons, joinTranscripts, Staging } from './staged.js';

export async function loadIntervals(database: Database, request: Load, now: Date): Promise<IntervalSet[]> {
  const { sets, rows, accept, signal } = request;
  checkSets(sets);
  signal?.throwIfAborted();
  const staged: Staging[] = [];
  let isPublished = false;
  try {
    for (const { kind, build } of sets) staged.push(await Staging.open(database, kind, build));
    for await (const batch of rows) {
      checkKinds(batch, staged);
      for (const each of staged) await each.add(batch);
      signal?.throwIfAborted();
    }
    for (const each of staged) {
      await each.end();
      if (each.kind === 'transcripts') await joinTranscripts(database, each);
      if (each.kind === 'exons') await joinExons(database, each);
      signal?.throwIfAborted();
    }
    const records = acceptedSets(await summaries(database, staged), accept);
    signal?.throwIfAborted();
    const answer = await publishSets(database, staged, records, now);
    isPublished = true;
    return answer;
  } finally {
    for (const each of staged) each.close();
    if (!isPublished) for (const { id } of staged) await intervalSets.discard(database, id);
  }
}

/** Catches errors of the calling program, not of files. */
function checkSets(sets: Load['sets']): void {
  const kinds = new Set(sets.map(({ kind }) => kind));
  const namesHaveNone = sets.every(({ kind, build }) => (kind === 'names') === (build === undefined));
  const oneBuild = new Set(sets.flatMap(({ build }) => build ?? [])).size <= 1;
  if (sets.length > 0 && kinds.size === sets.length && namesHaveNone && oneBuild) return;
  throw new Fault('invalid', 'A load replaces each kind once, for one build; names have no build');
}

function checkKinds(batch: Batch, staged: readonly Staging[]): void {
  for (const kind of Object.keys(batch) as SetKind[]) {
    if ((batch[kind]?.length ?? 0) === 0 || staged.some((each) => each.kind === kind)) continue;
    throw new Fault('invalid', `This load does not replace ${kind}, but received some`);
  }
}

async function summaries(database: Database, staged: readonly Staging[]): Promise<StagedSet[]> {
  const published = await publishedSets(database);
  return staged.map(({ summary }) => {
    const replaces = among(published, summary.kind, summary.build)?.set;
    return { ...summary, ...(replaces && { replaces }) };
  });
}

function acceptedSets(staged: readonly StagedSet[], accept: Load['accept']): { set: StagedSet; record: SetRecord }[] {
  const answer = accept(staged);
  return staged.map((set, i) => {
    const record = 'source' in answer ? answer : answer[i];
    if (!record) throw new Fault('invalid', 'Each set of a load needs a record');
    return { set, record };
  });
}

async function publishSets(
  database: Database,
  staged: readonly Staging[],
  records: readonly { set: StagedSet; record: SetRecord }[],
  now: Date,
): Promise<IntervalSet[]> {
  return database.transaction(async (scope) => {
    const { values } = scope.engine;
    const numbers = staged.map(({ id }) => id);
    await intervalSets.lock(scope, numbers);
    const answer: IntervalSet[] = [];
    for (const [i, { set, record }] of records.entries()) {
      const { kind, build, rows, chromosomes } = set;
      await intervalSets.drop(scope, { kind, build: build ?? null });
      const { source, checksum, read, release, skipped } = record;
      await intervalSets.publish(scope, numbers[i] as number, {
        loaded: values.time(now),
        rows,
        chromosomes: values.json(chromosomes),
        release: release ?? null,
        source,
        checksum,
        read,
        skipped: values.json(skipped),
      });
      const made = { kind, ...(build && { build }), loaded: now, rows, chromosomes, source, checksum, read, skipped };
      answer.push({ ...made, ...(release !== undefined && { release }) });
    }
    return answer;
  });
}
