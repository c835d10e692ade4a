/** Starts the worker when the project runs from its TypeScript source: threads do not inherit the loader that compiles it. */
import { register } from 'tsx/esm/api';

register();
const { default: run } = await import('./worker.ts');

export default run;
