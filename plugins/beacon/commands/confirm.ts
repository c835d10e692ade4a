/** Asks before data is deleted. */
import type { Terminal } from '../../../core/commands.js';

/** Returns whether `--yes` was given or the user answered yes. */
export async function confirmed(terminal: Terminal, question: string, yes: boolean | undefined): Promise<boolean> {
  if (yes || (await terminal.confirm(question))) return true;
  terminal.note('Nothing was deleted. In scripts, confirm with --yes.');
  return false;
}
