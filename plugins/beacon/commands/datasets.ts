/**
 * `add dataset`, `dataset list`, `dataset show`, `update dataset`, `delete dataset`, and `verify`, which compares stored totals
 * with the alleles.
 */
import {
  type Columns,
  type Command,
  type CommandOption,
  command,
  confirmed,
  counted,
  printTable,
  statedFields,
  withProgress,
} from '../../../core/commands.js';
import { Fault } from '../../../core/plugin.js';
import { announcingCalls } from '../announced.js';
import {
  beacon,
  beaconConsequences,
  beaconDepths,
  type CountingRules,
  type Counts,
  type Dataset,
  type Rewritten,
  sourceText,
  type UsedSource,
} from '../contract.js';
import { changeDataset, countingText, datasetNamed, describeDataset } from '../domain/dataset.js';
import { countingOptions, datasetLabels, describingOptions } from '../domain/dataset-fields.js';
import { waitingText } from '../protection/changes.js';
import { type Generations, generationsFor } from '../protection/generations.js';
import type { BeaconSettings } from '../settings.js';
import { withAllKept } from '../vcf/consequences/kept.js';
import { changeText } from './output.js';

export const datasetOption = {
  flags: '--ds <id>',
  description: 'id of the dataset',
  required: true,
} as const satisfies CommandOption;

/** What was typed of a dataset, in the words of `describeDataset`. */
function datasetWords(options: { did: string }) {
  const counting = statedFields(countingOptions, options);
  return {
    ...statedFields(describingOptions, options),
    id: options.did,
    ...(Object.keys(counting).length > 0 && { counting }),
  };
}

export const addDataset: Command<BeaconSettings> = command({
  name: 'add dataset',
  summary: 'Add a dataset, or change its description',
  examples: [
    'add dataset --did rare_public --name "Rare diseases" --authlevel public --build GRCh38',
    'add dataset --did rare_public --name "Rare diseases, 2nd release" --authlevel public --version 2.0 --update',
    'add dataset --did local_wgs --name "Seen here" --authlevel controlled --build GRCh38 --observations --pass',
  ],
  options: [
    ...Object.values({
      ...describingOptions,
      id: {
        ...describingOptions.id,
        description: 'id: letters, digits and _ - . :',
        aliases: ['-did', '-ds-id', '-id'],
      },
      name: { ...describingOptions.name, required: true, aliases: ['-name'] },
      access: { ...describingOptions.access, required: true, aliases: ['-authlevel'] },
      assembly: {
        ...describingOptions.assembly,
        description: 'genome build (default: GRCh37)',
        aliases: ['-build'],
      },
      description: { ...describingOptions.description, aliases: ['-desc'] },
      version: { ...describingOptions.version, aliases: ['-version'] },
      externalUrl: { ...describingOptions.externalUrl, aliases: ['-url'] },
    } as const),
    { flags: '--cc <code>', description: 'consent code of older versions; ignored', aliases: ['-cc'] },
    ...Object.values(countingOptions),
    {
      flags: '--update',
      description: 'change the dataset with this id; optional fields that are not given stay as they are',
      aliases: ['-update'],
    },
  ],
  async run(context, { options }) {
    const words = { ...datasetWords(options), name: options.name, access: options.authlevel };
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
    context.terminal.data(dataset);
    return 0;
  },
});

export const listDatasets: Command<BeaconSettings> = {
  name: 'dataset list',
  summary: 'List the datasets with their totals',
  async run({ repository, terminal }) {
    const consequences = await repository(beaconConsequences);
    const datasets: ListedDataset[] = [];
    for (const dataset of await (await repository(beacon)).datasets()) {
      const annotations = await consequences.sources(dataset.id);
      datasets.push({ ...dataset, ...(annotations.length > 0 && { annotations }) });
    }
    const shown = {
      ...columns,
      ...(datasets.some(({ alignedTo }) => alignedTo !== undefined) && formColumn),
      ...(datasets.some(({ annotations }) => annotations) && annotationColumn),
    };
    printTable(terminal, datasets, shown, 'There are no datasets', '');
    terminal.data(datasets);
    return 0;
  },
};

