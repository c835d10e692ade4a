/** How a version of a panel comes to be signed: pure functions from a version to the next, which the storage then takes. */
import { Fault } from '../../../core/plugin.js';
import type { PanelState, PanelStep, PanelVersion } from '../contract.js';
import { contentDigest, contentText, type PanelContent, withCountedBases } from './content.js';

/** Who does something, and what they say of it. */
export interface Actor {
  by: string;
  /** What people read instead of it. */
  name?: string;
  at: Date;
  comment?: string;
}

/** A draft that does not exist yet. */
export function made(panel: string, version: string, content: PanelContent, actor: Actor): PanelVersion {
  const described = describe(content);
  const history = [stepOf('made', actor, described.digest)];
  return { panel, version, state: 'draft', revision: 1, ...described, history };
}

/** The draft with other content. */
export function edited(version: PanelVersion, content: PanelContent, actor: Actor): PanelVersion {
  expectState(version, 'draft', 'edited');
  return next({ ...version, ...describe(content) }, 'edited', actor);
}

/** Puts a draft before those who sign. Refused while entries are unmapped, or if there is nothing in it. */
export function submitted(version: PanelVersion, actor: Actor): PanelVersion {
  expectState(version, 'draft', 'submitted');
  if (version.unmapped > 0) {
    throw new Fault(
      'conflict',
      `${nameOf(version)} has ${version.unmapped} entries without a gene: map or remove them first`,
    );
  }
  if (version.genes === 0) throw new Fault('conflict', `${nameOf(version)} has no genes`);
  return next({ ...version, state: 'in review' }, 'submitted', actor);
}

/** Back to the draft; signatures that it had do not count any more. */
export function sentBack(version: PanelVersion, actor: Actor): PanelVersion {
  expectState(version, 'in review', 'sent back');
  return next({ ...version, state: 'draft' }, 'sent back', actor);
}

/**
 * Adds a signature to the digest that the person saw, and signs the version off with the last of `wanted` signatures, each of
 * another person. Throws a `conflict` fault if the content is not the one that was seen, or the person signed already.
 */
export function signed(version: PanelVersion, digest: string, wanted: number, actor: Actor): PanelVersion {
  expectState(version, 'in review', 'signed');
  if (version.digest !== digest) {
    throw new Fault('conflict', `${nameOf(version)} was changed since it was read: read it again before signing`);
  }
  const before = signatures(version);
  if (before.some(({ by }) => by === actor.by))
    throw new Fault('conflict', `${actor.by} has signed ${nameOf(version)} already`);
  const after = next(version, 'signed', actor);
  if (before.length + 1 < wanted) return after;
  const history = [...after.history, stepOf('signed off', actor, after.digest)];
  return { ...after, state: 'signed off', history };
}

/** No longer taken for new reports; old reports keep it. */
export function retired(version: PanelVersion, actor: Actor): PanelVersion {
  expectState(version, 'signed off', 'retired');
  return next({ ...version, state: 'retired' }, 'retired', actor);
}

/** The signatures that count: those since it was last submitted. */
export function signatures({ history }: Pick<PanelVersion, 'history'>): PanelStep[] {
  const last = history.findLastIndex(({ what }) => what === 'submitted');
  return history.slice(last + 1).filter(({ what }) => what === 'signed');
}

/** Who did it, as people read it. */
export function personOf({ by, name }: Pick<PanelStep, 'by' | 'name'>): string {
  return name ?? by;
}

/** `epilepsy@1.10`, as forms and calls name it. */
export function nameOf({ panel, version }: Pick<PanelVersion, 'panel' | 'version'>): string {
  return `${panel}@${version}`;
}

function describe(
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

function next(version: PanelVersion, what: PanelStep['what'], actor: Actor): PanelVersion {
  const history = [...version.history, stepOf(what, actor, version.digest)];
  return { ...version, revision: version.revision + 1, history };
}

function stepOf(what: PanelStep['what'], { by, name, at, comment }: Actor, digest: string): PanelStep {
  const said = { ...(name === undefined ? {} : { name }), ...(comment === undefined ? {} : { comment }) };
  return { what, at, by, digest, ...said };
}

function expectState(version: PanelVersion, state: PanelState, verb: string): void {
  if (version.state === state) return;
  throw new Fault('conflict', `${nameOf(version)} is ${version.state}: only a version that is ${state} can be ${verb}`);
}
