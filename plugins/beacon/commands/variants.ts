/** `add variants`, `add demo`, `delete variants`. */
import { type Command, type CommandContext, command, confirmed, withProgress } from '../../../core/commands.js';
import { Fault } from '../../../core/plugin.js';
import { recordReplacement } from '../audit.js';
import { type BeaconRepository, beacon, beaconGenes, type Dataset } from '../contract.js';
import { addDemo } from '../demo/demo.js';
import { datasetNamed, loadQuality } from '../domain/dataset.js';
import { mergedFacts, type StatedFacts, statedOfAll } from '../domain/facts.js';
import { comparisonJson, comparisonLines, comparisonWarnings, refuseFindings } from '../loading/comparison-text.js';
import { type LoadSummary, loadVariants } from '../loading/load.js';
import { barredLines, permitting } from '../loading/permit.js';
import type { Pedigree } from '../loading/relatedness.js';
import { readPed } from '../loading/sheets/sample-sheet.js';
import { consequenceToolsFor } from '../protection/annotations.js';
import { waitingJson, waitingText } from '../protection/changes.js';
import { generationsFor } from '../protection/generations.js';
import type { BeaconSettings } from '../settings.js';
import { depthToolsFor } from '../vcf/depths/called.js';
import { Panel, readPanel, strictGenePanel } from '../vcf/panel.js';
import { UnknownSamples } from '../vcf/reader.js';
import { alignedRepository } from '../vcf/reference/aligned.js';
import { missingRule, missingWords, recordFilterOf, refuseWider } from '../vcf/rules.js';
import { addedToText, callsLines, changeText, loadedText, reportLines } from './output.js';
import { factOptions, samplesOfCases, statedFacts } from './samples.js';