interface ListedDataset extends Dataset {
  /** Who annotated what is loaded of it, if it is annotated. */
  annotations?: readonly UsedSource[];
}

const columns: Columns<ListedDataset> = {
  ID: 'id',
  NAME: 'name',
  BUILD: 'assembly',
  ACCESS: 'access',
  VERSION: 'version',
  ALLELES: 'alleleCount',
  CALLS: 'callCount',
  SAMPLES: 'sampleCount',
  UPDATED: 'updated',
  OBSERVATIONS: ({ counting }) => counting && countingText(counting),
};

/** Of datasets whose alleles are left-aligned. */
const formColumn: Columns<ListedDataset> = { 'ALIGNED TO': 'alignedTo' };

/** Of annotated datasets. */
const annotationColumn: Columns<ListedDataset> = {
  ANNOTATED: ({ annotations }) => annotations?.map(sourceText).join(', '),
};

export const showDataset: Command<BeaconSettings> = {
  name: 'dataset show',
  summary: 'Show one dataset with its totals',
  arguments: [{ name: 'id', description: 'id of the dataset', required: true }],
  async run(context, { arguments: [id = ''] }) {
    const { repository, terminal } = context;
    const dataset = await datasetNamed(await repository(beacon), id);
    const waiting = await (await generationsFor(context)).waiting(dataset);
    const annotations = await (await repository(beaconConsequences)).sources(id);
    const { counting } = dataset;
    const described = Object.entries(datasetLabels) as [keyof typeof datasetLabels, string][];
    const shown = {
      ...Object.fromEntries(described.map(([field, label]) => [label, dataset[field]])),
      Observations: counting && countingText(counting),
      Alleles: dataset.alleleCount,
      Calls: dataset.callCount,
      Samples: dataset.sampleCount,
      'Aligned to': dataset.alignedTo,
      Annotated:
        annotations.map((one) => `${sourceText(one)}: ${counted(one.alleles, 'allele')}`).join(', ') || undefined,
      Published: waiting && waitingText(waiting),
      Created: dataset.created.toISOString(),
      Updated: dataset.updated.toISOString(),
    };
    for (const [label, value] of Object.entries(shown)) {
      if (value !== undefined) terminal.print(`${`${label}:`.padEnd(14)}${value}`);
    }
    terminal.data({ ...dataset, ...(annotations.length > 0 && { annotations }) });
    return 0;
  },
};

export const deleteDataset: Command<BeaconSettings> = command({
  name: 'delete dataset',
  summary: 'Delete a dataset with all its alleles',
  options: [
    { flags: '--id <id>', description: 'id of the dataset', required: true, aliases: ['-id', '-ds-id'] },
    { flags: '--yes', description: 'do not ask for confirmation' },
  ],
  async run(context, { options: { id, yes } }) {
    const kept = {
      depths: await context.repository(beaconDepths),
      consequences: await context.repository(beaconConsequences),
    };
    const repository = announcingCalls(withAllKept(await context.repository(beacon), kept), context);
    const dataset = await datasetNamed(repository, id);
    const question = `Deleting dataset '${id}' with ${counted(dataset.alleleCount, 'allele')} of ${counted(dataset.sampleCount, 'sample')}. Do you want to continue?`;
    if (!(await confirmed(context.terminal, { question, yes, otherwise: 'Nothing was deleted' }))) return 1;
    if (!(await repository.removeDataset(id))) throw new Fault('not-found', `The dataset '${id}' was already deleted`);
    await (await generationsFor(context)).drop(id);
    context.terminal.print('Dataset was successfully deleted');
    context.terminal.data({ deleted: id });
    return 0;
  },
});

// `update dataset`.

