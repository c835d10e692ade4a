/** `load-regions`, `list regions` and `delete regions`. */
import { type Command, command, confirmed, counted } from '../../../core/commands.js';
import { Fault, sweepIdle } from '../../../core/plugin.js';
import { coverageRegions, type RegionSet, regionKinds } from '../contract.js';
import { staleRegions } from '../intervals/loading.js';
import type { CoverageSettings } from '../settings.js';
import { loadRegions } from '../sites/regions/loading.js';
import { buildOption } from './intervals.js';

const nameOption = {
  flags: '--name <name>',
  description: 'name of the set, which reports print',
  required: true,
} as const;

const loadRegionsCommand: Command<CoverageSettings> = command({
  name: 'load-regions',
  summary: 'Replace a set of regions in which depth cannot judge bases, by those of a BED file',
  description:
    'Segmental duplications, low mappability, problematic regions of GIAB or NCBI, or your own list: reports say which share of ' +
    'the measured bases of each gene lies in them, and change no other number. Overlapping and touching regions are joined; ' +
    'columns after the third are not used. Plain, gzip or bgzip; - reads standard input. The whole file is read before it ' +
    'replaces the set of this name at once. Until then, and if anything is wrong, the old one stays in use.',
  examples: ["load-regions --build GRCh38 --name 'segmental duplications' --bed segdups.bed.gz --release 2026-11"],
  options: [
    { flags: '--bed <file>', description: 'the BED file', required: true },
    nameOption,
    buildOption,
    {
      flags: '--kind <kind>',
      description: 'caution: depth alone cannot judge the bases',
      choices: regionKinds,
      default: 'caution',
    },
    { flags: '--release <name>', description: 'release of the source, which reports print' },
    {
      flags: '--force',
      description:
        'replace the set even by a far smaller one, or if more than one in twenty lines are on sequences of no build',
    },
  ],
  async run({ settings, repository: open, terminal, signal, now }, { options }) {
    const { bed, name, build, kind, release, force } = options;
    const repository = await open(coverageRegions);
    const { maxShrink } = settings.intervals;
    const loading = { repository, file: bed, name, build, kind, release, force, maxShrink, now: now(), signal };
    const set = await loadRegions(loading);
    for (const line of lines(set)) terminal.print(line);
    terminal.data(set);
    await sweepIdle(repository, staleRegions, now());
    return 0;
  },
});

const listRegions: Command<CoverageSettings> = {
  name: 'list regions',
  summary: 'List the sets of regions in which depth cannot judge bases',
  async run({ repository, terminal }) {
    const sets = await (await repository(coverageRegions)).sets();
    if (sets.length === 0) terminal.print('No regions are loaded: use load-regions.');
    for (const set of sets) for (const line of lines(set)) terminal.print(line);
    terminal.data(sets);
    return 0;
  },
};

const deleteRegions: Command<CoverageSettings> = command({
  name: 'delete regions',
  summary: 'Delete a set of regions, so that reports no longer name it',
  examples: ["delete regions --name 'segmental duplications' --build GRCh38"],
  options: [nameOption, buildOption, { flags: '--yes', description: 'do not ask for confirmation' }],
  async run({ repository: open, terminal, now }, { options: { name, yes, build } }) {
    const repository = await open(coverageRegions);
    const set = (await repository.sets()).find((one) => one.name === name && one.build === build);
    if (set === undefined) throw new Fault('not-found', `There are no regions named ${name} for ${build}`);
    const what = `${counted(set.regions, 'region')} of ${titleOf(set)}`;
    const question = `Deleting ${what}. Do you want to continue?`;
    if (!(await confirmed(terminal, { question, yes, otherwise: 'Nothing was deleted' }))) return 1;
    await repository.remove(name, build);
    terminal.print(`Deleted ${what}`);
    terminal.data(set);
    await sweepIdle(repository, staleRegions, now());
    return 0;
  },
});

export const regionCommands = [loadRegionsCommand, listRegions, deleteRegions];

function titleOf({ name, release, build }: RegionSet): string {
  return `${[name, release].filter(Boolean).join(' ')}, ${build}`;
}

function lines(set: RegionSet): string[] {
  const { kind, source, checksum, loaded, regions, bases, skipped } = set;
  return [
    `${titleOf(set)}: ${counted(regions, 'region')} of ${kind}, ${counted(bases, 'base')}`,
    `  ${source}, loaded ${loaded.toISOString()}`,
    `  ${checksum}`,
    ...Object.entries(skipped).map(([reason, count]) => `  ${counted(count, 'line')} skipped: ${reason}`),
  ];
}
