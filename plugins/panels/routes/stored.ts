/** What all routes of panels share: they find the version that the caller may have, and change it if it is the one that was seen. */
import { z } from 'zod';
import { type Access, Fault, type PluginContext, type Principal, type Right } from '../../../core/plugin.js';
import { type PanelRepository, type PanelVersion, panels } from '../contract.js';
import { parseContent } from '../domain/content.js';
import { type Actor, nameOf } from '../domain/lifecycle.js';
import { isVersionName, versionNameForm } from '../domain/version-name.js';
import { checkGenes, type GeneFinding } from '../genes/check.js';
import { type NamesInUse, namesInUse } from '../genes/stored.js';
import type { OfPanel } from '../rights.js';
import type { PanelSettings } from '../settings.js';

export const panelId = z.string().max(100);
export const versionName = z.string().refine(isVersionName, `expected ${versionNameForm}`);
export const place = z.object({ panel: panelId, version: versionName });
export type Place = z.infer<typeof place>;

export const comment = z.string().min(1).max(2000);
export const seenRevision = z
  .int({ error: 'expected the revision that was seen, a whole number' })
  .min(1)
  .describe('The revision that was seen.');

/** What a person who changes a version tells of it. */
export interface Act {
  revision: number;
  comment?: string | undefined;
}

export interface StoredVersions {
  repository: PanelRepository;
  /** For programs, for people who are signed in, and for browsers with a token as the password. */
  access(right: Right<OfPanel>): Access;
  may(caller: Principal, right: Right<OfPanel>, panel: string): Promise<boolean>;
  /** A version of a panel that the caller has no right to is answered like one that does not exist. */
  found(caller: Principal, right: Right<OfPanel>, place: Place): Promise<PanelVersion>;
  /** Stores what `next` makes of the version, if it is the one that the person saw. */
  change(
    stored: PanelVersion,
    act: Act,
    principal: Principal,
    next: (stored: PanelVersion, actor: Actor) => PanelVersion,
  ): Promise<PanelVersion>;
  actorOf(principal: Principal, comment?: string): Actor;
  /** Undefined before names of genes are loaded. */
  names(): Promise<NamesInUse | undefined>;
  /** Throws an `unavailable` fault before names of genes are loaded. */
  namesNow(): Promise<NamesInUse>;
  /** The names of genes may have changed since the draft was made: none that is withdrawn is signed. */
  refuseWithdrawn(stored: PanelVersion): Promise<void>;
}

export type PanelContext = Pick<
  PluginContext<PanelSettings>,
  'repository' | 'callerAccess' | 'policy' | 'settings' | 'now' | 'baseUrl'
>;

export function storedVersions(context: PanelContext): StoredVersions {
  const repository = context.repository(panels);
  const accesses = new Map<Right, Access>();

  const actorOf = ({ owner: by }: Principal, said?: string): Actor => ({
    ...{ by, at: context.now() },
    ...(said === undefined ? {} : { comment: said }),
  });

  return {
    repository,
    actorOf,

    access(right) {
      const made = accesses.get(right) ?? context.callerAccess(right, undefined, { password: true });
      accesses.set(right, made);
      return made;
    },

    may: (caller, right, panel) => context.policy.may(caller, right, { panel }),

    async found(caller, right, { panel, version: name }) {
      const stored = await repository.find(panel, name);
      if (stored === undefined || !(await context.policy.may(caller, right, { panel })))
        throw new Fault('not-found', `There is no version ${panel}@${name}`);
      return stored;
    },

    async change(stored, { revision, comment: said }, principal, next) {
      if (stored.revision !== revision) throw changedSince(stored);
      const after = next(stored, actorOf(principal, said));
      if (after !== stored && !(await repository.replace(after))) throw changedSince(stored);
      return after;
    },

    async names() {
      return (await repository.names()) === undefined ? undefined : namesInUse(repository);
    },

    namesNow: () => namesInUse(repository),

    async refuseWithdrawn(stored) {
      const blocking = blockingOf(stored, await namesInUse(repository));
      if (blocking.length === 0) return;
      const listed = blocking.slice(0, 5).map(({ symbol, text }) => `${symbol}: ${text}`);
      throw new Fault('conflict', `${nameOf(stored)} has genes that were withdrawn: ${listed.join('; ')}`);
    },
  };
}

function blockingOf({ content }: PanelVersion, { table }: NamesInUse): GeneFinding[] {
  return checkGenes(parseContent(content).genes, table).filter(({ what }) => what === 'withdrawn');
}

export function changedSince(stored: PanelVersion): Fault {
  return new Fault('conflict', `${nameOf(stored)} was changed since it was read: read it again`);
}