export const updateDataset: Command<BeaconSettings> = command({
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
    ...Object.values(describingOptions),
    ...Object.values(countingOptions),
    { flags: '--no-observations', description: 'the dataset is no record of observations; its alleles stay' },
    { flags: '--no-pass', description: 'load records with any FILTER' },
  ],
  async run({ repository: open, terminal, now }, { options }) {
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
    terminal.data(dataset);
    return 0;
  },
});

// `rewrite datasets`.

export const rewriteDatasets: Command<BeaconSettings> = command({
  name: 'rewrite datasets',
  summary: 'Left-align the stored alleles by the loaded references',
  description:
    'A running server does so within minutes after `load-reference`. A dataset has its old alleles or its new ones all the time; ' +
    'if the command is interrupted, another one continues with the rest. Protected datasets are rewritten with their next ' +
    'publication (`publish dataset`).',
  options: [{ flags: '--ds <id>', description: 'only this dataset (default: all)' }],
  async run(context, { options: { ds } }) {
    const { terminal, signal } = context;
    const repository = await context.repository(beacon);
    const generations = await generationsFor(context);
    const datasets = ds === undefined ? await repository.datasets() : [await datasetNamed(repository, ds)];
    const results: { dataset: string; rewritten?: Rewritten }[] = [];
    for (const dataset of datasets) {
      const rewritten = await withProgress(terminal, `Rewriting ${dataset.id}`, (progress) =>
        generations.rewrite(dataset, async (done) => {
          signal.throwIfAborted();
          progress.update(done);
        }),
      );
      results.push({ dataset: dataset.id, ...(rewritten && { rewritten }) });
      terminal.print(`${dataset.id}: ${rewritten ? rewrittenText(rewritten) : stayingText(dataset, generations)}`);
    }
    terminal.data(results);
    return 0;
  },
});

function rewrittenText({ moved, alleles, calls }: Rewritten): string {
  const met =
    alleles > 0 ? `; ${alleles} fewer, which were further forms of the same, and ${counted(calls, 'call')} fewer` : '';
  return `left-aligned; ${counted(moved, 'allele')} moved${met}`;
}

function stayingText(dataset: Dataset, { formFor }: Pick<Generations, 'formFor'>): string {
  if (formFor(dataset)) return 'waits for its next publication (beacon publish dataset)';
  return dataset.alignedTo === undefined ? `there is no reference of ${dataset.assembly}` : 'is left-aligned already';
}

// `verify`: compares the stored totals with the alleles.

export const verify: Command<BeaconSettings> = command({
  name: 'verify',
  summary: 'Recount the alleles and compare with the stored totals',
  description:
    'Exits with 1 if a total differs. A load or deletion that ends during the count may look like a difference.',
  options: [{ flags: '--id <id>', description: 'only this dataset (default: all)' }],
  async run(context, { options: { id } }) {
    const repository = await context.repository(beacon);
    const datasets = id === undefined ? await repository.datasets() : [await datasetNamed(repository, id)];
    const results = [];
    for (const dataset of datasets) {
      const stored = totals(dataset);
      const counted = await repository.recount(dataset.id);
      const right = changeText(stored) === changeText(counted);
      results.push({ dataset: dataset.id, stored, counted, right });
      context.terminal.print(
        right
          ? `${dataset.id}: right, ${changeText(counted)}`
          : `${dataset.id}: WRONG, stored ${changeText(stored)}, counted ${changeText(counted)}`,
      );
    }
    const leftovers = await repository.leftovers();
    if (leftovers > 0) {
      const one = leftovers === 1;
      context.terminal.note(
        `${leftovers} ${one ? 'load or deletion is' : 'loads or deletions are'} running or interrupted; ` +
          'a running server frees the space of interrupted ones every ten minutes',
      );
    }
    context.terminal.data(results);
    return results.every(({ right }) => right) ? 0 : 1;
  },
});

function totals({ alleleCount, callCount, sampleCount }: Dataset): Counts {
  return { alleles: alleleCount, calls: callCount, samples: sampleCount };
}
