/** Data beside the repository: tests that need them are visibly skipped if they are missing. */
import { existsSync } from 'node:fs';
import { dataFolder } from './serve.js';

export function describeWithData(title: string, body: () => void): void {
  if (existsSync(dataFolder)) describe(title, body);
  else describe.skip(`${title} (../shared/data is absent)`, body);
}
