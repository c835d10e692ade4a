/** A port that is free at the moment. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that Linux and macOS hand out by themselves, which a server may find taken when it starts again. */
const range = [10_240, 32_768] as const;

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...range);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
