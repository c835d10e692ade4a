/** The page of one panel: its versions, and a form that compares two of them. */
import { choice, type Html, html } from '../../../core/plugin.js';
import type { PanelHead } from '../contract.js';
import { personOf } from '../domain/lifecycle.js';
import { latestSigned } from '../domain/reference.js';
import { nextVersionName } from '../domain/version-name.js';
import { type Around, field, framed } from './frame.js';
import { versionLink } from './list.js';
import { badge, counted, time } from './parts.js';

export interface PanelPage {
  panel: string;
  /** In the order of versions; at least one. */
  heads: readonly PanelHead[];
  mayEdit: boolean;
}

export function panelPage({ panel, heads, mayEdit }: PanelPage, around: Around): string {
  const { base } = around;
  const last = heads.at(-1);
  const signed = latestSigned(heads);
  return framed(around, {
    title: last?.name ?? panel,
    above: [],
    intro: html`Panel <code>${panel}</code>, ${counted(heads.length, 'version')}. ${signed ? html`Reports that ask for it use version ${versionLink(signed, base)}.` : 'No version is signed off.'}`,
    body: html`<section aria-labelledby="versions"><h2 id="versions">Versions</h2>
<table>
<thead><tr><th scope="col">Version<th scope="col">State<th scope="col">Name<th scope="col" class="number">Genes<th scope="col">Last step (UTC)</tr></thead>
<tbody>${[...heads].reverse().map((head) => {
      const step = head.history.at(-1);
      return html`
<tr><th scope="row">${versionLink(head, base)}<td data-label="State">${badge(head.state)}<td class="wide" data-label="Name">${head.name}<td class="number" data-label="Genes">${head.genes}${head.unmapped > 0 && html` <span class="soft">+ ${head.unmapped} without a gene</span>`}<td data-label="Last step (UTC)">${step && html`${time(step.at)} ${step.what} by <bdi>${personOf(step)}</bdi>`}</tr>`;
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
