/** The search page: its form, the tables of datasets and variants, a drawing of the gene, and its languages. */
import type { IncomingHttpHeaders } from 'node:http';
import { type Html, html, page, pageLanguage, raw, style } from '../../../../core/plugin.js';
import type { GeneStructure } from '../../../services/coverage.js';
import { assemblies } from '../../contract.js';
import { type Denominator, frequencyOfAlleles, lackingFacts } from '../../counts/denominator.js';
import { lengthOfInsertion, writtenAlternate } from '../../domain/allele.js';
import { alert, selectField, sheet } from '../pages.js';
import type { ListedAllele, SearchedDataset, SearchInput, SearchOutcome, SearchResult } from './field.js';
import { en, type SearchTexts } from './texts/en.js';
import { sv } from './texts/sv.js';

/** A search with a hit, to start from. */
export interface SearchExample {
  text: string;
  assembly: string;
}

interface SearchPage {
  texts: SearchTexts;
  /** The name of the beacon. */
  beacon: string;
  asked: SearchInput;
  /** Omitted if nothing was asked. */
  outcome: SearchOutcome | undefined;
  examples: readonly SearchExample[];
  /** Address of the same search as JSON; undefined if there is none. */
  json: string | undefined;
  /** Whether the server has the form with single fields. */
  hasForm: boolean;
  /** The path of the public address, which precedes every link; empty if the server is at the root. */
  base: string;
  nonce: string;
}

export function searchPage(shown: SearchPage): string {
  const { texts, beacon, asked, outcome, json, hasForm, base, nonce } = shown;
  const headline = outcome && titleOfPage(outcome, texts);
  return page({
    title: [headline, headline ? asked.text.slice(0, 60) : texts.title, beacon].filter(Boolean).join(' · '),
    language: texts.language,
    schemes: 'light dark',
    head: style(nonce, html`${sheet}${ownSheet}`),
    body: html`<body>
<a class="skip" href="#form">${texts.skip}</a>
<header>
<h1>${texts.title}</h1>
<p class="soft">${texts.intro(beacon)}</p>
</header>
<main>
${searchForm(shown)}
${outcome && ('error' in outcome ? mistakeCard(outcome.error, texts) : resultSections(outcome, { texts, json }))}
</main>
<footer>
<nav><ul class="links">
${hasForm && html`<li><a href="${base}/apiv1.0/query_form">${texts.links.form}</a></li>\n`}<li><a href="${base}/beacon/v2/info">${texts.links.info}</a></li>
<li><a href="${base}/">${texts.links.services}</a></li>
<li><a href="${otherLanguage(asked, texts)}" hreflang="${otherAssembly(texts)}" lang="${otherAssembly(texts)}">${texts.otherLanguage}</a></li>
</ul></nav>
</footer>
</body>`,
  });
}

/** A short result for the title of the page, which screen readers read first. */
function titleOfPage(outcome: SearchOutcome, texts: SearchTexts): string {
  if ('error' in outcome) return texts.errorTitle;
  return outcome.datasets.some(({ exists }) => exists) ? texts.foundTitle : texts.missedTitle;
}

function searchForm({ texts, asked, examples, outcome }: SearchPage): Html {
  const failed = outcome !== undefined && 'error' in outcome;
  return html`<form method="get" class="card" id="form" role="search">
<div class="search">
<div class="field">
<label for="q">${texts.field.label}</label>
<input type="text" id="q" name="q" value="${asked.text}" required autocomplete="off" spellcheck="false" autocapitalize="off" aria-describedby="q-hint${failed && html` mistake`}"${failed && html` aria-invalid="true"`}>
<p class="hint" id="q-hint">${texts.field.hint}</p>
</div>
${selectField({ name: 'assemblyId', label: texts.field.assembly, value: asked.assembly }, [
  { value: '', label: texts.field.choose },
  ...assemblies.map((value) => ({ value })),
])}
<p class="actions"><button type="submit">${texts.field.search}</button></p>
</div>
<input type="hidden" name="lang" value="${texts.language}">
${
  examples.length > 0 &&
  html`<p class="examples"><span class="soft">${texts.field.examples}</span>
${examples.map(({ text, assembly }) => html`<a href="?${String(new URLSearchParams({ q: text, assemblyId: assembly, lang: texts.language }))}">${text}</a>\n`)}</p>`
}
</form>`;
}

