/**
 * `load-genes`, `load-transcripts`, `load-exons`, `load-gtf`, `load-aliases`; `intervals` lists the loaded sets; `find-gene`
 * looks genes up by id or name.
 */
import {
  type Command,
  type CommandContext,
  type CommandOption,
  command,
  type OptionValues,
  withProgress,
} from '../../../core/commands.js';
import { sweepIdle } from '../../../core/plugin.js';
import { type Build, builds, coverage, type GeneAnswer, type IntervalSet } from '../contract.js';
import { setShown } from '../http/interval-sets.js';
import { announceReplaced, type FileKind, loadIntervals, staleSets } from '../intervals/loading.js';
import { openIntervals } from '../intervals/reader.js';
import { withTranscriptNames } from '../measure/genes.js';
import type { CoverageSettings } from '../settings.js';

export const buildOption = {
  flags: '--build <build>',
  description: 'genome build',
  required: true,
  choices: builds,
  ignoreCase: true,
} as const satisfies CommandOption;

const fileOptions = [
  { flags: '--file <file>', description: 'the file, plain or gzip; - reads standard input', required: true },
  { flags: '--release <name>', description: 'name of the release, such as "Ensembl 115"' },
  {
    flags: '--force',
    description:
      'replace the set even if it has shrunk, lost a chromosome or seems to be of the other build, or if more than one in ' +
      'twenty lines are left out for one reason',
  },
] as const satisfies readonly CommandOption[];

interface LoadCommand {
  name: string;
  kind: FileKind;
  summary: string;
  file: string;
}

function loadCommand({ name, kind, summary, file }: LoadCommand): Command<CoverageSettings> {
  const hasBuild = kind !== 'names';
  return command({
    name,
    summary,
    description:
      'The whole file is checked before it replaces the old set at once. Until then, and if anything is wrong, the old ' +
      'set stays in use.',
    examples: [`${name} ${hasBuild ? '--build GRCh38 ' : ''}--file ${file}`],
    options: hasBuild ? [buildOption, ...fileOptions] : fileOptions,
    run: (context, { options }) => load(context, kind, options),
  });
}

async function load(
  { settings, repository: open, announce, terminal, signal, now }: CommandContext<CoverageSettings>,
  kind: FileKind,
  { build, file, release, force }: OptionValues<typeof fileOptions> & { build?: Build },
): Promise<number> {
  const repository = await open(coverage);
  const source = await openIntervals(file);
  const report = await withProgress(terminal, 'Loading', (progress) =>
    loadIntervals({
      repository,
      kind,
      build,
      source,
      release,
      force,
      maxShrink: settings.intervals.maxShrink,
      now: now(),
      signal,
      onProgress: (fraction, rows) => progress.update(fraction, `${rows} rows`),
    }),
  );
  for (const set of report.sets) for (const line of setLines(set)) terminal.print(line);
  for (const warning of report.warnings) terminal.note(`Warning: ${warning}`);
  terminal.data({ ...report, sets: report.sets.map(setShown) });
  await announceReplaced({ announce }, report.sets);
  await sweepIdle(repository, staleSets, now());
  return 0;
}

export const loadCommands: readonly Command<CoverageSettings>[] = [
  {
    name: 'load-genes',
    kind: 'genes' as const,
    summary: 'Replace the genes of a build with those of a BioMart file',
    file: 'genes_38.tsv',
  },
  {
    name: 'load-transcripts',
    kind: 'transcripts' as const,
    summary: 'Replace the transcripts of a build with those of a BioMart file',
    file: 'transcripts_38.tsv',
  },
  {
    name: 'load-exons',
    kind: 'exons' as const,
    summary: 'Replace the exons of a build with those of a BioMart file',
    file: 'exons_38.tsv',
  },
  {
    name: 'load-gtf',
    kind: 'gtf' as const,
    summary:
      'Replace the genes, transcripts and exons of a build with those of a GTF or GFF3 file (Ensembl, GENCODE, MANE, RefSeq)',
    file: 'gencode.v49.annotation.gtf.gz',
  },
  {
    name: 'load-aliases',
    kind: 'names' as const,
    summary: "Replace the previous symbols and aliases of genes with those of HGNC's complete set",
    file: 'hgnc_complete_set.txt',
  },
].map(loadCommand);

// `intervals`: lists the loaded sets; `find-gene`: looks genes up by id or name.

export const listIntervals: Command<CoverageSettings> = {
  name: 'intervals',
  summary: 'List the sets of genes, transcripts, exons and gene names that are loaded',
  async run({ repository, terminal }) {
    const sets = await (await repository(coverage)).sets();
    terminal.data(sets.map(setShown));
    if (sets.length === 0)
      terminal.print('No intervals are loaded yet: use load-gtf, or load-genes, load-transcripts and load-exons.');
    for (const set of sets) for (const line of setLines(set)) terminal.print(line);
    return 0;
  },
};

export const findGene: Command<CoverageSettings> = command({
  name: 'find-gene',
  summary: 'Show which genes the given ids or symbols mean in a build, or why there is none',
  examples: ['find-gene --build GRCh38 MTHFR HGNC:2861 ENSG00000110195.12'],
  arguments: [
    {
      name: 'names',
      description: 'HGNC ids, Ensembl ids, symbols, aliases or transcripts (NM_…, ENST…)',
      required: true,
      variadic: true,
    },
  ],
  options: [buildOption],
  async run({ repository, terminal }, { arguments: asked, options: { build } }) {
    const intervals = withTranscriptNames(await repository(coverage));
    const { answers } = await intervals.findGenes(build, asked);
    terminal.data(answers);
    for (const answer of answers) terminal.print(answerLine(answer));
    return answers.every((answer) => 'genes' in answer) ? 0 : 1;
  },
});

const reasons = {
  malformed: 'not a valid gene id or symbol',
  'no-genes-loaded': 'no genes are loaded for this build',
  unknown: 'unknown gene',
  'not-in-build': 'known, but not in this build',
  ambiguous: 'the name of several genes',
  'no-transcripts-loaded': 'no transcripts are loaded for this build',
  'unknown-transcript': 'not among the transcripts of this build',
} as const;

function answerLine(answer: GeneAnswer): string {
  if ('reason' in answer) {
    const candidates = answer.candidates ? `: ${answer.candidates.join(', ')}` : '';
    return `${answer.asked}: ${reasons[answer.reason]}${candidates}`;
  }
  const genes = answer.genes.map(
    ({ ensembl, hgnc, symbol, chromosome, start, end }) =>
      `${symbol ?? ensembl} (${[ensembl, ...(hgnc === undefined ? [] : [`HGNC:${hgnc}`])].join(', ')}) ` +
      `${chromosome}:${start + 1}-${end}`,
  );
  return `${answer.asked}: ${genes.join('; ')}, by ${answer.by}`;
}

// A set as lines of text for the terminal.

function setLines(set: IntervalSet): string[] {
  const { kind, build, rows, release, source, checksum, loaded, read, skipped, chromosomes } = set;
  const title = kind === 'names' ? `${rows} genes with names` : `${build}: ${rows} ${kind}`;
  const lines = [
    title,
    `  ${release === undefined ? '' : `${release}, `}${source}, loaded ${loaded.toISOString()}`,
    `  ${checksum}`,
    `  ${read} rows read`,
  ];
  for (const [reason, count] of Object.entries(skipped)) lines.push(`  ${count} rows skipped: ${reason}`);
  if (chromosomes.length > 0) {
    lines.push(
      `  by chromosome: ${chromosomes.map(({ chromosome, rows: here }) => `${chromosome} ${here}`).join(', ')}`,
    );
  }
  return lines;
}
