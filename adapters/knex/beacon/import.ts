/** Adding of alleles: staged in a segment of their own, then published in one small step. */
import { Fault, step } from '../../../core/storage.js';
import {
  type Assembly,
  type CalledAllele,
  type Change,
  callsWithinBounds,
  type Import,
} from '../../../plugins/beacon/contract.js';
import type { Database } from '../binding.js';
import type { SegmentSample } from './carriers.js';
import { copyWithoutRepeats, repeatedCarriers } from './copy.js';
import { foldRepeats } from './fold.js';
import { MergeWindow } from './merge.js';
import { allelesOnlyIn, callsIn, type Published, published, sampleNames, take } from './published.js';
import type { CasesOfSamples } from './row-counts.js';
import { addFacts, type Said, searchedForAll } from './sample-facts.js';
import { StagedSegment } from './segment.js';
import { segmentSets } from './sweep.js';
import { saysMore } from './uncalled.js';

export async function importAlleles(database: Database, request: Import, now: Date): Promise<Change> {
  const { assembly } = await published(database, request.dataset, []);
  const samples = request.samples.map((name, ordinal) => ({ ordinal, name }));
  const cases = statedCases(request);
  const staged = await StagedSegment.open(database, request.dataset, samples, { cases });
  const done = new Set<StagedSegment>();
  try {
    const folded = await stage(database, staged, request, assembly);
    const said: Said = { facts: request.facts ?? new Map(), searched: request.searched?.() ?? searchedForAll };
    return await publish(database, { staged, samples, cases, folded, said }, request, assembly, now, done);
  } finally {
    staged.close();
    // After any failure, or if a reduced copy or nothing at all was published instead.
    if (!done.has(staged)) await segmentSets.discard(database, staged.id);
  }
}

/** Writes alleles, each in one row. Returns whether rows were merged afterwards, so that fewer are there than were added. */
async function stage(
  database: Database,
  staged: StagedSegment,
  { alleles, signal }: Pick<Import, 'alleles' | 'signal'>,
  assembly: Assembly,
): Promise<boolean> {
  const window = new MergeWindow();
  const add = (allele: CalledAllele) => staged.addAllele(assembly, allele, callsWithinBounds(allele, allele.carriers));
  signal?.throwIfAborted();
  for await (const batch of alleles) {
    for (const allele of window.pass(batch)) await add(allele);
    signal?.throwIfAborted();
  }
  for (const allele of window.finish()) await add(allele);
  await staged.flush();
  if (window.disordered) {
    await foldRepeats(database, staged);
    step('beacon.load.folded');
  }
  return window.disordered;
}

/** The cases of new samples of which none is stated are their own. */
function statedCases({ facts = new Map() }: Import): CasesOfSamples {
  return new Map([...facts].flatMap(([name, said]) => (said.case === undefined ? [] : [[name, said.case] as const])));
}

interface Loaded {
  staged: StagedSegment;
  samples: readonly SegmentSample[];
  cases: CasesOfSamples;
  /** Whether rows were merged after they were added. */
  folded: boolean;
  said: Said;
}

async function publish(
  database: Database,
  { staged, samples, cases, folded, said }: Loaded,
  { dataset, signal }: Import,
  assembly: Published['assembly'],
  now: Date,
  done: Set<StagedSegment>,
): Promise<Change> {
  // Somebody else may change the dataset while the totals are worked out: then once more, from its new state.
  const names = new Set(samples.map(({ name }) => name));
  for (;;) {
    signal?.throwIfAborted();
    const state = await published(database, dataset, [...names]);
    if (state.assembly !== assembly) {
      throw new Fault('conflict', `Dataset "${dataset}" became one of ${state.assembly} during the load`);
    }
    const { segments: known } = state;
    const there = sampleNames(known);
    const reduced =
      known.length === 0
        ? undefined
        : await copyWithoutRepeats(
            database,
            staged.id,
            () => StagedSegment.open(database, dataset, samples, { cases }),
            repeatedCarriers(database, samples, known),
          );
    const outgoing = reduced ?? staged;
    if (reduced) step('beacon.publish.reduced');
    try {
      // What was added is known; to look at every row again is for what was folded, or may be there already.
      const counted = outgoing === staged && folded ? undefined : outgoing.added;
      const first = state.isEmpty ? counted : undefined;
      const change = {
        alleles: first?.alleles ?? (await allelesOnlyIn(database, [outgoing.id], dataset)),
        calls: counted?.calls ?? (await callsIn(database, [outgoing.id])),
        samples: samples.filter(({ name }) => !there.has(name)).length,
      };
      const isLater =
        change.calls > 0 ||
        (outgoing.hasUncalled && (await saysMore(database, { id: outgoing.id, samples: [...samples] }, known)));
      const isNew = isLater || change.samples > 0;
      step('beacon.publish.counted');
      const next = {
        dataset,
        revision: state.revision,
        staged: staged.id,
        publish: isNew ? [outgoing.id] : [],
        drop: [],
        change,
        facts: (scoped: Database) => addFacts(scoped, dataset, { names, there, said, isLater, now }),
        now,
      };
      if (await take(database, next)) {
        if (isNew) done.add(outgoing);
        return change;
      }
    } finally {
      reduced?.close();
      if (reduced && !done.has(reduced)) await segmentSets.discard(database, reduced.id);
    }
  }
}
