/** Pages for reading: all panels, one panel, two versions compared, and the versions that hold a gene. */
import { z } from 'zod';
import { Fault, type Principal, preferred, type RouteDeclaration, route } from '../../../core/plugin.js';
import { type PanelHead, panelStates } from '../contract.js';
import { versionsHolding, wantedGene } from '../genes/held.js';
import { wordOf } from '../genes/word.js';
import { comparePage } from '../pages/compare.js';
import { type HeldGene, holdingPage } from '../pages/holding.js';
import { listPage } from '../pages/list.js';
import { panelPage } from '../pages/panel.js';
import { editRight, readRight } from '../rights.js';
import { panelId, type StoredVersions, versionName } from './stored.js';

export const pageType = 'text/html';
const answers = { 200: { description: 'The page.', content: { [pageType]: z.string() } } };
const words = z.string().trim().max(200).default('');

const jsonType = 'application/json';
const placeOf = { panel: z.string(), version: z.string(), state: z.enum(panelStates) };
const holding = z.object({
  hgnc: z.int(),
  symbol: z.string(),
  note: z.string().optional().describe('What people should know of the name that was asked for.'),
  versions: z
    .array(
      z.object({ ...placeOf, former: z.array(z.int()).describe('HGNC ids that were merged into the gene since.') }),
    )
    .describe('Versions that hold the gene.'),
  entries: z
    .array(z.object({ ...placeOf, given: z.string() }))
    .describe('Entries without a gene that may be it, as their sources name them.'),
});

function holdingShown({ hgnc, symbol, note, held, open }: HeldGene): z.output<typeof holding> {
  const shown = ({ panel, version, state }: PanelHead) => ({ panel, version, state });
  return {
    ...{ hgnc, symbol, ...(note !== undefined && { note }) },
    versions: held.map((head) => ({ ...shown(head), former: [...head.former] })),
    entries: open.map(({ head, given }) => ({ ...shown(head), given })),
  };
}

export function readPages(stored: StoredVersions, base: string): RouteDeclaration[] {
  const { repository } = stored;
  const readable = async (caller: Principal, panel?: string) =>
    stored.among(caller, readRight, await repository.list(panel));
  /** A panel that the caller may not read is answered like one that does not exist. */
  const versionsOf = async (caller: Principal, panel: string) => {
    const heads = await readable(caller, panel);
    if (heads.length === 0) throw new Fault('not-found', `There is no panel ${panel}`);
    return heads;
  };
  return [
    route({
      method: 'GET',
      path: '/panels',
      operation: 'panelsPage',
      summary: 'A page with all panels, by name, id or gene',
      access: stored.access(readRight),
      query: z.object({
        q: words,
        state: z
          .enum(['', ...panelStates])
          .catch('')
          .default(''),
      }),
      answers,
      async handle({ input: { q, state }, principal, nonce }) {
        const [heads, mayMake] = [await readable(principal), await stored.mayAny(principal, editRight)];
        const named = q === '' ? undefined : (await stored.names())?.table.resolve(wordOf(q));
        const gene = named && 'gene' in named ? named.gene : undefined;
        const ids = gene && [gene.hgnc, ...((await stored.names())?.table.formerIds(gene.hgnc) ?? [])];
        const held = ids && (await repository.holding(ids));
        const panels = new Set(held?.map(({ head }) => head.panel));
        const body = listPage({ heads, q, state, mayMake, gene: gene && { ...gene, panels } }, { base, nonce });
        return { type: pageType, body };
      },
    }),
    route({
      method: 'GET',
      path: '/panels/holding',
      operation: 'panelsHolding',
      summary: 'The versions that hold a gene, or were made while no gene was found for its name, as JSON or as a page',
      access: stored.access(readRight),
      query: z.object({ gene: words.describe('A symbol, current or former, or an HGNC id.') }),
      answers: {
        200: {
          description: 'All versions, retired ones included.',
          content: { [jsonType]: holding, [pageType]: z.string() },
        },
      },
      async handle({ input: { gene }, principal, headers, nonce }) {
        const vary = { Vary: 'Accept' };
        const found = gene === '' ? undefined : await heldGene(gene, principal);
        if (preferred(headers, [jsonType, pageType]) === pageType) {
          const body = holdingPage({ gene, found, reports: stored.reportsOn(gene) }, { base, nonce });
          return { type: pageType, headers: vary, body };
        }
        if (found === undefined) throw new Fault('invalid', 'gene: expected a symbol or an HGNC id');
        if (typeof found === 'string') throw new Fault('not-found', found);
        return { headers: vary, body: holdingShown(found) };
      },
    }),
    route({
      method: 'GET',
      path: '/panels/:panel',
      operation: 'panelPage',
      summary: 'A page with the versions of a panel',
      access: stored.access(readRight),
      params: z.object({ panel: panelId }),
      answers,
      async handle({ params: { panel }, principal, nonce }) {
        const heads = await versionsOf(principal, panel);
        const mayEdit = await stored.may(principal, editRight, panel);
        return { type: pageType, body: panelPage({ panel, heads, mayEdit }, { base, nonce }) };
      },
    }),
    route({
      method: 'GET',
      path: '/panels/:panel/compare',
      operation: 'panelComparePage',
      summary: 'A page that compares two versions gene by gene',
      access: stored.access(readRight),
      params: z.object({ panel: panelId }),
      query: z.object({
        from: versionName.describe('The earlier version.'),
        to: versionName.describe('The later version.'),
        other: panelId.default('').describe('The panel of the earlier version, if it is another.'),
      }),
      answers,
      async handle({ params: { panel }, input: { from, to, other }, principal, nonce }) {
        const [before, after] = await Promise.all([
          stored.found(principal, readRight, { panel: other.trim() || panel, version: from }),
          stored.found(principal, readRight, { panel, version: to }),
        ]);
        const heads = await versionsOf(principal, panel);
        return { type: pageType, body: comparePage({ panel, heads, before, after }, { base, nonce }) };
      },
    }),
  ];

  async function heldGene(word: string, caller: Principal): Promise<HeldGene | string> {
    const table = (await stored.names())?.table;
    const gene = wantedGene(word, table);
    if (typeof gene === 'string') return gene;
    const { held, open } = await versionsHolding(repository, await readable(caller), gene, table);
    return { ...gene, held: await stored.among(caller, readRight, held), open };
  }
}
