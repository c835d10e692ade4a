/** The forms of the page of a draft: their fields, and what they do to its content. */
import { z } from 'zod';
import { Fault, wording } from '../../../core/plugin.js';
import {
  editWords,
  type NamesForEdit,
  withDropped,
  withFacts,
  withGenes,
  withNames,
  withoutGenes,
  withRelease,
  withResolved,
} from '../edits.js';
import { geneOfWord } from '../genes/gene-table.js';
import { confidences, countedBases, type PanelContent, panelContent } from '../versions/content.js';
import { panelId, verbs } from './acts.js';

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
type EditFields = z.output<typeof editFields>;

// What the forms of the page of a draft do to its content.

interface FormEdit {
  content: PanelContent;
  /** For the history. */
  words: string;
}

/**
 * Throws `invalid`, `unprocessable` and `not-found` faults, and an `unavailable` one if the edit needs names of genes and there
 * are `none`.
 */
export function formEdit(
  before: PanelContent,
  fields: EditFields,
  names: NamesForEdit | undefined,
  none: () => Fault,
): FormEdit {
  const mustHave = () => {
    if (names === undefined) throw none();
    return names;
  };
  const { content: after, notes, alone = false } = contentAfter(before, fields, mustHave);
  const content = withRelease(after, names);
  const { error } = panelContent.safeParse(content, { error: wording });
  if (error) {
    const [first] = error.issues;
    throw new Fault('invalid', `${first?.path.join('.')}: ${first?.message}`);
  }
  const changed = alone ? '' : editWords(before, content);
  const done = [changed, ...notes.slice(0, 20)].filter(Boolean).join('; ');
  return { content, words: fields.comment === undefined ? done : `${done}: ${fields.comment}` };
}

/** `alone`: the notes say all that changed. */
function contentAfter(
  before: PanelContent,
  fields: EditFields,
  names: () => NamesForEdit,
): { content: PanelContent; notes: readonly string[]; alone?: boolean } {
  switch (fields.action) {
    case 'describe':
      return { content: describedContent(before, fields), notes: [] };
    case 'add': {
      const words = fields.genes.split(/[\s,;]+/).filter(Boolean);
      if (words.length === 0) throw new Fault('invalid', 'genes: expected symbols or HGNC ids');
      const { confidence, inheritance } = fields;
      const facts = { confidence, ...(inheritance !== '' && { inheritance }) };
      return withGenes(before, words.map(geneOfWord), facts, names());
    }
    case 'confidence':
      return { content: withFacts(before, chosenGenes(fields.gene), { confidence: fields.confidence }), notes: [] };
    case 'remove':
      return { content: withoutGenes(before, chosenGenes(fields.gene)), notes: [] };
    case 'gene':
      return { content: withFacts(before, chosenGenes(fields.gene), factsOf(fields)), notes: [] };
    case 'resolve': {
      const word = fields.other || fields.gene;
      if (word === '') throw new Fault('invalid', 'gene: choose a gene, or name another');
      return { ...withResolved(before, fields.entry, geneOfWord(word), names()), alone: true };
    }
    case 'drop':
      if (fields.reason === '') throw new Fault('invalid', 'reason: say why the entry is dropped');
      return { ...withDropped(before, fields.entry, fields.reason), alone: true };
    default:
      return { ...withNames(before, names()), alone: true };
  }
}

function chosenGenes(genes: readonly number[]): readonly number[] {
  if (genes.length === 0) throw new Fault('invalid', 'gene: choose at least one gene');
  return genes;
}

function describedContent(
  before: PanelContent,
  { name, description, disorders, depth, percent, bases }: Extract<EditFields, { action: 'describe' }>,
): PanelContent {
  if (name === '') throw new Fault('invalid', 'name: expected the name of the panel');
  if ((depth === '') !== (percent === ''))
    throw new Fault('invalid', 'depth, percent: expected both, or none if nothing is required');
  const { description: _, disorders: __, requirement: ___, ...rest } = before;
  const said = formText(description).trim();
  const listed = formLines(disorders);
  return {
    ...rest,
    name,
    ...(said !== '' && { description: said }),
    ...(listed.length > 0 && { disorders: listed }),
    ...(depth !== '' && { requirement: { depth: Number(depth), percent: Number(percent.replace(',', '.')), bases } }),
  };
}

function factsOf(fields: Extract<EditFields, { action: 'gene' }>) {
  const text = (value: string) => formText(value).trim() || undefined;
  const list = (value: readonly string[]) => (value.length === 0 ? undefined : [...value]);
  return {
    confidence: fields.confidence,
    inheritance: text(fields.inheritance),
    transcripts: list(fields.transcripts.split(/[\s,;]+/).filter(Boolean)),
    penetrance: text(fields.penetrance),
    mode: text(fields.mode),
    tags: list(formLines(fields.tags)),
    phenotypes: list(formLines(fields.phenotypes)),
    comment: text(fields.note),
    core: fields.core === undefined ? undefined : (true as const),
  };
}

function formLines(text: string): string[] {
  return formText(text)
    .split('\n')
    .flatMap((line) => line.trim() || []);
}

/** Forms send lines with carriage returns. */
function formText(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
