/**
 * `add samples`, `list samples`, `delete samples`: the samples that the server knows; `rebuild cohorts` and `rebuild tracks`:
 * what is derived from them.
 */
import {
  type Columns,
  type Command,
  type CommandContext,
  command,
  confirmed,
  counted,
  printTable,
  recordShown,
  withProgress,
} from '../../../core/commands.js';
import { Fault, isFault } from '../../../core/plugin.js';
import {
  builds,
  coverageCohorts,
  coverageSamples,
  coverageTracks,
  type RegisteredSample,
  sampleLabels,
  sampleStates,
} from '../contract.js';
import { announceSamples, registerSamples, removeSamples, type SampleRegistry } from '../samples/changes.js';
import { sampleAnswer, sheetColumns } from '../samples/description.js';
import { factsOfSample, samplePages } from '../samples/find.js';
import type { CoverageSettings } from '../settings.js';

const repositoryOf = ({ repository }: CommandContext<CoverageSettings>) => repository(coverageSamples);

async function registryOf(context: CommandContext<CoverageSettings>): Promise<SampleRegistry> {
  const [samples, { followersOfCohorts }] = await Promise.all([repositoryOf(context), import('../services.js')]);
  return {
    samples,
    followers: followersOfCohorts(),
    transaction: (work) => context.transaction(work),
    changed: announceSamples(context),
  };
}

const addSamples: Command<CoverageSettings> = command({
  name: 'add samples',
  summary: 'Register the samples of a sheet, check their coverage files and store the regions that they cover',
  description:
    'A sheet is a tab-separated file, plain or gzip, whose first line names its columns: ' +
    `${sheetColumns.join(', ')}, of which sample, coverage_file_path and build are required; or a JSON list of objects with ` +
    'these keys. - reads standard input. unique_coverage_file is a second D4 file of a sample, from those reads that map uniquely, ' +
    'and unique_mapping_quality their least mapping quality: mosdepth --d4 -Q 20 child.q20 child.bam, with all other options as for ' +
    'the first file, writes child.q20.per-base.d4. A sample that is registered already gets what its line states. Either every line is ' +
    'registered, or none; then the files are checked one after the other. Files that did not change are not read again.',
  examples: ['add samples --sheet samples.tsv', 'add samples --sheet samples.json --json'],
  options: [{ flags: '--sheet <file>', description: 'the sheet', required: true }],
  async run(context, { options: { sheet } }) {
    const { readSheet } = await import('../samples/sheet.js');
    const described = await readSheet(sheet);
    const registry = await registryOf(context);
    const outcomes = await context.transaction((scope) => registerSamples(registry, scope, described, context.now()));
    const number = (outcome: string) => outcomes.filter((one) => one === outcome).length;
    const { terminal } = context;
    terminal.print(
      `Registered ${counted(described.length, 'sample')}: ${number('added')} new, ` +
        `${number('moved') + number('described')} changed, ${number('unchanged')} unchanged`,
    );
    const results = await checkAll(
      context,
      described.map(({ id }) => id),
    );
    terminal.data({
      samples: results.map(({ id, state, reason }, i) => ({ id, outcome: outcomes[i], state, reason })),
    });
    return results.every(({ state }) => state === 'ready') ? 0 : 1;
  },
});

interface SampleCheckResult {
  id: string;
  state: string;
  reason?: string | undefined;
}

/** Checks samples one after the other; one that fails does not stop the others. */
async function checkAll(
  context: CommandContext<CoverageSettings>,
  ids: readonly string[],
): Promise<SampleCheckResult[]> {
  const [
    { checksOfSamples },
    { checkSample },
    { fillCohorts },
    { sameFilesOf },
    { createFindSameFiles },
    { findingWarnings },
  ] = await Promise.all([
    import('../services.js'),
    import('../samples/check.js'),
    import('../cohorts/keep.js'),
    import('../samples/registered-same-files.js'),
    import('../measure/same-files.js'),
    import('../samples/findings.js'),
  ]);
  const { terminal, signal } = context;
  const { tools, registry, filling, close } = await checksOfSamples(context);
  const bar = terminal.progress('Checking');
  const results: SampleCheckResult[] = [];
  try {
    for (const [i, id] of ids.entries()) {
      const progress = (fraction: number) => bar.update((i + fraction) / ids.length, id);
      const result = await checkSample(registry, id, tools, { signal, progress }).catch(
        (error: unknown): SampleCheckResult => {
          if (!isFault(error) || error.code !== 'unavailable') throw error;
          return { id, state: 'pending', reason: error.public };
        },
      );
      const { state = 'removed', reason } = result ?? {};
      results.push({ id, state, reason });
      if (reason !== undefined) terminal.note(`${id}: ${reason}`);
      const warnings = result !== undefined && 'revision' in result ? factWarnings(result) : [];
      for (const warning of warnings) terminal.note(`Warning: ${id}: ${warning}`);
    }
    const { samples } = registry;
    const { sources } = tools;
    const ready = await samples.find(results.filter(({ state }) => state === 'ready').map(({ id }) => id));
    const findSameFiles = createFindSameFiles(sources);
    for (const { warning } of await sameFilesOf(ready, { all: samples, samples, sources, findSameFiles }, signal)) {
      terminal.note(`Warning: ${warning.message}`);
    }
    const found = await findingWarnings(
      ready.map(({ id }) => id),
      samples,
      samples,
    );
    for (const [id, warnings] of found) for (const { message } of warnings) terminal.note(`Warning: ${id}: ${message}`);
    await fillCohorts(filling, { signal });
  } finally {
    bar.stop();
    await close();
  }
  const failing = results.filter(({ state }) => state !== 'ready').length;
  terminal.print(`${counted(results.length - failing, 'sample')} ready, ${failing} not`);
  return results;
}

