/** The coverage plugin's command line: `trefoil coverage …`. */
import type { Command } from '../../core/commands.js';
import { rebuildCohorts } from './commands/cohorts.js';
import { importChanjo2Tables } from './commands/import-chanjo2.js';
import { findGene, listIntervals } from './commands/intervals.js';
import { loadCommands } from './commands/load.js';
import { reportCommands } from './commands/reports.js';
import { sampleCommands } from './commands/samples.js';
import { siteCommands } from './commands/sites.js';
import { rebuildTracks } from './commands/tracks.js';
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
  ...reportCommands,
];
