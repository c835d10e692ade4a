/** `loqusdb load` and `loqusdb update`: load the VCF files of a case. Scripts read the number of variants on stderr. */
import { type Command, type CommandContext, type CommandOption, command, counted } from '../../../../core/commands.js';
import type { Source } from '../../../../core/files.js';
import { Fault } from '../../../../core/plugin.js';
import { recordReplacement } from '../../audit.js';
import { callsLines, loadedText, reportLines } from '../../commands/output.js';
import { type Dataset, defaultWindow, type SampleChange } from '../../contract.js';
import { loadQuality } from '../../domain/dataset.js';
import { quoted } from '../../domain/written-question.js';
import { comparisonLines, comparisonWarnings, refuseFindings } from '../../loading/comparison-text.js';
import type { ReplaceOptions } from '../../loading/load.js';
import { barredLines, permitting } from '../../loading/permit.js';
import type { Ped } from '../../loading/sheets/sample-sheet.js';
import { consequenceToolsFor } from '../../protection/annotations.js';
import { waitingText } from '../../protection/changes.js';
import type { BeaconSettings } from '../../settings.js';
import { depthToolsFor } from '../../vcf/depths/called.js';
import { missingRule, missingWords, recordFilterOf } from '../../vcf/rules.js';
import { samplesOfCase } from '../documents.js';
import { loadCase, matchText, profileMatches, share } from '../load.js';
import { type DatasetWork, familyType, readFamily, workOn } from './work-on.js';

/** Which case, its files, and which of their genotypes count. */
const caseOptions = [
  { flags: '-c, --case-id <id>', description: 'id of the case (default: the family of the PED file)' },
  { flags: '--variant-file <file>', description: 'VCF file with small variants' },
  { flags: '--sv-variants <file>', description: 'VCF file with structural variants' },
  { flags: '-f, --family-file <file>', description: 'PED file: its individuals are loaded, with their sex' },
  {
    flags: '--sample <name>',
    description: 'only this individual of the files (default: those of the PED file, else all)',
    repeatable: true,
  },
  familyType,
  {
    flags: '--gq-threshold <number>',
    description: "the smallest GQ (default: the dataset's)",
    aliases: ['--gq-treshold'],
  },
  { flags: '-m, --max-window <bases>', description: "the dataset's largest window" },
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
] as const satisfies readonly CommandOption[];

export const load: Command<BeaconSettings> = command({
  name: 'load',
  summary: 'Load the variants of a case',
  description:
    'All of it becomes visible at once, or nothing does. Which genotypes count, and how near structural variants must ' +
    'be, are rules of the dataset: --gq-threshold can only be stricter, and --max-window only repeat them.',
  examples: ['load --case-id recessive_trio --variant-file trio.vcf.gz --sv-variants trio.SV.vcf.gz'],
  options: [
    ...caseOptions,
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
  ],
  async run(context, { options }) {
    const { checkProfile } = options;
    const hard = share('--hard-threshold', options.hardThreshold);
    const soft = share('--soft-threshold', options.softThreshold);
    const load = await caseToLoad(context, options);
    const { repository, dataset } = load.work;
    if ((await samplesOfCase(repository, dataset.id, load.id)).length > 0) {
      throw new Fault('conflict', `Case ${load.id} already exists in database`);
    }
    if (checkProfile !== undefined) {
      const source = await context.openSource(checkProfile);
      const matches = await profileMatches({
        repository,
        dataset,
        source,
        samples: options.sample,
        threshold: Math.min(hard, soft),
        mostSamples: context.settings.loads.samples,
        signal: context.signal,
      });
      const [first] = matches;
      if (first && first.similarity >= hard) {
        throw new Fault('conflict', `Profile error: ${matchText(first)}. Nothing was loaded`);
      }
      for (const match of matches) context.terminal.note(`WARNING ${matchText(match)}`);
    }
    return loadFiles(context, load, options);
  },
});

export const update: Command<BeaconSettings> = command({
  name: 'update',
  summary: 'Load new files of a case that exists: they replace the variants of their individuals, of the same kind',
  description:
    'Small variants, structural variants or both are replaced at once, by the kinds of the files that are given; the ' +
    'others stay, as does what is known of the case.',
  examples: ['update --case-id recessive_trio --sv-variants trio.SV.v2.vcf.gz'],
  options: [
    ...caseOptions,
    {
      flags: '--force',
      description: 'also if an individual keeps less than half of the variants, or is another person',
    },
  ],
  async run(context, { options }) {
    const load = await caseToLoad(context, options);
    const { repository, dataset } = load.work;
    if ((await samplesOfCase(repository, dataset.id, load.id)).length === 0) {
      throw new Fault('unprocessable', `Case ${load.id} does not exist in database`);
    }
    const record = (samples: readonly string[]) => recordReplacement(context, dataset, samples);
    return loadFiles(context, { ...load, replace: { force: options.force ?? false, record } }, options);
  },
});

