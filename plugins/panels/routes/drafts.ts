/**
 * Drafts over HTTP: a new version of a panel, empty or from another, the content of a draft in place of what it has, and what
 * the forms of its page do to it.
 */
import { z } from 'zod';
import { Fault, type RouteDeclaration, route, wording } from '../../../core/plugin.js';
import type { PanelVersion } from '../contract.js';
import {
  editWords,
  minus,
  type NamesForEdit,
  needsNames,
  rewrittenContent,
  unmappedEntries,
  withDropped,
  withFacts,
  withGenes,
  withNames,
  withoutGenes,
  withRelease,
  withResolved,
} from '../edits.js';
import { geneOfWord, noNames } from '../genes/gene-table.js';
import { editRight, readRight } from '../rights.js';
import {
  confidences,
  countedBases,
  editableContent,
  type PanelContent,
  panelContent,
  parseContent,
} from '../versions/content.js';
import { draftVersion, editedVersion, nameOfVersion, personOfStep } from '../versions/lifecycle.js';
import { nextVersionName, panelIdFault } from '../versions/names.js';
import {
  type ChangeAuthor,
  comment,
  headShown,
  panelId,
  place,
  type StoredVersions,
  seenRevision,
  shownHead,
  verbs,
  versionName,
} from './acts.js';

const newDraft = z.strictObject({
  version: versionName.optional().describe('The name of the new version; the next after the last one if omitted.'),
  from: z
    .strictObject({
      panel: panelId.optional().describe('Its panel, if it is another.'),
      version: versionName.describe('The version whose content is copied.'),
    })
    .optional()
    .describe('Where its content comes from; the version is empty if omitted.'),
  name: editableContent.shape.name.optional().describe('The name for people; that of the copied version if omitted.'),
  comment: comment.optional(),
});

const draftChange = z.strictObject({
  revision: seenRevision,
  comment: comment
    .optional()
    .describe('For the history, which also lists what changed. Required if entries without a gene are removed.'),
  content: z.strictObject(
    {
      ...editableContent.shape,
      source: z.unknown().optional().describe('As it was read, or omitted: it does not change.'),
      names: z.unknown().optional().describe('As it was read, or omitted: the server states the release.'),
    },
    { error: (issue) => (issue.input === undefined ? 'expected the content of the version' : undefined) },
  ),
});

/** Room for 30,000 genes with all that sources say of them. */
const bodyLimit = 32 * 1024 * 1024;

/** Adds a draft. Throws `forbidden` and `conflict` faults, and `invalid` ones about what was sent. */
export async function addVersion(
  stored: StoredVersions,
  { principal, request }: Pick<ChangeAuthor, 'principal' | 'request'>,
  panel: string,
  { version, from, name, comment: said }: z.infer<typeof newDraft>,
): Promise<PanelVersion> {
  // Decided before anything is looked up, so that the answer does not reveal whether a panel of others exists.
  if (!(await stored.may(principal, editRight, panel)))
    throw new Fault('forbidden', `You may not make versions of a panel ${panel}`);
  const wrong = panelIdFault(panel);
  if (wrong !== undefined) throw new Fault('invalid', wrong);
  const actor = stored.actorOf(principal, said);
  const read = actor.at.toISOString();
  const copied =
    from && (await stored.found(principal, readRight, { panel: from.panel ?? panel, version: from.version }));
  if (copied === undefined && name === undefined)
    throw new Fault('invalid', 'name: expected the name of the panel, or a version from which it is copied');
  const source: PanelContent['source'] =
    copied === undefined
      ? { kind: 'person', name: personOfStep(actor), read }
      : { kind: 'version', name: nameOfVersion(copied), sha256: copied.digest, read };
  const content: PanelContent =
    copied === undefined
      ? { name: name ?? '', genes: [], source }
      : { ...parseContent(copied.content), ...(name !== undefined && { name }), source };
  const last = (await stored.repository.list(panel)).at(-1);
  const next = version ?? (last === undefined ? '1' : nextVersionName(last.version));
  const added = draftVersion(panel, next, content, actor);
  await stored.add(added, { principal, request, right: editRight });
  return added;
}

