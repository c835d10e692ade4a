/** The pages that show what differs: two versions compared, and a version that a person reviews and signs. */
import { type Html, hidden, html } from '../../../core/plugin.js';
import type { PanelHead, PanelStep, PanelVersion } from '../contract.js';
import type { GeneFinding } from '../genes/genes-in-panels.js';
import { differences, type PanelGene, type PanelGeneDifference, parseContent } from '../versions/content.js';
import { nameOfVersion, personOf, signatures } from '../versions/lifecycle.js';
import {
  badge,
  bySymbol,
  counted,
  field,
  findingTable,
  geneTable,
  historyTable,
  level,
  otherTable,
  type PanelPageContext,
  panelPageFrame,
  versionPath,
} from './frame.js';
import { compareForm } from './panels.js';

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
<section aria-labelledby="differences"><h2 id="differences">${found.length === 0 ? 'The same genes' : `${counted(found.length, 'gene')} ${found.length === 1 ? 'differs' : 'differ'}`}</h2>
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
  const { genes, others = [] } = content;
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
${
  checked !== undefined &&
  checked.findings.length > 0 &&
  html`<section class="note" aria-labelledby="findings"><h2 id="findings">Genes to look at, by names of release ${checked.release}</h2>
${findingTable(checked.findings)}</section>`
}
<section aria-labelledby="genes"><h2 id="genes">${counted(genes.length, 'gene')}</h2>
${geneTable(genes)}</section>
${
  others.length > 0 &&
  html`<section aria-labelledby="others"><h2 id="others">${counted(others.length, 'entry', 'entries')} that reports on genes do not cover</h2>
${otherTable(others)}</section>`
}
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
<p>You sign the content with this digest, as shown on this page: ${counted(version.genes, 'gene')}, revision ${version.revision}. If it changes before you sign, the signature is refused.</p>
<p><code>${version.digest}</code></p>
<p>${given.length > 0 && html`Signed so far by ${given.map((step, i) => html`${i > 0 && ', '}<bdi>${personOf(step)}</bdi>`)}. `}${last ? 'With your signature the version is signed off: it never changes afterwards, and reports may use it.' : `After yours, ${counted(wanted - given.length - 1, 'more signature is', 'more signatures are')} needed.`}</p>
${hidden('act', 'sign')}${hidden('revision', version.revision)}${hidden('sha256', version.digest)}
${field('comment', 'Comment', '')}
<p><label class="check"><input type="checkbox" required> I have reviewed this content</label></p>
<p class="actions"><button>Sign ${nameOfVersion(version)} as <bdi>${personOf(signer)}</bdi></button></p>
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
${found.length === 0 ? html`<p>The same genes.</p>` : html`<p class="soft">${counted(found.length, 'gene')}: ${differenceSummary(found)}</p>${differenceTable(found)}`}</section>`;
}
