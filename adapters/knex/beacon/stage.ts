/** Writes alleles to a staged segment, each in one row. */
import { step } from '../../../core/storage.js';
import { type Assembly, type CalledAllele, callsWithinBounds, type Import } from '../../../plugins/beacon/contract.js';
import type { Database } from '../binding.js';
import { foldRepeats } from './fold.js';
import { MergeWindow } from './merge.js';
import type { StagedSegment } from './segment.js';

/** Returns whether rows were merged afterwards, so that fewer are there than were added. */
export async function stage(
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
