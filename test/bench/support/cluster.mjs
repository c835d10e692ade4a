/** Servers behind one port by node:cluster: the number of processes, then the program and its words. */
import cluster from 'node:cluster';

const [, , processes, exec, ...args] = process.argv;
cluster.setupPrimary({ exec, args });
for (let i = 0; i < Number(processes); i++) cluster.fork();
process.once('SIGTERM', () => {
  for (const worker of Object.values(cluster.workers ?? {})) {
    // Its channel to this process would keep it running.
    worker?.disconnect();
    worker?.process.kill('SIGTERM');
  }
});