interface CaseOptions {
  caseId?: string;
  variantFile?: string;
  svVariants?: string;
  familyFile?: string;
  sample?: readonly string[];
  gqThreshold?: string;
  maxWindow?: string;
  qualGq?: boolean;
  snvGqOnly?: boolean;
  missingGt?: (typeof missingWords)[number];
  missingGq?: (typeof missingWords)[number];
  ignoreGqIfUnset?: boolean;
  strict?: boolean;
}

interface CaseToLoad {
  id: string;
  /** The individuals to load with what is known of them, if the options name any. */
  individuals: ReadonlyMap<string, SampleChange> | undefined;
  pedigree: Ped['pedigree'] | undefined;
  work: DatasetWork;
  /** The smallest requested GQ. */
  quality: number | undefined;
  replace?: ReplaceOptions;
}

/** The case that the options name, once they are checked. */
async function caseToLoad(context: CommandContext<BeaconSettings>, options: CaseOptions): Promise<CaseToLoad> {
  const { familyFile } = options;
  const family = familyFile === undefined ? undefined : await readFamily(familyFile);
  const id = options.caseId ?? family?.id;
  if (id === undefined) throw new Fault('invalid', 'Give --case-id or --family-file');
  if (options.variantFile === undefined && options.svVariants === undefined) {
    throw new Fault('invalid', 'Give --variant-file or --sv-variants');
  }
  const individuals = individualsToLoad(family, options.sample);
  const work = await workOn(context);
  const quality = qualityThreshold(work.dataset, options);
  return { id, individuals, pedigree: family?.pedigree, work, quality };
}

/** Throws an `invalid` fault for a name that the PED file lacks. */
function individualsToLoad(family: Ped | undefined, names: readonly string[] | undefined): CaseToLoad['individuals'] {
  if (names === undefined) return family?.individuals;
  return new Map(
    names.map((name) => {
      const known = family ? family.individuals.get(name) : {};
      if (known) return [name, known];
      throw new Fault('invalid', `--sample: the PED file has no individual ${quoted(name)}`);
    }),
  );
}

async function loadFiles(
  context: CommandContext<BeaconSettings>,
  { id, individuals, pedigree, work, quality, replace }: CaseToLoad,
  options: CaseOptions,
): Promise<number> {
  const { repository, references, generations, dataset } = work;
  const depths = await depthToolsFor(context);
  const consequences = await consequenceToolsFor(context);
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
      depths,
      references,
      consequences,
      dataset,
      id,
      small: await opened(options.variantFile),
      structural: await opened(options.svVariants),
      permit: permitting(context.erasures),
      individuals,
      mostSamples: context.settings.loads.samples,
      replace,
      filter: recordFilterOf(context.settings.filter),
      quality,
      smallQualityOnly: options.snvGqOnly,
      missing: missingRule({
        genotype: options.missingGt,
        quality: options.ignoreGqIfUnset ? 'carrier' : options.missingGq,
      }),
      compare: {
        thresholds: context.settings.comparison,
        pedigree,
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
    for (const line of callsLines(loaded.calls ?? [])) context.terminal.note(line);
    if (loaded.waiting) context.terminal.note(`INFO ${waitingText(loaded.waiting)}`);
    if (loaded.replaced || loaded.postponed) context.terminal.note(`INFO ${loadedText(loaded)}`);
    const others = replace && (await othersOf(work, id, loaded.samples));
    if (others?.length) {
      context.terminal.note(
        `WARNING Case ${id} keeps the variants of individuals that were not in this load: ${others.join(', ')}`,
      );
    }
    context.terminal.note(`INFO Nr variants inserted: ${variants}`);
    context.terminal.data({
      case: id,
      variants,
      added: loaded.added,
      ...(loaded.replaced && { replaced: loaded.replaced }),
    });
    return 0;
  } finally {
    progress.stop();
    for (const file of files) file.close();
  }
}

/** Individuals of the case that a load did not have, renamed ones for example: what they carry still counts. */
async function othersOf(
  { repository, dataset }: DatasetWork,
  id: string,
  loaded: readonly string[],
): Promise<string[]> {
  const names = (await samplesOfCase(repository, dataset.id, id)).map(({ name }) => name);
  return names.filter((name) => !loaded.includes(name)).sort();
}

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
