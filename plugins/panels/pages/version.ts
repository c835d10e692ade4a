/**
 * The pages of a version: what is in it, what happened to it, what the person may do with it, its export as BED; a version that
 * a person reviews and signs; and two versions compared.
 */
import { choice, type Html, hidden, html } from '../../../core/plugin.js';
import type { PanelHead, PanelStep, PanelVersion } from '../contract.js';
import { builds, choices, type ExonChoice } from '../genes/exons.js';
import type { GeneFinding } from '../genes/genes-in-panels.js';
import {
  basesWords,
  differences,
  type PanelContent,
  type PanelGene,
  type PanelGeneDifference,
  parseContent,
} from '../versions/content.js';
import { latestSigned, nameOfVersion, personOfStep, signatures } from '../versions/lifecycle.js';
import { compareVersionNames } from '../versions/names.js';
import {
  badge,
  bySymbol,
  contentSections,
  countedNoun,
  field,
  findingSection,
  historyTable,
  level,
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
  const { unmapped = [] } = content;
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
  html`<section class="note warn" aria-labelledby="unmapped"><h2 id="unmapped">${countedNoun(unmapped.length, 'entry', 'entries')} without a gene</h2>
<p>No gene is certain for what the source lists here. The version cannot be signed until each is resolved or dropped.</p>
${unmappedTable(unmapped)}</section>`
}
${versionFindings(checked)}
${contentSections(content)}
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
      return html`<p class="note warn"><strong>In review.</strong> ${signatures(version).length} of ${countedNoun(wanted, 'signature')} so far.${newer}</p>`;
    case 'retired': {
      const step = version.history.at(-1);
      return html`<p class="note bad"><strong>Retired</strong> by <bdi>${step && personOfStep(step)}</bdi>${step?.comment !== undefined && html`: <bdi>${step.comment}</bdi>`}. It stays as it was signed, for the reports that used it.${newer}</p>`;
    }
    default:
      return html`<p class="note"><strong>Signed off</strong> by ${signatures(version).map((step, i) => html`${i > 0 && ' and '}<bdi>${personOfStep(step)}</bdi>`)}. It does not change any more.${newer}</p>`;
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
  return findingSection(checked);
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

// The pages that show what differs: two versions compared, and a version that a person reviews and signs.

interface ComparePage {
  panel: string;
  heads: readonly PanelHead[];
  before: PanelVersion;
  after: PanelVersion;
}

export function comparePage({ panel, heads, before, after }: ComparePage, around: PanelPageContext): string {
  const { base } = around;
  const found = differences(parseContent(before.content), parseContent(after.content));
  const link = (one: PanelVersion) =>
    html`<a href="${base}${versionPath(one.panel, one.version)}">${nameOfVersion(one)}</a> ${badge(one.state)}`;
  const isOther = before.panel !== panel;
  return panelPageFrame(around, {
    title: `${nameOfVersion(before)} → ${nameOfVersion(after)}`,
    above: [{ href: `/panels/${panel}`, text: after.name }],
    intro: html`${link(before)} → ${link(after)}`,
    body: html`${compareForm(panel, heads, base, { from: before.version, to: after.version, other: isOther ? before.panel : '' })}
<section aria-labelledby="differences"><h2 id="differences">${found.length === 0 ? 'The same genes' : `${countedNoun(found.length, 'gene')} ${found.length === 1 ? 'differs' : 'differ'}`}</h2>
${found.length > 0 && html`<p class="soft">${differenceSummary(found)}</p>${differenceTable(found)}`}
${before.digest === after.digest && html`<p>The contents are the same to the last byte.</p>`}
</section>`,
  });
}

/** `3 added, 1 demoted`. */
function differenceSummary(found: readonly PanelGeneDifference[]): string {
  const counts = new Map<string, number>();
  for (const { what } of found) for (const one of what) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts].map(([what, count]) => `${count} ${what}`).join(', ');
}

function differenceTable(found: readonly PanelGeneDifference[]): Html {
  return html`<table>
<thead><tr><th scope="col">Gene<th scope="col">Difference<th scope="col">Before<th scope="col">After</tr></thead>
<tbody>${[...found].sort(bySymbol).map(
    ({ hgnc, symbol, what, before, after, changed }) => html`
<tr><th scope="row"><strong>${symbol}</strong> <span class="soft">HGNC:${hgnc}</span><td data-label="Difference">${what.join(', ')}<td class="wide" data-label="Before">${differenceSide(before, after, changed)}<td class="wide" data-label="After">${differenceSide(after, before, changed)}</tr>`,
  )}
</tbody></table>`;
}

function differenceSide(
  gene: PanelGene | undefined,
  other: PanelGene | undefined,
  changed: PanelGeneDifference['changed'],
): Html | undefined {
  if (gene === undefined) return undefined;
  const parts = changed
    .filter((name) => name !== 'confidence')
    .map((name) => html`<br><span class="soft">${name}:</span> ${valueWords(gene[name])}`);
  const isRenamed = other !== undefined && other.symbol !== gene.symbol;
  return html`<span>${level(gene.confidence)}${isRenamed && html` ${gene.symbol}`}${parts}</span>`;
}