export const addVariants: Command<BeaconSettings> = command({
  name: 'add variants',
  summary: 'Add the alleles of one or several samples of a VCF file to a dataset',
  description:
    'The file is plain, gzip or bgzip; - reads standard input. All of it becomes visible at once, or nothing does. ' +
    'Adding the same again changes nothing; calls of a sample that is there already are added to those it has, or take their ' +
    'place with --replace. The samples are compared with each other and with those of the dataset: ' +
    'what does not fit (the same person under another name, relatives who are not) is a warning. The rules of a dataset of observations (see add dataset) apply to every load; ' +
    '--filter and --gq can only narrow them. Facts of a sample that are given again replace those known.',
  examples: [
    'add variants --ds rare_public --vcf trio.vcf.gz --sample child --sample mother',
    'add variants --ds rare_public --vcf trio.vcf.gz --panel cardio.bed',
    'add variants --ds local_wgs --vcf child.vcf.gz --case F1 --sex male --affected yes --assay WGS --run 2024-17',
    'add variants --ds local_wgs --vcf trio.vcf.gz --ped trio.ped --assay WGS',
    'add variants --ds local_wgs --vcf child.recalled.vcf.gz --replace',
  ],
  options: [
    { flags: '--ds <id>', description: 'id of the dataset', required: true, aliases: ['-ds'] },
    { flags: '--vcf <file>', description: 'VCF file', required: true, aliases: ['-vcf'] },
    {
      flags: '--sample <name>',
      description: 'a sample of the file (default: all samples)',
      repeatable: true,
      aliases: ['-sample'],
    },
    {
      flags: '--panel <file>',
      description: 'BED file: only alleles within its regions',
      repeatable: true,
      aliases: ['-panel'],
    },
    {
      flags: '--gene <id>',
      description: 'HGNC or Ensembl id: only alleles within these genes (see update genes) or the panel',
      repeatable: true,
    },
    {
      flags: '--filter <name>',
      description: 'all, or an accepted FILTER value, such as PASS (default: as configured)',
      repeatable: true,
    },
    {
      flags: '--gq <number>',
      description: 'skip genotypes with a lower GQ, or none (default: the rule of the dataset)',
    },
    {
      flags: '--snv-gq-only',
      description: 'load structural variants whatever their GQ: many of their callers write none',
    },
    {
      flags: '--missing-gt <word>',
      description:
        'a sample whose genotype was not called (./.): unknown at the allele and not counted (default), or carrier; only in ' +
        'files of one sample',
      choices: missingWords,
    },
    {
      flags: '--missing-gq <word>',
      description: 'genotypes without GQ: unknown and not counted (default), or carrier, as they are written',
      choices: missingWords,
    },
    {
      flags: '--searched <kind>',
      description: 'structural: the file was searched for structural variants, also if it has none',
      choices: ['structural'],
    },
    ...factOptions,
    {
      flags: '--ped <file>',
      description: 'PED file: case (family), parents, sex and whether affected, of every sample that is added',
    },
    {
      flags: '--replace',
      description:
        'replace what the dataset has of the samples, of the kinds of variants in the file (small, structural): answers ' +
        'change at once',
    },
    {
      flags: '--force',
      description:
        'with --replace: also if a sample keeps less than half of its alleles, loses some to a panel, or is another person',
    },
    {
      flags: '--strict',
      description: 'add nothing if a sample is already there under another name, or does not fit its case',
    },
  ],
  async run(context, { options }) {
    const { ds, vcf, sample = [], panel = [], gene = [], filter } = options;
    const { replace = false, force = false } = options;
    if (force && !replace) throw new Fault('invalid', '--force needs --replace');
    const quality = options.gq === undefined ? undefined : loadQuality(options.gq);
    const { facts, pedigree } = await factsInOptions(options);
    const accepted = recordFilterOf(filter ?? context.settings.filter);
    const { repository, references } = await alignedRepository(context);
    const dataset = await datasetNamed(repository, ds);
    refuseWider(dataset, { filter, quality });
    const regions = await regionsOf(context, dataset, panel, gene);
    const source = await context.openSource(vcf);
    const generations = await generationsFor(context);
    const depths = await depthToolsFor(context);
    const consequences = await consequenceToolsFor(context);
    const summary = await withProgress(context.terminal, 'Loading', (progress) =>
      loadVariants({
        repository,
        generations,
        depths,
        references,
        consequences,
        dataset,
        sources: [source],
        samples: sample,
        mostSamples: context.settings.loads.samples,
        permit: permitting(context.erasures),
        replace: replace ? { force, record: (names) => recordReplacement(context, dataset, names) } : undefined,
        panel: regions,
        filter: accepted,
        quality,
        smallQualityOnly: options.snvGqOnly,
        missing: missingRule({ genotype: options.missingGt, quality: options.missingGq }),
        ...(options.searched && {
          searched: (files) => ({ small: files.some(({ searched }) => searched.small), structural: true }),
        }),
        facts,
        compare: {
          thresholds: context.settings.comparison,
          pedigree,
          judge: options.strict ? (found) => refuseFindings(found) : undefined,
        },
        now: context.now(),
        signal: context.signal,
        onProgress: (fraction, alleles) => progress.update(fraction, `${alleles} alleles`),
      }),
    ).catch((error: unknown) => {
      if (!(error instanceof UnknownSamples)) throw error;
      throw new Fault(error.code, `${error.message}. Valid samples are: ${error.there.join(', ')}`, { cause: error });
    });
    printReport(context, summary);
    return 0;
  },
});

/** What the options say of the samples, once their names are known. */
async function factsInOptions(options: Parameters<typeof statedFacts>[0] & { ped?: string }): Promise<{
  facts?: ((samples: readonly string[]) => Map<string, StatedFacts>) | undefined;
  pedigree?: (samples: readonly string[]) => Pedigree;
}> {
  const stated = statedFacts(options);
  const { ped } = options;
  if (ped === undefined) return { facts: stated && ((samples) => statedOfAll(stated, samples)) };
  if (options.case !== undefined || options.sex !== undefined || options.affected !== undefined) {
    throw new Fault(
      'invalid',
      '--ped gives the case, sex and affection of each sample: omit --case, --sex and --affected',
    );
  }
  const { factsOfAll, pedigree } = await readPed(ped);
  const facts = (samples: readonly string[]) => {
    const known = factsOfAll(samples);
    const missing = samples.filter((name) => !known.has(name));
    if (missing.length > 0) throw new Fault('unprocessable', `${ped}: no individual is called ${missing.join(', ')}`);
    return stated ? mergedFacts(known, statedOfAll(stated, samples)) : known;
  };
  return { facts, pedigree };
}

/** The regions of the BED files and genes; undefined if none are given. */
async function regionsOf(
  context: CommandContext<BeaconSettings>,
  { assembly }: Dataset,
  files: readonly string[],
  genes: readonly string[],
): Promise<Panel | undefined> {
  const panels: Panel[] = [];
  if (files.length > 0) panels.push(await readPanel(files, assembly));
  if (genes.length > 0) panels.push(await strictGenePanel(await context.repository(beaconGenes), assembly, genes));
  return panels.length > 0 ? new Panel(panels.flatMap((panel) => [...panel.regions()])) : undefined;
}

