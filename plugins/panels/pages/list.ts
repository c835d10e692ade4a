/** The page at /panels: search, and a line for each panel. */
import { choice, type Html, html } from '../../../core/plugin.js';
import { type PanelHead, type PanelState, panelStates } from '../contract.js';
import { latestSigned } from '../domain/reference.js';
import { type Around, field, framed, versionPath } from './frame.js';
import { badge, counted, time } from './parts.js';

export interface ListPage {
  /** All versions that the caller may read. */
  heads: readonly PanelHead[];
  q: string;
  state: PanelState | '';
  /** The gene that `q` names, with the panels that hold it. */
  gene: { symbol: string; panels: ReadonlySet<string> } | undefined;
  mayMake: boolean;
}

export function listPage({ heads, q, state, gene, mayMake }: ListPage, around: Around): string {
  const { base } = around;
  const all = byPanel(heads);
  const shown = all.filter((versions) => isFound(versions, q, gene) && hasState(versions, state));
  return framed(around, {
    title: 'Gene panels',
    above: undefined,
    intro: 'Versions of panels that people sign. A signed version never changes.',
    body: html`<form class="card row screen" method="get" action="${base}/panels" role="search">
${field('q', 'Name, id or gene', q)}
${choice('state', 'With a version that is', state, [{ value: '', text: 'in any state' }, ...panelStates.map((one) => ({ value: one, text: one }))])}
<button>Search</button>
</form>
${gene && html`<p class="note">${gene.symbol} is a gene: panels that hold it in any version are among those below. <a href="${base}/panels/holding?gene=${encodeURIComponent(gene.symbol)}">Which versions held it</a></p>`}
<section aria-labelledby="found"><h2 id="found">${shown.length === all.length ? counted(all.length, 'panel') : `${shown.length} of ${counted(all.length, 'panel')}`}</h2>
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
export function byPanel(heads: readonly PanelHead[]): PanelHead[][] {
  const found = new Map<string, PanelHead[]>();
  for (const head of heads) {
    const known = found.get(head.panel);
    if (known === undefined) found.set(head.panel, [head]);
    else known.push(head);
  }
  return [...found.values()];
}

function isFound(versions: readonly PanelHead[], q: string, gene: ListPage['gene']): boolean {
  if (q === '') return true;
  const wanted = q.toLowerCase();
  const [first] = versions;
  if (first !== undefined && gene?.panels.has(first.panel)) return true;
  return versions.some(({ panel, name }) => panel.includes(wanted) || name.toLowerCase().includes(wanted));
}

function hasState(versions: readonly PanelHead[], state: PanelState | ''): boolean {
  return state === '' || versions.some((head) => head.state === state);
}
