/**
 * Replacements of published samples, which wait for the next publication of a protected dataset: kept with all that their files
 * say, and loaded by the publication as if they came then.
 */
import { counted } from '../../../core/commands.js';
import { Fault } from '../../../core/plugin.js';
import { step } from '../../../core/storage.js';
import type { BeaconRepository, Dataset, DepthRepository, Import, PhasesOfSamples, ReplaceRules } from '../contract.js';
import type { AnnotatedCall } from '../vcf/consequences/contract.js';
import { type ConsequenceTools, StagedConsequences } from '../vcf/consequences/staging.js';
import { keepPhases } from '../vcf/depths/called.js';
import type { ProtectionRepository, WaitingLoad } from './contract.js';

/** An import that waits. Its alleles may have annotations. */
export interface PostponedImport extends Import {
  alleles: AsyncIterable<readonly AnnotatedCall[]>;
  /** Of its samples, by name, once the alleles are read. */
  phases?: (() => PhasesOfSamples) | undefined;
}

export interface PostponingTools {
  repository: BeaconRepository;
  protection: ProtectionRepository;
  annotations: ConsequenceTools;
  depths: Pick<DepthRepository, 'addPhases' | 'remove'>;
  now(): Date;
}

/** Ends an import that was only to be checked. */
class Checked extends Error {}

/**
 * Checks an import that replaces, as if it took place, and keeps it for the next publication. Throws what the import would; an
 * `unprocessable` fault if a sample is not in the dataset.
 */
export async function postpone(
  { id, created }: Dataset,
  { phases, ...request }: PostponedImport,
  { repository, protection, now }: PostponingTools,
): Promise<void> {
  const there = new Set(await repository.samples(id));
  const fresh = request.samples.filter((name) => !there.has(name)).length;
  if (fresh > 0) {
    throw new Fault(
      'unprocessable',
      `Nothing was replaced: calls of the load wait for the next publication of the protected dataset '${id}', and ` +
        `${counted(fresh, 'sample')} of it ${fresh === 1 ? 'is' : 'are'} new: load new samples apart`,
    );
  }
  const number = await protection.beginLoad({ dataset: id, created, samples: request.samples }, now());
  step('beacon.wait.begun');
  const kept = async function* () {
    for await (const batch of request.alleles) {
      await protection.addToLoad(number, batch);
      yield batch.map(({ annotation: _, ...call }) => call);
    }
  };
  const search = () => request.searched?.() ?? { small: true, structural: true };
  const judge: ReplaceRules['judge'] = (replaced) => {
    request.replaces?.judge?.(replaced);
    throw new Checked();
  };
  const checked = { ...request, alleles: kept(), replaces: { ...request.replaces, judge } };
  try {
    await repository.importAlleles(checked, now()).catch((error: unknown) => {
      if (!(error instanceof Checked)) throw error;
    });
    if (phases) await protection.addPhasesToLoad(number, phases());
  } catch (error) {
    await protection.endLoad(number, undefined);
    throw error;
  }
  await protection.endLoad(number, search());
  step('beacon.wait.kept');
}

/** Loads a replacement. Returns the number of the load of its consequences, which waits to be published; undefined without any. */
export async function bring(
  dataset: Dataset,
  { number, samples, search }: WaitingLoad,
  { repository, protection, annotations, depths, now }: PostponingTools,
): Promise<number | undefined> {
  const { id } = dataset;
  const staged = new StagedConsequences(dataset, annotations, now());
  try {
    const alleles = staged.of(protection.allelesOfLoad(number), samples);
    await repository.importAlleles({ dataset: id, samples, alleles, searched: () => search, replaces: {} }, now());
    step('beacon.publish.brought');
    if (search.small) {
      await depths.remove(id, samples, 'phases');
      await keepPhases(id, await protection.phasesOfLoad(number), { repository, depths });
      step('beacon.publish.phased');
    }
    return await staged.end();
  } catch (error) {
    // If that fails, it is swept.
    await staged.abandon().catch(() => undefined);
    throw error;
  }
}
