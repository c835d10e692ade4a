/** The pages on which people look for panels: all panels, one panel with its versions, and the versions that hold a gene. */
import { choice, type Html, html } from '../../../core/plugin.js';
import { type PanelHead, type PanelState, panelStates } from '../contract.js';
import type { HoldingVersions, SearchedGene } from '../genes/genes-in-panels.js';
import { latestSigned, personOfStep } from '../versions/lifecycle.js';
import { nextVersionName } from '../versions/names.js';
import { badge, countedNoun, field, type PanelPageContext, panelPageFrame, time, versionPath } from './frame.js';

interface PanelListPage {
  /** All versions that the caller may read. */
  heads: readonly PanelHead[];
  q: string;
  state: PanelState | '';
  /** The gene that `q` names, with the panels that hold it. */
  gene: { symbol: string; panels: ReadonlySet<string> } | undefined;
  mayMake: boolean;
}

export function panelListPage({ heads, q, state, gene, mayMake }: PanelListPage, around: PanelPageContext): string {
  const { base } = around;
  const all = byPanel(heads);
  const shown = all.filter((versions) => isPanelFound(versions, q, gene) && hasState(versions, state));
  return panelPageFrame(around, {
    title: 'Gene panels',
    above: undefined,
    intro: 'Versions of panels that people sign. A signed version never changes.',
    body: html`<form class="card row screen" method="get" action="${base}/panels" role="search">
${field('q', 'Name, id or gene', q)}
${choice('state', 'With a version that is', state, [{ value: '', text: 'in any state' }, ...panelStates.map((one) => ({ value: one, text: one }))])}
<button>Search</button>
</form>
${gene && html`<p class="note">${gene.symbol} is a gene: panels that hold it in any version are among those below. <a href="${base}/panels/holding?gene=${encodeURIComponent(gene.symbol)}">Which versions held it</a></p>`}
<section aria-labelledby="found"><h2 id="found">${shown.length === all.length ? countedNoun(all.length, 'panel') : `${shown.length} of ${countedNoun(all.length, 'panel')}`}</h2>
${shown.length > 0 ? panelTable(shown, base) : html`<p>${all.length === 0 ? 'There are no panels that you may read.' : 'No panel is found.'}</p>`}
</section>
${mayMake && newPanelForm(base)}`,
  });
}

function newPanelForm(base: string): Html {
  return html`<details class="screen"><summary>New panel</summary>
<form class="card" method="post" action="${base}/panels/new">
<div class="fields">
${field('panel', 'Id', '', { required: true, hint: 'Lower-case letters, digits, ".", "-" and "_". It never changes.' })}
${field('name', 'Name', '', { required: true, hint: 'For people; a later version may have another.' })}
</div>
<p class="actions"><button>Make an empty draft</button></p>
</form></details>`;
}

function panelTable(panels: readonly (readonly PanelHead[])[], base: string): Html {
  return html`<table>
<thead><tr><th scope="col">Panel<th scope="col">Signed off<th scope="col">Latest version<th scope="col" class="number">Genes<th scope="col">Changed (UTC)</tr></thead>
<tbody>${panels.map((versions) => {
    const last = versions.at(-1);
    if (last === undefined) return '';
    const signed = latestSigned(versions);
    const at = last.history.at(-1)?.at;
    return html`
<tr><th scope="row" class="wide"><a href="${base}/panels/${last.panel}"><strong>${last.name}</strong></a> <span class="soft">${last.panel}</span><td data-label="Signed off">${signed ? versionLink(signed, base) : html`<span class="soft">none</span>`}<td data-label="Latest version">${versionLink(last, base)} ${badge(last.state)}<td class="number" data-label="Genes">${last.genes}${last.unmapped > 0 && html` <span class="soft">+ ${last.unmapped} without a gene</span>`}<td class="time" data-label="Changed (UTC)">${at && time(at)}</tr>`;
  })}
</tbody></table>`;
}

export function versionLink({ panel, version }: Pick<PanelHead, 'panel' | 'version'>, base: string): Html {
  return html`<a href="${base}${versionPath(panel, version)}">${version}</a>`;
}

/** In the order of the heads. */
function byPanel(heads: readonly PanelHead[]): PanelHead[][] {
  const found = new Map<string, PanelHead[]>();
  for (const head of heads) {
    const known = found.get(head.panel);
    if (known === undefined) found.set(head.panel, [head]);
    else known.push(head);
  }
  return [...found.values()];
}

function isPanelFound(versions: readonly PanelHead[], q: string, gene: PanelListPage['gene']): boolean {
  if (q === '') return true;
  const wanted = q.toLowerCase();
  const [first] = versions;
  if (first !== undefined && gene?.panels.has(first.panel)) return true;
  return versions.some(({ panel, name }) => panel.includes(wanted) || name.toLowerCase().includes(wanted));
}

function hasState(versions: readonly PanelHead[], state: PanelState | ''): boolean {
  return state === '' || versions.some((head) => head.state === state);
}

// The page of one panel: its versions, and a form that compares two of them.

interface PanelPage {
  panel: string;
  /** In the order of versions; at least one. */
  heads: readonly PanelHead[];
  mayEdit: boolean;
}

