/** The page of a version: what is in it, what happened to it, what the person may do with it, and its export as BED. */
import { choice, type Html, hidden, html } from '../../../core/plugin.js';
import type { PanelHead, PanelVersion } from '../contract.js';
import { builds, choices, type ExonChoice } from '../genes/exons.js';
import type { GeneFinding } from '../genes/genes-in-panels.js';
import { basesWords, type PanelContent, parseContent } from '../versions/content.js';
import { latestSigned, nameOfVersion, personOf, signatures } from '../versions/lifecycle.js';
import { compareVersionNames } from '../versions/names.js';
import {
  badge,
  counted,
  field,
  findingTable,
  geneTable,
  historyTable,
  otherTable,
  type PanelPageContext,
  panelPageFrame,
  sourceWords,
  unmappedTable,
  versionPath,
} from './frame.js';
import { compareForm, newVersionForm, versionLink } from './panels.js';

interface VersionPage {
  version: PanelVersion;
  /** All versions of the panel. */
  heads: readonly PanelHead[];
  /** By the names in use; undefined before any are loaded. */
  checked: { release: string; findings: readonly GeneFinding[] } | undefined;
  /** Signatures that sign a version off. */
  wanted: number;
  mayEdit: boolean;
  maySign: boolean;
  /** Whether the coverage plugin is enabled, which has the positions of genes. */
  hasPositions: boolean;
}

export function versionPage(shown: VersionPage, around: PanelPageContext): string {
  const { version, heads, checked } = shown;
  const { base } = around;
  const content = parseContent(version.content);
  const { others = [], unmapped = [], genes } = content;
  return panelPageFrame(around, {
    title: `${version.name} ${version.version}`,
    heading: html`${version.name} ${version.version} ${badge(version.state)}`,
    above: [{ href: `/panels/${version.panel}`, text: version.panel }],
    intro: html`<code>${nameOfVersion(version)}</code>`,
    body: html`${stateNote(shown, base)}
${versionFacts(version, content)}
${versionActions(shown, base)}
${
  unmapped.length > 0 &&
  html`<section class="note warn" aria-labelledby="unmapped"><h2 id="unmapped">${counted(unmapped.length, 'entry', 'entries')} without a gene</h2>
<p>No gene is certain for what the source lists here. The version cannot be signed until each is resolved or dropped.</p>
${unmappedTable(unmapped)}</section>`
}
${versionFindings(checked)}
<section aria-labelledby="genes"><h2 id="genes">${counted(genes.length, 'gene')}</h2>
${geneTable(genes)}</section>
${
  others.length > 0 &&
  html`<section aria-labelledby="others"><h2 id="others">${counted(others.length, 'entry', 'entries')} that reports on genes do not cover</h2>
${otherTable(others)}</section>`
}
<section aria-labelledby="history"><h2 id="history">Signatures and history</h2>
${historyTable(version)}</section>
${heads.length > 1 && compareForm(version.panel, heads, base, { from: versionToCompare(heads, version), to: version.version, other: '' })}
${shown.hasPositions && bedForm(version, base)}
${shown.mayEdit && newVersionForm({ panel: version.panel, version: version.version }, base)}`,
  });
}

function versionToCompare(heads: readonly PanelHead[], { version }: PanelHead): string {
  const place = heads.findIndex((head) => head.version === version);
  return (heads[place - 1] ?? heads[place + 1])?.version ?? version;
}

function stateNote({ version, heads, wanted }: VersionPage, base: string): Html {
  const last = latestSigned(heads);
  const isOlder = last !== undefined && compareVersionNames(version.version, last.version) < 0;
  const newer =
    last !== undefined && isOlder
      ? html` Version ${versionLink(last, base)} is signed off and newer: <a href="${base}/panels/${version.panel}/compare?from=${version.version}&to=${last.version}">what differs</a>.`
      : '';
  switch (version.state) {
    case 'draft':
      return html`<p class="note warn"><strong>Draft.</strong> Nobody has signed this version, and it may still change.${newer}</p>`;
    case 'in review':
      return html`<p class="note warn"><strong>In review.</strong> ${signatures(version).length} of ${counted(wanted, 'signature')} so far.${newer}</p>`;
    case 'retired': {
      const step = version.history.at(-1);
      return html`<p class="note bad"><strong>Retired</strong> by <bdi>${step && personOf(step)}</bdi>${step?.comment !== undefined && html`: <bdi>${step.comment}</bdi>`}. It stays as it was signed, for the reports that used it.${newer}</p>`;
    }
    default:
      return html`<p class="note"><strong>Signed off</strong> by ${signatures(version).map((step, i) => html`${i > 0 && ' and '}<bdi>${personOf(step)}</bdi>`)}. It does not change any more.${newer}</p>`;
  }
}

