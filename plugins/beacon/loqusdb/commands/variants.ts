/** `loqusdb variants`: how often a variant was observed. */
import type { Command } from '../../../../core/commands.js';
import { Fault } from '../../../../core/plugin.js';
import { recordCommand } from '../../recording.js';
import type { BeaconSettings } from '../../settings.js';
import { findStructural, findVariant, type LookUp } from '../variants.js';
import { printJson, type VariantKind, variantType, workOn } from './work-on.js';

interface Options {
  variantId?: string;
  chromosome?: string;
  endChromosome?: string;
  start?: string;
  end?: string;
  variantType: VariantKind;
  svType?: string;
  caseCount?: boolean;
}

export const variants: Command<BeaconSettings> = {
  name: 'variants',
  summary: 'Print one variant with its observations',
  description: 'The exit code is 1 if the variant was not observed.',
  examples: [
    'variants --to-json --variant-id 1_880086_T_C --case-count',
    'variants --to-json --variant-id any --case-count -t sv -c 1 -s 7889972 -e 7890026 --end-chromosome 1 --sv-type DEL',
  ],
  options: [
    { flags: '--variant-id <id>', description: 'such as 1_880086_T_C; of a structural variant it does not matter' },
    { flags: '-c, --chromosome <name>', description: 'of a structural variant' },
    { flags: '--end-chromosome <name>', description: 'chromosome of its end (default: the same)' },
    { flags: '-s, --start <position>', description: 'its position' },
    { flags: '-e, --end <position>', description: 'its last base, or the position of its mate' },
    variantType,
    { flags: '--sv-type <type>', description: 'its SVTYPE, such as DEL' },
    { flags: '--to-json', description: 'accepted; the output is always JSON' },
    { flags: '--case-count', description: 'with the number of cases' },
  ],
  async run(context, input) {
    const options = input.options as unknown as Options;
    const { variantId, caseCount = false } = options;
    if (variantId === undefined)
      throw new Fault('invalid', 'Give --variant-id: lists of variants are not supported, see export');
    const { settings, repository, dataset } = await workOn(context);
    const at: LookUp = { repository, dataset, families: settings.families, signal: context.signal };
    const isStructural = options.variantType === 'sv' || options.svType !== undefined;
    const found = isStructural ? await structural(at, options) : await findVariant(at, variantId);
    if (!found) {
      context.terminal.note(`INFO Variant ${variantId} does not exist in database`);
      return 1;
    }
    const cases = (found.families ?? []).map((id) => `case:${id}`);
    await recordCommand(context, 'observe', dataset, cases);
    const { _id, total, ...document } = found;
    printJson(context, caseCount ? { ...document, total } : document);
    return 0;
  },
};

function structural(at: LookUp, { chromosome, endChromosome, start, end, svType }: Options) {
  if (chromosome === undefined || start === undefined || end === undefined || svType === undefined) {
    throw new Fault('invalid', 'A structural variant needs --chromosome, --start, --end and --sv-type');
  }
  return findStructural(at, {
    chrom: chromosome,
    end_chrom: endChromosome,
    pos: position('--start', start),
    end: position('--end', end),
    sv_type: svType,
  });
}

function position(option: string, text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new Fault('invalid', `${option} must be a whole number; got "${text.slice(0, 20)}"`);
}
