/** Writes alleles to a staged segment, each in one row. */
import { step } from '../../../core/storage.js';
import type { Allele, Assembly, CalledAllele, Carrier, Import } from '../../../plugins/beacon/contract.js';
import type { Database } from '../binding.js';
import type { KeptCopies } from './carriers.js';
import { foldRepeats } from './fold.js';
import { MergeWindow } from './merge.js';
import type { StagedSegment } from './segment.js';

interface Rules {
  assembly: Assembly;
  kept: KeptCopies;
  /** The copies of all carriers together; throws if the allele must not be stored. */
  callsOf(allele: Allele, carriers: readonly Carrier[]): number;
}

/** Returns whether rows were merged afterwards, so that fewer are there than were added. */
export async function stage(
  database: Database,
  staged: StagedSegment,
  { alleles, signal }: Pick<Import, 'alleles' | 'signal'>,
  { assembly, kept, callsOf }: Rules,
): Promise<boolean> {
  const window = new MergeWindow(kept);
  const add = (allele: CalledAllele) => staged.addAllele(assembly, allele, callsOf(allele, allele.carriers));
  signal?.throwIfAborted();
  for await (const batch of alleles) {
    for (const allele of window.pass(batch)) await add(allele);
    signal?.throwIfAborted();
  }
  for (const allele of window.finish()) await add(allele);
  await staged.flush();
  if (window.disordered) {
    await foldRepeats(database, staged, kept);
    step('beacon.load.folded');
  }
  return window.disordered;
}
