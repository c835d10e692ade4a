/** Observed variants as the text of a VCF, with the INFO of loqusdb. */
import { lengthOf } from '../../../core/genome.js';
import { typeNamed } from '../../../core/vcf.js';
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
} from '../contract.js';
import { questionOf } from '../domain/question.js';
import { loqusdbVersion } from './documents.js';

export interface Exported {
  kind: 'snv' | 'sv';
  /** Cases that were searched for this kind. */
  cases: number;
  /** Whether records have Frq. */
  frequencies: boolean;
}

/** The header, each line ended. */
export function exportHeader(assembly: Assembly, { kind, cases, frequencies }: Exported, now: Date): string {
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

export interface ExportedLines {
  /** Records, each ended. */
  lines: string[];
  /** Alleles with unknown bases, which cannot be asked for. */
  unreadable: number;
}

/** Returns a function that turns portions of alleles into records; a structural variant that comes again has no second one. */
export function exportLines(
  { repository, dataset }: { repository: Pick<BeaconRepository, 'observe'>; dataset: Dataset },
  { kind, cases, frequencies }: Exported,
): (alleles: readonly Allele[], signal: AbortSignal) => Promise<ExportedLines> {
  const written = new Set<string>();
  return async (alleles, signal) => {
    const asked: { allele: Allele; question: ObservedQuestion }[] = [];
    let unreadable = 0;
    for (const allele of alleles) {
      if (allele.structural !== (kind === 'sv')) continue;
      const question = questionOf(allele, mainKind(allele));
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
        ...countsOf(observation),
        ...(frequencies ? [`Frq=${(observation.cases / cases).toFixed(5)}`] : []),
        ...(question.type === 'structural' ? structuralInfo(allele) : []),
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

function countsOf({ cases, detail }: Observation): string[] {
  const [twice, hemizygous] = [detail?.casesCalledTwice ?? 0, detail?.casesHemizygous ?? 0];
  return [`Obs=${cases}`, ...(twice > 0 ? [`Hom=${twice}`] : []), ...(hemizygous > 0 ? [`Hem=${hemizygous}`] : [])];
}

/** Breakends have neither END nor SVLEN: their other end is in ALT. */
function structuralInfo(allele: Allele): string[] {
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