export const addDemoData: Command<BeaconSettings> = {
  name: 'add demo',
  summary: "Add the demo dataset 'test_public' with the alleles of a made-up trio",
  description: 'Other datasets stay as they are; running it twice changes nothing. It issues no token: see `add user`.',
  async run(context) {
    const { repository } = await alignedRepository(context);
    printReport(context, await addDemo(repository, context.now(), context.signal));
    return 0;
  },
};

export const deleteVariants: Command<BeaconSettings> = command({
  name: 'delete variants',
  summary: 'Delete the alleles of samples, or of all samples of a case, from a dataset',
  description: 'Afterwards the dataset is as if the samples had never been added.',
  examples: ['delete variants --ds rare_public --sample child', 'delete variants --ds local_wgs --case F1 --yes'],
  options: [
    { flags: '--ds <id>', description: 'id of the dataset', required: true, aliases: ['-ds'] },
    {
      flags: '--sample <name>',
      description: 'a sample of the dataset; this or --case is required',
      repeatable: true,
      aliases: ['-sample'],
    },
    { flags: '--case <id>', description: 'a case: all of its samples', repeatable: true },
    { flags: '--yes', description: 'do not ask for confirmation' },
  ],
  async run(context, { options: { ds, yes, ...chosen } }) {
    if (!chosen.sample && !chosen.case) throw new Fault('invalid', 'Give --sample or --case');
    const repository = await context.repository(beacon);
    const dataset = await datasetNamed(repository, ds);
    const sample = await samplesToDelete(repository, ds, chosen);
    const question = `Deleting variants for sample ${sample.join(', ')}, dataset '${ds}'. Do you want to continue?`;
    if (!(await confirmed(context.terminal, { question, yes, otherwise: 'Nothing was deleted' }))) return 1;
    const { removed, waiting } = await (await generationsFor(context)).remove(dataset, sample);
    context.terminal.print(`Removed from dataset '${ds}': ${changeText(removed)}`);
    if (waiting) context.terminal.print(waitingText(waiting));
    context.terminal.data({ dataset: ds, removed, ...(waiting && { waiting: waitingJson(waiting) }) });
    return 0;
  },
});

/** The names of the samples, and of those of the cases; throws an `unprocessable` fault if one does not exist. */
async function samplesToDelete(
  repository: BeaconRepository,
  dataset: string,
  { sample = [], case: cases }: { sample?: readonly string[]; case?: readonly string[] },
): Promise<string[]> {
  const there = new Set(await repository.samples(dataset));
  const missing = sample.filter((name) => !there.has(name));
  if (missing.length > 0) {
    throw new Fault(
      'unprocessable',
      `One or more provided samples was not found in the dataset: ${missing.join(', ')}`,
    );
  }
  const ofCases = cases ? samplesOfCases(await repository.sampleFacts(dataset), cases, dataset) : [];
  return [...new Set([...sample, ...ofCases.map(({ name }) => name)])];
}

function printReport({ terminal }: CommandContext<BeaconSettings>, summary: LoadSummary): void {
  const { comparison, calls = [], waiting, barred = new Map(), ...rest } = summary;
  terminal.print(loadedText(summary));
  const { addedTo = [] } = summary;
  if (addedTo.length > 0) terminal.note(addedToText(addedTo));
  for (const line of barredLines(barred)) terminal.note(line);
  for (const file of summary.files) for (const line of reportLines(file)) terminal.print(line);
  if (waiting) terminal.print(waitingText(waiting));
  for (const line of comparison ? comparisonLines(comparison) : []) terminal.print(line);
  for (const warning of comparison ? comparisonWarnings(comparison) : []) terminal.note(`WARNING ${warning}`);
  for (const line of callsLines(calls)) terminal.note(line);
  const left = [...barred].map(([sample, { reason, at }]) => ({ sample, reason, at: at.toISOString() }));
  terminal.data({
    ...rest,
    ...(left.length > 0 && { barred: left }),
    ...(comparison && { comparison: comparisonJson(comparison, { withNames: true }) }),
    ...(calls.length > 0 && { coverageFiles: calls }),
    ...(waiting && { waiting: waitingJson(waiting) }),
  });
}