function factWarnings(sample: RegisteredSample): string[] {
  return [...factsOfSample(sample, []).warnings, ...(sample.check?.warnings ?? [])].map(({ message }) => message);
}

const listSamples: Command<CoverageSettings> = command({
  name: 'list samples',
  summary: 'List the registered samples',
  examples: ['list samples', 'list samples --state failing --json'],
  options: [{ flags: '--state <state>', description: 'only samples in this state', choices: sampleStates }],
  async run(context, { options: { state } }) {
    const samples = await repositoryOf(context);
    const all: RegisteredSample[] = [];
    for await (const page of samplePages(samples, state && [state])) all.push(...page);
    await recordShown(context, 'coverage.samples', { sample: all.map(({ id }) => id) });
    printTable(context.terminal, all, columns, 'There are no samples');
    const { findingWarnings } = await import('../samples/findings.js');
    const ids = all.map(({ id }) => id);
    const found = await findingWarnings(ids, samples, samples);
    for (const [id, own] of found) for (const { message } of own) context.terminal.note(`Warning: ${id}: ${message}`);
    for (const line of [...(await cohortLines(context)), ...(await trackLines(context))]) context.terminal.note(line);
    // What the beacon knows is not known here.
    context.terminal.data(
      all.map((sample) => {
        const { facts: _, ...shown } = sampleAnswer(sample, factsOfSample(sample, []), found.get(sample.id));
        return shown;
      }),
    );
    return 0;
  },
});

const columns: Columns<RegisteredSample> = {
  SAMPLE: 'id',
  STATE: 'state',
  BUILD: 'build',
  CASE: 'case',
  SEX: 'sex',
  PREDICTED: ({ check }) => check?.sex,
  ...Object.fromEntries(
    sampleLabels.map((label) => [label.toUpperCase(), ({ labels }: RegisteredSample) => labels[label]]),
  ),
  COVERED: ({ check }) =>
    check?.thresholds.map((threshold, i) => `${threshold}x ${megabases(check.covered[i])}`).join(', '),
  STORED: ({ check }) => check && `${(check.bytes / 1e6).toFixed(2)} MB`,
  REASON: 'reason',
};

function megabases(bases = 0): string {
  return `${(bases / 1e6).toFixed(1)} Mb`;
}

const deleteSamples: Command<CoverageSettings> = command({
  name: 'delete samples',
  summary: 'Remove registered samples',
  description:
    'Afterwards it is as if the samples had never been registered. Their coverage files stay where they are.',
  examples: ['delete samples --sample CHILD', 'delete samples --sample CHILD --sample FATHER --yes'],
  options: [
    { flags: '--sample <id>', description: 'a registered sample', required: true, repeatable: true },
    { flags: '--yes', description: 'do not ask for confirmation' },
  ],
  async run(context, { options: { sample: ids, yes } }) {
    const registry = await registryOf(context);
    const there = new Set((await registry.samples.find(ids)).map(({ id }) => id));
    const missing = ids.filter((id) => !there.has(id));
    if (missing.length > 0) throw new Fault('unprocessable', `Not registered: ${missing.join(', ')}`);
    const question = `Removing ${counted(there.size, 'sample')}: ${[...there].join(', ')}. Do you want to continue?`;
    if (!(await confirmed(context.terminal, { question, yes, otherwise: 'Nothing was removed' }))) return 1;
    const removed = await removeSamples(registry, ids);
    await overwriteRemoved(context);
    context.terminal.print(`Removed ${counted(removed, 'sample')}`);
    context.terminal.data({ removed });
    return 0;
  },
});

/** What blocks of many samples still have of the samples. */
async function overwriteRemoved({ repository, signal }: CommandContext<CoverageSettings>): Promise<void> {
  const tracks = await repository(coverageTracks);
  await tracks.sweep(new Date(0));
  const { arrangeCohort } = await import('../cohorts/blocks.js');
  const cohorts = await repository(coverageCohorts);
  for (const build of builds) await arrangeCohort(cohorts, build, { signal });
}

