/** Adds what was read from a source as drafts. */
import type { PanelRepository } from '../contract.js';
import { contentDigest, contentText, type PanelContent, panelContent } from '../domain/content.js';
import { type Actor, made, nameOf } from '../domain/lifecycle.js';
import { isVersionName, versionNameForm } from '../domain/version-name.js';

export interface Arriving {
  panel: string;
  version: string;
  content: PanelContent;
}

export type Stored =
  /** A new draft. */
  | 'added'
  /** The version is there with these genes and entries already. */
  | 'unchanged';

/** Ids are parts of addresses and of `ID@VERSION`. */
const idForm = /^[a-z0-9][a-z0-9._-]{0,99}$/;

/** Why the id or the version cannot be used; undefined if they can. */
export function refusalOf({ panel, version, content }: Arriving): string | undefined {
  if (!idForm.test(panel)) return `"${panel}" is not an id: expected a-z, 0-9, ".", "-" and "_"`;
  if (!isVersionName(version)) return `"${version}" is not a version: expected ${versionNameForm}`;
  const { error } = panelContent.safeParse(content);
  return error && `${error.issues[0]?.path.join('.')}: ${error.issues[0]?.message}`;
}

/**
 * Returns why the version cannot be added: it is there with other content. What was read when, and by which release of gene
 * names, does not make content another.
 */
export async function addDraft(
  repository: PanelRepository,
  arriving: Arriving,
  actor: Actor,
): Promise<Stored | { refused: string }> {
  const { panel, version, content } = arriving;
  const known = await repository.find(panel, version);
  if (known === undefined) {
    await repository.add(made(panel, version, content, actor));
    return 'added';
  }
  if (lasting(JSON.parse(known.content) as PanelContent) === lasting(content)) return 'unchanged';
  return { refused: `${nameOf(arriving)} is there with other content: give the new content another version` };
}

function lasting(content: PanelContent): string {
  const { kind, id, version } = content.source;
  const source = { kind, id, version, name: '-', read: '-' };
  const { names: _, ...rest } = content;
  return contentDigest(contentText({ ...rest, source: JSON.parse(JSON.stringify(source)) }));
}
