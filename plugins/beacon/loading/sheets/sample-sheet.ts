/** Sheets of samples: tab-separated text whose first line names the columns, PED files, or phenopackets. */
import { stat } from 'node:fs/promises';
import { Mistakes } from '../../../../core/commands.js';
import { Fault } from '../../../../core/plugin.js';
import { type FactField, factFields, readFacts, type StatedFacts } from '../../domain/facts.js';
import { largestFamily, type Pedigree } from '../relatedness.js';
import { packetFilesIn, readPhenopackets } from './phenopackets.js';
import { cellAt, readRows, readText, rowsOfText, type TextRow } from './text.js';

/** The columns of a sheet; only the first is required, in any order. */
export const sheetColumns = ['sample', ...factFields] as const;
type SampleSheetColumn = (typeof sheetColumns)[number];

/**
 * The facts that a sheet states of samples that are among `there`: a table, or one or several phenopackets (a JSON file, or a folder of
 * them). An empty cell says nothing. The sex may be a number or a word as in PED files. Throws an `unprocessable` fault that
 * names every mistake.
 */
export async function readSampleSheet(
  path: string,
  there: ReadonlySet<string>,
  warn: (sentence: string) => void,
): Promise<Map<string, StatedFacts>> {
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() === true;
  if (isFolder) return readPhenopackets(path, await packetFilesIn(path, warn), there, warn);
  if (/\.ya?ml(\.gz)?$/i.test(path)) {
    throw new Fault('unprocessable', `${path}: phenopackets are read as JSON, and this is YAML: convert it`);
  }
  const text = await readText(path);
  if (!/^\s*[[{]/.test(text)) return readTable(path, text, there);
  return readPhenopackets(path, [{ text: async () => text }], there, warn);
}

function readTable(path: string, text: string, there: ReadonlySet<string>): Map<string, StatedFacts> {
  const [header, ...rows] = rowsOfText(text);
  if (!header || rows.length === 0) {
    throw new Fault(
      'unprocessable',
      `${path}: expected a line with the names of the columns and a line for each sample`,
    );
  }
  const mistakes = new Mistakes(path);
  const columns = columnsOf(header, mistakes);
  mistakes.refuse();
  const lines = new Map<string, number>();
  const claimed = new Map<string, number>();
  const all = new Map<string, StatedFacts>();
  for (const row of rows) {
    const cells = row.text.split('\t').map((cell) => cell.trim());
    if (cells.length > columns.length) {
      mistakes.add(cellAt(row.line, String(cells.length)), `the header names only ${columns.length} columns`);
      continue;
    }
    const words: Partial<Record<SampleSheetColumn, string>> = {};
    for (const [i, column] of columns.entries()) if (cells[i]) words[column] = cells[i];
    const { sample = '', ...facts } = words;
    if (facts.sex !== undefined) facts.sex = sexWord(facts.sex);
    const earlier = lines.get(sample);
    if (sample === '') mistakes.add(cellAt(row.line, 'sample'), 'the sample has no name');
    else if (earlier !== undefined)
      mistakes.add(cellAt(row.line, 'sample'), `"${sample}" is already on line ${earlier}`);
    else if (!there.has(sample)) mistakes.add(cellAt(row.line, 'sample'), `"${sample}" is not in the dataset`);
    lines.set(sample, row.line);
    const read = readFacts(facts);
    if ('facts' in read) {
      all.set(sample, read.facts);
      const { coverageId } = read.facts;
      if (coverageId === undefined) continue;
      const other = claimed.get(coverageId);
      if (other === undefined) claimed.set(coverageId, row.line);
      // Almost always a slip; samples that do share their depth can be named one by one.
      else mistakes.add(cellAt(row.line, 'coverage_id'), `"${coverageId.slice(0, 40)}" is already on line ${other}`);
    } else for (const { field, reason } of read.wrong) mistakes.add(cellAt(row.line, field), reason);
  }
  mistakes.refuse();
  return all;
}

function columnsOf({ line, text }: TextRow, mistakes: Mistakes): SampleSheetColumn[] {
  const names = text.split('\t').map((name) => name.trim().toLowerCase());
  for (const [i, name] of names.entries()) {
    if (!isColumn(name))
      mistakes.add(cellAt(line, String(i + 1)), `"${name.slice(0, 40)}" is none of ${sheetColumns.join(', ')}`);
    else if (names.indexOf(name) < i) mistakes.add(cellAt(line, name), 'the column is there twice');
  }
  if (!names.includes('sample')) mistakes.add(cellAt(line, 'sample'), 'the column is missing');
  return names.filter(isColumn);
}

function isColumn(name: string): name is SampleSheetColumn {
  return name === 'sample' || factFields.includes(name as FactField);
}

// PED files: the family, parents, sex and affection of individuals.

/** What people write for a value that is not known. */
const unknownWords = ['', '0', '-9', '.', 'na', 'n/a', 'none', 'unknown'];
const unknowns = Object.fromEntries([...unknownWords, 'other'].map((word) => [word, 'unknown']));
const sexes: Readonly<Record<string, string>> = { ...unknowns, 1: 'male', m: 'male', 2: 'female', f: 'female' };
const affections: Readonly<Record<string, string>> = {
  ...unknowns,
  ...{ 1: 'no', unaffected: 'no', 2: 'yes', affected: 'yes' },
};

/** The word for a sex as people write it; any other text as it is. */
function sexWord(text: string): string {
  return sexes[text.toLowerCase()] ?? text;
}

export interface Ped {
  families: ReadonlySet<string>;
  /** The facts of each individual whose id is in one family only; the family, unless it is 0, is its case. */
  individuals: Map<string, StatedFacts>;
  /**
   * The facts of the individual that a sample is named after: by its id, or by family and id (`F1_2`), as PLINK names samples.
   * Undefined if there is none; throws an `unprocessable` fault if several families have this id.
   */
  factsOf(sample: string): StatedFacts | undefined;
  /** The same of each of these samples that has an individual. */
  factsOfAll(samples: Iterable<string>): Map<string, StatedFacts>;
  /** The parents of those that have any, all named in the way in which these samples are. */
  pedigree(samples: readonly string[]): Pedigree;
}

/** A line. Ids are unique within a family only. */
interface Individual {
  line: number;
  family: string;
  id: string;
  father: string | undefined;
  mother: string | undefined;
  facts: StatedFacts;
}

/**
 * The facts that a PED file states of each individual. Columns are separated by tabs or blanks; lines that begin
 * with `#`, and a first line that names the columns, are passed over; columns after the sixth are ignored. Throws an
 * `unprocessable` fault that names every mistake.
 */
export async function readPed(path: string): Promise<Ped> {
  const mistakes = new Mistakes(path);
  const all = new Map<string, Individual>();
  const couples = new Map<string, number>();
  const rows = (await readRows(path)).filter(({ text }) => !text.startsWith('#'));
  for (const row of rows) {
    const individual = readRow(row, mistakes, row === rows[0]);
    if (!individual) continue;
    const { line, family, id, father, mother } = individual;
    const key = keyOfIndividual(family, id);
    const earlier = all.get(key);
    if (earlier) mistakes.add(cellAt(line, '2'), `the individual "${id}" is already on line ${earlier.line}`);
    else all.set(key, individual);
    if (father === undefined || mother === undefined) continue;
    const couple = JSON.stringify([family, father, mother]);
    const count = (couples.get(couple) ?? 0) + 1;
    couples.set(couple, count);
    if (count === largestFamily + 1) {
      const what = `more than ${largestFamily} individuals have the parents "${father}" and "${mother}"`;
      mistakes.add(cellAt(line, '3'), what);
    }
  }
  mistakes.refuse();
  refuseCircles(all, mistakes);
  mistakes.refuse();
  if (all.size === 0) throw new Fault('unprocessable', `${path}: the file has no individual`);
  return pedOf(path, [...all.values()]);
}

function readRow({ line, text }: TextRow, mistakes: Mistakes, isFirst: boolean): Individual | undefined {
  const columns = text.includes('\t') ? text.split('\t').map((cell) => cell.trim()) : text.trim().split(/ +/);
  const [family = '', id = '', father = '', mother = '', sex = '', affected] = columns;
  if (affected === undefined) {
    const what = 'expected family, individual, father, mother, sex and phenotype, separated by tabs or blanks';
    mistakes.add(cellAt(line, String(columns.length)), what);
    return undefined;
  }
  if (isFirst && /^(sex|gender)$/i.test(sex)) return undefined;
  if (id === '') mistakes.add(cellAt(line, '2'), 'the individual has no id');
  // PLINK's family 0 means no family: its individuals do not form a case.
  const words = {
    ...(family !== '0' && { case_id: family }),
    sex: sexWord(sex.toLowerCase()),
    affected: affections[affected.toLowerCase()] ?? 'invalid',
  };
  const read = readFacts(words);
  if ('wrong' in read) {
    for (const { field, reason } of read.wrong) {
      const [column, wrong] = mistakeOf(field, reason, { sex, affected });
      mistakes.add(cellAt(line, column), wrong);
    }
  }
  for (const [column, parent] of [
    ['3', father],
    ['4', mother],
  ] as const) {
    if (parent === id && id !== '') mistakes.add(cellAt(line, column), `the individual "${id}" is its own parent`);
  }
  const named = (parent: string) => (unknownWords.includes(parent.toLowerCase()) ? undefined : parent);
  return { line, family, id, father: named(father), mother: named(mother), facts: 'facts' in read ? read.facts : {} };
}

/** No individual descends from itself: goes down from those without listed parents, and all must be reached. */
function refuseCircles(all: ReadonlyMap<string, Individual>, mistakes: Mistakes): void {
  const children = new Map<string, string[]>();
  const waiting = new Map<string, number>();
  for (const [key, { family, father, mother }] of all) {
    const parents = [father, mother].flatMap((id) => (id === undefined ? [] : [keyOfIndividual(family, id)]));
    const listed = parents.filter((parent) => all.has(parent));
    waiting.set(key, listed.length);
    for (const parent of listed) {
      const own = children.get(parent);
      if (own) own.push(key);
      else children.set(parent, [key]);
    }
  }
  const reached = [...waiting].filter(([, count]) => count === 0).map(([key]) => key);
  for (const key of reached) {
    waiting.delete(key);
    for (const child of children.get(key) ?? []) {
      const left = (waiting.get(child) ?? 0) - 1;
      waiting.set(child, left);
      if (left === 0) reached.push(child);
    }
  }
  const [first] = waiting.keys();
  const individual = first === undefined ? undefined : all.get(first);
  if (!individual) return;
  const what = `the individual "${individual.id}" is among its own ancestors, or one of these is`;
  mistakes.add(cellAt(individual.line, '2'), what);
}

function pedOf(path: string, all: readonly Individual[]): Ped {
  const families = new Map<string, Set<string>>();
  for (const { family, id, father, mother } of all) {
    for (const name of [id, father, mother]) {
      if (name !== undefined) families.set(name, (families.get(name) ?? new Set()).add(family));
    }
  }
  const isShared = (id: string) => (families.get(id)?.size ?? 0) > 1;
  // No sample has the name of a key.
  const ofFamily = (family: string, id: string) =>
    families.has(`${family}_${id}`) ? keyOfIndividual(family, id) : `${family}_${id}`;
  const individuals = new Map<string, StatedFacts>();
  const named = new Map<string, StatedFacts>();
  const lines = new Map<string, Individual[]>();
  for (const individual of all) {
    const { family, id, facts } = individual;
    const earlier = lines.get(id);
    if (!isShared(id)) individuals.set(id, facts);
    else if (earlier) earlier.push(individual);
    else lines.set(id, [individual]);
    named.set(ofFamily(family, id), facts);
  }
  const pedigree = (samples: readonly string[]) => {
    const isByFamily = samples.some((sample) => !individuals.has(sample) && named.has(sample));
    const nameOf = (family: string, id: string) => (isByFamily || isShared(id) ? ofFamily(family, id) : id);
    const children = all.filter(({ father, mother }) => father !== undefined || mother !== undefined);
    return new Map(
      children.map(({ family, id, father, mother }) => [
        nameOf(family, id),
        {
          family,
          ...(father !== undefined && { father: nameOf(family, father) }),
          ...(mother !== undefined && { mother: nameOf(family, mother) }),
        },
      ]),
    );
  };
  const factsOf = (sample: string) => {
    const known = individuals.get(sample) ?? named.get(sample);
    const [first, second] = lines.get(sample) ?? [];
    if (known || !first) return known;
    const where = second
      ? `on the lines ${first.line} and ${second.line}`
      : `on line ${first.line}, and a parent in another family`;
    throw new Fault(
      'unprocessable',
      `${path}: the individual "${sample}" is ${where}: give the individuals different ids, or call the sample ` +
        `"${first.family}_${sample}" as PLINK does`,
    );
  };
  const factsOfAll = (samples: Iterable<string>) => {
    const stated = [...samples].flatMap((sample): [string, StatedFacts][] => {
      const facts = factsOf(sample);
      return facts ? [[sample, facts]] : [];
    });
    return new Map(stated);
  };
  return { families: new Set(all.map(({ family }) => family)), individuals, factsOf, factsOfAll, pedigree };
}

function keyOfIndividual(family: string, id: string): string {
  return JSON.stringify([family, id]);
}

function mistakeOf(field: string, reason: string, row: { sex: string; affected: string }): [string, string] {
  if (field === 'sex') return ['5', `sex must be 1 (male), 2 (female) or 0 (unknown); got "${row.sex.slice(0, 40)}"`];
  if (field === 'case_id') return ['1', reason.replace('case_id', 'the family')];
  const got = row.affected.slice(0, 40);
  return ['6', `phenotype must be 1 (unaffected), 2 (affected), 0 or -9 (unknown); got "${got}"`];
}