function valueWords(value: PanelGene[keyof PanelGene]): string {
  if (value === undefined) return 'none';
  if (Array.isArray(value)) return value.join(', ');
  return value === true ? 'yes' : String(value);
}

// The page on which a person reviews and signs a version: what exactly the signature is for, and what differs from before.

interface SignPage {
  version: PanelVersion;
  /** The version that is signed off now. */
  before: PanelVersion | undefined;
  checked: { release: string; findings: readonly GeneFinding[] } | undefined;
  /** Signatures that sign a version off. */
  wanted: number;
  /** Who is asked to sign. */
  signer: Pick<PanelStep, 'by' | 'name'> & { refusal: string | undefined };
}

export function signPage(shown: SignPage, around: PanelPageContext): string {
  const { version, before, checked } = shown;
  const { base } = around;
  const content = parseContent(version.content);
  const path = versionPath(version.panel, version.version);
  return panelPageFrame(around, {
    title: `Sign ${nameOfVersion(version)}`,
    heading: html`Sign ${version.name} ${version.version} ${badge(version.state)}`,
    above: [
      { href: `/panels/${version.panel}`, text: version.panel },
      { href: path, text: version.version },
    ],
    intro: html`<code>${nameOfVersion(version)}</code>, revision ${version.revision}`,
    body: html`${signForm(shown, `${base}${path}`)}
${signedChanges(version, before)}
${checked !== undefined && checked.findings.length > 0 && findingSection(checked)}
${contentSections(content)}
<section aria-labelledby="history"><h2 id="history">History</h2>
${historyTable(version)}</section>`,
  });
}

function signForm({ version, checked, wanted, signer }: SignPage, path: string): Html {
  const given = signatures(version);
  const why = signRefusal(version, checked, given, signer);
  if (why !== undefined) return html`<p class="note bad" role="alert">${why}</p>`;
  const last = given.length + 1 >= wanted;
  return html`<form class="card" method="post" action="${path}/act" aria-labelledby="signature">
<h2 id="signature">Your signature</h2>
<p>You sign the content with this digest, as shown on this page: ${countedNoun(version.genes, 'gene')}, revision ${version.revision}. If it changes before you sign, the signature is refused.</p>
<p><code>${version.digest}</code></p>
<p>${given.length > 0 && html`Signed so far by ${given.map((step, i) => html`${i > 0 && ', '}<bdi>${personOfStep(step)}</bdi>`)}. `}${last ? 'With your signature the version is signed off: it never changes afterwards, and reports may use it.' : `After yours, ${countedNoun(wanted - given.length - 1, 'more signature is', 'more signatures are')} needed.`}</p>
${hidden('act', 'sign')}${hidden('revision', version.revision)}${hidden('sha256', version.digest)}
${field('comment', 'Comment', '')}
<p><label class="check"><input type="checkbox" required> I have reviewed this content</label></p>
<p class="actions"><button>Sign ${nameOfVersion(version)} as <bdi>${personOfStep(signer)}</bdi></button></p>
</form>
<form class="card row" method="post" action="${path}/act">${hidden('act', 'send-back')}${hidden('revision', version.revision)}
${field('comment', 'Or send it back, because', '', { id: 'back' })}<button class="second">Send back</button></form>`;
}

function signRefusal(
  version: PanelVersion,
  checked: SignPage['checked'],
  given: readonly { by: string }[],
  signer: SignPage['signer'],
): string | undefined {
  if (version.state !== 'in review')
    return `This version is ${version.state}: only one that is in review can be signed.`;
  if (signer.refusal !== undefined) return `${signer.refusal}.`;
  if (given.some(({ by }) => by === signer.by))
    return 'You have signed this version already: another person must sign it.';
  if (checked === undefined) return 'No names of genes are loaded, so that the genes cannot be checked.';
  const blocking = checked.findings.filter(({ what }) => what === 'withdrawn');
  if (blocking.length === 0) return undefined;
  return `This version cannot be signed: ${blocking.map(({ text }) => text).join('; ')}. Send it back to have them removed.`;
}

function signedChanges(version: PanelVersion, before: PanelVersion | undefined): Html {
  if (before === undefined) return html`<p class="soft">No version of this panel is signed off yet.</p>`;
  const found = differences(parseContent(before.content), parseContent(version.content));
  return html`<section aria-labelledby="changes"><h2 id="changes">Since ${before.version}, which is signed off</h2>
${found.length === 0 ? html`<p>The same genes.</p>` : html`<p class="soft">${countedNoun(found.length, 'gene')}: ${differenceSummary(found)}</p>${differenceTable(found)}`}</section>`;
}
