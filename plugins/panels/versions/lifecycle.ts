/** How a version of a panel comes to be signed, how `ID@VERSION` names one, and what the audit records of changes. */
import { type AuditEvent, Fault } from '../../../core/plugin.js';
import type { PanelHead, PanelRepository, PanelState, PanelStep, PanelVersion } from '../contract.js';
import { contentDigest, contentText, type PanelContent, withCountedBases } from './content.js';
import { compareVersionNames, isPanelId, isVersionName } from './names.js';

/** Who does something, and what they say of it. */
export interface StepActor {
  by: string;
  /** What people read instead of it. */
  name?: string;
  at: Date;
  comment?: string;
}

/** A draft that does not exist yet. */
export function draftVersion(panel: string, version: string, content: PanelContent, actor: StepActor): PanelVersion {
  const described = describeContent(content);
  const history = [stepOf('made', actor, described.digest)];
  return { panel, version, state: 'draft', revision: 1, ...described, history };
}

/** The draft with other content. */
export function editedVersion(version: PanelVersion, content: PanelContent, actor: StepActor): PanelVersion {
  expectState(version, 'draft', 'edited');
  return nextVersion({ ...version, ...describeContent(content) }, 'edited', actor);
}

/** Puts a draft before those who sign. Refused while entries are unmapped, or if there is nothing in it. */
export function submittedVersion(version: PanelVersion, actor: StepActor): PanelVersion {
  expectState(version, 'draft', 'submitted');
  if (version.unmapped > 0) {
    throw new Fault(
      'conflict',
      `${nameOfVersion(version)} has ${version.unmapped} entries without a gene: map or remove them first`,
    );
  }
  if (version.genes === 0) throw new Fault('conflict', `${nameOfVersion(version)} has no genes`);
  return nextVersion({ ...version, state: 'in review' }, 'submitted', actor);
}

/** Back to the draft; signatures that it had do not count any more. */
export function sentBack(version: PanelVersion, actor: StepActor): PanelVersion {
  expectState(version, 'in review', 'sent back');
  return nextVersion({ ...version, state: 'draft' }, 'sent back', actor);
}

/**
 * Adds a signature to the digest that the person saw, and signs the version off with the last of `wanted` signatures, each of
 * another person. Throws a `conflict` fault if the content is not the one that was seen, or the person signed already.
 */
export function signedVersion(version: PanelVersion, digest: string, wanted: number, actor: StepActor): PanelVersion {
  expectState(version, 'in review', 'signed');
  if (version.digest !== digest) {
    throw new Fault(
      'conflict',
      `${nameOfVersion(version)} was changed since it was read: read it again before signing`,
    );
  }
  const before = signatures(version);
  if (before.some(({ by }) => by === actor.by))
    throw new Fault('conflict', `${actor.by} has signed ${nameOfVersion(version)} already`);
  const after = nextVersion(version, 'signed', actor);
  if (before.length + 1 < wanted) return after;
  const history = [...after.history, stepOf('signed off', actor, after.digest)];
  return { ...after, state: 'signed off', history };
}

/** No longer taken for new reports; old reports keep it. */
export function retiredVersion(version: PanelVersion, actor: StepActor): PanelVersion {
  expectState(version, 'signed off', 'retired');
  return nextVersion({ ...version, state: 'retired' }, 'retired', actor);
}

/** The signatures that count: those since it was last submitted. */
export function signatures({ history }: Pick<PanelVersion, 'history'>): PanelStep[] {
  const last = history.findLastIndex(({ what }) => what === 'submitted');
  return history.slice(last + 1).filter(({ what }) => what === 'signed');
}

/** Who did it, as people read it. */
export function personOfStep({ by, name }: Pick<PanelStep, 'by' | 'name'>): string {
  return name ?? by;
}

/** `epilepsy@1.10`, as forms and calls name it. */
export function nameOfVersion({ panel, version }: Pick<PanelVersion, 'panel' | 'version'>): string {
  return `${panel}@${version}`;
}

function describeContent(
  content: PanelContent,
): Pick<PanelVersion, 'name' | 'content' | 'digest' | 'hgnc' | 'genes' | 'unmapped'> {
  const text = contentText(withCountedBases(content));
  const hgnc = content.genes.map((gene) => gene.hgnc).sort((one, two) => one - two);
  return {
    name: content.name,
    content: text,
    digest: contentDigest(text),
    hgnc,
    genes: hgnc.length,
    unmapped: content.unmapped?.length ?? 0,
  };
}

function nextVersion(version: PanelVersion, what: PanelStep['what'], actor: StepActor): PanelVersion {
  const history = [...version.history, stepOf(what, actor, version.digest)];
  return { ...version, revision: version.revision + 1, history };
}

function stepOf(what: PanelStep['what'], { by, name, at, comment }: StepActor, digest: string): PanelStep {
  const said = { ...(name === undefined ? {} : { name }), ...(comment === undefined ? {} : { comment }) };
  return { what, at, by, digest, ...said };
}

function expectState(version: PanelVersion, state: PanelState, verb: string): void {
  if (version.state === state) return;
  throw new Fault(
    'conflict',
    `${nameOfVersion(version)} is ${version.state}: only a version that is ${state} can be ${verb}`,
  );
}

// `ID@VERSION`, as commands, forms and calls name a version; `ID` alone is the latest that is signed off.

/** Undefined if it is no reference. */
export function parseReference(reference: string): { panel: string; version?: string } | undefined {
  const [panel = '', version, ...more] = reference.split('@');
  if (!isPanelId(panel) || more.length > 0) return undefined;
  if (version === undefined) return { panel };
  return isVersionName(version) ? { panel, version } : undefined;
}

/** Throws `not-found` with a sentence that says what there is. */
export async function versionNamed(repository: PanelRepository, reference: string): Promise<PanelVersion> {
  const named = parseReference(reference);
  if (named === undefined) {
    throw new Fault(
      'invalid',
      `"${reference}" names no version: expected ID@VERSION, or ID for the latest that is signed off`,
    );
  }
  const { panel, version } = named;
  const heads = await repository.list(panel);
  const name = version ?? latestSigned(heads)?.version;
  if (name === undefined) {
    const why =
      heads.length === 0
        ? `There is no panel ${panel}`
        : `No version of ${panel} is signed off: name one, such as ${panel}@${heads.at(-1)?.version}`;
    throw new Fault('not-found', why);
  }
  const found = await repository.find(panel, name);
  if (found) return found;
  const known = heads.map((head) => head.version).join(', ');
  throw new Fault(
    'not-found',
    heads.length === 0 ? `There is no panel ${panel}` : `There is no version ${name} of ${panel}; there are ${known}`,
  );
}

/** The last in the order of version names. */
export function latestSigned(heads: readonly PanelHead[]): PanelHead | undefined {
  return heads
    .filter(({ state }) => state === 'signed off')
    .sort((one, two) => compareVersionNames(one.version, two.version))
    .at(-1);
}

// What the audit records about changes of panels.

/** What is done to a version: the verb of its entry in the audit. */
export type PanelAction = 'add' | 'edit' | 'submit' | 'send-back' | 'sign' | 'retire' | 'remove' | 'import';

/** An entry of the audit: what was done to which version, and which content it has now. */
export function panelEvent(
  doing: PanelAction,
  { panel, version, revision, state, digest }: PanelVersion,
): Omit<AuditEvent, 'because'> {
  const detail = { version, revision, state, sha256: digest };
  return { action: `panels.${doing}`, about: [`panel:${panel}`], outcome: 'done', detail };
}
