/** PED files: the family, parents, sex and affection of individuals. */
import { Mistakes } from '../../../core/commands.js';
import { Fault } from '../../../core/plugin.js';
import { readFacts, type StatedFacts } from '../domain/facts.js';
import { largestFamily, type Pedigree } from '../domain/relatedness.js';
import { cellAt, readRows } from './rows.js';

const sexes: Readonly<Record<string, string>> = { 1: 'male', 2: 'female', 0: 'unknown', '-9': 'unknown' };
const affections: Readonly<Record<string, string>> = { 1: 'no', 2: 'yes', 0: 'unknown', '-9': 'unknown' };

export interface Ped {
  /** The facts of each individual: the family is its case. */
  individuals: Map<string, StatedFacts>;
  /** The parents of those that have any. */
  pedigree: Pedigree;
}

/**
 * What a PED file says of each individual. Columns are separated by tabs or blanks; lines that begin
 * with `#` are comments; columns after the sixth are ignored. Throws an `unprocessable` fault that names every mistake.
 */
export async function readPed(path: string): Promise<Ped> {
  const mistakes = new Mistakes(path);
  const lines = new Map<string, number>();
  const individuals = new Map<string, StatedFacts>();
  const pedigree = new Map<string, { family: string; father?: string; mother?: string }>();
  const children = new Map<string, number>();
  for (const { line, text } of await readRows(path)) {
    if (text.startsWith('#')) continue;
    const columns = text.includes('\t') ? text.split('\t').map((cell) => cell.trim()) : text.trim().split(/ +/);
    const [family = '', name = '', father = '', mother = '', sex = '', affected] = columns;
    if (affected === undefined) {
      mistakes.add(
        cellAt(line, String(columns.length)),
        'expected family, individual, father, mother, sex and phenotype, separated by tabs or blanks',
      );
      continue;
    }
    const earlier = lines.get(name);
    if (name === '') mistakes.add(cellAt(line, '2'), 'the individual has no id');
    else if (earlier !== undefined)
      mistakes.add(cellAt(line, '2'), `the individual "${name}" is already on line ${earlier}`);
    lines.set(name, line);
    const words = {
      case_id: family,
      sex: sexes[sex] ?? sex.toLowerCase(),
      affected: affections[affected] ?? 'invalid',
    };
    const read = readFacts(words);
    if ('facts' in read) {
      individuals.set(name, read.facts);
      const parents = { family, ...(isNamed(father) && { father }), ...(isNamed(mother) && { mother }) };
      for (const [column, parent] of [
        ['3', father],
        ['4', mother],
      ] as const) {
        if (parent === name) mistakes.add(cellAt(line, column), `the individual "${name}" is its own parent`);
      }
      if (isNamed(father) || isNamed(mother)) pedigree.set(name, parents);
      const couple = JSON.stringify(parents);
      const count = (children.get(couple) ?? 0) + 1;
      children.set(couple, count);
      if (isNamed(father) && isNamed(mother) && count === largestFamily + 1) {
        mistakes.add(
          cellAt(line, '3'),
          `more than ${largestFamily} individuals have the parents "${father}" and "${mother}"`,
        );
      }
    } else {
      for (const { field, reason } of read.wrong) {
        const [column, wrong] = mistakeOf(field, reason, { sex, affected });
        mistakes.add(cellAt(line, column), wrong);
      }
    }
  }
  mistakes.refuse();
  if (individuals.size === 0) throw new Fault('unprocessable', `${path}: the file has no individual`);
  return { individuals, pedigree };
}

/** What people write for a parent that is not known: PLINK 0 or -9, others a full stop or NA. */
function isNamed(parent: string): boolean {
  return !/^(|0|-9|\.|n\/?a|none|unknown)$/i.test(parent);
}

function mistakeOf(field: string, reason: string, row: { sex: string; affected: string }): [string, string] {
  if (field === 'sex') return ['5', `sex must be 1 (male), 2 (female) or 0 (unknown); got "${row.sex.slice(0, 40)}"`];
  if (field === 'case_id') return ['1', reason.replace('case_id', 'the family')];
  const got = row.affected.slice(0, 40);
  return ['6', `phenotype must be 1 (unaffected), 2 (affected), 0 or -9 (unknown); got "${got}"`];
}
