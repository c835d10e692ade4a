/**
 * The fields of the description of a dataset, declared once: what is valid, the options of commands, the members of requests
 * that no contract prescribes, and the labels under which they are shown.
 */
import { z } from 'zod';
import type { CommandOption, FieldValues, OptionsByField } from '../../../core/commands.js';
import { assemblyNamed } from '../../../core/genome.js';

export const accessTypes = ['PUBLIC', 'REGISTERED', 'CONTROLLED'] as const;
export type AccessType = (typeof accessTypes)[number];

/** Text for one line of a table or a page, without control characters. */
const line = (empty: string, most: number) =>
  z
    .string()
    .trim()
    .min(1, empty)
    .max(most, `${empty.split(' must ')[0]} must have no more than ${most} characters`)
    .regex(/^\P{Cc}*$/u, `${empty.split(' must ')[0]} must be one line without control characters`);

export const describedFields = z.object({
  id: z
    .string()
    .regex(/^[A-Za-z0-9_.:-]{1,128}$/, 'Invalid dataset ID. It is made of letters, digits and the signs _ - . : only'),
  name: line('Dataset name must be a non-empty string', 200),
  assembly: z.string().transform((text, context) => {
    const assembly = assemblyNamed(text);
    if (assembly) return assembly;
    context.addIssue(`Dataset genome build '${text}' is not valid. Accepted values are 'GRCh37' or 'GRCh38'`);
    return z.NEVER;
  }),
  access: z
    .string()
    .toUpperCase()
    .pipe(
      z.enum(accessTypes, "Dataset authlevel is not valid. Accepted values are 'public', 'registered' or 'controlled'"),
    ),
  version: z
    .string()
    .regex(/^v?\d+(\.\d+)?$/i, 'Dataset version must be a number, such as 1.0')
    .transform((text) => Number(text.replace(/^v/i, '')))
    .refine((version) => version <= Number.MAX_SAFE_INTEGER, 'Dataset version must be a number, such as 1.0'),
  description: line('Dataset description must be a non-empty string', 10_000),
  externalUrl: z.url({ protocol: /^https?$/, error: 'Dataset url must be an http(s) address' }),
});

export const newDataset = describedFields.partial({ description: true, externalUrl: true }).extend({
  assembly: describedFields.shape.assembly.prefault('GRCh37'),
  version: describedFields.shape.version.prefault('1.0'),
});

/** The description of a dataset, which its operator gives. */
export interface DatasetDescription extends z.output<typeof newDataset> {
  /** Set for a dataset that serves as a record of local observations. */
  counting?: CountingRules;
}

/** A description as its operator writes it; `1.0` and `v1.0` are both version 1. */
export interface DatasetWords extends z.input<typeof newDataset> {
  counting?: CountingWords | undefined;
}

/** In the order in which they are shown. */
export const datasetLabels = {
  id: 'Id',
  name: 'Name',
  description: 'Description',
  externalUrl: 'URL',
  assembly: 'Build',
  access: 'Access',
  version: 'Version',
} as const satisfies Record<keyof typeof describedFields.shape, string>;

/** What is stated of a dataset, without its totals and dates. */
export function descriptionOf(dataset: DatasetDescription): DatasetDescription {
  const isStated = ([field, value]: [string, unknown]) =>
    value !== undefined && (field === 'counting' || Object.hasOwn(datasetLabels, field));
  return Object.fromEntries(Object.entries(dataset).filter(isStated)) as DatasetDescription;
}

const access = { choices: ['public', 'registered', 'controlled'], ignoreCase: true } as const;
const build = { choices: ['GRCh37', 'GRCh38'], ignoreCase: true } as const;

/** The option of a command that states each field, in the order of the help. */
export const describingOptions = {
  id: { flags: '--did <id>', description: 'id of the dataset', required: true },
  name: { flags: '--name <name>', description: 'display name' },
  access: { flags: '--authlevel <level>', description: 'who may query it', ...access },
  assembly: { flags: '--build <assembly>', description: 'genome build, only of a dataset without samples', ...build },
  description: { flags: '--desc <text>', description: 'description' },
  version: { flags: '--version <number>', description: 'version, such as 1.0' },
  externalUrl: { flags: '--url <url>', description: 'address of a page about the dataset' },
} as const satisfies Record<keyof typeof describedFields.shape, CommandOption>;

// Counting rules.

/** Which genotypes a dataset counts, and which structural variants count as one. */
export interface CountingRules {
  /** Genotypes with a lower GQ, or none, are not loaded; all are if omitted. */
  quality?: number;
  /** Only records whose FILTER is PASS are loaded. */
  passOnly: boolean;
  /** The largest window of `isSimilar`, in bases. */
  window: number;
  /** Reads from which on a base of a sample counts as covered; `defaultThreshold` if omitted. */
  threshold?: number;
  /** Observations do not count calls of MT with a lower allele fraction, in percent; those of unknown fraction, and all if omitted, they do. */
  minimumHeteroplasmy?: number;
}

/** The option that states each rule. */
export const countingOptions = {
  observations: {
    flags: '--observations',
    description:
      'the dataset is a record of local observations: how often, in whom and out of how many an allele was seen',
  },
  gq: {
    flags: '--gq <number>',
    description: 'with --observations: load only genotypes with at least this GQ, or none for any (default: 20)',
  },
  pass: { flags: '--pass', description: 'with --observations: load only records whose FILTER is PASS' },
  window: {
    flags: '--window <bases>',
    description:
      'with --observations: structural variants count as one if their ends differ by no more (default: 2000)',
  },
  threshold: {
    flags: '--threshold <reads>',
    description: 'with --observations: reads from which on a base of a sample counts as covered (default: 10)',
  },
  minimumHeteroplasmy: {
    flags: '--minimum-heteroplasmy <percent>',
    description:
      'with --observations: calls of MT with a lower allele fraction are listed, and not counted; none to count any (default)',
  },
} as const satisfies OptionsByField;

/** As operators write them. Omitted fields keep their values, or have the default; `observations` decides whether there are any. */
export type CountingWords = FieldValues<typeof countingOptions>;

/** Members of requests that state them. */
export const countingMembers = {
  observations: z
    .boolean('Dataset observations must be true or false')
    .nullish()
    .describe('Whether the dataset is a record of local observations: how often, and in whom, an allele was seen.'),
  gq: z
    .union([z.int(), z.literal('none')], "Dataset gq must be a whole number or 'none'")
    .nullish()
    .describe("With observations: the smallest GQ of a genotype to load, or 'none' for any; 20 if omitted."),
  pass: z
    .boolean('Dataset pass must be true or false')
    .nullish()
    .describe('With observations: whether to load only records whose FILTER is PASS.'),
  window: z
    .int('Dataset window must be a whole number of bases')
    .nullish()
    .describe(
      'With observations: the largest distance of ends of structural variants that count as one; 2000 if omitted.',
    ),
  threshold: z
    .int('Dataset threshold must be a whole number of reads')
    .nullish()
    .describe('With observations: the reads from which on a base of a sample counts as covered; 10 if omitted.'),
  minimumHeteroplasmy: z
    .union([z.int(), z.literal('none')], "Dataset minimumHeteroplasmy must be a whole number of percent or 'none'")
    .nullish()
    .describe(
      "With observations: calls of MT with a lower allele fraction, in percent, are listed and not counted; 'none' counts any.",
    ),
} satisfies Record<keyof CountingWords, z.ZodType>;
