/** All commands of the library. */
import type { D4Command } from './command.js';
import { createCommand } from './create.js';
import { gapsCommand } from './gaps.js';
import { statCommand } from './stat.js';
import { listTracksCommand, mergeCommand } from './tracks.js';
import { verifyCommand } from './verify.js';
import { viewCommand } from './view.js';

export type { CommandInput, CommandIo, D4Command } from './command.js';

/** The library's commands, in the order of a manual. */
export const d4Commands: readonly D4Command[] = [
  createCommand,
  viewCommand,
  statCommand,
  gapsCommand,
  listTracksCommand,
  mergeCommand,
  verifyCommand,
];
