/** An HTTP client that measures in microseconds, which load generators round away. */
import { Agent, get } from 'node:http';

export interface Latency {
  /** Milliseconds. */
  p50: number;
  p95: number;
  p99: number;
  mean: number;
}

/** Requests the paths in turn, one at a time on one connection; the first tenth warms up and does not count. */
export async function latencyOf(port: number, paths: readonly string[], requests: number): Promise<Latency> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  try {
    for (let i = 0; i < requests; i++) {
      const begin = performance.now();
      await ask(agent, port, paths[i % paths.length] ?? '/');
      if (i >= requests / 10) times.push(performance.now() - begin);
    }
  } finally {
    agent.destroy();
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  return {
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    mean: times.reduce((sum, time) => sum + time, 0) / times.length,
  };
}

export interface Expected {
  path: string;
  status: number;
  headers?: Readonly<Record<string, string>>;
}

/** Milliseconds until each of these requests is answered with this status, in their order, on one connection; by another clock if given. */
export async function timesOf(
  port: number,
  asked: readonly Expected[],
  clock: () => number = () => performance.now(),
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  try {
    for (const { path, status, headers } of asked) {
      const begin = clock();
      await ask(agent, port, path, status, headers);
      times.push(clock() - begin);
    }
  } finally {
    agent.destroy();
  }
  return times;
}

function ask(agent: Agent, port: number, path: string, status = 200, headers = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, path, agent, headers }, (response) => {
      if (response.statusCode !== status) reject(new Error(`${path} was answered with ${response.statusCode}`));
      response.resume().once('end', resolve).once('error', reject);
    });
    request.once('error', reject);
  });
}

/** The median of several measurements, by p99. */
export function median(latencies: readonly Latency[]): Latency {
  const sorted = [...latencies].sort((a, b) => a.p99 - b.p99);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (!middle) throw new Error('Nothing was measured');
  return middle;
}
