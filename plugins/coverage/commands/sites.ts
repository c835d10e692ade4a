/** `load-sites`, `list sites` and `delete sites`. */
import { type Command, command, confirmed, counted, withProgress } from '../../../core/commands.js';
import { Fault, sweepIdle } from '../../../core/plugin.js';
import { builds, coverageSites, type SiteSet } from '../contract.js';
import { announceSites, staleSites } from '../intervals/loading.js';
import type { CoverageSettings } from '../settings.js';
import { buildOption } from './intervals.js';

const loadSitesCommand: Command<CoverageSettings> = command({
  name: 'load-sites',
  summary: 'Replace the known sites that reports check, by those of a VCF file',
  description:
    'Of a file of ClinVar the pathogenic and likely pathogenic records are taken (CLNSIG); of any other VCF file all, under the ' +
    'name that you give it. Plain, gzip or bgzip; - reads standard input. The whole file is read before it replaces the old ' +
    'sites at once. Until then, and if anything is wrong, the old ones stay in use. After an interruption start it again.',
  examples: [
    'load-sites --vcf clinvar.vcf.gz --release 2026-11',
    'load-sites --vcf hgmd_dm.vcf.gz --name HGMD --release 2026.3 --build GRCh38',
  ],
  options: [
    { flags: '--vcf <file>', description: 'the VCF file', required: true },
    {
      flags: '--release <name>',
      description: 'release of the source, which reports print (default: the date of the file)',
    },
    { flags: '--name <name>', description: 'name of the source, which reports print (default: ClinVar)' },
    {
      flags: '--build <build>',
      description: 'genome build (default: as the header says)',
      choices: builds,
      ignoreCase: true,
    },
    {
      flags: '--stars <number>',
      description: 'leave out records with fewer review stars of ClinVar, 0 to 4 (default: 0)',
    },
    { flags: '--force', description: 'replace the sites even by far fewer' },
  ],
  async run({ settings, repository: open, announce, terminal, signal, now }, { options }) {
    const { stars = '0' } = options;
    if (!/^[0-4]$/.test(stars))
      throw new Fault('invalid', `--stars must be a whole number from 0 to 4; got "${stars}"`);
    const repository = await open(coverageSites);
    const { loadSites } = await import('../sites/loading.js');
    const set = await withProgress(terminal, 'Loading', (progress) =>
      loadSites({
        repository,
        file: options.vcf,
        name: options.name,
        build: options.build,
        release: options.release,
        leastStars: Number(stars),
        force: options.force,
        maxShrink: settings.intervals.maxShrink,
        now: now(),
        signal,
        onProgress: (fraction, sites) => progress.update(fraction, counted(sites, 'site')),
      }),
    );
    for (const line of lines(set)) terminal.print(line);
    terminal.data(set);
    await announceSites({ announce }, set);
    await sweepIdle(repository, staleSites, now());
    return 0;
  },
});

const listSites: Command<CoverageSettings> = {
  name: 'list sites',
  summary: 'List the sets of known sites that reports check',
  async run({ repository, terminal }) {
    const sets = await (await repository(coverageSites)).sets();
    if (sets.length === 0) terminal.print('No known sites are loaded: use load-sites.');
    for (const set of sets) for (const line of lines(set)) terminal.print(line);
    terminal.data(sets);
    return 0;
  },
};

const deleteSites: Command<CoverageSettings> = command({
  name: 'delete sites',
  summary: 'Delete known sites, so that reports no longer check them',
  examples: ['delete sites --name HGMD --build GRCh38'],
  options: [
    { flags: '--name <name>', description: 'name of the source', required: true },
    buildOption,
    { flags: '--yes', description: 'do not ask for confirmation' },
  ],
  async run({ repository: open, announce, terminal, now }, { options: { name, yes, build } }) {
    const repository = await open(coverageSites);
    const set = (await repository.sets()).find((one) => one.name === name && one.build === build);
    if (set === undefined) throw new Fault('not-found', `There are no known sites of ${name} for ${build}`);
    const question = `Deleting ${counted(set.sites, 'site')} of ${name} ${set.release}, ${build}. Do you want to continue?`;
    if (!(await confirmed(terminal, { question, yes, otherwise: 'Nothing was deleted' }))) return 1;
    await repository.remove(name, build);
    terminal.print(`Deleted ${counted(set.sites, 'site')} of ${name} ${set.release}, ${build}`);
    terminal.data(set);
    await announceSites({ announce }, set);
    await sweepIdle(repository, staleSites, now());
    return 0;
  },
});

export const siteCommands = [loadSitesCommand, listSites, deleteSites];

function lines({ name, build, release, source, checksum, loaded, sites, skipped }: SiteSet): string[] {
  return [
    `${name} ${release}, ${build}: ${counted(sites, 'site')}`,
    `  ${source}, loaded ${loaded.toISOString()}`,
    `  ${checksum}`,
    ...Object.entries(skipped).map(([reason, count]) => `  ${counted(count, 'record')} skipped: ${reason}`),
  ];
}