function mistakeCard(sentence: string, texts: SearchTexts): Html {
  return html`<section class="card" id="mistake" aria-label="${texts.errorTitle}">${alert('danger', sentence)}</section>`;
}

function otherAssembly(texts: SearchTexts): 'en' | 'sv' {
  return texts.language === 'sv' ? 'en' : 'sv';
}

function otherLanguage({ text, assembly }: SearchInput, texts: SearchTexts): string {
  const fields = { ...(text !== '' && { q: text }), ...(assembly !== '' && { assemblyId: assembly }) };
  return `?${new URLSearchParams({ ...fields, lang: otherAssembly(texts) })}`;
}

// What was found: a table of datasets, its place, and the variants one by one.

interface ResultOptions {
  texts: SearchTexts;
  /** Address of the same search as JSON. */
  json: string | undefined;
}

function resultSections(result: SearchResult, { texts, json }: ResultOptions): Html {
  const { form, assembly, isOne, datasets, alleles, allAlleles, genes, warnings, notes } = result;
  const hits = datasets.filter(({ exists }) => exists).length;
  return html`<section class="card" id="answer" aria-labelledby="answer-title">
<h2 id="answer-title">${texts.result} <span class="soft">${assembly}</span></h2>
<p class="hint">${texts.read(texts.readAs[form])}</p>
${headlineAlert(datasets.length, hits, assembly, texts)}
${[...warnings, ...notes.map(texts.naming)].map((warning) => alert('warning', warning))}
${datasets.length > 0 && resultTable(datasets, isOne, texts)}
${genes?.map((gene, i) => picture({ gene, alleles: alleles.map(({ allele }) => allele), texts, id: `gene-${i + 1}` }))}
${genes?.length === 0 && html`<p class="hint">${texts.noGene}</p>`}
${json !== undefined && html`<p class="actions"><a href="${json}">${texts.asJson}</a></p>`}
</section>
${
  alleles.length > 0 &&
  html`<section aria-labelledby="variants-title">
<h2 id="variants-title">${texts.allelesTitle}</h2>
${alleleTable(alleles, allAlleles, texts)}
</section>`
}`;
}

function headlineAlert(datasets: number, hits: number, assembly: string, texts: SearchTexts): Html {
  if (datasets === 0) return alert('warning', texts.nothingSearched(assembly));
  return hits > 0 ? alert('success', texts.found(hits)) : alert('secondary', texts.missed);
}

/** On a narrow screen rows become blocks; hence the explicit roles, and cells that name their column. */
function resultTable(rows: readonly SearchedDataset[], isOne: boolean, texts: SearchTexts): Html {
  const { dataset, result, variants, samples, frequency } = texts.columns;
  return html`<table role="table">
<caption>${texts.datasetsCaption(isOne)}</caption>
<thead role="rowgroup"><tr role="row">${columnHeading(dataset)}${columnHeading(result)}${columnHeading(variants, true)}${columnHeading(samples, true)}${isOne && columnHeading(frequency)}</tr></thead>
<tbody role="rowgroup">
${rows.map(
  (row) => html`<tr role="row">
<th scope="row" role="rowheader">${row.dataset.name} <span class="soft small">${row.dataset.id}</span></th>
${tableCell(result, html`<span>${row.exists ? texts.hit : texts.miss}</span>`)}
${tableCell(variants, numberOrHidden(row.variants, texts), true)}
${tableCell(samples, numberOrHidden(row.samples, texts), true)}
${isOne && tableCell(frequency, frequencyCell(row.denominator, texts))}
</tr>
`,
)}</tbody>
</table>`;
}

