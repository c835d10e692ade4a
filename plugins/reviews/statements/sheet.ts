/** Sheets of statements: text separated by tabs or commas whose first line names the columns. A statement is a line. */
import { z } from 'zod';
import { Fault, Mistakes, type SheetRow, sheetRows } from '../../../core/commands.js';
import { wording } from '../../../core/plugin.js';
import { type StatementFields, statementBody } from './body.js';

/** Each column, and what it says; the field of a statement that is read from it has the name that follows. */
const columns = {
  case: 'case',
  owner: 'owner',
  replaces: 'replaces',
  report: 'report',
  proband: 'persons',
  sex: 'persons',
  mother: 'persons',
  father: 'persons',
  relatives: 'persons',
  affected: 'persons',
  build: 'build',
  panel: 'panel',
  by_phenotype: 'panel',
  thresholds: 'thresholds',
  releases: 'releases',
  terms: 'terms',
  patient: 'patient',
  conclusion: 'conclusion',
  alleles: 'alleles',
  reviewer: 'reviewer',
  decided: 'decided',
  keep_until: 'keepUntil',
  recontact: 'recontact',
} as const;
type StatementColumn = keyof typeof columns;
export const sheetColumns = Object.keys(columns) as readonly StatementColumn[];

const required: readonly StatementColumn[] = ['case', 'conclusion', 'reviewer', 'decided'];

/** A statement with the place where it was read: `line 3`. */
export interface SheetStatement {
  place: string;
  fields: StatementFields;
}

type StatementCells = SheetRow<StatementColumn>['cells'];

/** Of a cell with several values: they are separated by blanks or semicolons. */
const wordsOf = (cell: string | undefined) => (cell ?? '').split(/[\s;]+/).filter(Boolean);
/** The same, for values of several words. */
const partsOf = (cell: string | undefined) =>
  (cell ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter(Boolean);

/** Throws an `unprocessable` fault that names every mistake by line and column. */
export function readStatements(name: string, lines: readonly string[]): SheetStatement[] {
  const mistakes = new Mistakes(name);
  const first = lines.find((line) => line.trim() !== '');
  if (first === undefined) throw new Fault('unprocessable', `${name} is empty; expected a line with the columns`);
  const separator = first.includes('\t') ? '\t' : ',';
  const rows = sheetRows(lines, { columns: sheetColumns, required }, (line) => cellsOf(line, separator), mistakes);
  const statements: SheetStatement[] = [];
  const places = new Map<string, string>();
  for (const { place, cells } of rows) {
    const stated = fieldsOf(cells);
    const read = statementBody.safeParse(stated, { error: wording });
    if (!read.success) {
      for (const { path, message } of read.error.issues)
        mistakes.add(`${place}, ${columnOf(path.join('.'), stated)}`, message);
      continue;
    }
    const key = JSON.stringify([read.data.owner, read.data.case]);
    const earlier = places.get(key);
    if (earlier !== undefined) mistakes.add(`${place}, case`, `is already in ${earlier}`);
    places.set(key, place);
    statements.push({ place, fields: read.data });
  }
  mistakes.refuse();
  if (statements.length === 0) throw new Fault('unprocessable', `${name}: there is no statement below its header`);
  return statements;
}

/** The column that says a field of a statement, by its path: `persons.1.sample`. */
export function columnOf(
  path: string,
  { persons = [] }: { persons?: readonly { role: string }[] | undefined },
): string {
  const [field = '', place] = path.split('.');
  const column = sheetColumns.find((one) => columns[one] === field) ?? field;
  if (place === undefined || !/^\d+$/.test(place)) return column;
  const role = field === 'persons' ? persons[Number(place)]?.role : undefined;
  if (role !== undefined) return role === 'relative' ? 'relatives' : role;
  return `${column}, value ${Number(place) + 1}`;
}

/** As JSON has it: what is not stated is left out, and what cannot be read is left to the schema. */
function fieldsOf(cells: StatementCells): { persons?: readonly { role: string }[]; [field: string]: unknown } {
  const { case: name, owner, report, build, patient, conclusion, reviewer, decided } = cells;
  const [panel = '', version = ''] = (cells.panel ?? '').split(/@(.*)/s);
  const numbers = (cell: string | undefined) => wordsOf(cell).map(Number);
  const persons = personsOf(cells);
  return {
    ...defined({ case: name, owner, report, build, patient, conclusion, reviewer, decided }),
    ...defined({ keepUntil: cells.keep_until, recontact: cells.recontact }),
    ...(cells.replaces !== undefined && { replaces: Number(cells.replaces) }),
    ...(persons.length > 0 && { persons }),
    ...(cells.panel !== undefined && {
      panel: { panel, version, ...(isYes(cells.by_phenotype) && { byPhenotype: true }) },
    }),
    ...(cells.thresholds !== undefined && { thresholds: numbers(cells.thresholds) }),
    releases: Object.fromEntries(partsOf(cells.releases).map((part) => part.split(/=(.*)/s).slice(0, 2))),
    terms: wordsOf(cells.terms),
    alleles: partsOf(cells.alleles).map(alleleOf),
  };
}

function personsOf({
  proband,
  sex = 'unknown',
  mother,
  father,
  relatives,
  affected,
}: StatementCells): { role: string }[] {
  const ill = new Set(wordsOf(affected));
  const one = (role: string, sex: string) => (sample: string) => ({ role, sample, sex, isAffected: ill.has(sample) });
  return [
    ...(proband === undefined ? [] : [{ ...one('proband', sex)(proband), isAffected: true }]),
    ...(mother === undefined ? [] : [one('mother', 'female')(mother)]),
    ...(father === undefined ? [] : [one('father', 'male')(father)]),
    ...wordsOf(relatives).map(one('relative', 'unknown')),
  ];
}

/** `7-101-A-T heterozygous likely pathogenic basis`: the place as `alleleKey` has it, one-based, and words in any order. */
export function alleleOf(text: string): { zygosity?: string; class?: string } {
  const [place = '', ...words] = text.split(/\s+/);
  const [chromosome = '', start = '', reference = '', alternate = ''] = place.split('-');
  const rest = words.filter((word) => word !== 'basis');
  const zygosity = rest.find((word) => word.endsWith('zygous'));
  const given = rest.filter((word) => word !== zygosity).join(' ');
  return {
    ...{ chromosome, start: Number(start) - 1, reference, alternate, isBasis: words.includes('basis') },
    ...(zygosity !== undefined && { zygosity }),
    ...(given !== '' && { class: given }),
  };
}

const isYes = (cell: string | undefined) => cell !== undefined && z.stringbool().safeParse(cell).data === true;

function defined(values: Readonly<Record<string, string | undefined>>): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** The cells of a line, of which some may stand in quotes (RFC 4180). */
function cellsOf(line: string, separator: string): string[] {
  const text = line.replace(/\r$/, '');
  const cell =
    separator === '\t'
      ? /(?:^|\t)(?:"((?:[^"]|"")*)"(?=\t|$)|([^\t]*))/g
      : /(?:^|,)(?:"((?:[^"]|"")*)"(?=,|$)|([^,]*))/g;
  return [...text.matchAll(cell)].map(([, quoted, plain = '']) => (quoted?.replaceAll('""', '"') ?? plain).trim());
}
