/** The beacon's command line: `beacon …`, or `trefoil beacon …`; `run` serves the beacon alone. */
import { type Command, command } from '../../core/commands.js';
import { Fault } from '../../core/plugin.js';
import {
  addDataset,
  deleteDataset,
  listDatasets,
  rewriteDatasets,
  showDataset,
  updateDataset,
  verify,
} from './commands/datasets.js';
import { updateGenes } from './commands/genes.js';
import { importCgbeacon2 } from './commands/import-cgbeacon2.js';
import { loadReference } from './commands/load-reference.js';
import { listBudgets, publishDataset } from './commands/protection.js';
import { listSamples, updateSamples } from './commands/samples.js';
import { addUser } from './commands/user.js';
import { addDemoData, addVariants, deleteVariants } from './commands/variants.js';
import { annotate, exportCommand } from './commands/vcf.js';
import { importLoqusdb } from './loqusdb/import.js';
import type { BeaconSettings } from './settings.js';

// `run`: serve the beacon alone.

const run: Command<BeaconSettings> = command({
  name: 'run',
  summary: 'Serve the beacon',
  examples: ['run', 'run --host 0.0.0.0 --port 6000'],
  options: [
    {
      flags: '--host <address>',
      description: 'address to listen on; 0.0.0.0 accepts other hosts (default: 127.0.0.1)',
    },
    { flags: '--port <number>', description: 'port to listen on (default: 5000)' },
  ],
  async run(context, { options: { host, port } }) {
    if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) < 65536)) {
      throw new Fault('invalid', `--port must be a number from 0 to 65535; got "${port}"`);
    }
    await context.serve({ ...(host !== undefined && { host }), ...(port !== undefined && { port: Number(port) }) });
    return undefined;
  },
});

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
  loadReference,
  rewriteDatasets,
  annotate,
  exportCommand,
  importCgbeacon2,
  importLoqusdb,
  verify,
];