export function panelPage({ panel, heads, mayEdit }: PanelPage, around: PanelPageContext): string {
  const { base } = around;
  const last = heads.at(-1);
  const signed = latestSigned(heads);
  return panelPageFrame(around, {
    title: last?.name ?? panel,
    above: [],
    intro: html`Panel <code>${panel}</code>, ${countedNoun(heads.length, 'version')}. ${signed ? html`Reports that ask for it use version ${versionLink(signed, base)}.` : 'No version is signed off.'}`,
    body: html`<section aria-labelledby="versions"><h2 id="versions">Versions</h2>
<table>
<thead><tr><th scope="col">Version<th scope="col">State<th scope="col">Name<th scope="col" class="number">Genes<th scope="col">Last step (UTC)</tr></thead>
<tbody>${[...heads].reverse().map((head) => {
      const step = head.history.at(-1);
      return html`
<tr><th scope="row">${versionLink(head, base)}<td data-label="State">${badge(head.state)}<td class="wide" data-label="Name">${head.name}<td class="number" data-label="Genes">${head.genes}${head.unmapped > 0 && html` <span class="soft">+ ${head.unmapped} without a gene</span>`}<td data-label="Last step (UTC)">${step && html`${time(step.at)} ${step.what} by <bdi>${personOfStep(step)}</bdi>`}</tr>`;
    })}
</tbody></table></section>
${compareForm(panel, heads, base)}
${mayEdit && last && newVersionForm(last, base)}`,
  });
}

export function compareForm(
  panel: string,
  heads: readonly Pick<PanelHead, 'version' | 'state'>[],
  base: string,
  seen: { from: string; to: string; other: string } = { from: '', to: '', other: '' },
): Html {
  const versions = [...heads]
    .reverse()
    .map(({ version, state }) => ({ value: version, text: `${version} (${state})` }));
  const [newest, before = newest] = versions.map(({ value }) => value);
  return html`<form class="card row screen" method="get" action="${base}/panels/${panel}/compare">
${seen.other === '' ? choice('from', 'Compare', seen.from || (before ?? ''), versions) : field('from', 'Compare', seen.from)}
${choice('to', 'with', seen.to || (newest ?? ''), versions)}
${field('other', 'The first is of another panel', seen.other, { hint: 'Its id; leave it empty for this one.' })}
<button class="second">Compare</button>
</form>`;
}

export function newVersionForm({ panel, version }: Pick<PanelHead, 'panel' | 'version'>, base: string): Html {
  return html`<form class="card row screen" method="post" action="${base}/panels/new">
<input type="hidden" name="panel" value="${panel}"><input type="hidden" name="from" value="${version}">
${field('version', 'New version', nextVersionName(version), { hint: `A draft with the content of ${version}.` })}
<button class="second">Make a draft</button>
</form>`;
}

// The page that says which versions of panels hold a gene, or were made while no gene was found for its name.

export type GeneHolding = SearchedGene & HoldingVersions;

interface HoldingPage {
  gene: string;
  /** Why no gene was found, or what was; undefined if none was asked for. */
  found: GeneHolding | string | undefined;
  /** Of the page with the kept reports on the gene, if the server keeps any. */
  reports: string | undefined;
}

export function holdingPage({ gene, found, reports }: HoldingPage, around: PanelPageContext): string {
  const { base } = around;
  return panelPageFrame(around, {
    title: 'Which panels held a gene',
    above: [],
    intro: 'All versions, former and retired ones included.',
    body: html`<form class="card row screen" method="get" action="${base}/panels/holding" role="search">
${field('gene', 'Gene', gene, { hint: 'A symbol, current or former, or an HGNC id.', required: true })}
<button>Look up</button>
</form>
${typeof found === 'string' ? html`<p class="note bad" role="alert">${found}</p>` : found && heldSections(found, base)}
${gene !== '' && reports !== undefined && html`<p class="screen"><a href="${base}${reports}">Kept reports on ${gene}</a></p>`}`,
  });
}

function heldSections({ hgnc, symbol, note, held, open }: GeneHolding, base: string) {
  const row = (head: PanelHead, former: readonly number[], more?: string) => {
    const step = head.history.findLast(({ what }) => what === 'signed off') ?? head.history.at(-1);
    return html`
<tr><th scope="row" class="wide"><a href="${base}/panels/${head.panel}">${head.name}</a> <span class="soft">${head.panel}</span><td data-label="Version">${versionLink(head, base)}<td data-label="State">${badge(head.state)}${former.length > 0 && html` <span class="soft">as ${former.map((id) => `HGNC:${id}`).join(', ')}</span>`}<td class="time" data-label="Since (UTC)">${step && html`${step.what} ${time(step.at)}`}${more !== undefined && html`<td data-label="Entry">${more}`}</tr>`;
  };
  const headings = html`<th scope="col">Panel<th scope="col">Version<th scope="col">State<th scope="col">Since (UTC)`;
  return html`${note !== undefined && html`<p class="note">${note}.</p>`}
<section aria-labelledby="held"><h2 id="held">${symbol} (HGNC:${hgnc}) is in ${countedNoun(held.length, 'version')}</h2>
${held.length > 0 && html`<table><thead><tr>${headings}</tr></thead><tbody>${held.map((head) => row(head, head.former))}</tbody></table>`}</section>
${
  open.length > 0 &&
  html`<section aria-labelledby="open"><h2 id="open">${open.length === 1 ? 'An entry' : `${open.length} entries`} without a gene may be it</h2>
<table><thead><tr>${headings}<th scope="col">Entry</tr></thead><tbody>${open.map(({ head, given }) => row(head, [], given))}</tbody></table></section>`
}`;
}
