/** `add dataset`, `dataset list`, `dataset show`, `delete dataset`. */
import { type Command, confirmed, counted, table } from '../../../core/commands.js';
import { Fault } from '../../../core/plugin.js';
import { beacon, type Dataset } from '../contract.js';
import { countingText } from '../domain/counting.js';
import { changeDataset, datasetNamed, describeDataset } from '../domain/dataset.js';
import { generationsFor } from '../protection/for-commands.js';
import { waitingText } from '../protection/generations.js';
import type { BeaconSettings } from '../settings.js';
import { countingOptions, type DatasetOptions, datasetWords } from './dataset-options.js';

interface AddOptions extends DatasetOptions {
  name: string;
  authlevel: string;
  update?: boolean;
}

export const addDataset: Command<BeaconSettings> = {
  name: 'add dataset',
  summary: 'Add a dataset, or change its description',
  examples: [
    'add dataset --did rare_public --name "Rare diseases" --authlevel public --build GRCh38',
    'add dataset --did rare_public --name "Rare diseases, 2nd release" --authlevel public --version 2.0 --update',
    'add dataset --did local_wgs --name "Seen here" --authlevel controlled --build GRCh38 --observations --pass',
  ],
  options: [
    {
      flags: '--did <id>',
      description: 'id: letters, digits and _ - . :',
      required: true,
      aliases: ['-did', '-ds-id', '-id'],
    },
    { flags: '--name <name>', description: 'display name', required: true, aliases: ['-name'] },
    {
      flags: '--authlevel <level>',
      description: 'who may query it',
      required: true,
      choices: ['public', 'registered', 'controlled'],
      ignoreCase: true,
      aliases: ['-authlevel'],
    },
    {
      flags: '--build <assembly>',
      description: 'genome build (default: GRCh37)',
      choices: ['GRCh37', 'GRCh38'],
      ignoreCase: true,
      aliases: ['-build'],
    },
    { flags: '--desc <text>', description: 'description', aliases: ['-desc'] },
    { flags: '--version <number>', description: 'version, such as 1.0', aliases: ['-version'] },
    { flags: '--url <url>', description: 'address of a page about the dataset', aliases: ['-url'] },
    { flags: '--cc <code>', description: 'consent code of older versions; ignored', aliases: ['-cc'] },
    ...countingOptions,
    {
      flags: '--update',
      description: 'change the dataset with this id; optional fields that are not given stay as they are',
      aliases: ['-update'],
    },
  ],
  async run(context, input) {
    const options = input.options as unknown as AddOptions;
    const words = datasetWords(options);
    if (!options.update) describeDataset(words);
    const repository = await context.repository(beacon);
    if (options.update) {
      // If there is no dataset, reading it below says so.
      await changeDataset(repository, words, context.now());
    } else {
      await repository.addDataset(describeDataset(words), context.now());
    }
    const dataset = await datasetNamed(repository, options.did);
    context.terminal.print(`Dataset '${dataset.id}' was successfully ${options.update ? 'updated' : 'added'}`);
    context.terminal.data(datasetData(dataset));
    return 0;
  },
};

export const listDatasets: Command<BeaconSettings> = {
  name: 'dataset list',
  summary: 'List the datasets with their totals',
  async run({ repository, terminal }) {
    const datasets = await (await repository(beacon)).datasets();
    for (const line of listing(datasets)) terminal.print(line);
    terminal.data(datasets.map(datasetData));
    return 0;
  },
};

export const showDataset: Command<BeaconSettings> = {
  name: 'dataset show',
  summary: 'Show one dataset with its totals',
  arguments: [{ name: 'id', description: 'id of the dataset', required: true }],
  async run(context, { arguments: [id = ''] }) {
    const { repository, terminal } = context;
    const dataset = await datasetNamed(await repository(beacon), id);
    const waiting = await (await generationsFor(context)).waiting(dataset);
    const shown: [label: string, value: string | number | undefined][] = [
      ['Id', dataset.id],
      ['Name', dataset.name],
      ['Description', dataset.description],
      ['URL', dataset.externalUrl],
      ['Build', dataset.assembly],
      ['Access', dataset.access],
      ['Version', dataset.version],
      ['Observations', dataset.counting && countingText(dataset.counting)],
      ['Alleles', dataset.alleleCount],
      ['Calls', dataset.callCount],
      ['Samples', dataset.sampleCount],
      ['Published', waiting && waitingText(waiting)],
      ['Created', dataset.created.toISOString()],
      ['Updated', dataset.updated.toISOString()],
    ];
    for (const [label, value] of shown) {
      if (value !== undefined) terminal.print(`${`${label}:`.padEnd(14)}${value}`);
    }
    terminal.data(datasetData(dataset));
    return 0;
  },
};

export const deleteDataset: Command<BeaconSettings> = {
  name: 'delete dataset',
  summary: 'Delete a dataset with all its alleles',
  options: [
    { flags: '--id <id>', description: 'id of the dataset', required: true, aliases: ['-id', '-ds-id'] },
    { flags: '--yes', description: 'do not ask for confirmation' },
  ],
  async run(context, input) {
    const { id, yes } = input.options as { id: string; yes?: boolean };
    const repository = await context.repository(beacon);
    const dataset = await datasetNamed(repository, id);
    const question = `Deleting dataset '${id}' with ${counted(dataset.alleleCount, 'allele')} of ${counted(dataset.sampleCount, 'sample')}. Do you want to continue?`;
    if (!(await confirmed(context.terminal, { question, yes, otherwise: 'Nothing was deleted' }))) return 1;
    if (!(await repository.removeDataset(id))) throw new Fault('not-found', `The dataset '${id}' was already deleted`);
    await (await generationsFor(context)).drop(id);
    context.terminal.print('Dataset was successfully deleted');
    context.terminal.data({ deleted: id });
    return 0;
  },
};

/** A dataset as JSON output. */
export function datasetData(dataset: Dataset) {
  return { ...dataset, created: dataset.created.toISOString(), updated: dataset.updated.toISOString() };
}

function listing(datasets: readonly Dataset[]): string[] {
  if (datasets.length === 0) return ['There are no datasets'];
  const headings = [
    'ID',
    'NAME',
    'BUILD',
    'ACCESS',
    'VERSION',
    'ALLELES',
    'CALLS',
    'SAMPLES',
    'UPDATED',
    'OBSERVATIONS',
  ];
  const rows = datasets.map((dataset) => [
    dataset.id,
    dataset.name,
    dataset.assembly,
    dataset.access,
    String(dataset.version),
    String(dataset.alleleCount),
    String(dataset.callCount),
    String(dataset.sampleCount),
    dataset.updated.toISOString().slice(0, 10),
    dataset.counting ? countingText(dataset.counting) : '',
  ]);
  return table(headings, rows);
}
