/** Protection profiles of datasets, as the configuration names or spells them out. */
import { z } from 'zod';
import type { SpendingRules } from './spend.js';

/** What others than holders of a grant may learn of a dataset: whether alleles are present, and nothing else. */
export interface Protection {
  /** For callers without credentials, who share one budget; `none` lets them query nothing. */
  anonymous: SpendingRules | 'none';
  /** For each caller with a valid credential and no grant. */
  named: SpendingRules;
  /** Published people from which on anonymous callers may query the dataset. */
  minimumSize: number;
  /** Samples, new and deleted ones together, that are published together. */
  batch: number;
}

const profileNames = ['open', 'careful', 'strict'] as const;

/** `open` protects nothing: all who may query such a dataset get exact answers. */
export type ProfileName = (typeof profileNames)[number];

const profiles: Readonly<Record<Exclude<ProfileName, 'open'>, Protection>> = {
  careful: {
    anonymous: { budget: 0.5, least: 3 },
    named: { budget: 0.5, least: 1 },
    minimumSize: 100,
    batch: 20,
  },
  strict: { anonymous: 'none', named: { budget: 0.7, least: 3 }, minimumSize: 100, batch: 50 },
};

const allowed = z.strictObject({
  budget: z
    .number()
    .gt(0)
    .lt(1)
    .describe(
      'Each person’s budget for each account is −log of this share: 0.5 changes the odds that a person is a member by a ' +
        'factor of 2 at most; smaller values tell more.',
    ),
  least: z.int().min(1).max(1000).describe('Carriers from which on the answer is yes.'),
});

const adjusted = z
  .strictObject({
    profile: z.enum(['careful', 'strict']).default('careful').describe('The profile that applies to what is left out.'),
    anonymous: z
      .union([z.literal('none'), allowed])
      .optional()
      .describe('For callers without credentials, who share one budget; none if they may not query the dataset.'),
    named: allowed.optional().describe('For each caller with a credential but without a grant to the dataset.'),
    minimumSize: z
      .int()
      .min(1)
      .optional()
      .describe('Published samples from which on anonymous callers may query the dataset.'),
    batch: z
      .int()
      .min(1)
      .optional()
      .describe('Samples, new and deleted ones together, from which on changes are published, all together.'),
  })
  .transform(({ profile, anonymous, named, minimumSize, batch }): Protection => {
    const base = profiles[profile];
    return {
      anonymous: anonymous ?? base.anonymous,
      named: named ?? base.named,
      minimumSize: minimumSize ?? base.minimumSize,
      batch: batch ?? base.batch,
    };
  });

const profile = z.union([z.enum(profileNames), adjusted]);

const frequencyFiles = z.array(z.string().min(1)).default([]).describe('Paths, one file or one for each chromosome.');

export const protectionSettings = z.strictObject({
  default: profile
    .default('open')
    .describe(
      'What callers without a grant may learn of a dataset: open (exact answers), careful, strict, or a profile with changes. ' +
        'See config/data-protection.md.',
    ),
  datasets: z.record(z.string().min(1), profile).default({}).describe('The same for single datasets, by their id.'),
  frequencies: z
    .strictObject({ GRCh37: frequencyFiles, GRCh38: frequencyFiles })
    .prefault({})
    .describe(
      'How common alleles are among people in general, by assembly: VCF files with AC and AN, compressed by bgzip and ' +
        'indexed by tabix (.tbi), such as the sites of gnomAD. Without them alleles are taken to be as common as in the ' +
        'dataset, and protection is much weaker; see config/data-protection.md.',
    ),
  renewDays: z
    .number()
    .min(1)
    .max(36_500)
    .optional()
    .describe('Days after which callers get back half of what they have spent; they never do if omitted.'),
});

export type ProtectionSettings = z.output<typeof protectionSettings>;

/** The protection of a dataset; undefined if it is open. */
export function protectionOfDataset(
  { default: other, datasets }: ProtectionSettings,
  id: string,
): Protection | undefined {
  const chosen = (Object.hasOwn(datasets, id) ? datasets[id] : undefined) ?? other;
  if (chosen === 'open') return undefined;
  return typeof chosen === 'string' ? profiles[chosen] : chosen;
}

/** Whether any dataset is protected. */
export function protectsAny({ default: other, datasets }: ProtectionSettings): boolean {
  return [other, ...Object.values(datasets)].some((chosen) => chosen !== 'open');
}

/** Whether it is known of any assembly how common alleles are. */
export function hasFrequencies({ frequencies }: ProtectionSettings): boolean {
  return Object.values(frequencies).some((files) => files.length > 0);
}
