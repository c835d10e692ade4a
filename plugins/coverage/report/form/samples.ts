/** The samples of a form: as rows, and as a list in JSON or a Python literal. */
import { z } from 'zod';
import type { FileFields } from '../../measure/measure.js';
import { sexNamed } from '../../measure/sex.js';
import type { FindSamples, NamedSample } from '../../samples/find.js';
import type { Texts } from '../../texts/texts.js';
import {
  type FormFields,
  type FormSample,
  isBlankRow,
  listedSample,
  longestName,
  type RowField,
  rowField,
  rowsFor,
  type SampleRow,
  sampleRowsOf,
  valuesOfField,
} from './fields.js';
import { LiteralError, parseLiteral } from './literal.js';

interface SampleFieldsContext {
  texts: Texts;
  /** The registered samples among those that the form names, by id. */
  known?: ReadonlyMap<string, NamedSample> | undefined;
  fault(path: string, message: string): void;
}

const longestPath = 4096;
const longestText = 2_000_000;

/** No value in JSON, in a form, and in Python's text of either. */
const absences: readonly unknown[] = [null, '', 'None'];

function sampleSchema({ texts }: SampleFieldsContext) {
  const { missing, noText, tooLong, noDate, noSex, noQuality } = texts.form;
  const orAbsent = <Schema extends z.ZodType>(schema: Schema) =>
    z.preprocess((value) => (absences.includes(value) ? undefined : value), schema.optional());
  const short = (most: number) =>
    z
      .string({ error: ({ input }) => (input === undefined ? missing : noText) })
      .trim()
      .min(1, missing)
      .max(most, tooLong(most));
  return z.object({
    name: z.preprocess((value) => (typeof value === 'number' ? String(value) : value), short(longestName)),
    coverage_file_path: short(longestPath),
    unique_file_path: orAbsent(short(longestPath)),
    unique_mapping_quality: orAbsent(z.coerce.number(noQuality).int(noQuality).min(1, noQuality).max(255, noQuality)),
    case_name: orAbsent(short(longestName)),
    analysis_date: orAbsent(
      z
        .string(noDate)
        .transform((text) => text.slice(0, 10))
        .pipe(z.iso.date(noDate)),
    ),
    sex: orAbsent(
      z
        .union([z.string(), z.number()], noSex)
        .transform((value) => sexNamed(String(value)))
        .refine((sex) => sex !== undefined, noSex),
    ),
  });
}

/** The rows first, then the list. Blank rows are ignored. */
export function samplesOfForm(sent: FormFields, most: number, context: SampleFieldsContext): FormSample[] {
  const { texts, fault } = context;
  const rows = sampleRowsOf(sent).filter((row) => !isBlankRow(row));
  const list: unknown[] = [];
  let isRead = true;
  for (const part of valuesOfField(sent, 'samples').filter((value) => value.trim() !== '')) {
    const value = readList(part, context);
    isRead &&= value !== undefined;
    // One by one: `push(...value)` would make each an argument, and `concat` copies all before for each part.
    for (const one of Array.isArray(value) ? value : [value]) list.push(one);
  }
  if (!isRead) return [];
  if (rows.length + list.length === 0) fault('samples', texts.form.noSamples);
  if (rows.length + list.length > most) fault('samples', texts.form.tooMany(most));
  const schema = sampleSchema(context);
  const names = new Set<string>();
  const sampleOf = (given: unknown, report: Reporter): FormSample[] => {
    const id = idIn(given);
    if (id !== undefined && hasUniqueFile(given)) report.wrong(['unique_file_path'], texts.form.idAndUnique);
    const named = id === undefined ? undefined : context.known?.get(id);
    if (id !== undefined && named === undefined) {
      report.wrong(['sample_id'], texts.form.notRegistered);
      return [];
    }
    const one = named === undefined ? given : filledIn(given as object, named);
    const result = schema.safeParse(one);
    if (!result.success) {
      for (const { path, message } of result.error.issues.slice(0, 5)) report.wrong(path, message);
      return [];
    }
    const { name, coverage_file_path: path, case_name: caseName, analysis_date: analysed, sex } = result.data;
    const { unique_file_path: uniquePath, unique_mapping_quality: quality } = result.data;
    const second = uniquePath === undefined ? undefined : { path: uniquePath, quality, fields: report.files };
    if (quality !== undefined && second === undefined) report.wrong(['unique_mapping_quality'], texts.form.noUnique);
    const unique = named === undefined ? second : named.unique && { ...named.unique, fields: report.files };
    if (names.has(name)) report.taken(name);
    names.add(name);
    return [
      {
        name,
        path,
        ...(caseName === undefined ? {} : { caseName }),
        ...(analysed === undefined ? {} : { analysed }),
        ...(sex === undefined ? {} : { sex }),
        ...(named === undefined ? {} : { registration: named.registration }),
        ...(named?.track === undefined ? {} : { track: named.track }),
        ...(unique === undefined ? {} : { unique }),
      },
    ];
  };
  return [
    ...rows.slice(0, most).flatMap((row) => {
      if (row.id !== '' && row.file !== '') fault(rowField('id', row.place), texts.form.idAndFile);
      return sampleOf(listedSample(row), faultsOfRow(row, context));
    }),
    ...list
      .slice(0, Math.max(0, most - rows.length))
      .flatMap((one, i) => sampleOf(one, faultsOfListed(one, i, context))),
  ];
}

