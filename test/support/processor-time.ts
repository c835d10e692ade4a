/** Processor time: the measure of what a test costs, since tests wait for each other's processors. */
import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks in a second: of Linux, on every platform that it runs Node.js on. */
const ticks = 100;

/**
 * Seconds that this process and its descendants have taken so far, those that have ended included. Undefined if there
 * is no Linux /proc.
 */
export function processorSeconds(): number | undefined {
  const seconds = new Map<number, number>();
  const children = new Map<number, number[]>();
  for (const pid of processes()) {
    const found = stat(pid);
    if (found === undefined) continue;
    seconds.set(pid, found.seconds);
    children.set(found.parent, [...(children.get(found.parent) ?? []), pid]);
  }
  const sum = (pid: number): number =>
    (children.get(pid) ?? []).reduce((all, child) => all + sum(child), seconds.get(pid) ?? 0);
  return seconds.has(process.pid) ? sum(process.pid) : undefined;
}

function processes(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** Undefined if the process has ended meanwhile. */
function stat(pid: number): { parent: number; seconds: number } | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The name of the program, in brackets, may hold any character. Then: state, parent, …; four times from the twelfth on.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [own = 0, system = 0, ended = 0, endedSystem = 0] = fields.slice(11, 15);
  return { parent: fields[1] ?? 0, seconds: (own + system + ended + endedSystem) / ticks };
}
