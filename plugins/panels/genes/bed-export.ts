/**
 * A version of a panel as BED: the parameters of the export, and the exons of its genes, merged, below lines that say what they
 * are and what is missing.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { contigs, lengthOf } from '../../../core/genome.js';
import type { ExonicTranscript, GeneExons, GeneStructures } from '../../services/coverage.js';
import type { PanelVersion } from '../contract.js';
import { type Confidence, type PanelContent, parseContent } from '../versions/content.js';
import { nameOfVersion, signatures } from '../versions/lifecycle.js';
import { builds, choices, type ExonBuild, type ExonChoice, exonsOfGenes, reasonOfMissingGene } from './exons.js';

/** Which genes are exported, by confidence; those that no source rated always are. */
const exportedByChoice = {
  all: ['green', 'amber', 'red', 'unrated'],
  amber: ['green', 'amber', 'unrated'],
  green: ['green', 'unrated'],
} as const satisfies Record<string, readonly Confidence[]>;

const exportedConfidences = Object.keys(exportedByChoice) as (keyof typeof exportedByChoice)[];

const mostPadding = 10_000;
const paddingForm = `expected a whole number of bases up to ${mostPadding}`;

export const bedQuery = z.object({
  build: z.enum(builds, { error: `expected ${builds.join(' or ')}` }),
  padding: z.coerce
    .number({ error: paddingForm })
    .int(paddingForm)
    .min(0, paddingForm)
    .max(mostPadding, paddingForm)
    .default(0)
    .describe('Bases that are added on both sides of each exon.'),
  transcripts: z
    .enum(choices, { error: `expected ${choices.join(', ')}` })
    .default('preferred')
    .describe('preferred: those that the panel wants for a gene, else those by which reports measure it.'),
  confidence: z
    .enum(exportedConfidences, { error: `expected ${exportedConfidences.join(', ')}` })
    .default('all')
    .describe('amber: without red genes; green: without amber ones, too. Those left out are listed.'),
  chromosomes: z
    .enum(['plain', 'chr'], { error: 'expected plain or chr' })
    .default('plain')
    .describe('plain: 1, X, MT; chr: chr1, chrX, chrM.'),
});
export type BedQuery = z.output<typeof bedQuery>;

/** Throws an `unavailable` fault if there are no positions of genes. */
export async function panelBed(
  version: PanelVersion,
  { build, padding, transcripts: choice, confidence, chromosomes }: BedQuery,
  made: { structures: GeneStructures | undefined; signal: AbortSignal; software: string; now: Date },
): Promise<PanelBed> {
  const { structures, signal, ...written } = made;
  const content = parseContent(version.content);
  const wanted: readonly Confidence[] = exportedByChoice[confidence];
  const genes = content.genes.filter((gene) => wanted.includes(gene.confidence));
  const exons = await exonsOfGenes(structures, genes, { build, choice, signal });
  return bedOfPanel(version, content, genes, exons, {
    build,
    choice,
    padding,
    prefixed: chromosomes === 'chr',
    ...written,
  });
}

// A version of a panel as BED.

interface PanelBed {
  text: string;
  lines: number;
  bases: number;
  /** Each gene, transcript and entry of the panel that has no lines, in a sentence; also in the text. */
  lacking: string[];
}

export interface BedOptions {
  build: ExonBuild;
  choice: ExonChoice;
  /** Bases on both sides of each exon. */
  padding: number;
  /** `chr1` and `chrM`; else `1` and `MT`. */
  prefixed: boolean;
  /** The version of this software. */
  software: string;
  now: Date;
}

interface ExonLine {
  contig: (typeof contigs)[number];
  start: number;
  end: number;
  names: string[];
}

/** `genes` are those of the content that the export is to have, and `exons` theirs. */
export function bedOfPanel(
  version: PanelVersion,
  content: PanelContent,
  genes: PanelContent['genes'],
  exons: GeneExons,
  options: BedOptions,
): PanelBed {
  const symbols = new Map(genes.map(({ hgnc, symbol }) => [hgnc, symbol]));
  const placed = new Set(exons.transcripts.map(({ hgnc }) => hgnc));
  const lines = mergedLines(exons.transcripts.flatMap((one) => linesOf(one, symbols, options)));
  const named = options.prefixed
    ? (contig: string) => (contig === 'MT' ? 'chrM' : `chr${contig}`)
    : (same: string) => same;
  const body = lines.map(({ contig, start, end, names }) => `${named(contig)}\t${start}\t${end}\t${names.join(',')}\n`);
  const text = body.join('');
  const bases = lines.reduce((sum, { start, end }) => sum + end - start, 0);
  const without = missingLines(content, exons, symbols, placed, options.build).map(oneLine);
  const facts = [
    `Panel: ${nameOfVersion(version)}, ${content.name} (${stateLine(version)})`,
    `Panel SHA-256: ${version.digest}`,
    `Gene names: HGNC ${content.names ?? 'of an unknown release'}`,
    `Build: ${options.build}`,
    ...setsOf(exons),
    `Exons of ${choiceWords[options.choice]}, ${options.padding} bases added on both sides, merged`,
    `Name: HGNC id|symbol|transcript|exon; several if exons share bases or touch`,
    `Genes: ${symbols.size}, of which ${placed.size} have lines here`,
    `Lines: ${lines.length}, with ${bases} bases`,
    `SHA-256 of the lines without #: ${createHash('sha256').update(text, 'utf8').digest('hex')}`,
    `Written: ${options.now.toISOString()} by Trefoil ${options.software}`,
    ...without,
  ];
  const head = facts.map((fact) => `# ${oneLine(fact)}\n`).join('');
  return { text: `${head}#chrom\tstart\tend\tname\n${text}`, lines: lines.length, bases, lacking: without };
}

