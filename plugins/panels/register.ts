/** What the panels plugin adds to a server, with the panel of the demo. */
import type { PluginContext } from '../../core/plugin.js';
import { type PanelRepository, panels } from './contract.js';
import { GeneTable, type NamedGene } from './genes/gene-table.js';
import { checkWithIntervals } from './genes/genes-in-panels.js';
import { pageFault } from './pages/frame.js';
import { storedVersions } from './routes/acts.js';
import { editRoutes } from './routes/drafts.js';
import { formPages, readPages } from './routes/pages.js';
import { exportRoute, versionRoutes } from './routes/versions.js';
import type { PanelSettings } from './settings.js';
import type { PanelContent, PanelGene } from './versions/content.js';
import { made, retired, signed, submitted } from './versions/lifecycle.js';
import { panelsService } from './versions-service.js';

export function register(context: PluginContext<PanelSettings>): void {
  const stored = storedVersions(context);
  context.offer('panels/versions@1', () => panelsService(context, stored.names));
  const base = context.baseUrl === undefined ? '' : new URL(context.baseUrl).pathname.replace(/\/+$/, '');
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
  if (context.demo) context.onReady(() => fillDemo(context));
}

/** Adds the demo panel before the server is ready, if there are no panels yet. */
async function fillDemo({ repository, log, now }: PluginContext<PanelSettings>): Promise<void> {
  const versions = await addDemo(repository(panels), now());
  if (versions > 0) log.info({ versions }, 'demo panel added');
}

// Demo data for first steps: a panel in three versions of the genes that the demo intervals of the coverage plugin have, and the
// names of these genes. Nobody signed it but "demo", and it is of no use for patients.

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
    const review = submitted(made(demoPanel, version, signedContent, demo), demo);
    return signed(review, review.digest, 1, demo);
  };
  const later = [{ ...mthfr, core: true as const }, { ...dhfr, confidence: 'green' as const }, folr1, slc46a1];
  const requirement = { depth: 15, percent: 98 };
  const others: PanelContent['others'] = [{ kind: 'region', name: 'Made-up loss on 5q14.1', confidence: 'amber' }];
  const lost = { given: 'PIPPI6', at: 'line 6', why: 'PIPPI6 is unknown', confidence: 'green' as const };
  const versions = [
    retired(signedOff('1.9', content([mthfr, dhfr, folr1])), demo),
    signedOff('1.10', content(later, { requirement, others })),
    made(demoPanel, '2.0', content(later, { requirement, others, unmapped: [lost] }), demo),
  ];
  for (const version of versions) await repository.add(version);
  return versions.length;
}
