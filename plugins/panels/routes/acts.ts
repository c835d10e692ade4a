/**
 * What routes and pages of panels share: they find the version that the caller may have, change it if it is the one that was
 * seen, perform an act, and return it as JSON.
 */
import { z } from 'zod';
import { type Access, Fault, type PluginContext, type Principal, type Right } from '../../../core/plugin.js';
import type { GeneStructures, KeptReportsService } from '../../services/coverage.js';
import {
  type PanelHead,
  type PanelRepository,
  type PanelVersion,
  panelStates,
  panelSteps,
  panels,
} from '../contract.js';
import { geneStructuresKey } from '../genes/exons.js';
import { type GeneTable, keptNames, type NamesInUse, noNames } from '../genes/gene-table.js';
import { checkGenes, type GeneFinding, readCoordinates } from '../genes/genes-in-panels.js';
import { editRight, type OfPanel, signRight } from '../rights.js';
import type { PanelSettings } from '../settings.js';
import { panelContent, parseContent } from '../versions/content.js';
import {
  nameOfVersion,
  type PanelAction,
  panelEvent,
  retiredVersion,
  type StepActor,
  sentBack,
  signedVersion,
  submittedVersion,
} from '../versions/lifecycle.js';
import { isVersionName, versionNameForm } from '../versions/names.js';

export const panelId = z.string().max(100);
export const versionName = z.string().refine(isVersionName, `expected ${versionNameForm}`);
export const place = z.object({ panel: panelId, version: versionName });
export type VersionPlace = z.infer<typeof place>;

export const comment = z.string().min(1).max(2000);
/** The greatest revision that a version can have. */
export const lastRevision = 2 ** 31 - 1;
export const seenRevision = z
  .int({ error: 'expected the revision that was seen, a whole number' })
  .min(1)
  .max(lastRevision)
  .describe('The revision that was seen.');

/** Who changes a version, by which right, and in which request: for the audit. */
export interface ChangeAuthor {
  principal: Principal;
  right: Right<OfPanel>;
  /** The id of the request. */
  request: string;
}

/** What a person states who changes a version. */
interface Act {
  revision: number;
  comment?: string | undefined;
}

interface CheckedGenes {
  /** The release of names in use. */
  release: string;
  table: GeneTable;
  /** By the names, and by what the coverage plugin has of the genes in each build. */
  findings: readonly GeneFinding[];
}

export type StoredVersions = ReturnType<typeof storedVersions>;

export type PanelContext = Pick<
  PluginContext<PanelSettings>,
  'repository' | 'transaction' | 'audit' | 'callerAccess' | 'policy' | 'settings' | 'now' | 'find' | 'announce'
>;

/** The event `panels/signed@1`: a version is signed off by all who have to, or was retired. */
export interface PanelSigned {
  readonly panel: string;
  readonly version: string;
}

