/** Who runs a command, or a server. */
import { userInfo } from 'node:os';

/** Who runs this process at the command line. */
export function operator(): { kind: 'operator'; owner: string } {
  return { kind: 'operator', owner: accountName() };
}

function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    // In containers the user may have a number and no name.
    return String(process.getuid?.() ?? 'unknown');
  }
}
