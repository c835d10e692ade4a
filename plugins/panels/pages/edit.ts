/** The pages on which a draft, or one of its genes, is edited. */
import { choice, type Html, hidden, html } from '../../../core/plugin.js';
import type { PanelVersion } from '../contract.js';
import type { GeneTable } from '../genes/gene-table.js';
import type { GeneFinding } from '../genes/genes-in-panels.js';
import {
  basesWords,
  confidences,
  countedBases,
  type PanelContent,
  type PanelGene,
  parseContent,
  type UnmappedEntry,
} from '../versions/content.js';
import { nameOfVersion, personOfStep } from '../versions/lifecycle.js';
import {
  aboutGene,
  badge,
  bySymbol,
  countedNoun,
  field,
  findingSection,
  level,
  type PanelPageContext,
  panelPageFrame,
  time,
  versionPath,
} from './frame.js';

export interface EditPage {
  version: PanelVersion;
  /** By the names in use; undefined before any are loaded. */
  checked: { release: string; findings: readonly GeneFinding[]; table: GeneTable } | undefined;
}

const levels = confidences.map((value) => ({ value, text: value }));

export function editPage({ version, checked }: EditPage, around: PanelPageContext): string {
  const content = parseContent(version.content);
  const { unmapped = [] } = content;
  const path = versionPath(version.panel, version.version);
  const action = `${around.base}${path}/edit`;
  const open = (name: string) => html`${hidden('revision', version.revision)}${hidden('action', name)}`;
  const last = version.history.at(-1);
  return panelPageFrame(around, {
    title: `Edit ${nameOfVersion(version)}`,
    heading: html`Edit ${version.name} ${version.version} ${badge(version.state)}`,
    above: [
      { href: `/panels/${version.panel}`, text: version.panel },
      { href: path, text: version.version },
    ],
    intro: html`Revision ${version.revision}${last && html`: ${last.what} ${time(last.at)} UTC by <bdi>${personOfStep(last)}</bdi>${last.comment !== undefined && html`: <bdi>${last.comment}</bdi>`}`}`,
    body: html`${checked === undefined && html`<p class="note bad">No names of genes are loaded: genes cannot be added (<code>trefoil panels load-hgnc</code>).</p>`}
${
  unmapped.length > 0 &&
  html`<section class="note warn" aria-labelledby="unmapped"><h2 id="unmapped">${countedNoun(unmapped.length, 'entry', 'entries')} without a gene</h2>
<ul class="plain">${unmapped.map((entry, i) => entryForms(entry, i, { action, open, table: checked?.table }))}</ul></section>`
}
${editFindings(checked, action, open)}
<form class="card" method="post" action="${action}" aria-labelledby="adding">${open('add')}
<h2 id="adding">Add genes</h2>
<div class="fields">
${field('genes', 'Symbols or HGNC ids', '', { lines: 3, required: true, hint: 'Separated by spaces, commas or lines. What is no certain gene is listed above, to be resolved.' })}
${choice('confidence', 'Confidence', 'green', levels, 'confidence-added')}
${field('inheritance', 'Inheritance', '', { id: 'inheritance-added' })}
${field('comment', 'Comment for the history', '', { id: 'comment-added' })}
</div>
<p class="actions"><button>Add</button></p></form>
${aboutForm(content, action, open)}
${genesForm(content, version, action)}
<p><a class="button second" href="${around.base}${path}">Done: to the version</a></p>`,
  });
}

interface EntryFormTarget {
  action: string;
  open: (name: string) => Html;
  table?: GeneTable | undefined;
}

function entryForms(
  { given, at, why, candidates = [], confidence }: UnmappedEntry,
  i: number,
  to: EntryFormTarget,
): Html {
  const { action, open, table } = to;
  return html`<li class="entry"><strong>${given}</strong> ${level(confidence)} <span class="soft">${at !== undefined && `${at}: `}${why}</span>
<form class="row" method="post" action="${action}">${open('resolve')}${hidden('entry', i)}
${
  candidates.length > 0 &&
  html`<fieldset><legend class="hint">It may be</legend>${candidates.map((id) => html`<label class="check"><input type="radio" name="gene" value="${id}"> ${table?.gene(id)?.symbol ?? ''} <span class="soft">HGNC:${id}</span></label>`)}</fieldset>`
}
${field('other', candidates.length > 0 ? 'or another gene' : 'Gene', '', { id: `other-${i}` })}<button class="second">It is this gene</button></form>
<form class="row" method="post" action="${action}">${open('drop')}${hidden('entry', i)}
${field('reason', 'Drop it, because', '', { id: `reason-${i}`, required: true })}<button class="grave">Drop</button></form></li>`;
}

function editFindings(checked: EditPage['checked'], action: string, open: EntryFormTarget['open']): Html | undefined {
  if (checked === undefined || checked.findings.length === 0) return undefined;
  const mends = checked.findings.some(({ what }) => what === 'renamed' || what === 'merged');
  return findingSection(
    checked,
    html`
${mends && html`<form method="post" action="${action}">${open('names')}<p class="actions"><button class="second">Take the current symbols, and follow mergers</button></p></form>`}`,
  );
}

