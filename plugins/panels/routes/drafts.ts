/** Drafts over HTTP: a new version of a panel, empty or from another, and the content of a draft in place of what it has. */
import { z } from 'zod';
import { Fault, type RouteDeclaration, route } from '../../../core/plugin.js';
import type { PanelVersion } from '../contract.js';
import { editWords, entriesOf, minus, needsNames, rewritten } from '../edits.js';
import { noNames } from '../genes/gene-table.js';
import { editRight, readRight } from '../rights.js';
import { editableContent, type PanelContent, parseContent } from '../versions/content.js';
import { edited, made, nameOfVersion, personOf } from '../versions/lifecycle.js';
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

export interface NewDraft {
  version?: string | undefined;
  from?: { panel?: string | undefined; version: string } | undefined;
  name?: string | undefined;
  comment?: string | undefined;
}

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
  { version, from, name, comment: said }: NewDraft,
): Promise<PanelVersion> {
  // Asked before anything is looked up: whether a panel of others exists is not told.
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
      ? { kind: 'person', name: personOf(actor), read }
      : { kind: 'version', name: nameOfVersion(copied), sha256: copied.digest, read };
  const content: PanelContent =
    copied === undefined
      ? { name: name ?? '', genes: [], source }
      : { ...parseContent(copied.content), ...(name !== undefined && { name }), source };
  const last = (await stored.repository.list(panel)).at(-1);
  const next = version ?? (last === undefined ? '1' : nextVersionName(last.version));
  const added = made(panel, next, content, actor);
  await stored.add(added, { principal, request, right: editRight });
  return added;
}

/** The draft with other content; itself if that is what it has. `words` are for the history. */
export function withContent(content: PanelContent, words: (before: PanelContent) => string) {
  return (version: PanelVersion, actor: Parameters<typeof edited>[2]): PanelVersion => {
    const after = edited(version, content, { ...actor, comment: words(parseContent(version.content)) });
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
        const content = rewritten(before, given, inUse && { table: inUse.table, release: inUse.names.release });
        const gone = minus(entriesOf(before), entriesOf(content));
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
