/** `add samples`, `list samples`, `delete samples`: the samples that the server knows. */
import { type Command, type CommandContext, confirmed, counted, table } from '../../../core/commands.js';
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
import { type Registry, registerSamples, removeSamples } from '../registry/changes.js';
import type { SampleState } from '../registry/contract.js';
import { sheetColumns } from '../registry/description.js';
import { factsOf } from '../registry/facts.js';
import { shownOf } from '../registry/shown.js';
import type { CoverageSettings } from '../settings.js';
import { cohortLines } from './cohorts.js';
import { trackLines } from './tracks.js';

const repositoryOf = ({ repository }: CommandContext<CoverageSettings>) => repository(coverageSamples);

async function registryOf(context: CommandContext<CoverageSettings>): Promise<Registry> {
  const [samples, { followersOf }] = await Promise.all([repositoryOf(context), import('../services.js')]);
  return { samples, followers: followersOf(), transaction: (work) => context.transaction(work) };
}

const addSamples: Command<CoverageSettings> = {
  name: 'add samples',
  summary: 'Register the samples of a sheet, check their coverage files and store the regions that they cover',
  description:
    'A sheet is a tab-separated file, plain or gzip, whose first line names its columns: ' +
    `${sheetColumns.join(', ')}, of which sample, coverage_file_path and build are required; or a JSON list of objects with ` +
    'these keys. - reads standard input. A sample that is registered already gets what its line states. Either every line is ' +
    'registered, or none; then the files are checked one after the other. Files that did not change are not read again.',
  examples: ['add samples --sheet samples.tsv', 'add samples --sheet samples.json --json'],
  options: [{ flags: '--sheet <file>', description: 'the sheet', required: true }],
  async run(context, input) {
    const { sheet } = input.options as { sheet: string };
    const { readSheet } = await import('../registry/sheet.js');
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
};

interface Checked {
  id: string;
  state: string;
  reason?: string | undefined;
}

/** Checks samples one after the other; one that fails does not stop the others. */
async function checkAll(context: CommandContext<CoverageSettings>, ids: readonly string[]): Promise<Checked[]> {
  const [{ checksOf }, { checkSample }, { fillCohorts }, { sameFilesOf }, { createFindSameFiles }] = await Promise.all([
    import('../services.js'),
    import('../registry/check.js'),
    import('../cohorts/keep.js'),
    import('../registry/same-files.js'),
    import('../domain/same-files.js'),
  ]);
  const { terminal, signal } = context;
  const { tools, registry, filling, close } = await checksOf(context);
  const bar = terminal.progress('Checking');
  const results: Checked[] = [];
  try {
    for (const [i, id] of ids.entries()) {
      const progress = (fraction: number) => bar.update((i + fraction) / ids.length, id);
      const result = await checkSample(registry, id, tools, { signal, progress }).catch((error: unknown): Checked => {
        if (!isFault(error) || error.code !== 'unavailable') throw error;
        return { id, state: 'pending', reason: error.public };
      });
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
  return [...factsOf(sample, []).warnings, ...(sample.check?.warnings ?? [])].map(({ message }) => message);
}

/** Samples that are read at once. */
const portion = 1000;

const listSamples: Command<CoverageSettings> = {
  name: 'list samples',
  summary: 'List the registered samples',
  examples: ['list samples', 'list samples --state failing --json'],
  options: [{ flags: '--state <state>', description: 'only samples in this state', choices: sampleStates }],
  async run(context, input) {
    const { state } = input.options as { state?: SampleState };
    const samples = await repositoryOf(context);
    const all: RegisteredSample[] = [];
    for (let after: string | undefined; ; ) {
      const part = await samples.list({
        ...(state && { states: [state] }),
        ...(after !== undefined && { after }),
        limit: portion,
      });
      all.push(...part);
      after = part.at(-1)?.id;
      if (part.length < portion) break;
    }
    const about = all.map(({ id }) => `sample:${id}`);
    if (about.length > 0) {
      await context.audit.record({ action: 'coverage.samples', about, because: 'command line', outcome: 'done' });
    }
    for (const line of listing(all)) context.terminal.print(line);
    for (const line of [...(await cohortLines(context)), ...(await trackLines(context))]) context.terminal.note(line);
    // What the beacon knows is not known here.
    context.terminal.data(
      all.map((sample) => {
        const { facts: _, ...shown } = shownOf(sample, factsOf(sample, []));
        return shown;
      }),
    );
    return 0;
  },
};

function listing(all: readonly RegisteredSample[]): string[] {
  if (all.length === 0) return ['There are no samples'];
  const labelled = sampleLabels.map((label) => label.toUpperCase());
  const headings = ['SAMPLE', 'STATE', 'BUILD', 'CASE', 'SEX', 'PREDICTED', ...labelled, 'COVERED', 'STORED', 'REASON'];
  const rows = all.map(({ id, state, build, case: family, sex, labels, check, reason }) => [
    id,
    state,
    build,
    family ?? '-',
    sex,
    check?.sex ?? '-',
    ...sampleLabels.map((label) => labels[label] ?? '-'),
    check ? check.thresholds.map((threshold, i) => `${threshold}x ${megabases(check.covered[i])}`).join(', ') : '-',
    check ? `${(check.bytes / 1e6).toFixed(2)} MB` : '-',
    reason ?? '-',
  ]);
  return table(headings, rows);
}

function megabases(bases = 0): string {
  return `${(bases / 1e6).toFixed(1)} Mb`;
}

const deleteSamples: Command<CoverageSettings> = {
  name: 'delete samples',
  summary: 'Remove registered samples',
  description:
    'Afterwards it is as if the samples had never been registered. Their coverage files stay where they are.',
  examples: ['delete samples --sample CHILD', 'delete samples --sample CHILD --sample FATHER --yes'],
  options: [
    { flags: '--sample <id>', description: 'a registered sample', required: true, repeatable: true },
    { flags: '--yes', description: 'do not ask for confirmation' },
  ],
  async run(context, input) {
    const { sample: ids, yes } = input.options as { sample: string[]; yes?: boolean };
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
};

/** What blocks of many samples still have of the samples. */
async function overwriteRemoved({ repository, signal }: CommandContext<CoverageSettings>): Promise<void> {
  const tracks = await repository(coverageTracks);
  await tracks.sweep(new Date(0));
  const { arrangeCohort } = await import('../cohorts/arrange.js');
  const cohorts = await repository(coverageCohorts);
  for (const build of builds) await arrangeCohort(cohorts, build, { signal });
}

export const sampleCommands: readonly Command<CoverageSettings>[] = [addSamples, listSamples, deleteSamples];
