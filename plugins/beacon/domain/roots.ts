/** VCF files of the server that requests name. */
import { Fault, fileUnder } from '../../../core/plugin.js';

/** The real path of a file under one of the directories; everything else is one and the same `unprocessable` fault. */
export async function locate(roots: readonly string[], path: string): Promise<string> {
  const real = await fileUnder(roots, path);
  if (real !== undefined) return real;
  throw new Fault('unprocessable', `VCF file was not found at the provided path:${path.slice(0, 300)}`);
}
