/** `load-genes`, `load-transcripts`, `load-exons`, `load-gtf`, `load-aliases`. */
import type { Command, CommandContext, CommandOption } from '../../../core/commands.js';
import { sweepIdle } from '../../../core/plugin.js';
import { type Build, builds, coverage } from '../contract.js';
import { type FileKind, loadIntervals, staleSets } from '../intervals/loading.js';
import { openIntervals } from '../intervals/source.js';
import { announceReplaced } from '../intervals-replaced.js';
import { setShown } from '../routes/interval-sets.js';
import type { CoverageSettings } from '../settings.js';
import { setLines } from './words.js';

interface LoadOptions {
  build?: Build;
  file: string;
  release?: string;
  force?: boolean;
}

const buildOption: CommandOption = {
  flags: '--build <build>',
  description: 'genome build',
  required: true,
  choices: builds,
  ignoreCase: true,
};

const options: readonly CommandOption[] = [
  { flags: '--file <file>', description: 'the file, plain or gzip; - reads standard input', required: true },
  { flags: '--release <name>', description: 'name of the release, such as "Ensembl 115"' },
  {
    flags: '--force',
    description:
      'replace the set even if it has shrunk, lost a chromosome or seems to be of the other build, or if more than one in ' +
      'twenty lines are left out for one reason',
  },
];

interface Loading {
  name: string;
  kind: FileKind;
  summary: string;
  file: string;
}

function loadCommand({ name, kind, summary, file }: Loading): Command<CoverageSettings> {
  const hasBuild = kind !== 'names';
  return {
    name,
    summary,
    description:
      'The whole file is checked before it replaces the old set at once. Until then, and if anything is wrong, the old ' +
      'set stays in use.',
    examples: [`${name} ${hasBuild ? '--build GRCh38 ' : ''}--file ${file}`],
    options: hasBuild ? [buildOption, ...options] : options,
    run: (context, input) => load(context, kind, input.options as unknown as LoadOptions),
  };
}

async function load(
  { settings, repository: open, announce, terminal, signal, now }: CommandContext<CoverageSettings>,
  kind: FileKind,
  { build, file, release, force }: LoadOptions,
): Promise<number> {
  const repository = await open(coverage);
  const source = await openIntervals(file);
  const progress = terminal.progress('Loading');
  try {
    const report = await loadIntervals({
      repository,
      kind,
      build: builds.find((each) => each.toLowerCase() === build?.toLowerCase()),
      source,
      release,
      force,
      maxShrink: settings.intervals.maxShrink,
      now: now(),
      signal,
      onProgress: (fraction, rows) => progress.update(fraction, `${rows} rows`),
    });
    progress.stop();
    for (const set of report.sets) for (const line of setLines(set)) terminal.print(line);
    for (const warning of report.warnings) terminal.note(`Warning: ${warning}`);
    terminal.data({ ...report, sets: report.sets.map(setShown) });
    await announceReplaced({ announce }, report.sets);
  } finally {
    progress.stop();
  }
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
