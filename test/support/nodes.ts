/** The Node.js versions that the package supports, and their executables on this machine. */
import { execFileSync } from 'node:child_process';
import { delimiter } from 'node:path';

export const promised: readonly number[] = [20, 22, 24];

/** Executables by major version: the one that runs this, and those in TREFOIL_NODES, joined as in PATH. */
export function nodes(): Map<number, string> {
  const named = (process.env.TREFOIL_NODES ?? '').split(delimiter).filter(Boolean);
  return new Map([...named, process.execPath].map((executable) => [majorOf(executable), executable]));
}

function majorOf(executable: string): number {
  const version = execFileSync(executable, ['--version'], { encoding: 'utf8' });
  const [, major] = /^v(\d+)\./.exec(version) ?? [];
  if (major === undefined) throw new Error(`${executable} is no Node.js: it calls itself ${version}`);
  return Number(major);
}
