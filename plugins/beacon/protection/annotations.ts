/** What loads and publications use to keep consequences: those of protected datasets show with the samples that carry the alleles. */
import type { CommandContext } from '../../../core/commands.js';
import { announcingAnnotations } from '../announced.js';
import { beacon, beaconConsequences, beaconGenes, beaconProtection } from '../contract.js';
import type { BeaconSettings } from '../settings.js';
import type { ConsequenceTools } from '../vcf/consequences/staging.js';
import { formsBy } from '../vcf/reference/aligned.js';
import { referencesIn } from '../vcf/reference/packed.js';
import type { ProtectionRepository } from './contract.js';
import { type ProtectionSettings, protectionOfDataset, protectsAny } from './profiles.js';

/** The published samples of protected datasets. */
export function publishedBy(
  protection: Pick<ProtectionRepository, 'published'> | undefined,
  settings: ProtectionSettings,
): ConsequenceTools['published'] {
  return async (dataset) => {
    if (protection === undefined || protectionOfDataset(settings, dataset) === undefined) return undefined;
    return (await protection.published(dataset))?.samples ?? [];
  };
}

/** For commands. */
export async function consequenceToolsFor(
  context: Pick<CommandContext<BeaconSettings>, 'repository' | 'settings' | 'announce'>,
): Promise<ConsequenceTools> {
  const { protection: settings, references } = context.settings;
  const protection = protectsAny(settings) ? await context.repository(beaconProtection) : undefined;
  return {
    repository: await context.repository(beacon),
    consequences: announcingAnnotations(await context.repository(beaconConsequences), context),
    genes: await context.repository(beaconGenes),
    formOf: formsBy(referencesIn(references.folder)),
    published: publishedBy(protection, settings),
  };
}
