/** What all routes of panels share: they find the version that the caller may have, and change it if it is the one that was seen. */
import { z } from 'zod';
import { type Access, Fault, type PluginContext, type Principal, type Right } from '../../../core/plugin.js';
import type { GeneStructures, KeptReportsService } from '../../services/coverage.js';
import { type PanelRepository, type PanelVersion, panels } from '../contract.js';
import { parseContent } from '../domain/content.js';
import { type Actor, nameOf } from '../domain/lifecycle.js';
import { isVersionName, versionNameForm } from '../domain/version-name.js';
import { geneStructuresKey } from '../exports/exons.js';
import { checkGenes, type GeneFinding } from '../genes/check.js';
import { readCoordinates } from '../genes/coordinates.js';
import type { GeneTable } from '../genes/gene-table.js';
import { keptNames, type NamesInUse, noNames } from '../genes/stored.js';
import { type Doing, panelEvent } from '../recording.js';
import type { OfPanel } from '../rights.js';
import type { PanelSettings } from '../settings.js';

export const panelId = z.string().max(100);
export const versionName = z.string().refine(isVersionName, `expected ${versionNameForm}`);
export const place = z.object({ panel: panelId, version: versionName });
export type Place = z.infer<typeof place>;

export const comment = z.string().min(1).max(2000);
/** The greatest revision that a version can have. */
export const lastRevision = 2 ** 31 - 1;
export const seenRevision = z
  .int({ error: 'expected the revision that was seen, a whole number' })
  .min(1)
  .max(lastRevision)
  .describe('The revision that was seen.');

/** Who changes a version, by which right, and in which request: for the audit. */
export interface By {
  principal: Principal;
  right: Right<OfPanel>;
  /** The id of the request. */
  request: string;
}

/** What a person who changes a version tells of it. */
export interface Act {
  revision: number;
  comment?: string | undefined;
}

export interface CheckedGenes {
  /** The release of names in use. */
  release: string;
  table: GeneTable;
  /** By the names, and by what the coverage plugin has of the genes in each build. */
  findings: readonly GeneFinding[];
}

export interface StoredVersions {
  repository: PanelRepository;
  /** For programs, for people who are signed in, and for browsers with a token as the password. */
  access(right: Right<OfPanel>): Access;
  may(caller: Principal, right: Right<OfPanel>, panel: string): Promise<boolean>;
  mayAny(caller: Principal, right: Right<OfPanel>): Promise<boolean>;
  among<Of extends OfPanel>(caller: Principal, right: Right<OfPanel>, things: readonly Of[]): Promise<Of[]>;
  /** A version of a panel that the caller has no right to is answered like one that does not exist. */
  found(caller: Principal, right: Right<OfPanel>, place: Place): Promise<PanelVersion>;
  /** Adds a draft. */
  add(version: PanelVersion, by: By): Promise<void>;
  /** Stores what `next` makes of the version, if it is the one that the person saw. */
  change(
    doing: Doing,
    stored: PanelVersion,
    act: Act,
    by: By,
    next: (stored: PanelVersion, actor: Actor) => PanelVersion,
  ): Promise<PanelVersion>;
  /** Removes the version, if it is the one that the person saw. */
  remove(stored: PanelVersion, revision: number, by: By): Promise<void>;
  actorOf(principal: Principal, comment?: string): Actor;
  /** Undefined before names of genes are loaded. */
  names(): Promise<NamesInUse | undefined>;
  /** What people should know of the genes today; undefined before names of genes are loaded. */
  checked(version: PanelVersion, signal: AbortSignal): Promise<CheckedGenes | undefined>;
  /** The path of the page with the kept reports on a gene; undefined if the server keeps none. */
  reportsOn(gene: string): string | undefined;
  /** The names of genes may have changed since the draft was made: none that is withdrawn is signed. */
  refuseWithdrawn(stored: PanelVersion): Promise<void>;
}

export type PanelContext = Pick<
  PluginContext<PanelSettings>,
  'repository' | 'transaction' | 'audit' | 'callerAccess' | 'policy' | 'settings' | 'now' | 'baseUrl' | 'find'
>;

export function storedVersions(context: PanelContext): StoredVersions {
  const repository = context.repository(panels);
  const accesses = new Map<Right, Access>();

  const actorOf = (principal: Principal, said?: string): Actor => ({
    ...{ by: principal.owner, at: context.now() },
    ...(principal.kind === 'subject' && principal.name !== undefined && { name: principal.name }),
    ...(said === undefined ? {} : { comment: said }),
  });

  const names = keptNames(repository);

  /** Changes what is stored and records it, both or neither. */
  const recorded = (
    doing: Doing,
    of: PanelVersion,
    { principal, right, request }: By,
    change: (repository: PanelRepository) => Promise<void>,
  ): Promise<void> =>
    context.audit.within(context.transaction, async (scope, record) => {
      await change(scope.repository(panels));
      const because = await context.policy.why(principal, right, { panel: of.panel });
      await record(principal, { ...panelEvent(doing, of), because, request });
    });

  return {
    repository,
    actorOf,
    reportsOn: (gene) => context.find<KeptReportsService>('coverage/kept-reports@1')?.pathOf(gene),

    access(right) {
      const made = accesses.get(right) ?? context.callerAccess(right, undefined, { password: true });
      accesses.set(right, made);
      return made;
    },

    may: (caller, right, panel) => context.policy.may(caller, right, { panel }),

    mayAny: (caller, right) => context.policy.mayAny(caller, right),
    among: (caller, right, things) => context.policy.among(caller, right, things),

    async found(caller, right, { panel, version: name }) {
      // Decided before it is read: what others have takes no longer than what does not exist.
      const may = await context.policy.may(caller, right, { panel });
      const stored = may ? await repository.find(panel, name) : undefined;
      if (stored === undefined) throw new Fault('not-found', `There is no version ${panel}@${name}`);
      return stored;
    },

    add: (version, by) => recorded('add', version, by, (within) => within.add(version)),

    async change(doing, stored, { revision, comment: said }, by, next) {
      if (stored.revision !== revision) throw changedSince(stored);
      const after = next(stored, actorOf(by.principal, said));
      if (after === stored) return after;
      await recorded(doing, after, by, async (within) => {
        if (!(await within.replace(after))) throw changedSince(stored);
      });
      return after;
    },

    remove: (stored, revision, by) =>
      recorded('remove', stored, by, async (within) => {
        if (!(await within.remove(stored.panel, stored.version, revision))) throw changedSince(stored);
      }),

    names,

    async checked({ content }, signal) {
      const inUse = await names();
      if (inUse === undefined) return undefined;
      const { genes } = parseContent(content);
      const { table, names: of } = inUse;
      const findings = checkGenes(genes, table);
      const structures = context.find<GeneStructures>(geneStructuresKey);
      if (structures !== undefined) findings.push(...(await readCoordinates(structures, genes, signal)).check(genes));
      return { release: of.release, table, findings };
    },

    async refuseWithdrawn(stored) {
      const inUse = await names();
      if (inUse === undefined) throw noNames();
      const blocking = blockingOf(stored, inUse);
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
