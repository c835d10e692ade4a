/** The coverage plugin's command line: `trefoil coverage …`. */
import type { Command } from '../../core/commands.js';
import { importChanjo2Tables } from './commands/import-chanjo2.js';
import { findGene, listIntervals, loadCommands } from './commands/intervals.js';
import { regionCommands } from './commands/regions.js';
import { reportCommands } from './commands/reports.js';
import { rebuildCohorts, rebuildTracks, sampleCommands } from './commands/samples.js';
import { siteCommands } from './commands/sites.js';
import type { CoverageSettings } from './settings.js';

export const commands: readonly Command<CoverageSettings>[] = [
  ...loadCommands,
  listIntervals,
  findGene,
  importChanjo2Tables,
  ...sampleCommands,
  rebuildCohorts,
  rebuildTracks,
  ...siteCommands,
  ...regionCommands,
  ...reportCommands,
];
