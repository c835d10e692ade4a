/** The fields of the forms by which people edit drafts and act on versions: all arrive as text. */
import { z } from 'zod';
import { confidences, countedBases } from '../domain/content.js';
import { verbs } from './acts.js';
import { panelId } from './stored.js';

export const formType = 'application/x-www-form-urlencoded';

const line = (most: number) => z.string().trim().max(most).default('');
const block = (most: number) => z.string().max(most).default('');
const whole = (what: string) =>
  z
    .string({ error: `expected ${what}` })
    .regex(/^\d{1,9}$/, `expected ${what}`)
    .transform(Number);
const revision = whole('the revision that was seen');
const comment = line(2000).transform((text) => text || undefined);
/** A field that is repeated, or there once, or not at all. */
const several = z
  .union([whole('HGNC ids of genes'), z.array(whole('HGNC ids of genes')).max(30_000)])
  .optional()
  .transform((ids) => [ids ?? []].flat());
const level = z.enum(confidences, { error: `expected one of ${confidences.join(', ')}` });

export const actFields = z.object({
  act: z.enum(verbs),
  revision,
  comment,
  sha256: z.string().max(100).optional(),
});

export const newFields = z.object({
  panel: panelId.trim(),
  version: line(100).transform((text) => text || undefined),
  from: line(100).transform((text) => text || undefined),
  name: line(2000).transform((text) => text || undefined),
});

const edit = { revision, comment };
export const editFields = z.discriminatedUnion(
  'action',
  [
    z.object({
      action: z.literal('describe'),
      ...edit,
      name: line(2000),
      description: block(20_000),
      disorders: block(100_000),
      depth: line(20).refine((text) => /^\d{0,6}$/.test(text), 'expected a number of reads, such as 20'),
      percent: line(20).refine((text) => /^(?:\d+([.,]\d+)?)?$/.test(text), 'expected a percentage, such as 95'),
      bases: z.enum(countedBases).default('exons'),
    }),
    z.object({ action: z.literal('add'), ...edit, genes: block(500_000), confidence: level, inheritance: line(2000) }),
    z.object({ action: z.literal('confidence'), ...edit, gene: several, confidence: level }),
    z.object({ action: z.literal('remove'), ...edit, gene: several }),
    z.object({
      action: z.literal('gene'),
      ...edit,
      gene: several,
      confidence: level,
      inheritance: line(2000),
      transcripts: block(20_000),
      penetrance: line(2000),
      mode: line(2000),
      tags: block(20_000),
      phenotypes: block(100_000),
      note: block(2000),
      core: z.literal('yes').optional(),
    }),
    z.object({ action: z.literal('resolve'), ...edit, entry: whole('an entry'), gene: line(20), other: line(100) }),
    z.object({ action: z.literal('drop'), ...edit, entry: whole('an entry'), reason: line(2000) }),
    z.object({ action: z.literal('names'), ...edit }),
  ],
  { error: 'expected an action of the page of a draft' },
);
export type EditFields = z.output<typeof editFields>;
