/** Asking before data are deleted. */
import type { Terminal } from '../../../core/commands.js';

/** True where `--yes` was given or somebody says yes. */
export async function confirmed(terminal: Terminal, question: string, yes: boolean | undefined): Promise<boolean> {
  if (yes || (await terminal.confirm(question))) return true;
  terminal.note('Nothing was deleted. (Where nobody can be asked, --yes stands for the answer.)');
  return false;
}