function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ');
}

const choiceWords: Readonly<Record<ExonChoice, string>> = {
  preferred: 'the transcripts that the panel wants, else MANE Select, else MANE Plus Clinical, else RefSeq, else all',
  mane: 'MANE Select and MANE Plus Clinical transcripts',
  mane_select: 'MANE Select transcripts',
  mane_plus_clinical: 'MANE Plus Clinical transcripts',
  refseq_mrna: 'transcripts with a RefSeq mRNA',
  all: 'all transcripts',
};

function stateLine(version: PanelVersion): string {
  const end = version.history.findLast(({ what }) => what === 'signed off');
  if (end === undefined) return `${version.state}: not signed`;
  const by = signatures(version).map((one) => one.by);
  const signed = `signed off on ${end.at.toISOString().slice(0, 10)} by ${by.join(' and ')}`;
  return version.state === 'retired' ? `${signed}, retired since` : signed;
}

function setsOf({ sets }: GeneExons): string[] {
  return sets.map(({ kind, release, source, checksum, loaded }) => {
    const from = release === undefined ? source : `${release}, ${source}`;
    return `Interval set of ${kind}: ${from}, loaded ${loaded.toISOString()}, ${checksum}`;
  });
}

/** Everything of the panel that has no line. */
function missingLines(
  { others = [], unmapped = [], ...content }: PanelContent,
  { missing, unmet }: GeneExons,
  symbols: ReadonlyMap<number, string>,
  placed: ReadonlySet<number>,
  build: ExonBuild,
): string[] {
  const gene = (hgnc: number) => `HGNC:${hgnc} ${symbols.get(hgnc)}`;
  const leftOut = content.genes.filter(({ hgnc }) => !symbols.has(hgnc));
  return [
    ...missing.map(
      ({ hgnc, reason }) =>
        `${placed.has(hgnc) ? 'Not all lines' : 'No lines'}: ${gene(hgnc)}: ${reasonOfMissingGene(reason, build)}`,
    ),
    ...leftOut.map(({ hgnc, symbol, confidence }) => `Left out as ${confidence}: HGNC:${hgnc} ${symbol}`),
    ...unmet.map(({ hgnc, wanted, loaded }) =>
      loaded === undefined
        ? `Wanted transcript not loaded: ${gene(hgnc)}: ${wanted}`
        : `Wanted transcript in ${loaded.includes('.') ? 'another' : 'an unknown'} version: ${gene(hgnc)}: ${loaded} for ${wanted}`,
    ),
    ...unmapped.map(({ given, why }) => `No gene: ${given}: ${why}`),
    ...others.map(({ kind, name, place }) =>
      [`No lines for the ${kind === 'str' ? 'short tandem repeat' : 'region'} ${name}`, place]
        .filter(Boolean)
        .join(', '),
    ),
  ];
}

function linesOf(
  { hgnc, chromosome, transcript, exons }: ExonicTranscript,
  symbols: ReadonlyMap<number, string>,
  { build, padding }: BedOptions,
): ExonLine[] {
  const end = lengthOf(build, chromosome);
  return exons.map((exon) => ({
    contig: chromosome,
    start: Math.max(0, exon.start - padding),
    end: Math.min(end, exon.end + padding),
    names: [`HGNC:${hgnc}|${headerWord(symbols.get(hgnc))}|${transcript}|${exon.rank}`],
  }));
}

/** Without what separates names and columns. */
function headerWord(symbol = ''): string {
  return symbol.replace(/[\s\p{Cc},|]+/gu, '_');
}

/** By position; lines that share bases or touch are one, with the names of all. */
function mergedLines(lines: readonly ExonLine[]): ExonLine[] {
  const order = new Map(contigs.map((contig, place) => [contig, place]));
  const placeOf = ({ contig }: ExonLine) => order.get(contig) as number;
  const sorted = [...lines].sort(
    (one, two) => placeOf(one) - placeOf(two) || one.start - two.start || one.end - two.end,
  );
  const found: ExonLine[] = [];
  for (const line of sorted) {
    const last = found.at(-1);
    if (last === undefined || last.contig !== line.contig || line.start > last.end) {
      found.push({ ...line, names: [...line.names] });
      continue;
    }
    last.end = Math.max(last.end, line.end);
    last.names.push(...line.names);
  }
  return found;
}
