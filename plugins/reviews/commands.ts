/** The commands `trefoil reviews …`. */
import type { Command } from '../../core/commands.js';
import { worklistCommands } from './commands/worklist.js';
import type { ReviewSettings } from './settings.js';

export const commands: readonly Command<ReviewSettings>[] = [...worklistCommands];
