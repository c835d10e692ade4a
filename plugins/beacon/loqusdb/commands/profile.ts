/** `loqusdb profile`: whether the people of a VCF file are in the dataset already. */

import type { Command } from '../../../../core/commands.js';
import { Fault } from '../../../../core/plugin.js';
import { recordCommand } from '../../recording.js';
import type { BeaconSettings } from '../../settings.js';
import { documentOfCase, samplesOfCase } from '../cases.js';
import { profileMatches, share } from '../profile.js';
import { printJson, workOn } from './work-on.js';

export const profile: Command<BeaconSettings> = {
  name: 'profile',
  summary: 'Print the individual of the database who is most similar to one of a VCF file',
  description:
    'Similarity is the share of equal genotypes. A site counts if the file has a record of it, be it 0/0, and the ' +
    'individual of the database carries the alternate: where there is no record, nothing is known. Individuals with fewer than ' +
    '20 such sites are left out. Nothing is printed if there is none.',
  examples: ['profile --check-vcf case.vcf.gz --profile-threshold 0.95'],
  options: [
    { flags: '--check-vcf <file>', description: 'VCF file of a case' },
    { flags: '--profile-threshold <share>', description: 'the smallest similarity', default: '0.9' },
  ],
  async run(context, input) {
    const { checkVcf, profileThreshold } = input.options as { checkVcf?: string; profileThreshold: string };
    if (checkVcf === undefined) {
      throw new Fault('invalid', 'Give --check-vcf: samples are compared by what is stored, and need no profiles');
    }
    const threshold = share('--profile-threshold', profileThreshold);
    const { repository, dataset } = await workOn(context);
    const source = await context.openSource(checkVcf);
    const { signal } = context;
    const [match] = await profileMatches({
      repository,
      dataset,
      source,
      threshold,
      mostSamples: context.settings.loads.samples,
      signal,
    });
    if (!match) {
      context.terminal.note('INFO No duplicates found in the database');
      return 0;
    }
    const { name, case: id } = match.stored;
    await recordCommand(context, 'samples', dataset, [match.stored]);
    const { individuals } = documentOfCase(id, await samplesOfCase(repository, dataset.id, id));
    printJson(
      context,
      individuals.find((individual) => individual.ind_id === name),
    );
    return 0;
  },
};