export function storedVersions(context: PanelContext) {
  const repository = context.repository(panels);
  const { policy } = context;
  const accesses = new Map<Right, Access>();

  const actorOf = (principal: Principal, said?: string): StepActor => ({
    ...{ by: principal.owner, at: context.now() },
    ...(principal.kind === 'subject' && principal.name !== undefined && { name: principal.name }),
    ...(said === undefined ? {} : { comment: said }),
  });

  const names = keptNames(repository);

  /** Changes what is stored and records it, both or neither. */
  const recorded = (
    doing: PanelAction,
    of: PanelVersion,
    { principal, right, request }: ChangeAuthor,
    change: (repository: PanelRepository) => Promise<void>,
  ): Promise<void> =>
    context.audit.within(context.transaction, async (scope, record) => {
      await change(scope.repository(panels));
      const because = await policy.why(principal, right, { panel: of.panel });
      await record(principal, { ...panelEvent(doing, of), because, request });
    });

  return {
    repository,
    actorOf,

    /** The path of the page with the kept reports on a gene; undefined if the server keeps none. */
    reportsOn: (gene: string) => context.find<KeptReportsService>('coverage/kept-reports@1')?.pathOf(gene),

    /** For programs, for people who are signed in, and for browsers with a token as the password. */
    access(right: Right<OfPanel>): Access {
      const made = accesses.get(right) ?? context.callerAccess(right, undefined, { password: true });
      accesses.set(right, made);
      return made;
    },

    may: (caller: Principal, right: Right<OfPanel>, panel: string) => policy.may(caller, right, { panel }),
    mayAny: (caller: Principal, right: Right<OfPanel>) => policy.mayAny(caller, right),
    among: <Of extends OfPanel>(caller: Principal, right: Right<OfPanel>, things: readonly Of[]) =>
      policy.among(caller, right, things),

    /** A version of a panel that the caller has no right to is answered like one that does not exist. */
    async found(caller: Principal, right: Right<OfPanel>, { panel, version: name }: VersionPlace) {
      // Decided before it is read: what others have takes no longer than what does not exist.
      const may = await policy.may(caller, right, { panel });
      const stored = may ? await repository.find(panel, name) : undefined;
      if (stored === undefined) throw new Fault('not-found', `There is no version ${panel}@${name}`);
      return stored;
    },

    /** Adds a draft. */
    add: (version: PanelVersion, by: ChangeAuthor) => recorded('add', version, by, (within) => within.add(version)),

    /** Stores what `next` makes of the version, if it is the one that the person saw. */
    async change(
      doing: PanelAction,
      stored: PanelVersion,
      { revision, comment: said }: Act,
      by: ChangeAuthor,
      next: (stored: PanelVersion, actor: StepActor) => PanelVersion,
    ): Promise<PanelVersion> {
      if (stored.revision !== revision) throw changedSince(stored);
      const after = next(stored, actorOf(by.principal, said));
      if (after === stored) return after;
      await recorded(doing, after, by, async (within) => {
        if (!(await within.replace(after))) throw changedSince(stored);
      });
      if (after.state !== stored.state && (after.state === 'signed off' || after.state === 'retired')) {
        const { panel, version } = after;
        await context.announce<PanelSigned>('panels/signed@1', { panel, version });
      }
      return after;
    },

    /** Removes the version, if it is the one that the person saw. */
    remove: (stored: PanelVersion, revision: number, by: ChangeAuthor) =>
      recorded('remove', stored, by, async (within) => {
        if (!(await within.remove(stored.panel, stored.version, revision))) throw changedSince(stored);
      }),

    /** Undefined before names of genes are loaded. */
    names,

    /** What people should know of the genes today; undefined before names of genes are loaded. */
    async checked({ content }: PanelVersion, signal: AbortSignal): Promise<CheckedGenes | undefined> {
      const inUse = await names();
      if (inUse === undefined) return undefined;
      const { genes } = parseContent(content);
      const { table, names: of } = inUse;
      const findings = checkGenes(genes, table);
      const structures = context.find<GeneStructures>(geneStructuresKey);
      if (structures !== undefined) findings.push(...(await readCoordinates(structures, genes, signal)).check(genes));
      return { release: of.release, table, findings };
    },

    /** The names of genes may have changed since the draft was made: none that is withdrawn is signed. */
    async refuseWithdrawn(stored: PanelVersion): Promise<void> {
      const inUse = await names();
      if (inUse === undefined) throw noNames();
      const blocking = blockingOf(stored, inUse);
      if (blocking.length === 0) return;
      const listed = blocking.slice(0, 5).map(({ symbol, text }) => `${symbol}: ${text}`);
      throw new Fault('conflict', `${nameOfVersion(stored)} has genes that were withdrawn: ${listed.join('; ')}`);
    },
  };
}

function blockingOf({ content }: PanelVersion, { table }: NamesInUse): GeneFinding[] {
  return checkGenes(parseContent(content).genes, table).filter(({ what }) => what === 'withdrawn');
}

