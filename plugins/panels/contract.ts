/**
 * panels@1: versions of gene panels, and the names of genes by which they are read. A panel is what its versions are: it has
 * an id, and no row of its own.
 */
import { type Contract, defineContract, Fault } from '../../core/storage.js';
import { compareVersionNames } from './versions/names.js';

/**
 * `draft` can be edited; `in review` waits for signatures; `signed off` and `retired` never change but from the one to the
 * other.
 */
export const panelStates = ['draft', 'in review', 'signed off', 'retired'] as const;
export type PanelState = (typeof panelStates)[number];

export const panelSteps = ['made', 'edited', 'submitted', 'sent back', 'signed', 'signed off', 'retired'] as const;

/** What happened to a version. */
export interface PanelStep {
  what: (typeof panelSteps)[number];
  at: Date;
  /** The owner of a token, or a person as the identity provider names them. */
  by: string;
  /** What the identity provider called that person then, for people to read. */
  name?: string;
  /** Digest of the content after it. */
  digest: string;
  comment?: string;
}

/** A version without its content. */
export interface PanelHead {
  /** Id of the panel: lower-case letters, digits, `-`, `_` and `.`. */
  panel: string;
  /** Dotted whole numbers; `compareVersionNames` has their order. */
  version: string;
  /** The panel's name in this version. */
  name: string;
  state: PanelState;
  /** 1 when it is added, and one more with each change. */
  revision: number;
  /** SHA-256 of the content's text, lower-case hex. */
  digest: string;
  /** Number of genes, and of entries for which no gene was found. */
  genes: number;
  unmapped: number;
  /** Oldest first; at least one. */
  history: readonly PanelStep[];
}

export interface PanelVersion extends PanelHead {
  /** The content as text, kept to the last byte (`versions/content.ts`). */
  content: string;
  /** HGNC ids of its genes, ascending: by these it is found. */
  hgnc: readonly number[];
}

/** The names of genes, current and former, as one release of HGNC has them. */
export interface GeneNames {
  /** As the files state it: `2026-11-01`. */
  release: string;
  /** Names of the files that it was made of, without folders. */
  sources: readonly string[];
  /** Number of approved genes, and of entries that were withdrawn. */
  approved: number;
  withdrawn: number;
  loaded: Date;
}

export interface PanelRepository {
  /** Adds a version with revision 1. Throws a `conflict` fault if the panel has a version of this name. */
  add(version: PanelVersion): Promise<void>;
  /** With its content, of one moment; undefined if there is none. */
  find(panel: string, version: string): Promise<PanelVersion | undefined>;
  /** All versions, or those of one panel: by panel (code units), then in the order of version names. */
  list(panel?: string): Promise<PanelHead[]>;
  /**
   * Puts `version` in the place of the stored version with the same names, if that has revision `version.revision - 1`;
   * otherwise returns false and changes nothing. Throws a `conflict` fault, and changes nothing, if the stored version is
   * signed off or retired and name, digest, content or hgnc differ, or the state is not `retired`.
   */
  replace(version: PanelVersion): Promise<boolean>;
  /** Removes a draft of this revision. Returns false, and changes nothing, if it is no draft, has another revision or is missing. */
  remove(panel: string, version: string, revision: number): Promise<boolean>;
  /** Versions that hold any of these genes, as `list` has them, each with those that it holds, ascending. */
  holding(hgnc: readonly number[]): Promise<{ head: PanelHead; hgnc: number[] }[]>;
  /** The names in use; undefined before the first are loaded. */
  names(): Promise<GeneNames | undefined>;
  /** The same, with their content in the pieces that were given, of one moment. */
  loadNames(): Promise<{ names: GeneNames; content: Uint8Array[] } | undefined>;
  /** Replaces the names, all or nothing. Pieces have at most 256 kB each. */
  replaceNames(names: GeneNames, content: readonly Uint8Array[]): Promise<void>;
}

export const panels: Contract<PanelRepository> = defineContract<PanelRepository>('panels@1', {
  add: 'needed',
  find: 'needed',
  list: 'needed',
  replace: 'needed',
  remove: 'needed',
  holding: 'needed',
  names: 'needed',
  loadNames: 'needed',
  replaceNames: 'needed',
});

/** The order of `list`: by panel (code units), then in the order of version names. */
export function byVersion(
  one: Pick<PanelHead, 'panel' | 'version'>,
  two: Pick<PanelHead, 'panel' | 'version'>,
): number {
  if (one.panel !== two.panel) return one.panel < two.panel ? -1 : 1;
  return compareVersionNames(one.version, two.version);
}

/** What `replace` throws if the change would touch what was signed. */
export function refuseChangeOfSigned(stored: PanelVersion, version: PanelVersion): void {
  if (stored.state !== 'signed off' && stored.state !== 'retired') return;
  const kept = (['name', 'digest', 'content'] as const).every((member) => stored[member] === version[member]);
  if (kept && String(stored.hgnc) === String(version.hgnc) && version.state === 'retired') return;
  throw new Fault('conflict', `${stored.panel}@${stored.version} is ${stored.state}: it does not change any more`);
}
