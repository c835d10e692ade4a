/**
 * Loaded by `node --import` into a process under test: kills it at the step that TEST_KILL_AT names, `name` or `name#3`
 * for the third time that the process reaches it.
 */
import { subscribe } from 'node:diagnostics_channel';

const [wanted, times = '1'] = (process.env.TEST_KILL_AT ?? '').split('#');
let left = Number(times);
if (wanted !== '') {
  subscribe('trefoil:step', (name) => {
    if (name === wanted && --left === 0) process.kill(process.pid, 'SIGKILL');
  });
}