/** The id of a registered sample in an entry, unless it names a file. */
function idIn(entry: unknown): string | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  const { sample_id, coverage_file_path } = entry as Record<string, unknown>;
  const hasFile = coverage_file_path !== undefined && !absences.includes(coverage_file_path);
  if (hasFile || sample_id === undefined || absences.includes(sample_id)) return undefined;
  return String(sample_id).trim();
}

function hasUniqueFile(entry: unknown): boolean {
  const { unique_file_path: path } = entry as Record<string, unknown>;
  return path !== undefined && !absences.includes(path);
}

/** The entry with what the registration states, where the entry itself says nothing. */
function filledIn(entry: object, { registration, path, sex, case: caseName, analysed }: NamedSample): object {
  const given = Object.fromEntries(
    Object.entries(entry).filter(([, value]) => value !== undefined && !absences.includes(value)),
  );
  const declared = sex === 'unknown' ? {} : { sex };
  const stated = { name: registration.id, ...declared, case_name: caseName, analysis_date: analysed };
  return { ...stated, ...given, coverage_file_path: path };
}

/** The registered samples that a form names, by id; forms with files alone are not read twice. */
export async function namedIn(
  sent: FormFields,
  most: number,
  texts: Texts,
  find: FindSamples,
): ReturnType<FindSamples> {
  const lists = valuesOfField(sent, 'samples').filter((text) => text.includes('sample_id'));
  const listed = lists.flatMap((text) => readList(text, { texts, fault: () => undefined }) ?? []);
  const rows = sampleRowsOf(sent).map(listedSample);
  const ids = [...rows, ...listed].flatMap((one) => idIn(one) ?? []).filter((id) => id.length <= longestName);
  return find([...new Set(ids)].slice(0, most));
}

/** Reports the faults of one sample. */
interface Reporter {
  /** The fields of both files, or that of the id. */
  files: FileFields;
  wrong(path: readonly PropertyKey[], message: string): void;
  taken(name: string): void;
}

const rowFieldOfKey: Readonly<Record<string, RowField>> = {
  sample_id: 'id',
  coverage_file_path: 'file',
  unique_file_path: 'unique',
  unique_mapping_quality: 'quality',
  sex: 'sex',
  case_name: 'group',
  analysis_date: 'date',
};

function faultsOfRow({ place, id }: SampleRow, { texts, fault }: SampleFieldsContext): Reporter {
  return {
    files: id === '' ? [rowField('file', place), rowField('unique', place)] : [rowField('id', place)],
    wrong: ([key], message) => fault(rowField(rowFieldOfKey[String(key)] ?? 'name', place), message),
    taken: (name) => fault(rowField('name', place), texts.form.nameTaken(name)),
  };
}

function faultsOfListed(one: unknown, i: number, { texts, fault }: SampleFieldsContext): Reporter {
  const place = `samples.${i}`;
  return {
    files:
      idIn(one) === undefined ? [`${place}.coverage_file_path`, `${place}.unique_file_path`] : [`${place}.sample_id`],
    wrong(path, message) {
      const sentence = path.length === 0 ? texts.form.noSample : message;
      const named = [nameIn(one) ?? texts.form.sampleAt(i + 1), ...path].join(', ');
      fault(['samples', i, ...path].join('.'), `${named}: ${sentence}`);
    },
    taken: (name) => fault(`samples.${i}.name`, texts.form.sameName(name)),
  };
}

/** The same fields with the list as further rows; unchanged if the list is invalid, too long or does not fit rows. */
export function listAsRows(
  sent: FormFields,
  most: number,
  texts: Texts,
  known?: SampleFieldsContext['known'],
): FormFields {
  const lists = valuesOfField(sent, 'samples');
  if (lists.every((text) => text.trim() === '')) return sent;
  const rows = sampleRowsOf(sent);
  let isSound = true;
  const fault = () => {
    isSound = false;
  };
  const samples = samplesOfForm({ samples: lists }, most - rows.length, { texts, fault, known });
  const fields = isSound ? rowsFor(samples, (rows.at(-1)?.place ?? 0) + 1) : undefined;
  return fields === undefined ? sent : { ...sent, samples: '', ...fields };
}

/** The name of a sample that is otherwise invalid, for its message. */
function nameIn(one: unknown): string | undefined {
  const { name } = (one ?? {}) as { name?: unknown };
  return typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, 100) : undefined;
}

/** Parses the list. Reports a fault and returns undefined if the text is neither JSON nor a Python literal. */
function readList(text: string, { texts, fault }: SampleFieldsContext): unknown {
  if (text.length > longestText) {
    fault('samples', texts.form.tooLong(longestText));
    return undefined;
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  try {
    return parseLiteral(text);
  } catch (error) {
    if (!(error instanceof LiteralError)) throw error;
    fault('samples', texts.form.noList(error.position, error.message));
    return undefined;
  }
}