export const sampleCommands: readonly Command<CoverageSettings>[] = [addSamples, listSamples, deleteSamples];

// `rebuild cohorts`, and what `list samples` says of cohorts.

/** For each build with values: how many samples have them, and how much space they take. */
async function cohortLines({ repository }: CommandContext<CoverageSettings>): Promise<string[]> {
  const cohorts = await repository(coverageCohorts);
  const lines: string[] = [];
  for (const build of builds) {
    const state = await cohorts.state(build);
    if (state === undefined || state.members.length === 0) continue;
    const bytes = state.members.reduce((sum, member) => sum + member.bytes, 0);
    const depths = state.layout.thresholds.map((threshold) => `${threshold}x`).join(', ');
    const each = (bytes / state.members.length / 1e6).toFixed(2);
    lines.push(
      `Cohort of ${build}: ${counted(state.members.length, 'sample')}, ${(bytes / 1e6).toFixed(1)} MB ` +
        `(${each} MB each), mean depth and completeness at ${depths}`,
    );
  }
  return lines;
}

export const rebuildCohorts: Command<CoverageSettings> = command({
  name: 'rebuild cohorts',
  summary: 'Compute the stored values of all registered samples again, from their coverage files',
  description:
    'For stored values that are damaged. Reports show no cohort while it runs. Samples whose file is gone or changed are left ' +
    'out until they are checked again.',
  examples: ['rebuild cohorts', 'rebuild cohorts --build GRCh38'],
  options: [{ flags: '--build <build>', description: 'only samples of this build', choices: builds }],
  async run(context, { options: { build } }) {
    const { repository, terminal, signal } = context;
    const [{ checksOfSamples }, { fillCohorts }] = await Promise.all([
      import('../services.js'),
      import('../cohorts/keep.js'),
    ]);
    const cohorts = await repository(coverageCohorts);
    for (const each of build === undefined ? builds : [build]) await cohorts.clear(each);
    const { filling, close } = await checksOfSamples(context);
    try {
      const added = await fillCohorts(filling, { signal });
      terminal.print(`Computed the values of ${counted(added, 'sample')}`);
      terminal.data({ added });
    } finally {
      await close();
    }
    return 0;
  },
});

// `rebuild tracks`, and what `list samples` says of callable tracks.

/** For each build and threshold with tracks: how many samples they have, and how much space they take. */
async function trackLines({ repository }: CommandContext<CoverageSettings>): Promise<string[]> {
  const tracks = await repository(coverageTracks);
  const found = new Map<string, { tracks: number; samples: number; bytes: number }>();
  for (const { id, build, threshold } of await tracks.published()) {
    const [track] = await tracks.find([id]);
    if (track === undefined) continue;
    const about = `${build} at ${threshold}x`;
    const known = found.get(about) ?? { tracks: 0, samples: 0, bytes: 0 };
    known.tracks++;
    known.samples += track.members.length;
    known.bytes += track.bytes;
    found.set(about, known);
  }
  return [...found].map(
    ([about, { tracks, samples, bytes }]) =>
      `Callable tracks of ${about}: ${counted(samples, 'sample')} in ${counted(tracks, 'track')}, ${(bytes / 1e6).toFixed(1)} MB`,
  );
}

export const rebuildTracks: Command<CoverageSettings> = command({
  name: 'rebuild tracks',
  summary: 'Make the callable tracks of registered samples, from which many positions are counted at once',
  description:
    'A server makes them by itself, at the latest an hour after samples were registered, changed or removed. At least 8 samples ' +
    'of one build and assay are needed. While there is no track, samples are counted one by one: the answers are the same, and ' +
    'slower. With samples.tracks: false all tracks are removed.',
  examples: ['rebuild tracks', 'rebuild tracks --all'],
  options: [{ flags: '--all', description: 'make all anew, for tracks that are damaged' }],
  async run(context, { options: { all = false } }) {
    const { repository, settings, terminal, signal, now } = context;
    const [samples, tracks, { makeTracks }, { trackThresholds }] = await Promise.all([
      repository(coverageSamples),
      repository(coverageTracks),
      import('../samples/tracks/make-tracks.js'),
      import('../services.js'),
    ]);
    if (all) await tracks.drop((await tracks.published()).map(({ id }) => id));
    const made = await withProgress(terminal, 'Merging', (progress) =>
      makeTracks(
        { samples, tracks, thresholds: trackThresholds(settings), now },
        { signal, progress: (done) => progress.update(done, 'covered regions') },
      ),
    );
    terminal.print(`Made ${counted(made, 'track')}`);
    terminal.data({ made });
    for (const line of await trackLines(context)) terminal.note(line);
    return 0;
  },
});
