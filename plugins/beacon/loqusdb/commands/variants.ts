/**
 * `loqusdb variants` and `loqusdb export`: how often a variant was observed, and all observed variants as a VCF without
 * samples.
 */
import { type Command, command, counted } from '../../../../core/commands.js';
import { lengthOf } from '../../../../core/genome.js';
import { Fault } from '../../../../core/plugin.js';
import { typeNamed } from '../../../../core/vcf.js';
import { recordCommand } from '../../audit.js';
import { writeText } from '../../commands/output.js';
import {
  type Allele,
  type Assembly,
  type BeaconRepository,
  contigs,
  type Dataset,
  insertedBases,
  isInsertion,
  type Observation,
  type ObservedQuestion,
} from '../../contract.js';
import { questionOfAllele } from '../../domain/written-question.js';
import type { BeaconSettings } from '../../settings.js';
import {
  casesNamedIn,
  countCases,
  findStructural,
  findVariant,
  type LoqusdbLookUp,
  loqusdbVersion,
} from '../documents.js';
import { printJson, variantType, workOn } from './work-on.js';

export const variants: Command<BeaconSettings> = command({
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
  async run(context, { options }) {
    const { variantId, caseCount = false } = options;
    if (variantId === undefined)
      throw new Fault('invalid', 'Give --variant-id: lists of variants are not supported, see export');
    const { settings, repository, dataset } = await workOn(context);
    const { families, homozygousCases } = settings;
    const at: LoqusdbLookUp = { repository, dataset, families, homozygousCases, signal: context.signal };
    const isStructural = options.variantType === 'sv' || options.svType !== undefined;
    const found = isStructural ? await structuralOfOptions(at, options) : await findVariant(at, variantId);
    if (!found) {
      context.terminal.note(`INFO Variant ${variantId} does not exist in database`);
      return 1;
    }
    await recordCommand(context, 'observe', dataset, { case: casesNamedIn(found) });
    const { _id, total, ...document } = found;
    printJson(context, caseCount ? { ...document, total } : document);
    return 0;
  },
});

function structuralOfOptions(
  at: LoqusdbLookUp,
  {
    chromosome,
    endChromosome,
    start,
    end,
    svType,
  }: Partial<Record<'chromosome' | 'endChromosome' | 'start' | 'end' | 'svType', string>>,
) {
  if (chromosome === undefined || start === undefined || end === undefined || svType === undefined) {
    throw new Fault('invalid', 'A structural variant needs --chromosome, --start, --end and --sv-type');
  }
  return findStructural(at, {
    chrom: chromosome,
    end_chrom: endChromosome,
    pos: positionOfOption('--start', start),
    end: positionOfOption('--end', end),
    sv_type: svType,
  });
}

function positionOfOption(option: string, text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new Fault('invalid', `${option} must be a whole number; got "${text.slice(0, 20)}"`);
}

// `loqusdb export`: all observed variants as a VCF without samples.

