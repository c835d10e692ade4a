/** `trefoil loqusdb …`: the commands of loqusdb, for Scout and for scripts that call its program. */
import type { CommandGroup } from '../../../core/commands.js';
import { cases, deleteCase, profile } from '../loqusdb/commands/cases.js';
import { load, update } from '../loqusdb/commands/load.js';
import { exportVariants, variants } from '../loqusdb/commands/variants.js';
import { loqusdbVersion } from '../loqusdb/documents.js';
import type { BeaconSettings } from '../settings.js';

const group: CommandGroup<BeaconSettings> = {
  summary: 'the commands of loqusdb, on the dataset of plugins.beacon.loqusdb',
  version: `loqusdb, version ${loqusdbVersion}`,
  commands: [variants, load, update, deleteCase, cases, exportVariants, profile],
};

export default group;