function versionFacts(version: PanelVersion, content: PanelContent): Html {
  const { description, disorders = [], names, requirement } = content;
  const fact = (label: string, value: Html | string, whole = false) =>
    html`<div${whole && html` class="whole"`}><dt>${label}</dt><dd>${value}</dd></div>\n`;
  return html`<section class="card" aria-label="About this version"><dl class="facts">
${fact('Genes', String(version.genes))}
${fact('Gene names of release', names ?? 'unknown')}
${fact('Revision', String(version.revision))}
${requirement && fact('Required of a report', `${requirement.percent} % of ${basesWords(requirement.bases)} at ${requirement.depth}× or more`)}
${disorders.length > 0 && fact('Disorders', disorders.join('; '), true)}
${description !== undefined && fact('Description', description, true)}
${fact('Source', sourceWords(content), true)}
${fact('Digest of the content (SHA-256)', html`<code>${version.digest}</code>`, true)}
</dl></section>`;
}

function versionFindings(checked: VersionPage['checked']): Html {
  if (checked === undefined)
    return html`<p class="note warn">No names of genes are loaded, so these could not be checked.</p>`;
  if (checked.findings.length === 0)
    return html`<p class="soft">By the gene names of release ${checked.release}, no gene was renamed, merged or withdrawn.</p>`;
  return html`<section class="note" aria-labelledby="findings"><h2 id="findings">Genes to look at, by names of release ${checked.release}</h2>
${findingTable(checked.findings)}</section>`;
}

function versionActions({ version, mayEdit, maySign }: VersionPage, base: string): Html | undefined {
  const { state } = version;
  const path = `${base}${versionPath(version.panel, version.version)}`;
  const act = (name: string, label: string, kind: '' | 'second' | 'grave', needsComment: boolean) =>
    html`<form class="row" method="post" action="${path}/act">${hidden('revision', version.revision)}${hidden('act', name)}
${needsComment && field('comment', 'Comment', '', { id: `comment-${name}` })}<button class="${kind}">${label}</button></form>`;
  const offered = [
    mayEdit && state === 'draft' && html`<a class="button" href="${path}/edit">Edit</a>`,
    mayEdit && state === 'draft' && act('submit', 'Submit for review', '', true),
    maySign && state === 'in review' && html`<a class="button" href="${path}/sign">Review and sign</a>`,
    maySign && state === 'in review' && act('send-back', 'Send back', 'second', true),
    maySign && state === 'signed off' && act('retire', 'Retire', 'grave', true),
    mayEdit && state === 'draft' && act('remove', 'Remove this draft', 'grave', false),
  ].filter((one) => one !== false);
  if (offered.length === 0) return undefined;
  return html`<section class="card screen" aria-label="What you may do">${offered.map((one) => html`<div class="actions">${one}</div>`)}</section>`;
}

// The form for the export of a version as BED.

const transcripts: Readonly<Record<ExonChoice, string>> = {
  preferred: 'wanted by the panel, else preferred',
  mane: 'MANE Select and Plus Clinical',
  mane_select: 'MANE Select',
  mane_plus_clinical: 'MANE Plus Clinical',
  refseq_mrna: 'with a RefSeq mRNA',
  all: 'all',
};

function bedForm({ panel, version }: Pick<PanelHead, 'panel' | 'version'>, base: string): Html {
  const options = (words: readonly string[]) => words.map((value) => ({ value, text: value }));
  return html`<form class="card row screen" method="get" action="${base}${versionPath(panel, version)}.bed">
${choice('build', 'Exons on', 'GRCh38', options(builds), 'bed-build')}
${choice(
  'transcripts',
  'Transcripts',
  'preferred',
  choices.map((value) => ({ value, text: transcripts[value] })),
)}
${choice('confidence', 'Genes', 'all', [
  { value: 'all', text: 'all' },
  { value: 'amber', text: 'without red' },
  { value: 'green', text: 'without red and amber' },
])}
${choice('chromosomes', 'Chromosomes', 'plain', [
  { value: 'plain', text: '1, X, MT' },
  { value: 'chr', text: 'chr1, chrX, chrM' },
])}
${field('padding', 'Bases on both sides', '20')}
<button class="second">Save as BED</button>
</form>`;
}
