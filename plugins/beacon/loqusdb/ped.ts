/** Reads PED files: the individuals of one family. */
import { readFile } from 'node:fs/promises';
import { Fault } from '../../../core/plugin.js';
import type { SampleChange, Sex } from '../contract.js';

export interface Pedigree {
  family: string;
  /** By name, in the order of the file. */
  individuals: ReadonlyMap<string, SampleChange>;
}

/** Throws an `unprocessable` fault if the file cannot be read, is not a PED file or has several families. */
export async function readPed(path: string): Promise<Pedigree> {
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new Fault('unprocessable', `${path}: ${cause.code === 'ENOENT' ? 'no such file' : 'it cannot be read'}`, {
      cause,
    });
  });
  return parsePed(text, path);
}

const sexes: Readonly<Record<string, Sex>> = { 1: 'male', 2: 'female' };
const affections: Readonly<Record<string, boolean>> = { 1: false, 2: true };

/** Messages call the file `name`. */
export function parsePed(text: string, name: string): Pedigree {
  const individuals = new Map<string, SampleChange>();
  let family: string | undefined;
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const wrong = (what: string) => new Fault('unprocessable', `${name}, line ${i + 1}: ${what}`);
    const columns = line.trim().split(/\t/.test(line) ? /\s*\t\s*/ : /\s+/);
    const [own, individual, , , sex, phenotype] = columns;
    if (!own || !individual || sex === undefined || phenotype === undefined) {
      throw wrong('a line has six columns: family, individual, father, mother, sex and phenotype');
    }
    if (family !== undefined && own !== family) throw wrong('the file has more than one family');
    if (individuals.has(individual)) throw wrong('the individual is listed twice');
    family = own;
    individuals.set(individual, { sex: sexes[sex] ?? 'unknown', affected: affections[phenotype] });
  }
  if (family === undefined) throw new Fault('unprocessable', `${name}: the file lists no individual`);
  return { family, individuals };
}
