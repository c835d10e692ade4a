/** The dataset that a command of loqusdb works on, and options that several commands have. */
import type { CommandContext, CommandOption } from '../../../../core/commands.js';
import { Fault } from '../../../../core/plugin.js';
import type { BeaconRepository, Dataset } from '../../contract.js';
import { datasetNamed } from '../../domain/dataset.js';
import { type Ped, readPed } from '../../loading/sheets/sample-sheet.js';
import { type Generations, generationsFor } from '../../protection/generations.js';
import type { BeaconSettings } from '../../settings.js';
import { alignedRepository } from '../../vcf/reference/aligned.js';
import type { LoadedReferences } from '../../vcf/reference/packed.js';
import type { LoqusdbSettings } from '../settings.js';

export interface DatasetWork {
  settings: LoqusdbSettings;
  repository: BeaconRepository;
  references: LoadedReferences;
  generations: Generations;
  dataset: Dataset;
}

/** The configured dataset. Throws an `invalid` fault if none is configured. */
export async function workOn(context: CommandContext<BeaconSettings>): Promise<DatasetWork> {
  const settings = context.settings.loqusdb;
  if (settings === undefined) {
    throw new Fault('invalid', 'Set plugins.beacon.loqusdb in the configuration, with the dataset to work on');
  }
  const { repository, references } = await alignedRepository(context);
  const generations = await generationsFor(context);
  return { settings, repository, references, generations, dataset: await datasetNamed(repository, settings.dataset) };
}

export const variantKinds = ['snv', 'sv'] as const;
export type VariantKind = (typeof variantKinds)[number];

export const variantType = {
  flags: '-t, --variant-type <type>',
  description: 'small or structural variants',
  choices: variantKinds,
  default: 'snv',
} as const satisfies CommandOption;

/** Scripts state the default of loqusdb; its other forms of family files are not read. */
export const familyType = {
  flags: '-t, --family-type <type>',
  description: 'form of the family file',
  choices: ['ped'],
} as const satisfies CommandOption;

/** Prints a document as one line of JSON; with `--json` as all commands print it. */
export function printJson({ terminal }: Pick<CommandContext, 'terminal'>, document: unknown): void {
  terminal.print(JSON.stringify(document));
  terminal.data(document);
}

/** The family of a PED file. Throws an `unprocessable` fault if it has several families. */
export async function readFamily(path: string): Promise<Ped & { id: string }> {
  const ped = await readPed(path);
  const [id = '', ...others] = ped.families;
  if (others.length > 0) throw new Fault('unprocessable', `${path}: the file has more than one family`);
  return { ...ped, id };
}
