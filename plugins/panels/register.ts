/**
 * What the panels plugin adds to a server: pages and routes, the panel of the demo, and the service by which other plugins read
 * panels, as far as the caller may read them.
 */
import { anonymous, Fault, type PluginContext, type Principal } from '../../core/plugin.js';
import type {
  HoldingVersion,
  PanelGeneOfReport,
  PanelOfReport,
  PanelsService,
  WithdrawnGenes,
} from '../services/panels.js';
import { type PanelHead, type PanelRepository, type PanelState, type PanelVersion, panels } from './contract.js';
import { GeneTable, type NamedGene, type NamesInUse, noNames } from './genes/gene-table.js';
import { checkWithIntervals, versionsHolding, wantedGene } from './genes/genes-in-panels.js';
import { pageFault } from './pages/frame.js';
import { readRight } from './rights.js';
import { type PanelSigned, storedVersions } from './routes/acts.js';
import { editRoutes } from './routes/drafts.js';
import { formPages, readPages } from './routes/pages.js';
import { exportRoute, versionRoutes } from './routes/versions.js';
import type { PanelSettings } from './settings.js';
import { differences, type PanelContent, type PanelGene, parseContent, placesOf } from './versions/content.js';
import {
  draftVersion,
  latestSigned,
  parseReference,
  personOfStep,
  retiredVersion,
  signatures,
  signedVersion,
  submittedVersion,
} from './versions/lifecycle.js';
import { compareVersionNames } from './versions/names.js';

export function register(context: PluginContext<PanelSettings>): void {
  const stored = storedVersions(context);
  context.offer('panels/versions@1', () => panelsService(context, stored.names));
  const base = context.basePath;
  const { signatures: wanted, signers } = context.settings;
  const signing = { wanted, signers };
  const routes = [
    ...readPages(stored, base),
    ...formPages(stored, base, signing),
    ...editRoutes(stored),
    ...versionRoutes(context, stored, signing, base),
    exportRoute(context, stored),
  ];
  for (const route of routes) context.route(route);
  context.errorBody('/panels', pageFault(base));
  context.link('/panels', 'Gene panels');
  checkWithIntervals(context);
  if (context.demo) {
    context.onReady(() => fillDemo(context));
    context.on<{ step: string }>('reviews/demo@1', async ({ step }) => {
      if (step === 'news') await addDemoNews(context);
    });
  }
}

/** Adds the demo panel before the server is ready, if there are no panels yet. */
async function fillDemo({ repository, log, now }: PluginContext<PanelSettings>): Promise<void> {
  const versions = await addDemo(repository(panels), now());
  if (versions > 0) log.info({ versions }, 'demo panel added');
}

// Demo data for first steps: a panel in three versions of the genes that the demo intervals of the coverage plugin have, and the
// names of these genes. It is signed off by "demo" alone, and must not be used for patients.

const demoPanel = 'demo-folate';

/** Approved symbols and former ones by HGNC. */
const named: readonly NamedGene[] = [
  { hgnc: 2861, symbol: 'DHFR', coding: true, previous: [], aliases: [] },
  { hgnc: 3791, symbol: 'FOLR1', coding: true, previous: ['FOLR'], aliases: [] },
  { hgnc: 7436, symbol: 'MTHFR', coding: true, previous: [], aliases: [] },
  { hgnc: 7494, symbol: 'MT-TP', coding: false, previous: ['MTTP'], aliases: ['trnP'] },
  { hgnc: 11311, symbol: 'SRY', coding: true, previous: ['TDF'], aliases: [] },
  { hgnc: 30521, symbol: 'SLC46A1', coding: true, previous: [], aliases: ['HCP1', 'PCFT'] },
];

const biallelic = 'BIALLELIC, autosomal or pseudoautosomal';
const mthfr: PanelGene = { hgnc: 7436, symbol: 'MTHFR', confidence: 'green', inheritance: biallelic };
const dhfr: PanelGene = { hgnc: 2861, symbol: 'DHFR', confidence: 'amber', inheritance: biallelic };
const folr1: PanelGene = { hgnc: 3791, symbol: 'FOLR1', confidence: 'amber', inheritance: biallelic };
const slc46a1: PanelGene = { hgnc: 30521, symbol: 'SLC46A1', confidence: 'green', inheritance: biallelic };

