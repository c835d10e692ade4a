/**
 * Facts about samples as operators and clients write them, under the same names in commands, sheets and JSON; which of them
 * apply to which sample of a load.
 */
import { z } from 'zod';
import { Fault, isIntact } from '../../../core/plugin.js';
import { type OntologyTerm, readTerms, type SampleChange, type SampleLabel, sampleLabels, sexes } from './sample.js';

const most = 200;

const word = (what: string) =>
  z
    .string({ error: `${what} must be text` })
    .trim()
    .max(most, `${what} must have no more than ${most} characters`)
    .regex(/^\P{Cc}*$/u, `${what} must be one line without control characters`)
    .refine(isIntact, `${what} has bytes that are not UTF-8`);

/** Terms in one text. */
const terms = (what: string) =>
  z.string({ error: `${what} must be text` }).superRefine((text, context) => {
    const read = readTerms(text.trim());
    if ('wrong' in read) context.addIssue({ code: 'custom', message: `${what}: ${read.wrong}` });
  });

const day = (what: string) =>
  z
    .string({ error: `${what} must be text` })
    .trim()
    .refine(isDay, { error: ({ input }) => `${what} must be a date such as 2026-01-31; got ${quotedValue(input)}` });

/** Empty for none. */
export function isDay(text: string): boolean {
  return text === '' || z.iso.date().safeParse(text).success;
}

/** Each field as text; an omitted one says nothing. */
export const factWords = {
  case_id: word('case_id')
    .min(1, 'case_id must not be empty')
    .describe('The case (family) that the sample belongs to.'),
  sex: z
    .enum(sexes, { error: ({ input }) => `sex must be male, female or unknown; got ${quotedValue(input)}` })
    .describe('The sex of the person.'),
  affected: z
    .enum(['yes', 'no', 'unknown'], {
      error: ({ input }) => `affected must be yes, no or unknown; got ${quotedValue(input)}`,
    })
    .describe('Whether the person has the disease of the case.'),
  assay: word('assay').describe('The assay, such as WGS; empty for none.'),
  run: word('run').describe('The sequencing run; empty for none.'),
  kit: word('kit').describe('The capture kit; empty for none.'),
  pipeline: word('pipeline').describe('The pipeline and its version; empty for none.'),
  coverage_id: word('coverage_id')
    .min(1, 'coverage_id must not be empty')
    .describe('The registered sample that knows the depth of this one, if its id is another.'),
  phenotypes: terms('phenotypes').describe(
    'Phenotypes that the person has: HP:0001250=Seizure; HP:0001263. A label with a comma or semicolon is in double quotes. Empty for none known.',
  ),
  diseases: terms('diseases').describe('Diseases that the person has, written as phenotypes.'),
  run_date: day('run_date').describe('The day of the sequencing run; empty if unknown.'),
  analysis_date: day('analysis_date').describe('The day of the analysis; empty if unknown.'),
};

export const factFields = Object.keys(factWords) as readonly FactField[];
export type FactField = keyof typeof factWords;
export type FactWords = Partial<Record<FactField, string>>;

function quotedValue(value: unknown): string {
  return typeof value === 'string' ? `"${value.slice(0, 40)}"` : typeof value;
}

/** A change of facts; `labels` has those to set, or to remove if empty, and leaves the others. */
export type StatedFacts = Omit<SampleChange, 'labels'> & { labels?: Partial<Record<SampleLabel, string>> };

const schema = z.object(factWords).partial();

/** The words as facts, or what is wrong with each field. */
export function readFacts(
  words: FactWords,
): { facts: StatedFacts } | { wrong: { field: FactField; reason: string }[] } {
  const result = schema.safeParse(words);
  if (!result.success) {
    return {
      wrong: result.error.issues.map(({ path, message }) => ({ field: path[0] as FactField, reason: message })),
    };
  }
  const { case_id, sex, affected, coverage_id, phenotypes, diseases, ...labels } = result.data;
  return {
    facts: {
      ...(case_id !== undefined && { case: case_id }),
      ...(sex !== undefined && { sex }),
      ...(affected !== undefined && { affected: affected === 'unknown' ? undefined : affected === 'yes' }),
      ...(coverage_id !== undefined && { coverageId: coverage_id }),
      ...(phenotypes !== undefined && { phenotypes: termsInText(phenotypes) }),
      ...(diseases !== undefined && { diseases: termsInText(diseases) }),
      ...(Object.keys(labels).length > 0 && { labels }),
    },
  };
}

function termsInText(text: string): OntologyTerm[] {
  const read = readTerms(text.trim());
  return 'terms' in read ? read.terms : [];
}

/** The change that sets the stated facts of a sample whose labels are known, and leaves its other labels. */
export function changeOfFacts({ labels, ...facts }: StatedFacts, known: SampleChange['labels'] = {}): SampleChange {
  if (!labels) return facts;
  const kept = sampleLabels.flatMap((label) => {
    const text = labels[label] ?? known[label];
    return text ? [[label, text] as const] : [];
  });
  return { ...facts, labels: Object.fromEntries(kept) };
}

// Which facts a load gives to which of its samples.

/** Facts that a caller states of all samples of a load. Throws an `unprocessable` fault if they can be those of one only. */
export function statedOfAll(stated: StatedFacts, samples: readonly string[]): Map<string, StatedFacts> {
  const { sex, coverageId, phenotypes, diseases } = stated;
  const personal = 'affected' in stated || [sex, coverageId, phenotypes, diseases].some((fact) => fact !== undefined);
  if (personal && samples.length > 1) {
    throw new Fault(
      'unprocessable',
      `sex, affected, coverage_id, phenotypes and diseases describe one sample, and the load has ${samples.length}: state them for each sample`,
    );
  }
  return new Map(samples.map((sample) => [sample, stated]));
}

/** The facts of several sources, by sample; those of `more` win. */
export function mergedFacts(
  facts: ReadonlyMap<string, StatedFacts>,
  more: ReadonlyMap<string, StatedFacts>,
): Map<string, StatedFacts> {
  const all = new Map(facts);
  for (const [sample, stated] of more) {
    const known = all.get(sample);
    const labels = known?.labels || stated.labels ? { labels: { ...known?.labels, ...stated.labels } } : {};
    all.set(sample, { ...known, ...stated, ...labels });
  }
  return all;
}
