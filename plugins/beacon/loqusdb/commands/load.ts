/** `loqusdb load`: loads the VCF files of a case. Scripts read the number of variants on stderr. */
import { type Command, command, counted } from '../../../../core/commands.js';
import type { Source } from '../../../../core/files.js';
import { Fault } from '../../../../core/plugin.js';
import { reportLines } from '../../commands/output.js';
import { type Dataset, defaultWindow } from '../../contract.js';
import { loadQuality } from '../../domain/dataset.js';
import { comparisonLines, comparisonWarnings, refuseFindings } from '../../loading/comparison-text.js';
import { barredLines, permitting } from '../../loading/permit.js';
import { waitingText } from '../../protection/generations.js';
import type { BeaconSettings } from '../../settings.js';
import { missingRule, missingWords, recordFilterOf } from '../../vcf/rules.js';
import { samplesOfCase } from '../documents.js';
import { loadCase, matchText, profileMatches, share } from '../load.js';
import { familyType, readFamily, workOn } from './work-on.js';

export const load: Command<BeaconSettings> = command({
  name: 'load',
  summary: 'Load the variants of a case',
  description:
    'All of it becomes visible at once, or nothing does. Which genotypes count, and how near structural variants must ' +
    'be, are rules of the dataset: --gq-threshold can only be stricter, and --max-window only repeat them.',
  examples: ['load --case-id recessive_trio --variant-file trio.vcf.gz --sv-variants trio.SV.vcf.gz'],
  options: [
    { flags: '-c, --case-id <id>', description: 'id of the case (default: the family of the PED file)' },
    { flags: '--variant-file <file>', description: 'VCF file with small variants' },
    { flags: '--sv-variants <file>', description: 'VCF file with structural variants' },
    { flags: '-f, --family-file <file>', description: 'PED file: its individuals are loaded, with their sex' },
    familyType,
    {
      flags: '--gq-threshold <number>',
      description: "the smallest GQ (default: the dataset's)",
      aliases: ['--gq-treshold'],
    },
    { flags: '-m, --max-window <bases>', description: "the dataset's largest window" },
    {
      flags: '--check-profile <file>',
      description: 'VCF file of the individuals, to compare with the database (see profile)',
    },
    {
      flags: '--hard-threshold <share>',
      description: 'with --check-profile: similarity from which on nothing is loaded',
      default: '0.95',
    },
    {
      flags: '--soft-threshold <share>',
      description: 'with --check-profile: similarity from which on there is a warning',
      default: '0.95',
    },
    { flags: '--strict', description: 'load nothing if a sample is already there, or does not fit its case' },
    { flags: '--qual-gq', description: 'refused: QUAL is not a quality of genotypes' },
    { flags: '--snv-gq-only', description: 'load structural variants whatever their GQ' },
    {
      flags: '--missing-gt <word>',
      description: 'genotypes that were not called (./.): unknown (default) or carrier; only in files of one sample',
      choices: missingWords,
    },
    {
      flags: '--missing-gq <word>',
      description: 'genotypes without GQ: unknown (default) or carrier',
      choices: missingWords,
    },
    { flags: '--ignore-gq-if-unset', description: 'the same as --missing-gq carrier' },
    { flags: '--ensure-index', description: 'accepted; without effect' },
  ],
  async run(context, { options }) {
    const { variantFile, svVariants, familyFile, checkProfile } = options;
    const hard = share('--hard-threshold', options.hardThreshold);
    const soft = share('--soft-threshold', options.softThreshold);
    const family = familyFile === undefined ? undefined : await readFamily(familyFile);
    const id = options.caseId ?? family?.id;
    if (id === undefined) throw new Fault('invalid', 'Give --case-id or --family-file');
    if (variantFile === undefined && svVariants === undefined) {
      throw new Fault('invalid', 'Give --variant-file or --sv-variants');
    }
    const { repository, generations, dataset } = await workOn(context);
    const quality = qualityThreshold(dataset, options);
    const mostSamples = context.settings.loads.samples;
    if ((await samplesOfCase(repository, dataset.id, id)).length > 0) {
      throw new Fault('conflict', `Case ${id} already exists in database`);
    }
    if (checkProfile !== undefined) {
      const source = await context.openSource(checkProfile);
      const threshold = Math.min(hard, soft);
      const matches = await profileMatches({
        repository,
        dataset,
        source,
        threshold,
        mostSamples,
        signal: context.signal,
      });
      const [first] = matches;
      if (first && first.similarity >= hard) {
        throw new Fault('conflict', `Profile error: ${matchText(first)}. Nothing was loaded`);
      }
      for (const match of matches) context.terminal.note(`WARNING ${matchText(match)}`);
    }
    const files: Source[] = [];
    const opened = async (path: string | undefined) => {
      if (path === undefined) return undefined;
      const source = await context.openSource(path);
      files.push(source);
      return source;
    };
    const progress = context.terminal.progress('Loading');
    try {
      const loaded = await loadCase({
        repository,
        generations,
        dataset,
        id,
        small: await opened(variantFile),
        structural: await opened(svVariants),
        permit: permitting(context.erasures),
        individuals: family?.individuals,
        mostSamples,
        filter: recordFilterOf(context.settings.filter),
        quality,
        smallQualityOnly: options.snvGqOnly,
        missing: missingRule({
          genotype: options.missingGt,
          quality: options.ignoreGqIfUnset ? 'carrier' : options.missingGq,
        }),
        compare: {
          thresholds: context.settings.comparison,
          pedigree: family?.pedigree,
          judge: options.strict ? (found) => refuseFindings(found) : undefined,
        },
        now: context.now(),
        signal: context.signal,
        onProgress: (fraction, alleles) => progress.update(fraction, counted(alleles, 'allele')),
      });
      progress.stop();
      const variants = loaded.files.reduce((sum, { summary }) => sum + summary.alleles, 0);
      for (const line of loaded.files.flatMap(reportLines)) context.terminal.note(line);
      const { comparison, barred } = loaded;
      for (const line of barred ? barredLines(barred) : []) context.terminal.note(`WARNING ${line}`);
      for (const line of comparison ? comparisonLines(comparison) : []) context.terminal.note(line);
      for (const line of comparison ? comparisonWarnings(comparison) : []) context.terminal.note(`WARNING ${line}`);
      if (loaded.waiting) context.terminal.note(`INFO ${waitingText(loaded.waiting)}`);
      context.terminal.note(`INFO Nr variants inserted: ${variants}`);
      context.terminal.data({ case: id, variants, added: loaded.added });
      return 0;
    } finally {
      progress.stop();
      for (const file of files) file.close();
    }
  },
});

/** The smallest requested GQ. Throws a fault for rules that contradict those of the dataset. */
function qualityThreshold(
  { id, counting }: Dataset,
  { gqThreshold, maxWindow, qualGq = false }: { gqThreshold?: string; maxWindow?: string; qualGq?: boolean },
): number | undefined {
  if (qualGq) throw new Fault('invalid', '--qual-gq is not supported: genotypes are counted by their GQ');
  const window = counting?.window ?? defaultWindow;
  if (maxWindow !== undefined && Number(maxWindow) !== window) {
    throw new Fault('invalid', `Dataset '${id}' has a window of ${window}: --max-window must be ${window}, or omitted`);
  }
  if (gqThreshold === undefined) return undefined;
  const quality = loadQuality(gqThreshold);
  if (quality >= (counting?.quality ?? 0)) return quality;
  throw new Fault(
    'invalid',
    `Dataset '${id}' counts genotypes from GQ ${counting?.quality}: --gq-threshold cannot be lower`,
  );
}
