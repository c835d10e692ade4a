/** What the forms of the page of a draft do to its content. */
import { Fault, wording } from '../../../core/plugin.js';
import { type PanelContent, panelContent } from '../domain/content.js';
import { editWords } from '../editing/edit-words.js';
import {
  dated,
  type NamesForEdit,
  withDropped,
  withFacts,
  withGenes,
  withNames,
  withoutGenes,
  withResolved,
} from '../editing/edits.js';
import { wordOf } from '../genes/word.js';
import type { EditFields } from './form-fields.js';

export interface FormEdit {
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
  const content = dated(after, names);
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
      return { content: described(before, fields), notes: [] };
    case 'add': {
      const words = fields.genes.split(/[\s,;]+/).filter(Boolean);
      if (words.length === 0) throw new Fault('invalid', 'genes: expected symbols or HGNC ids');
      const { confidence, inheritance } = fields;
      const facts = { confidence, ...(inheritance !== '' && { inheritance }) };
      return withGenes(before, words.map(wordOf), facts, names());
    }
    case 'confidence':
      return { content: withFacts(before, chosen(fields.gene), { confidence: fields.confidence }), notes: [] };
    case 'remove':
      return { content: withoutGenes(before, chosen(fields.gene)), notes: [] };
    case 'gene':
      return { content: withFacts(before, chosen(fields.gene), factsOf(fields)), notes: [] };
    case 'resolve': {
      const word = fields.other || fields.gene;
      if (word === '') throw new Fault('invalid', 'gene: choose a gene, or name another');
      return { ...withResolved(before, fields.entry, wordOf(word), names()), alone: true };
    }
    case 'drop':
      if (fields.reason === '') throw new Fault('invalid', 'reason: say why the entry is dropped');
      return { ...withDropped(before, fields.entry, fields.reason), alone: true };
    default:
      return { ...withNames(before, names()), alone: true };
  }
}

function chosen(genes: readonly number[]): readonly number[] {
  if (genes.length === 0) throw new Fault('invalid', 'gene: choose at least one gene');
  return genes;
}

function described(
  before: PanelContent,
  { name, description, disorders, depth, percent, bases }: Extract<EditFields, { action: 'describe' }>,
): PanelContent {
  if (name === '') throw new Fault('invalid', 'name: expected the name of the panel');
  if ((depth === '') !== (percent === ''))
    throw new Fault('invalid', 'depth, percent: expected both, or none if nothing is required');
  const { description: _, disorders: __, requirement: ___, ...rest } = before;
  const said = normal(description).trim();
  const listed = lines(disorders);
  return {
    ...rest,
    name,
    ...(said !== '' && { description: said }),
    ...(listed.length > 0 && { disorders: listed }),
    ...(depth !== '' && { requirement: { depth: Number(depth), percent: Number(percent.replace(',', '.')), bases } }),
  };
}

function factsOf(fields: Extract<EditFields, { action: 'gene' }>) {
  const text = (value: string) => normal(value).trim() || undefined;
  const list = (value: readonly string[]) => (value.length === 0 ? undefined : [...value]);
  return {
    confidence: fields.confidence,
    inheritance: text(fields.inheritance),
    transcripts: list(fields.transcripts.split(/[\s,;]+/).filter(Boolean)),
    penetrance: text(fields.penetrance),
    mode: text(fields.mode),
    tags: list(lines(fields.tags)),
    phenotypes: list(lines(fields.phenotypes)),
    comment: text(fields.note),
    core: fields.core === undefined ? undefined : (true as const),
  };
}

function lines(text: string): string[] {
  return normal(text)
    .split('\n')
    .flatMap((line) => line.trim() || []);
}

/** Forms send lines with carriage returns. */
function normal(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
