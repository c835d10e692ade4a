/** The beacon's command line: `beacon …`, or `trefoil beacon …`. */
import type { Command } from '../../core/commands.js';
import { annotate } from './commands/annotate.js';
import { addDataset, deleteDataset, listDatasets, showDataset } from './commands/datasets.js';
import { exportCommand } from './commands/export.js';
import { updateGenes } from './commands/genes.js';
import { importCgbeacon2 } from './commands/import-cgbeacon2.js';
import { importLoqusdb } from './commands/import-loqusdb.js';
import { listBudgets, publishDataset } from './commands/protection.js';
import { run } from './commands/run.js';
import { listSamples, updateSamples } from './commands/samples.js';
import { updateDataset } from './commands/update-dataset.js';
import { addUser } from './commands/user.js';
import { addDemoData, addVariants, deleteVariants } from './commands/variants.js';
import { verify } from './commands/verify.js';
import type { BeaconSettings } from './settings.js';

export const commands: readonly Command<BeaconSettings>[] = [
  run,
  addDataset,
  addVariants,
  addDemoData,
  addUser,
  listDatasets,
  showDataset,
  updateDataset,
  deleteDataset,
  listSamples,
  updateSamples,
  deleteVariants,
  publishDataset,
  listBudgets,
  updateGenes,
  annotate,
  exportCommand,
  importCgbeacon2,
  importLoqusdb,
  verify,
];
