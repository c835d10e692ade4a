/** The commands `trefoil reviews …`. */
import type { Command } from '../../core/commands.js';
import { worklistCommands } from './commands/worklist.js';
import { runCommands } from './run/commands.js';
import type { ReviewSettings } from './settings.js';
import { loadStatements } from './statements/load.js';

export const commands: readonly Command<ReviewSettings>[] = [loadStatements, ...runCommands, ...worklistCommands];