function alleleTable(rows: readonly ListedAllele[], all: number, texts: SearchTexts): Html {
  const { place, change, gene, type, dataset, samples, copies } = texts.columns;
  const isOfGenes = rows.some(({ genes }) => genes.length > 0);
  return html`<table role="table">
<caption>${texts.allelesCaption(rows.length, all)}</caption>
<thead role="rowgroup"><tr role="row">${columnHeading(place)}${columnHeading(change)}${isOfGenes && columnHeading(gene)}${columnHeading(type)}${columnHeading(dataset)}${columnHeading(samples, true)}${columnHeading(copies, true)}</tr></thead>
<tbody role="rowgroup">
${rows.map(
  ({ allele, genes, dataset: { name, id } }) => html`<tr role="row">
<th scope="row" role="rowheader" class="place">${positionText(allele, texts)}</th>
${tableCell(change, html`<span class="place">${basesChangeText(allele)}</span>`)}
${isOfGenes && tableCell(gene, html`<span>${genes.join(', ') || texts.unknown}</span>`)}
${tableCell(type, html`<span>${allele.kind}</span>`)}
${tableCell(dataset, html`<span title="${id}">${name}</span>`)}
${tableCell(samples, html`${texts.number(allele.samples)}`, true)}
${tableCell(copies, html`${texts.number(allele.calls)}`, true)}
</tr>
`,
)}</tbody>
</table>`;
}

function columnHeading(text: string, isCount = false): Html {
  return html`<th scope="col" role="columnheader"${isCount && html` class="count"`}>${text}</th>`;
}

function tableCell(label: string, value: Html, isCount = false): Html {
  return html`<td role="cell" data-label="${label}"${isCount && html` class="count"`}>${value}</td>`;
}

function numberOrHidden(value: number | undefined, texts: SearchTexts): Html {
  return value === undefined ? html`<span class="soft">${texts.hidden}</span>` : html`${texts.number(value)}`;
}

function frequencyCell(denominator: Denominator | undefined, texts: SearchTexts): Html {
  if (!denominator) return html`<span class="soft">${texts.hidden}</span>`;
  const { covered, total, threshold, alleles } = denominator;
  if (total === 0) return html`<span class="soft">${texts.notExpected}</span>`;
  const lacks = lackingFacts(denominator);
  if (lacks) return html`<span class="soft">${texts.lacking[lacks]}</span>`;
  const share = frequencyOfAlleles(denominator);
  const others = alleles && alleles.carriersUnknown > 0 ? `; ${texts.notCounted(alleles.carriersUnknown)}` : '';
  return html`<span>${
    share !== undefined && alleles && texts.frequency(texts.percent(share), alleles.alleleCount, alleles.alleleNumber)
  } <span class="soft small">${texts.covered(covered, total, threshold)}${others}</span></span>`;
}

/** One-based, as in a VCF file; both ends of what is longer than a base. */
function positionText({ contig, start, end, mate }: ListedAllele['allele'], texts: SearchTexts): string {
  const first = `${contig}:${texts.number(start + 1)}`;
  if (mate !== undefined) return `${first} / ${mate}:${texts.number(end + 1)}`;
  return end - start > 1 ? `${first}–${texts.number(end)}` : first;
}

const longestShown = 20;

function basesChangeText(allele: ListedAllele['allele']): string {
  const { reference, alternate, structural } = allele;
  const shown = (bases: string) =>
    bases.length > longestShown ? `${bases.slice(0, longestShown)}…(${bases.length})` : bases;
  const inserted = lengthOfInsertion(allele);
  if (inserted) return `${shown(writtenAlternate(allele))} (${inserted})`;
  return structural ? shown(alternate) : `${shown(reference)}>${shown(alternate)}`;
}