function aboutForm(content: PanelContent, action: string, open: EntryFormTarget['open']): Html {
  const { name, description = '', disorders = [], requirement } = content;
  return html`<details id="about"><summary>Name, description, disorders and required coverage</summary>
<form class="card" method="post" action="${action}">${open('describe')}
<div class="fields">
${field('name', 'Name', name, { required: true })}
${field('disorders', 'Disorders, one on each line', disorders.join('\n'), { lines: 3 })}
${field('description', 'Description', description, { lines: 3 })}
${field('percent', 'Required: percent of bases', requirement === undefined ? '' : String(requirement.percent), { hint: 'Of the bases of a report, at the depth beside it or more. Empty if nothing is required.' })}
${field('depth', 'at depth', requirement === undefined ? '' : String(requirement.depth))}
${choice(
  'bases',
  'Counted',
  requirement === undefined ? 'coding' : (requirement.bases ?? 'exons'),
  countedBases.map((value) => ({ value, text: basesWords(value) })),
)}
${field('comment', 'Comment for the history', '', { id: 'comment-about' })}
</div>
<p class="actions"><button>Save</button></p></form></details>`;
}

function genesForm({ genes }: PanelContent, version: PanelVersion, action: string): Html {
  if (genes.length === 0) return html`<p id="genes">There are no genes in this version yet.</p>`;
  return html`<section aria-labelledby="genes"><h2 id="genes">${countedNoun(genes.length, 'gene')}</h2>
<form method="post" action="${action}">${hidden('revision', version.revision)}
<div class="card row">
${choice('confidence', 'Selected genes: confidence', 'green', levels, 'confidence-selected')}
<button class="second" name="action" value="confidence">Set</button>
${field('comment', 'Comment for the history', '', { id: 'comment-selected' })}
<button class="grave" name="action" value="remove">Remove selected</button></div>
<table>
<thead><tr><th scope="col">Select<th scope="col">HGNC id<th scope="col">Symbol<th scope="col">Confidence<th scope="col">Inheritance<th scope="col">More<th scope="col"><span class="soft">Edit</span></tr></thead>
<tbody>${[...genes].sort(bySymbol).map(
    (gene) => html`
<tr class="gene"><td><label class="check"><input type="checkbox" name="gene" value="${gene.hgnc}" aria-label="Select ${gene.symbol}"></label><td class="id" data-label="HGNC id">${gene.hgnc}<th scope="row"><strong>${gene.symbol}</strong><td data-label="Confidence">${level(gene.confidence)}<td class="wide" data-label="Inheritance">${gene.inheritance}<td class="soft wide">${aboutGene(gene)}<td><a href="${action}?gene=${gene.hgnc}" aria-label="Edit ${gene.symbol}">Edit</a></tr>`,
  )}
</tbody></table></form></section>`;
}

export function genePage(
  { version, gene }: { version: PanelVersion; gene: PanelGene },
  around: PanelPageContext,
): string {
  const path = versionPath(version.panel, version.version);
  const action = `${around.base}${path}/edit`;
  const { hgnc, symbol, confidence, inheritance = '', transcripts = [], penetrance = '', mode = '' } = gene;
  const { tags = [], phenotypes = [], comment = '', core = false } = gene;
  const posted = html`${hidden('revision', version.revision)}${hidden('gene', hgnc)}`;
  return panelPageFrame(around, {
    title: `${symbol} in ${nameOfVersion(version)}`,
    above: [
      { href: `/panels/${version.panel}`, text: version.panel },
      { href: path, text: version.version },
      { href: `${path}/edit`, text: 'Edit' },
    ],
    intro: html`HGNC:${hgnc}`,
    body: html`<form class="card" method="post" action="${action}">${posted}${hidden('action', 'gene')}
<div class="fields">
${choice('confidence', 'Confidence', confidence, levels)}
${field('inheritance', 'Inheritance', inheritance)}
${field('transcripts', 'Wanted transcripts', transcripts.join('\n'), { lines: 2, hint: 'Instead of the preferred one, with or without their version.' })}
${field('phenotypes', 'Phenotypes, one on each line', phenotypes.join('\n'), { lines: 2 })}
${field('tags', 'Tags, one on each line', tags.join('\n'), { lines: 2 })}
${field('penetrance', 'Penetrance', penetrance)}
${field('mode', 'How variants act', mode)}
${field('note', 'Note on this gene', comment, { lines: 2 })}
${field('comment', 'Comment for the history', '')}
</div>
<p><label class="check"><input type="checkbox" name="core" value="yes"${core && html` checked`}> Core gene: reports ask for all of its bases</label></p>
<p class="actions"><button>Save</button></p></form>
<form class="card row" method="post" action="${action}">${posted}${hidden('action', 'remove')}
${field('comment', 'Remove this gene, because', '', { id: 'comment-removed' })}<button class="grave">Remove ${symbol}</button></form>`,
  });
}
