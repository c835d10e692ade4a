/** `update dataset`. */
import { type Command, counted } from '../../../core/commands.js';
import { Fault } from '../../../core/plugin.js';
import { beacon, type CountingRules } from '../contract.js';
import { changeDataset, datasetNamed } from '../domain/dataset.js';
import type { BeaconSettings } from '../settings.js';
import { countingOptions, type DatasetOptions, datasetWords } from './dataset-options.js';
import { datasetData } from './datasets.js';

export const updateDataset: Command<BeaconSettings> = {
  name: 'update dataset',
  summary: 'Change the description or the counting rules of a dataset',
  description:
    'What is not given stays as it is. New rules apply to loads from now on; alleles that were loaded before stay. The ' +
    'window applies to all of them.',
  examples: [
    'update dataset --did local_wgs --observations --gq 20 --pass',
    'update dataset --did local_wgs --gq none --window 1000',
    'update dataset --did rare_public --name "Rare diseases, 2nd release" --version 2.0',
  ],
  options: [
    { flags: '--did <id>', description: 'id of the dataset', required: true },
    { flags: '--name <name>', description: 'display name' },
    {
      flags: '--authlevel <level>',
      description: 'who may query it',
      choices: ['public', 'registered', 'controlled'],
      ignoreCase: true,
    },
    {
      flags: '--build <assembly>',
      description: 'genome build, only of a dataset without samples',
      choices: ['GRCh37', 'GRCh38'],
      ignoreCase: true,
    },
    { flags: '--desc <text>', description: 'description' },
    { flags: '--version <number>', description: 'version, such as 1.0' },
    { flags: '--url <url>', description: 'address of a page about the dataset' },
    ...countingOptions,
    { flags: '--no-observations', description: 'the dataset is no record of observations; its alleles stay' },
    { flags: '--no-pass', description: 'load records with any FILTER' },
  ],
  async run({ repository: open, terminal, now }, input) {
    const options = input.options as unknown as DatasetOptions;
    const repository = await open(beacon);
    let before: CountingRules | undefined;
    const words = datasetWords(options);
    const changed = await changeDataset(repository, words, now(), ({ counting }) => {
      before = counting;
    });
    if (!changed) throw new Fault('not-found', `There is no dataset '${options.did}'`);
    const dataset = await datasetNamed(repository, options.did);
    terminal.print(`Dataset '${dataset.id}' was successfully updated`);
    const { counting, sampleCount } = dataset;
    const narrowed = counting?.quality !== before?.quality || counting?.passOnly !== before?.passOnly;
    if (narrowed && sampleCount > 0) {
      terminal.note(`The alleles of ${counted(sampleCount, 'sample')} were loaded by the rules before, and stay.`);
    }
    terminal.data(datasetData(dataset));
    return 0;
  },
};
