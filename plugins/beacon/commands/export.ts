/** `export`. */
import { type Command, counted } from '../../../core/commands.js';
import { Fault } from '../../../core/plugin.js';
import { beacon } from '../contract.js';
import { datasetNamed } from '../domain/dataset.js';
import { exportSites } from '../export-sites.js';
import { recordCommand } from '../recording.js';
import type { BeaconSettings } from '../settings.js';
import { writeText } from './write-text.js';

export const exportCommand: Command<BeaconSettings> = {
  name: 'export',
  summary: 'Write the alleles of a dataset as a sites-only VCF with AC and AN',
  description:
    'The records are sorted. AC counts the alternate alleles called; AN is a convention, two for each sample of the ' +
    'dataset on chromosomes 1 to 22 and X, one on Y and MT, and never less than AC. Samples are not named.',
  examples: ['export --ds rare_public --out sites.vcf.gz', 'export --ds rare_public | bgzip > sites.vcf.gz'],
  options: [
    { flags: '--ds <id>', description: 'id of the dataset', required: true, aliases: ['-ds'] },
    { flags: '--out <file>', description: 'file to write, compressed if it ends in .gz (default: standard output)' },
  ],
  async run(context, input) {
    const { ds, out } = input.options as { ds: string; out?: string };
    const { terminal, signal } = context;
    if (terminal.json && out === undefined)
      throw new Fault('invalid', '--json needs --out, since standard output cannot hold both');
    const repository = await context.repository(beacon);
    const dataset = await datasetNamed(repository, ds);
    await recordCommand(context, 'export', dataset);
    let alleles = 0;
    await writeText(out, signal, async (write) => {
      alleles = await exportSites(repository, dataset, write, signal);
    });
    const summary = `Exported ${counted(alleles, 'allele')} of dataset '${ds}'`;
    if (out === undefined) terminal.note(summary);
    else terminal.print(`${summary} to ${out}`);
    terminal.data({ dataset: ds, alleles, out });
    return 0;
  },
};