/** Adds the demo panel and the names of its genes if nothing is stored yet. Returns how many versions it added. */
async function addDemo(repository: PanelRepository, now: Date): Promise<number> {
  if ((await repository.names()) !== undefined || (await repository.list()).length > 0) return 0;
  const demo = { by: 'demo', at: now };
  const release = 'demo';
  const counts = { approved: named.length, withdrawn: 0 };
  await repository.replaceNames(
    { release, sources: ['demo'], ...counts, loaded: now },
    new GeneTable(named, []).pack(),
  );
  const content = (genes: PanelGene[], more: Partial<PanelContent> = {}): PanelContent => ({
    name: 'Folate metabolism (demo)',
    genes,
    source: { kind: 'person', name: 'demo', read: now.toISOString() },
    names: release,
    ...more,
  });
  const signedOff = (version: string, signedContent: PanelContent) => {
    const review = submittedVersion(draftVersion(demoPanel, version, signedContent, demo), demo);
    return signedVersion(review, review.digest, 1, demo);
  };
  const later = [{ ...mthfr, core: true as const }, { ...dhfr, confidence: 'green' as const }, folr1, slc46a1];
  const requirement = { depth: 15, percent: 98 };
  const others: PanelContent['others'] = [
    {
      ...{ kind: 'region', name: 'Made-up loss on 5q14.1', confidence: 'amber', detail: 'copy number loss' },
      place: '5:80626001-80660000 (GRCh38)',
    },
    {
      ...{
        kind: 'str',
        name: 'Made-up repeat in DHFR',
        confidence: 'green',
        detail: 'repeat CGG, pathogenic from 200',
      },
      place: '5:80654500-80654598 (GRCh38)',
    },
  ];
  const lost = { given: 'PIPPI6', at: 'line 6', why: 'PIPPI6 is unknown', confidence: 'green' as const };
  const versions = [
    retiredVersion(signedOff('1.9', content([mthfr, dhfr, folr1])), demo),
    signedOff('1.10', content(later, { requirement, others })),
    draftVersion(demoPanel, '2.0', content(later, { requirement, others, unmapped: [lost] }), demo),
  ];
  for (const version of versions) await repository.add(version);
  return versions.length;
}

/** Signs a version of the demo panel in which a gene turns green; a repetition changes nothing. */
async function addDemoNews({ repository, announce, now }: PluginContext<PanelSettings>): Promise<void> {
  const stored = repository(panels);
  const before = await stored.find(demoPanel, '1.10');
  if (before === undefined || (await stored.find(demoPanel, '1.11')) !== undefined) return;
  const demo = { by: 'demo', at: now() };
  const content = parseContent(before.content);
  const genes = content.genes.map((gene) =>
    gene.hgnc === folr1.hgnc ? { ...gene, confidence: 'green' as const } : gene,
  );
  const review = submittedVersion(draftVersion(demoPanel, '1.11', { ...content, genes }, demo), demo);
  await stored.add(signedVersion(review, review.digest, 1, demo));
  await announce<PanelSigned>('panels/signed@1', { panel: demoPanel, version: '1.11' });
}

// Answers other plugins' questions about panels from the storage, as far as the caller may read them.

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

    async withdrawn(ids) {
      const current = await names();
      return current && withdrawnOf(ids, current.names, current.table);
    },

    async assuming(file) {
      const current = await names();
      if (current === undefined) throw noNames();
      const { release, table } = await namesWith(current.table, file);
      return { ...this, withdrawn: async (ids) => withdrawnOf(ids, { release }, table) };
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

function withdrawnOf(ids: readonly number[], { release }: { release: string }, table: GeneTable): WithdrawnGenes {
  const became = ids.flatMap((id): [number, string[]][] => {
    const genes = table.successors(id);
    return genes ? [[id, genes.map(({ symbol }) => symbol)]] : [];
  });
  return { release, became: new Map(became) };
}

/** Names with the withdrawn entries of a file in the place of theirs. */
async function namesWith(
  names: GeneTable,
  { path, release, signal }: Parameters<PanelsService['assuming']>[0],
): Promise<{ release: string; table: GeneTable }> {
  const [{ readTextFile, releaseDate }, { readWithdrawn }] = await Promise.all([
    import('../../core/files.js'),
    import('./genes/hgnc.js'),
  ]);
  const file = await readTextFile(path, signal);
  const named = release ?? releaseDate(file.name);
  if (named === undefined)
    throw new Fault('invalid', 'The name of the file does not tell its release: name it with --release');
  return { release: named, table: names.withWithdrawn(readWithdrawn(file)) };
}

function ofReport(stored: PanelVersion): PanelOfReport {
  const { panel, version, name, state, digest: sha256 } = stored;
  const { names, requirement, genes, others = [], unmapped = [] } = parseContent(stored.content);
  const end = everSigned.includes(state) ? stored.history.findLast(({ what }) => what === 'signed off') : undefined;
  return {
    ...{ panel, version, name, state, sha256 },
    ...(names !== undefined && { names }),
    ...(end && { signedOff: { at: end.at, by: signatures(stored).map(personOfStep) } }),
    ...(requirement !== undefined && { requirement }),
    genes: genes.map(geneOfReport),
    others: others.map(({ genes: _, from: __, ...other }) => ({ ...other, places: placesOf(other.place) })),
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
