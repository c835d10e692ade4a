/** The page on which a person reviews and signs a version: what exactly the signature is for, and what differs from before. */
import { type Html, hidden, html } from '../../../core/plugin.js';
import type { PanelStep, PanelVersion } from '../contract.js';
import { parseContent } from '../domain/content.js';
import { differences } from '../domain/differences.js';
import { nameOf, personOf, signatures } from '../domain/lifecycle.js';
import type { GeneFinding } from '../genes/check.js';
import { differenceTable, summary } from './compare.js';
import { type Around, field, framed, versionPath } from './frame.js';
import { badge, counted, findingTable, geneTable, historyTable, otherTable } from './parts.js';

export interface SignPage {
  version: PanelVersion;
  /** The version that is signed off now. */
  before: PanelVersion | undefined;
  checked: { release: string; findings: readonly GeneFinding[] } | undefined;
  /** Signatures that sign a version off. */
  wanted: number;
  /** Who is asked to sign. */
  signer: Pick<PanelStep, 'by' | 'name'> & { refusal: string | undefined };
}

export function signPage(shown: SignPage, around: Around): string {
  const { version, before, checked } = shown;
  const { base } = around;
  const content = parseContent(version.content);
  const { genes, others = [] } = content;
  const path = versionPath(version.panel, version.version);
  return framed(around, {
    title: `Sign ${nameOf(version)}`,
    heading: html`Sign ${version.name} ${version.version} ${badge(version.state)}`,
    above: [
      { href: `/panels/${version.panel}`, text: version.panel },
      { href: path, text: version.version },
    ],
    intro: html`<code>${nameOf(version)}</code>, revision ${version.revision}`,
    body: html`${form(shown, `${base}${path}`)}
${changes(version, before)}
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

function form({ version, checked, wanted, signer }: SignPage, path: string): Html {
  const given = signatures(version);
  const why = refusal(version, checked, given, signer);
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
<p class="actions"><button>Sign ${nameOf(version)} as <bdi>${personOf(signer)}</bdi></button></p>
</form>
<form class="card row" method="post" action="${path}/act">${hidden('act', 'send-back')}${hidden('revision', version.revision)}
${field('comment', 'Or send it back, because', '', { id: 'back' })}<button class="second">Send back</button></form>`;
}

function refusal(
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

function changes(version: PanelVersion, before: PanelVersion | undefined): Html {
  if (before === undefined) return html`<p class="soft">No version of this panel is signed off yet.</p>`;
  const found = differences(parseContent(before.content), parseContent(version.content));
  return html`<section aria-labelledby="changes"><h2 id="changes">Since ${before.version}, which is signed off</h2>
${found.length === 0 ? html`<p>The same genes.</p>` : html`<p class="soft">${counted(found.length, 'gene')}: ${summary(found)}</p>${differenceTable(found)}`}</section>`;
}
