/** Answers other plugins' questions about panels (`service.ts`) from the storage, as far as the caller may read them. */
import { anonymous, type PluginContext, type Principal } from '../../core/plugin.js';
import type { HoldingVersion, PanelGeneOfReport, PanelOfReport, PanelsService } from '../services/panels.js';
import { type PanelHead, type PanelRepository, type PanelState, type PanelVersion, panels } from './contract.js';
import type { NamesInUse } from './genes/gene-table.js';
import { versionsHolding, wantedGene } from './genes/genes-in-panels.js';
import { readRight } from './rights.js';
import { differences, type PanelGene, parseContent } from './versions/content.js';
import { latestSigned, parseReference, personOf, signatures } from './versions/lifecycle.js';
import { compareVersionNames } from './versions/names.js';

const everSigned: readonly PanelState[] = ['signed off', 'retired'];

/** Whose rights decide which versions are read; anonymous if undefined. */
type PanelReader = Principal | 'operator' | undefined;

/** `names` reads the names of genes in use; undefined before any are loaded. */
export function panelsService(
  { repository: open, policy, tenants }: Pick<PluginContext<unknown>, 'repository' | 'policy' | 'tenants'>,
  names: () => Promise<NamesInUse | undefined>,
): PanelsService {
  const repository: PanelRepository = open(panels);

  async function readable<Head extends Pick<PanelHead, 'panel' | 'state'>>(
    caller: PanelReader,
    heads: readonly Head[],
  ): Promise<readonly Head[]> {
    if (caller === 'operator') return heads;
    const own = new Set(await policy.among(caller ?? anonymous, readRight, heads));
    return heads.filter((head) => own.has(head) || (tenants === undefined && everSigned.includes(head.state)));
  }

  /** Whether the caller may read a version of the panel, as far as that is known without its state: decided before it is read. */
  async function mayRead(panel: string, caller: PanelReader): Promise<boolean> {
    return caller === 'operator' || tenants === undefined || policy.may(caller ?? anonymous, readRight, { panel });
  }

  async function found(panel: string, version: string, caller: PanelReader) {
    if (!(await mayRead(panel, caller))) return undefined;
    const stored = await repository.find(panel, version);
    return stored && (await readable(caller, [stored]))[0];
  }

  async function latest(panel: string, caller: PanelReader): Promise<PanelHead | undefined> {
    return (await mayRead(panel, caller))
      ? latestSigned(await readable(caller, await repository.list(panel)))
      : undefined;
  }

  return {
    async holding(word, caller) {
      const table = (await names())?.table;
      const gene = wantedGene(word, table);
      if (typeof gene === 'string') return undefined;
      const { held, open } = await versionsHolding(
        repository,
        await readable(caller, await repository.list()),
        gene,
        table,
      );
      const shown = ({ panel, version, name, state }: PanelHead): HoldingVersion => {
        return { panel, version, name, state, path: `/panels/${panel}/${version}` };
      };
      return [
        ...(await readable(caller, held)).map(shown),
        ...open.map(({ head, given }) => ({ ...shown(head), entry: given })),
      ];
    },

    async idsOf(words) {
      const table = (await names())?.table;
      return words.map((word) => {
        const gene = wantedGene(word, table);
        return typeof gene === 'string' ? [] : gene.ids;
      });
    },

    async versionOf(reference, caller) {
      const named = parseReference(reference);
      if (named === undefined) return undefined;
      const version = named.version ?? (await latest(named.panel, caller))?.version;
      const stored = version === undefined ? undefined : await found(named.panel, version, caller);
      return stored && ofReport(stored);
    },

    async offered(caller) {
      const heads = (await repository.list()).filter(({ state }) => state === 'signed off');
      const byPanel = new Map<string, PanelHead[]>();
      for (const head of await readable(caller, heads)) {
        const versions = byPanel.get(head.panel);
        if (versions) versions.push(head);
        else byPanel.set(head.panel, [head]);
      }
      return [...byPanel.values()].flatMap((versions) => {
        const last = latestSigned(versions);
        return last === undefined ? [] : [{ panel: last.panel, version: last.version, name: last.name }];
      });
    },

    async newerThan(panel, version, caller) {
      if (parseReference(`${panel}@${version}`) === undefined) return undefined;
      const last = await latest(panel, caller);
      if (last === undefined || compareVersionNames(last.version, version) <= 0) return undefined;
      const [before, after] = await Promise.all([found(panel, version, caller), found(panel, last.version, caller)]);
      if (before === undefined || after === undefined) return undefined;
      return {
        version: last.version,
        differences: differences(parseContent(before.content), parseContent(after.content)),
      };
    },
  };
}

function ofReport(stored: PanelVersion): PanelOfReport {
  const { panel, version, name, state, digest: sha256 } = stored;
  const { names, requirement, genes, others = [], unmapped = [] } = parseContent(stored.content);
  const end = everSigned.includes(state) ? stored.history.findLast(({ what }) => what === 'signed off') : undefined;
  return {
    ...{ panel, version, name, state, sha256 },
    ...(names !== undefined && { names }),
    ...(end && { signedOff: { at: end.at, by: signatures(stored).map(personOf) } }),
    ...(requirement !== undefined && { requirement }),
    genes: genes.map(geneOfReport),
    others: others.map(({ kind, name: called, place }) => ({
      kind,
      name: called,
      ...(place !== undefined && { place }),
    })),
    unmapped: unmapped.map(({ given, why }) => ({ given, why })),
  };
}

function geneOfReport({ hgnc, symbol, confidence, inheritance, transcripts, core }: PanelGene): PanelGeneOfReport {
  return {
    ...{ hgnc, symbol, confidence },
    ...(inheritance !== undefined && { inheritance }),
    ...(transcripts !== undefined && { transcripts }),
    ...(core && { core }),
  };
}