export const exportVariants: Command<BeaconSettings> = command({
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
  async run(context, { options: { outfile, variantType: kind, freq = false } }) {
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
});

// Observed variants as the text of a VCF, with the INFO of loqusdb.

interface ExportScope {
  kind: 'snv' | 'sv';
  /** Cases that were searched for this kind. */
  cases: number;
  /** Whether records have Frq. */
  frequencies: boolean;
}

/** The header, each line ended. */
function exportHeader(assembly: Assembly, { kind, cases, frequencies }: ExportScope, now: Date): string {
  const date = now.toISOString().slice(0, 16).replace('T', ' ');
  const lines = [
    '##fileformat=VCFv4.3',
    `##NrCases=${cases}`,
    '##INFO=<ID=Obs,Number=1,Type=Integer,Description="The number of observations for the variant">',
    '##INFO=<ID=Hom,Number=1,Type=Integer,Description="The number of observed homozygotes">',
    '##INFO=<ID=Hem,Number=1,Type=Integer,Description="The number of observed hemizygotes">',
    ...(frequencies
      ? [
          '##INFO=<ID=Frq,Number=1,Type=Float,Description="Observation frequency of the variant (not allele frequency)">',
        ]
      : []),
    ...(kind === 'sv'
      ? [
          '##INFO=<ID=END,Number=1,Type=Integer,Description="End position of the variant">',
          '##INFO=<ID=SVTYPE,Number=1,Type=String,Description="Type of structural variant">',
          '##INFO=<ID=SVLEN,Number=1,Type=Integer,Description="Length of structural variant">',
        ]
      : []),
    `##Software=<ID=loqusdb,Version=${loqusdbVersion},Date="${date}",CommandLineOptions="">`,
    ...contigs.map((contig) => `##contig=<ID=${contig},length=${lengthOf(assembly, contig)}>`),
    '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO',
  ];
  return `${lines.join('\n')}\n`;
}

interface ExportedLines {
  /** Records, each ended. */
  lines: string[];
  /** Alleles with unknown bases, which cannot be asked for. */
  unreadable: number;
}

/** Returns a function that turns portions of alleles into records; a structural variant that comes again has no second one. */
function exportLines(
  { repository, dataset }: { repository: Pick<BeaconRepository, 'observe'>; dataset: Dataset },
  { kind, cases, frequencies }: ExportScope,
): (alleles: readonly Allele[], signal: AbortSignal) => Promise<ExportedLines> {
  const written = new Set<string>();
  return async (alleles, signal) => {
    const asked: { allele: Allele; question: ObservedQuestion }[] = [];
    let unreadable = 0;
    for (const allele of alleles) {
      if (allele.structural !== (kind === 'sv')) continue;
      const question = questionOfAllele(allele, mainKind(allele));
      if (!question) unreadable++;
      else if (kind === 'snv' || isNew(written, question)) asked.push({ allele, question });
    }
    if (asked.length === 0) return { lines: [], unreadable };
    const questions = asked.map(({ question }) => question);
    const seen = await repository.observe(dataset.assembly, questions, [dataset.id], { cases: 0, signal });
    const lines = asked.flatMap(({ allele, question }, i) => {
      const observation = seen[i]?.[0];
      // Deleted since the list of alleles was read.
      if (!observation || observation.cases === 0) return [];
      const info = [
        ...countFields(observation),
        ...(frequencies ? [`Frq=${(observation.cases / cases).toFixed(5)}`] : []),
        ...(question.type === 'structural' ? loqusdbStructuralInfo(allele) : []),
      ].join(';');
      const [reference, alternate] =
        question.type === 'structural' ? ['N', alternateOf(allele)] : [allele.reference, allele.alternate];
      return [`${[allele.contig, allele.start + 1, '.', reference, alternate, '.', '.', info].join('\t')}\n`];
    });
    return { lines, unreadable };
  };
}

/** Both records of a junction ask the same question. */
function isNew(written: Set<string>, question: ObservedQuestion): boolean {
  const { type, contig, start, ...rest } = question;
  const here = `${contig}:${start}`;
  const key =
    'mate' in rest && rest.mate
      ? [here, `${rest.mate}:${rest.end}`].sort().join('~')
      : [type, here, ...Object.values(rest)].join('~');
  if (written.has(key)) return false;
  written.add(key);
  return true;
}

/** `DUP` of `DUP:TANDEM` */
function mainKind({ kind }: Allele): string {
  return typeNamed(kind).split(':', 1)[0] ?? kind;
}

function countFields({ cases, detail }: Observation): string[] {
  const [twice, hemizygous] = [detail?.casesCalledTwice ?? 0, detail?.casesHemizygous ?? 0];
  return [`Obs=${cases}`, ...(twice > 0 ? [`Hom=${twice}`] : []), ...(hemizygous > 0 ? [`Hem=${hemizygous}`] : [])];
}

/** Breakends have neither END nor SVLEN: their other end is in ALT. */
function loqusdbStructuralInfo(allele: Allele): string[] {
  const { start, end, mate, kind } = allele;
  const type = `SVTYPE=${mate === undefined ? mainKind(allele) : 'BND'}`;
  if (mate !== undefined) return [type];
  const length = isInsertion(kind) ? (insertedBases(allele) ?? 0) : end - start - 1;
  return [type, `END=${start + 1 + length}`, `SVLEN=${length}`];
}

function alternateOf(allele: Allele): string {
  const { mate, end } = allele;
  return mate === undefined ? `<${mainKind(allele)}>` : `N]${mate}:${end + 1}]`;
}