/** The draft with other content; itself if that is what it has. `words` are for the history. */
export function withContent(content: PanelContent, words: (before: PanelContent) => string) {
  return (version: PanelVersion, actor: Parameters<typeof editedVersion>[2]): PanelVersion => {
    const after = editedVersion(version, content, { ...actor, comment: words(parseContent(version.content)) });
    return after.digest === version.digest ? version : after;
  };
}

export function editRoutes(stored: StoredVersions): RouteDeclaration[] {
  return [
    route({
      method: 'POST',
      path: '/panels/:panel/versions',
      operation: 'newPanelVersion',
      summary: 'Make a draft: a new version of a panel, or a new panel',
      access: stored.access(editRight),
      params: z.object({ panel: panelId }),
      body: { types: ['application/json'], schema: newDraft },
      answers: { 201: { description: 'The draft.', content: { 'application/json': shownHead } } },
      async handle({ params, body, principal, id }) {
        const by = { principal, request: id };
        return { status: 201, body: headShown(await addVersion(stored, by, params.panel, body)) };
      },
    }),
    route({
      method: 'PUT',
      path: '/panels/:panel/:version',
      operation: 'editPanelDraft',
      summary: 'Replace the content of a draft',
      description:
        'Genes that are new must be approved by the names of genes in use. Where the draft came from stays with it.',
      access: stored.access(editRight),
      params: place,
      body: { types: ['application/json'], schema: draftChange, limit: bodyLimit },
      answers: { 200: { description: 'The version.', content: { 'application/json': shownHead } } },
      async handle({ params, body, principal, id }) {
        const version = await stored.found(principal, editRight, params);
        const before = parseContent(version.content);
        const { source, names, ...given } = body.content;
        refuseOther('source', source, before.source);
        refuseOther('names', names, before.names);
        const inUse = await stored.names();
        if (inUse === undefined && needsNames(before, given)) throw noNames();
        const content = rewrittenContent(before, given, inUse && { table: inUse.table, release: inUse.names.release });
        const gone = minus(unmappedEntries(before), unmappedEntries(content));
        if (gone.length > 0 && body.comment === undefined) {
          const listed = gone.slice(0, 5).join(', ') + (gone.length > 5 ? ` and ${gone.length - 5} more` : '');
          throw new Fault(
            'invalid',
            `comment: entries without a gene are removed (${listed}): say what became of them`,
          );
        }
        const said = body.comment === undefined ? '' : `: ${body.comment}`;
        const next = withContent(content, (was) => `${editWords(was, content)}${said}`);
        const by = { principal, request: id, right: editRight };
        return { body: headShown(await stored.change('edit', version, body, by, next)) };
      },
    }),
  ];
}

function refuseOther(name: 'source' | 'names', given: unknown, kept: unknown): void {
  if (given === undefined || comparableText(given) === comparableText(kept)) return;
  throw new Fault('unprocessable', `content.${name}: it does not change; send it as it was read, or omit it`);
}

function comparableText(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? '';
  return JSON.stringify(Object.entries(value).sort(([one], [two]) => (one < two ? -1 : 1)));
}

// The forms of the page of a draft: their fields, and what they do to its content.

export const formType = 'application/x-www-form-urlencoded';

const line = (most: number) => z.string().trim().max(most).default('');
const block = (most: number) => z.string().max(most).default('');
const whole = (what: string) =>
  z
    .string({ error: `expected ${what}` })
    .regex(/^\d{1,9}$/, `expected ${what}`)
    .transform(Number);
const revision = whole('the revision that was seen');
const commentLine = line(2000).transform((text) => text || undefined);
/** A field that is repeated, or there once, or not at all. */
const several = z
  .union([whole('HGNC ids of genes'), z.array(whole('HGNC ids of genes')).max(30_000)])
  .optional()
  .transform((ids) => [ids ?? []].flat());
const level = z.enum(confidences, { error: `expected one of ${confidences.join(', ')}` });

export const actFields = z.object({
  act: z.enum(verbs),
  revision,
  comment: commentLine,
  sha256: z.string().max(100).optional(),
});

export const newFields = z.object({
  panel: panelId.trim(),
  version: line(100).transform((text) => text || undefined),
  from: line(100).transform((text) => text || undefined),
  name: line(2000).transform((text) => text || undefined),
});

const edit = { revision, comment: commentLine };
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
