/** `import-chanjo2`: imports the intervals of a chanjo2 database. */
import { type Command, command, withProgress } from '../../../core/commands.js';
import { findingLines } from '../../../core/migration.js';
import { Fault, sweepIdle } from '../../../core/plugin.js';
import { builds, coverage, intervalKinds } from '../contract.js';
import type { BuildReport } from '../intervals/chanjo2.js';
import { announceReplaced, type IntervalsReplaced, staleSets } from '../intervals/loading.js';
import type { CoverageSettings } from '../settings.js';

/** What BioMart files have and chanjo2 does not keep. */
const notKept =
  'chanjo2 does not keep strands, gene types and untranslated regions: load the files of Ensembl with load-gtf, or ' +
  'with load-genes, load-transcripts and load-exons, if you need them.';

export const importChanjo2Tables: Command<CoverageSettings> = command({
  name: 'import-chanjo2',
  summary: 'Replace the genes, transcripts and exons of each build with those of a chanjo2 database',
  description:
    'Each table is the output of `mysql --batch -e "select * from genes"`, plain or gzip: a header line, then one row ' +
    'per line. All tables of a build are checked like any load, and loaded together or not at all. Running it again ' +
    'with the same files changes nothing.',
  examples: [
    'import-chanjo2 --genes genes.tsv --transcripts transcripts.tsv --exons exons.tsv --dry-run',
    'import-chanjo2 --genes genes.tsv --transcripts transcripts.tsv --exons exons.tsv --release "Ensembl 113"',
  ],
  options: [
    { flags: '--genes <file>', description: 'the table genes' },
    { flags: '--transcripts <file>', description: 'the table transcripts' },
    { flags: '--exons <file>', description: 'the table exons' },
    {
      flags: '--build <build>',
      description: 'import only this genome build; by default every build in the tables',
      choices: builds,
      ignoreCase: true,
    },
    { flags: '--release <name>', description: 'name of the release, such as "Ensembl 113"' },
    { flags: '--force', description: 'replace a set even if it has shrunk, or was loaded from the same files' },
    { flags: '--dry-run', description: 'check and report everything, but change nothing' },
  ],
  async run({ settings, repository: open, announce, terminal, signal, now }, { options }) {
    const { release, force = false, dryRun = false } = options;
    const tables = intervalKinds.flatMap((kind) => {
      const file = options[kind];
      return file === undefined ? [] : [{ kind, file }];
    });
    if (tables.length === 0) throw new Fault('invalid', 'Name at least one table: --genes, --transcripts or --exons');
    if (tables.some(({ file }) => file === '-')) {
      throw new Fault('invalid', 'The tables are read twice, so they cannot come from standard input (-)');
    }
    const { buildsOfSurveys, importChanjo2, surveyTable } = await import('../intervals/chanjo2.js');
    const surveys = await Promise.all(tables.map(surveyTable));
    const chosen = buildsOfSurveys(surveys, options.build);
    const withoutBuild = surveys.reduce((sum, { other }) => sum + other, 0);
    const repository = await open(coverage);
    const reports: BuildReport[] = [];
    for (const build of chosen) {
      const report = await withProgress(terminal, build, (progress) =>
        importChanjo2({
          repository,
          tables: tables.filter((_, i) => surveys[i]?.rows.has(build)),
          build,
          release,
          force,
          maxShrink: settings.intervals.maxShrink,
          dryRun,
          now: now(),
          signal,
          onProgress: (fraction, rows) => progress.update(fraction, `${rows} rows`),
        }),
      );
      reports.push(report);
      for (const line of reportLines(report)) terminal.print(line);
      for (const warning of report.warnings) terminal.note(`Warning: ${build} ${warning}`);
      if (report.outcome === 'loaded') await announceReplaced({ announce }, replacedSets(report));
    }
    if (withoutBuild > 0) terminal.print(`${withoutBuild} rows belong to neither GRCh37 nor GRCh38`);
    terminal.note(notKept);
    terminal.data({ dryRun, builds: reports, withoutBuild, notKept });
    await sweepIdle(repository, staleSets, now());
    return 0;
  },
});

const outcomes: Readonly<Record<BuildReport['outcome'], string>> = {
  loaded: 'loaded',
  'would load': 'would be loaded',
  unchanged: 'unchanged: these tables are loaded already',
};

function replacedSets({ build, sets }: BuildReport): IntervalsReplaced['sets'] {
  return sets.map(({ kind }) => ({ kind, build }));
}

function reportLines({ build, outcome, sets, notCarried }: BuildReport): string[] {
  return [
    `${build}: ${outcomes[outcome]}`,
    ...sets.map(({ kind, rows, read }) => `  ${rows} ${kind} from ${read} rows`),
    ...findingLines('  Rows not imported:', notCarried).map((line, i) => (i === 0 ? line : `  ${line}`)),
  ];
}
