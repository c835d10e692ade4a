/**
 * Asks one URL again and again, with a pause, from a process that does nothing else. Prints a line of JSON for each
 * answer: the milliseconds since its start, the status (0 for none) and the milliseconds that it took.
 */
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const [, , url, pause] = process.argv;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

function ask() {
  const begin = performance.now();
  return new Promise((resolve) => {
    const end = (status) => resolve({ at: begin, status, ms: performance.now() - begin });
    get(url, { agent }, (response) => response.resume().once('end', () => end(response.statusCode))).once('error', () =>
      end(0),
    );
  });
}

for (;;) {
  process.stdout.write(`${JSON.stringify(await ask())}\n`);
  await sleep(Number(pause));
}
