/** The samples of a form: a list as JSON or as the text that Python makes of it. */
import { z } from 'zod';
import type { Sex } from '../domain/sex.js';
import type { Texts } from '../texts/texts.js';
import { type Sent, valuesOf } from './fields.js';
import { LiteralError, parseLiteral } from './literal.js';

export interface FormSample {
  name: string;
  /** Its D4 file as named: nothing is known of it yet. */
  path: string;
  caseName?: string;
  /** Day of the analysis, `2023-04-23`. */
  analysed?: string;
  /** As declared. */
  sex?: Sex;
}

interface Context {
  longestName: number;
  texts: Texts;
  fault(path: string, message: string): void;
}

const longestPath = 4096;
const longestText = 2_000_000;

/** Scout and PED files write the sex in several ways. */
const sexes: ReadonlyMap<string, Sex> = new Map<string, Sex>([
  ['female', 'female'],
  ['f', 'female'],
  ['2', 'female'],
  ['male', 'male'],
  ['m', 'male'],
  ['1', 'male'],
  ['unknown', 'unknown'],
  ['other', 'unknown'],
  ['0', 'unknown'],
]);

const absent = z
  .union([z.null(), z.literal(''), z.literal('None')])
  .transform(() => undefined)
  .optional();

function sampleSchema({ longestName, texts }: Context) {
  const short = (most: number) =>
    z.string(texts.form.noText).trim().min(1, texts.form.missing).max(most, texts.form.tooLong(most));
  return z.object({
    name: z.union([z.number().transform(String), short(longestName)]),
    coverage_file_path: short(longestPath),
    case_name: z.union([absent, short(longestName)]),
    analysis_date: z.union([
      absent,
      z
        .string()
        .refine(isDate, texts.form.noDate)
        .transform((text) => text.slice(0, 10)),
    ]),
    sex: z.union([
      absent,
      z
        .union([z.string(), z.number()])
        .transform((value) => sexes.get(String(value).trim().toLowerCase()))
        .refine((sex) => sex !== undefined, texts.form.noSex),
    ]),
  });
}

function isDate(text: string): boolean {
  const day = /^\d{4}-\d\d-\d\d/.exec(text)?.[0] ?? '';
  const time = Date.parse(day);
  // The thirtieth of February parses, as another day.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

export function samplesOf(sent: Sent, most: number, context: Context): FormSample[] {
  const { texts, fault } = context;
  const parts = valuesOf(sent, 'samples').filter((value) => value.trim() !== '');
  const list: unknown[] = [];
  for (const part of parts) {
    const value = read(part, context);
    if (value === undefined) return [];
    // One by one: `push(...value)` would make each an argument, and `concat` copies all before for each part.
    for (const one of Array.isArray(value) ? value : [value]) list.push(one);
  }
  if (list.length === 0) fault('samples', texts.form.noSamples);
  if (list.length > most) fault('samples', texts.form.tooMany(most));
  const schema = sampleSchema(context);
  const names = new Set<string>();
  return list.slice(0, most).flatMap((one, i): FormSample[] => {
    const result = schema.safeParse(one);
    if (!result.success) {
      for (const { path, message } of result.error.issues.slice(0, 5)) {
        const sentence = path.length === 0 ? texts.form.noSample : message;
        fault(
          ['samples', i, ...path].join('.'),
          `${[nameIn(one) ?? texts.form.sampleAt(i + 1), ...path].join(', ')}: ${sentence}`,
        );
      }
      return [];
    }
    const { name, coverage_file_path: path, case_name: caseName, analysis_date: analysed, sex } = result.data;
    if (names.has(name)) fault(`samples.${i}.name`, texts.form.sameName(name));
    names.add(name);
    return [
      {
        ...{ name, path },
        ...(caseName === undefined ? {} : { caseName }),
        ...(analysed === undefined ? {} : { analysed }),
        ...(sex === undefined ? {} : { sex }),
      },
    ];
  });
}

/** What a sample is called, where the rest of it cannot be read. */
function nameIn(one: unknown): string | undefined {
  const { name } = (one ?? {}) as { name?: unknown };
  return typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, 100) : undefined;
}

/** Undefined where the text is neither; the fault is told. */
function read(text: string, { texts, fault }: Context): unknown {
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
