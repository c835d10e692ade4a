/** `loqusdb export`: all observed variants as a VCF without samples. */
import { type Command, counted } from '../../../../core/commands.js';
import { writeText } from '../../commands/write-text.js';
import { recordCommand } from '../../recording.js';
import type { BeaconSettings } from '../../settings.js';
import { countCases } from '../cases.js';
import { exportHeader, exportLines } from '../vcf.js';
import { type VariantKind, variantType, workOn } from './work-on.js';

interface Options {
  outfile?: string;
  variantType: VariantKind;
  freq?: boolean;
}

export const exportVariants: Command<BeaconSettings> = {
  name: 'export',
  summary: 'Write the observed variants as a VCF',
  description:
    'A record for every small variant, or for every structural variant as it was called, with the cases in which it or a ' +
    'similar one was observed. Frq is the share of cases, not an allele frequency.',
  examples: ['export --outfile local.vcf.gz', 'export -t sv --freq -o local.SV.vcf'],
  options: [
    {
      flags: '-o, --outfile <file>',
      description: 'file to write, compressed if it ends in .gz (default: standard output)',
    },
    variantType,
    { flags: '-f, --freq', description: 'with the share of cases' },
  ],
  async run(context, input) {
    const { outfile, variantType: kind, freq = false } = input.options as unknown as Options;
    const { terminal, signal } = context;
    const { repository, dataset } = await workOn(context);
    const cases = (await countCases(repository, dataset.id))[kind];
    await recordCommand(context, 'export', dataset);
    const about = { kind, cases, frequencies: freq };
    let [variants, skipped] = [0, 0];
    await writeText(outfile, signal, async (write) => {
      await write(exportHeader(dataset.assembly, about, context.now()));
      const portions = exportLines({ repository, dataset }, about);
      await repository.eachAllele(dataset.id, async (portion) => {
        signal.throwIfAborted();
        const { lines, unreadable } = await portions(portion, signal);
        variants += lines.length;
        skipped += unreadable;
        await write(lines.join(''));
      });
    });
    if (skipped > 0) terminal.note(`WARNING Skipped ${counted(skipped, 'variant')} with unknown bases (N)`);
    terminal.note(`INFO Exported ${counted(variants, 'variant')} of ${counted(cases, 'case')}`);
    terminal.data({ variants, cases, outfile });
    return 0;
  },
};
