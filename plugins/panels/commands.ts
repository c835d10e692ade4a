/** The commands `trefoil panels …`. */
import type { Command } from '../../core/commands.js';
import { exportCommands } from './commands/export.js';
import { importCommands } from './commands/import.js';
import { namesCommands } from './commands/names.js';
import { readCommands } from './commands/read.js';
import type { PanelSettings } from './settings.js';

export const commands: readonly Command<PanelSettings>[] = [
  ...namesCommands,
  ...importCommands,
  ...readCommands,
  ...exportCommands,
];
