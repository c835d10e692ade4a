/** Adds what was read from a source as drafts. */
import { Fault, wording } from '../../../core/plugin.js';
import type { PanelRepository, PanelVersion } from '../contract.js';
import { contentText, type PanelContent, panelContent, parseContent } from '../domain/content.js';
import { type Actor, edited, made, nameOf } from '../domain/lifecycle.js';
import { panelIdFault } from '../domain/panel-id.js';
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
  | 'unchanged'
  /** Why not. */
  | { refused: string };

/** Why it cannot be stored, whatever is there already; undefined if it can. */
function refusalOf({ panel, version, content }: Arriving): string | undefined {
  const wrong = panelIdFault(panel);
  if (wrong !== undefined) return wrong;
  if (!isVersionName(version)) return `"${version}" is not a version: expected ${versionNameForm}`;
  const { error } = panelContent.safeParse(content, { error: wording });
  return error && `${error.issues[0]?.path.join('.')}: ${error.issues[0]?.message}`;
}

/**
 * Adds a version that is not there. What was read when, and by which release of gene names, does not make the content of one
 * that is there another.
 */
export async function addDraft(
  repository: PanelRepository,
  arriving: Arriving,
  { actor, add }: { actor: Actor; add(version: PanelVersion): Promise<void> },
): Promise<Stored> {
  const { panel, version, content } = arriving;
  const refused = refusalOf(arriving);
  if (refused !== undefined) return { refused };
  const known = await repository.find(panel, version);
  if (known === undefined) {
    await add(made(panel, version, content, actor));
    return 'added';
  }
  if (lasting(parseContent(known.content)) === lasting(content)) return 'unchanged';
  return { refused: `${nameOf(arriving)} is there with other content: give the new content another version` };
}

/**
 * Adds the day on which PanelApp signed a stored version off to its draft, which people may have edited since. Returns what people
 * should read of it; undefined if there is nothing to add. A version that is in review or was signed does not change.
 */
export async function keepSignedOff(
  version: PanelVersion,
  signedOff: string,
  { actor, replace }: { actor: Actor; replace(version: PanelVersion): Promise<boolean> },
): Promise<string | undefined> {
  const content = parseContent(version.content);
  const { source } = content;
  if (source.kind !== 'panelapp' || source.version !== version.version || source.signedOff === signedOff)
    return undefined;
  const said = `signed off in PanelApp on ${signedOff}`;
  if (version.state !== 'draft') return `${said}; not added, since the version is ${version.state} here`;
  const next = edited(version, { ...content, source: { ...source, signedOff } }, { ...actor, comment: said });
  if (!(await replace(next))) throw new Fault('conflict', `${nameOf(version)} was changed meanwhile: import it again`);
  return `${said}; added to the draft`;
}

/** The content as text, without where, when and by which names it was read. */
function lasting({ names: _, source: { kind, id, version }, ...content }: PanelContent): string {
  return JSON.stringify([id, version]) + contentText({ ...content, source: { kind, name: '', read: '' } });
}
