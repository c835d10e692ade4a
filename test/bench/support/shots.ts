/** Load on a server from this process, and probes of it from another one meanwhile. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Line, type Sent, textOf } from './line.js';

export interface Target {
  /** Of several, the lines take turns. */
  port: number | readonly number[];
  /** Asked in turns. */
  requests: readonly Sent[];
}

export interface Shot {
  /** Successful answers per second. */
  rate: number;
  /** Refusals (503) per second. */
  shed: number;
  /** Requests per second that could not be sent at their time, because all lines waited for answers. */
  unsent: number;
  /** Other answers, and lines that broke. */
  wrong: number;
  /** Milliseconds of successful answers. */
  p50: number;
  p99: number;
}

export const warmUpSeconds = 0.5;
/** How often requests are sent that are due. */
const turnMs = 5;

/**
 * Sends requests over so many lines for so many seconds after a short warm-up: at a rate if one is given, and otherwise
 * the next as soon as one is answered.
 */
export async function shoot({ port, requests }: Target, lines: number, seconds: number, rate?: number): Promise<Shot> {
  const texts = requests.map(textOf);
  const ports = [port].flat();
  const times: number[] = [];
  let [sent, shed, unsent, wrong] = [0, 0, 0, 0];
  const open = await Promise.all(Array.from({ length: lines }, (_, i) => Line.open(ports[i % ports.length] ?? 0)));
  const free = [...open];
  const begin = performance.now() + warmUpSeconds * 1000;
  const end = begin + seconds * 1000;

  const ask = async (line: Line): Promise<void> => {
    const since = performance.now();
    try {
      const status = await line.send(texts[sent++ % texts.length] ?? '');
      const now = performance.now();
      if (now >= end) return;
      if (now >= begin) {
        if (status >= 200 && status < 300) times.push(now - since);
        else if (status === 503) shed += 1;
        else wrong += 1;
      }
      if (rate === undefined) void ask(line);
      else free.push(line);
    } catch {
      if (performance.now() < end) wrong += 1;
    }
  };

  if (rate === undefined) for (const line of open) void ask(line);
  for (let due = 0, since = performance.now(); performance.now() < end; ) {
    await sleep(turnMs);
    if (rate === undefined) continue;
    const now = performance.now();
    for (due += ((now - since) * rate) / 1000, since = now; due >= 1; due--) {
      const line = free.shift();
      if (line !== undefined) void ask(line);
      else if (now >= begin) unsent += 1;
    }
  }
  for (const line of open) line.close();
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  const each = (count: number) => count / seconds;
  return { rate: each(times.length), shed: each(shed), unsent: each(unsent), wrong, p50: at(0.5), p99: at(0.99) };
}

/** Asks until servers have compiled what they run often, in whatever time they get: a thousand requests, or 20 s. */
export async function warm(target: Target): Promise<void> {
  for (let turn = 0, asked = 0; asked < 1000 && turn < 10; turn++) asked += 2 * (await shoot(target, 8, 2)).rate;
}

export interface Probe {
  /** Milliseconds since the prober's start. */
  at: number;
  status: number;
  ms: number;
}

/** Requests a URL from another process, with a pause of so many milliseconds after each answer, until `stop` is called. */
export function probing(url: string, pauseMs: number): { probes: readonly Probe[]; stop(): void } {
  const probes: Probe[] = [];
  const script = fileURLToPath(new URL('prober.mjs', import.meta.url));
  const child = spawn(process.execPath, [script, url, `${pauseMs}`], { stdio: ['ignore', 'pipe', 'inherit'] });
  createInterface({ input: child.stdout }).on('line', (line) => probes.push(JSON.parse(line) as Probe));
  return { probes, stop: () => child.kill() };
}