export function changedSince(stored: PanelVersion): Fault {
  return new Fault('conflict', `${nameOfVersion(stored)} was changed since it was read: read it again`);
}

// What people do with a version besides reading and editing it, each with the right that it needs.

export const verbs = ['submit', 'send-back', 'sign', 'retire', 'remove'] as const;
export type Verb = (typeof verbs)[number];

export const rightFor: Readonly<Record<Verb, Right<OfPanel>>> = {
  submit: editRight,
  'send-back': signRight,
  sign: signRight,
  retire: signRight,
  remove: editRight,
};

export interface VersionAct extends Act {
  /** Of the content that was read: what a signature is for. */
  sha256?: string | undefined;
}

/** How a version is signed off. */
export interface SigningRules extends Pick<PanelSettings, 'signers'> {
  /** Signatures that sign a version off. */
  wanted: number;
}

/** Why this caller cannot sign, in a sentence; undefined if the caller can. */
export function signerRefusal({ kind }: Principal, { signers }: SigningRules): string | undefined {
  if (signers === 'anyone' || kind === 'subject') return undefined;
  return 'Versions are signed by people: sign in at the identity provider, an API token does not say who you are';
}

/** The version after it; undefined if it was removed. The caller has the right. */
export async function perform(
  stored: StoredVersions,
  version: PanelVersion,
  verb: Verb,
  act: VersionAct,
  { principal, request }: Pick<ChangeAuthor, 'principal' | 'request'>,
  signing: SigningRules,
): Promise<PanelVersion | undefined> {
  const by = { principal, request, right: rightFor[verb] };
  switch (verb) {
    case 'submit':
      return stored.change(verb, version, act, by, submittedVersion);
    case 'send-back':
      return stored.change(verb, version, act, by, sentBack);
    case 'retire':
      return stored.change(verb, version, act, by, retiredVersion);
    case 'sign': {
      const refusal = signerRefusal(principal, signing);
      if (refusal !== undefined) throw new Fault('forbidden', refusal);
      await stored.refuseWithdrawn(version);
      return stored.change(verb, version, act, by, (seen, actor) =>
        signedVersion(seen, act.sha256 ?? '', signing.wanted, actor),
      );
    }
    default:
      if (version.state !== 'draft')
        throw new Fault('conflict', `${nameOfVersion(version)} is ${version.state}: only drafts can be removed`);
      await stored.remove(version, act.revision, by);
      return undefined;
  }
}

// Panels as JSON.

export const shownHead = z.object({
  panel: z.string(),
  version: z.string().describe('Dotted whole numbers; 1.10 is after 1.9.'),
  name: z.string(),
  state: z.enum(panelStates),
  revision: z.int().describe('One more with each change; a change names the revision that it saw.'),
  sha256: z.string().describe('Of the content: what people sign.'),
  genes: z.int().describe('Number of genes.'),
  unmapped: z.int().describe('Number of entries for which no gene was found; any blocks signing.'),
  history: z.array(
    z.object({
      what: z.enum(panelSteps),
      at: z.iso.datetime(),
      by: z.string(),
      name: z.string().optional().describe('What the identity provider called that person.'),
      sha256: z.string(),
      comment: z.string().optional(),
    }),
  ),
});

export const shownVersion = shownHead.extend({ content: panelContent });

export function headShown({ panel, version, name, state, revision, ...rest }: PanelHead): z.infer<typeof shownHead> {
  const { digest, genes, unmapped } = rest;
  const history = rest.history.map(({ what, at, by, name: called, comment: said, digest: sha256 }) => {
    return { what, at: at.toISOString(), by, sha256, name: called, comment: said };
  });
  return { panel, version, name, state, revision, sha256: digest, genes, unmapped, history };
}

export function versionShown(version: PanelVersion): z.infer<typeof shownVersion> {
  return { ...headShown(version), content: parseContent(version.content) };
}