// A gene with its exons, and where alleles lie in it, drawn to scale on every width.

type DrawnStretch = Pick<GeneStructure, 'start' | 'end'>;

interface PictureOptions {
  gene: GeneStructure;
  /** Zero-based, half-open; those of alleles within the gene are drawn. */
  alleles: readonly DrawnStretch[];
  texts: SearchTexts;
  /** Unique on the page. */
  id: string;
}

/** Marks that are drawn, at most: more would run together. */
const mostMarks = 500;

function picture({ gene, alleles, texts, id }: PictureOptions): Html {
  const name = gene.symbol ?? gene.ensembl;
  const bases = gene.end - gene.start;
  const here = alleles.filter(({ start, end }) => start < gene.end && Math.max(end, start + 1) > gene.start);
  const percent = (value: number) => `${Math.round((10_000 * value) / bases) / 100}%`;
  /** At least so wide that it can be seen. */
  const box = ({ start, end }: DrawnStretch, least: number, kind: string, y: number, height: number) => {
    const [first, last] = [Math.max(start, gene.start), Math.min(Math.max(end, start + 1), gene.end)];
    const width = Math.max(last - first, bases * least);
    const x = Math.min(first - gene.start, bases - width);
    return html`<rect class="${kind}" x="${percent(x)}" y="${y}" width="${percent(width)}" height="${height}"/>`;
  };
  const note = texts.pictureNote(name, gene.exons.length, gene.transcript);
  return html`<figure class="gene">
<svg width="100%" height="46" role="img" aria-labelledby="${id}">
<title id="${id}">${texts.pictureTitle(name)}</title>
<line class="gene-line" x1="0" x2="100%" y1="30" y2="30"/>
${gene.exons.map((exon) => box(exon, 1 / 300, 'exon', 22, 16))}
${here.slice(0, mostMarks).map((allele) => box(allele, 1 / 250, 'allele', 2, 16))}
</svg>
<p class="ends"><span>${gene.chromosome}:${texts.number(gene.start + 1)}</span><span aria-hidden="true">${arrow(gene)}</span><span>${texts.number(gene.end)}</span></p>
<figcaption>${note}</figcaption>
</figure>
`;
}

/** The direction of transcription. */
function arrow({ strand }: GeneStructure): string {
  return strand === undefined ? '' : strand === 1 ? '→' : '←';
}

// Style rules of the search page alone.

const ownSheet = raw(`
.search { display: grid; gap: .9rem 1.1rem; grid-template-columns: minmax(0, 1fr) auto auto; align-items: start; }
.search .field .hint { margin-top: .15rem; }
.search .actions { margin: 1.85rem 0 0; }
.place { font-family: ui-monospace, "SFMono-Regular", Menlo, Consolas, monospace; font-variant-numeric: tabular-nums; }
.soft.small { display: block; font-size: .8125rem; }
#answer > .alert { margin-top: .5rem; }
figure.gene { margin: 1rem 0; }
figure.gene svg { display: block; }
.gene-line { stroke: var(--edge); stroke-width: 2; }
.exon { fill: var(--accent); }
.allele { fill: var(--ink); }
.ends { display: flex; justify-content: space-between; margin: 0; font-size: .8125rem; color: var(--soft); font-variant-numeric: tabular-nums; }
figcaption { color: var(--soft); font-size: .875rem; }
thead th:nth-child(n + 3) { text-align: left; }
thead th.count { text-align: right; }
@media (max-width: 40rem) { .search { grid-template-columns: minmax(0, 1fr); } .search .actions { margin: 0; } }
@media print { .exon, .allele { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
`);

// The languages of the search page.

export type { SearchTexts } from './texts/en.js';

export const languages = { en, sv } as const;

export function textsFor(named: string | undefined, headers: IncomingHttpHeaders): SearchTexts {
  return languages[pageLanguage(named, headers)];
}
