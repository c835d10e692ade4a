/** The data beside the repository: tests that need them are skipped, visibly, where they are absent. */
import { existsSync } from 'node:fs';
import { dataFolder } from './serve.js';

export function describeWithData(title: string, body: () => void): void {
  if (existsSync(dataFolder)) describe(title, body);
  else describe.skip(`${title} (../shared/data is absent)`, body);
}
