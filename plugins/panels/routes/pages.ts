/** The pages of panels over HTTP: for reading, and with forms, and what the forms post. */
import { z } from 'zod';
import { Fault, type Principal, preferred, type RouteDeclaration, route } from '../../../core/plugin.js';
import { type PanelHead, type PanelVersion, panelStates } from '../contract.js';
import { geneOfWord, noNames } from '../genes/gene-table.js';
import { versionsHolding, wantedGene } from '../genes/genes-in-panels.js';
import { editPage, genePage } from '../pages/edit.js';
import { versionPath } from '../pages/frame.js';
import { type GeneHolding, holdingPage, panelListPage, panelPage } from '../pages/panels.js';
import { comparePage, signPage } from '../pages/version.js';
import { editRight, readRight, signRight } from '../rights.js';
import { parseContent } from '../versions/content.js';
import { latestSigned, nameOfVersion } from '../versions/lifecycle.js';
import { isVersionName, versionNameForm } from '../versions/names.js';
import {
  changedSince,
  panelId,
  perform,
  place,
  rightFor,
  type SigningRules,
  type StoredVersions,
  signerRefusal,
  type VersionPlace,
  versionName,
} from './acts.js';
import { actFields, addVersion, editFields, formEdit, formType, newFields, withContent } from './drafts.js';

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

function holdingShown({ hgnc, symbol, note, held, open }: GeneHolding): z.output<typeof holding> {
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
        const named = q === '' ? undefined : (await stored.names())?.table.resolve(geneOfWord(q));
        const gene = named && 'gene' in named ? named.gene : undefined;
        const ids = gene && [gene.hgnc, ...((await stored.names())?.table.formerIds(gene.hgnc) ?? [])];
        const held = ids && (await repository.holding(ids));
        const panels = new Set(held?.map(({ head }) => head.panel));
        const body = panelListPage({ heads, q, state, mayMake, gene: gene && { ...gene, panels } }, { base, nonce });
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

  async function heldGene(word: string, caller: Principal): Promise<GeneHolding | string> {
    const table = (await stored.names())?.table;
    const gene = wantedGene(word, table);
    if (typeof gene === 'string') return gene;
    const { held, open } = await versionsHolding(repository, await readable(caller), gene, table);
    return { ...gene, held: await stored.among(caller, readRight, held), open };
  }
}

// Pages with forms, and what the forms post: new drafts, edits, reviews and signatures.

const afterForm = { 303: { description: 'It is done: the page that shows it is at Location.' } };

export function formPages(stored: StoredVersions, base: string, signing: SigningRules): RouteDeclaration[] {
  const sendTo = (path: string) => ({ status: 303, headers: { Location: `${base}${path}` } });

  async function draft(principal: Principal, at: VersionPlace): Promise<PanelVersion> {
    const version = await stored.found(principal, editRight, at);
    if (version.state === 'draft') return version;
    throw new Fault('conflict', `${nameOfVersion(version)} is ${version.state}: only a draft can be edited`);
  }

  return [
    route({
      method: 'POST',
      path: '/panels/new',
      operation: 'newPanelForm',
      summary: 'Make a draft by a form',
      access: stored.access(editRight),
      body: { types: [formType], schema: newFields },
      answers: afterForm,
      async handle({ body: { panel, version, from, name }, principal, id }) {
        for (const one of [version, from]) {
          if (one !== undefined && !isVersionName(one))
            throw new Fault('invalid', `version: expected ${versionNameForm}`);
        }
        const added = await addVersion(stored, { principal, request: id }, panel, {
          version,
          name,
          ...(from !== undefined && { from: { version: from } }),
        });
        return sendTo(`${versionPath(added.panel, added.version)}/edit`);
      },
    }),
    route({
      method: 'GET',
      path: '/panels/:panel/:version/edit',
      operation: 'editPanelPage',
      summary: 'A page by which a draft, or one of its genes, is edited',
      access: stored.access(editRight),
      params: place,
      query: z.object({ gene: z.coerce.number().int().optional().catch(undefined) }),
      answers,
      async handle({ params, input: { gene: hgnc }, principal, nonce, signal }) {
        const version = await draft(principal, params);
        const around = { base, nonce };
        if (hgnc === undefined)
          return {
            type: pageType,
            body: editPage({ version, checked: await stored.checked(version, signal) }, around),
          };
        const gene = parseContent(version.content).genes.find((one) => one.hgnc === hgnc);
        if (gene === undefined) throw new Fault('not-found', `HGNC:${hgnc} is not in ${nameOfVersion(version)}`);
        return { type: pageType, body: genePage({ version, gene }, around) };
      },
    }),
    route({
      method: 'POST',
      path: '/panels/:panel/:version/edit',
      operation: 'editPanelForm',
      summary: 'Edit a draft by a form',
      access: stored.access(editRight),
      params: place,
      body: { types: [formType], schema: editFields, limit: 4 * 1024 * 1024 },
      answers: afterForm,
      async handle({ params, body, principal, id }) {
        const version = await draft(principal, params);
        if (version.revision !== body.revision) throw changedSince(version);
        const inUse = await stored.names();
        const names = inUse && { release: inUse.names.release, table: inUse.table };
        const { content, words } = formEdit(parseContent(version.content), body, names, noNames);
        const act = { revision: body.revision };
        await stored.change(
          'edit',
          version,
          act,
          { principal, request: id, right: editRight },
          withContent(content, () => words),
        );
        const part = { describe: '#about', gene: '#genes', confidence: '#genes', remove: '#genes' } as const;
        const at = body.action in part ? part[body.action as keyof typeof part] : '';
        return sendTo(`${versionPath(version.panel, version.version)}/edit${at}`);
      },
    }),
    route({
      method: 'GET',
      path: '/panels/:panel/:version/sign',
      operation: 'signPanelPage',
      summary: 'A page that shows what a signature is for, and takes it',
      access: stored.access(signRight),
      params: place,
      answers,
      async handle({ params, principal, nonce, signal }) {
        const version = await stored.found(principal, signRight, params);
        const heads = await stored.among(principal, readRight, await stored.repository.list(version.panel));
        const last = latestSigned(heads);
        const before = last && (await stored.repository.find(last.panel, last.version));
        const shown = { version, before, checked: await stored.checked(version, signal), wanted: signing.wanted };
        const signer = { ...stored.actorOf(principal), refusal: signerRefusal(principal, signing) };
        return { type: pageType, body: signPage({ ...shown, signer }, { base, nonce }) };
      },
    }),
    route({
      method: 'POST',
      path: '/panels/:panel/:version/act',
      operation: 'actOnPanelForm',
      summary: 'Submit, sign, send back, retire or remove a version by a form',
      access: stored.access(readRight),
      params: place,
      body: { types: [formType], schema: actFields },
      answers: afterForm,
      async handle({ params, body: { act: verb, ...act }, principal, id }) {
        const version = await stored.found(principal, readRight, params);
        if (!(await stored.may(principal, rightFor[verb], params.panel)))
          throw new Fault('forbidden', `This needs the right ${rightFor[verb].scope} for ${params.panel}`);
        const after = await perform(stored, version, verb, act, { principal, request: id }, signing);
        return sendTo(after === undefined ? '/panels' : versionPath(after.panel, after.version));
      },
    }),
  ];
}
