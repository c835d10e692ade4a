/** The query form, filled in with the previous query; example queries; a query as a link and as a command. */
import { assemblyNamed, contigNamed } from '../../../../core/genome.js';
import { type Html, html } from '../../../../core/plugin.js';
import type { Include } from '../../ask.js';
import { assemblies, contigs, type Dataset } from '../../contract.js';
import { checkField, type FormChoice, onlyAssembly, selectField, textField } from '../pages.js';
import { coordinates, rangeCoordinates } from '../query/positions.js';
import { isGiven, readableIds, type SentQuery } from './parameters.js';

interface QueryFormOptions {
  beacon: string;
  /** The datasets that may be queried. */
  datasets: readonly Dataset[];
  sent: SentQuery;
  /** False for a new form. */
  asked: boolean;
}

const variantTypes: readonly FormChoice[] = [
  { value: '', label: 'Any' },
  { value: 'SNV', label: 'SNV: single nucleotide variant' },
  { value: 'MNP', label: 'MNP: multi-nucleotide variant' },
  { value: 'INDEL', label: 'INDEL: small insertion or deletion' },
  { value: 'INS', label: 'INS: insertion' },
  { value: 'DEL', label: 'DEL: deletion' },
  { value: 'DUP', label: 'DUP: duplication' },
  { value: 'DUP:TANDEM', label: 'DUP:TANDEM: tandem duplication' },
  { value: 'INV', label: 'INV: inversion' },
  { value: 'CNV', label: 'CNV: copy number variation' },
  { value: 'BND', label: 'BND: breakend, such as a translocation' },
];

const includes: readonly [Include, string][] = [
  ['ALL', 'All'],
  ['HIT', 'With the allele'],
  ['MISS', 'Without the allele'],
  ['NONE', 'None'],
];

/** Ids of other than public datasets are kept too, up to this number: more than a person would type. */
const mostForeign = 20;

export function queryForm({ beacon, datasets, sent, asked }: QueryFormOptions): Html {
  const text = (name: ParameterName, label: string, kind: 'position' | 'bases', hint?: string) =>
    textField({ name, label, value: firstOfParameter(sent, name), ...(hint && { hint }) }, kind);
  const assembly = firstOfParameter(sent, 'assemblyId');
  const chromosomes = (none: string) => [{ value: '', label: none }, ...contigs.map((value) => ({ value }))];
  const chromosome = (name: ParameterName) => {
    const sentName = firstOfParameter(sent, name);
    return contigNamed(sentName) ?? sentName;
  };
  const isRange = rangeCoordinates.some((name) => firstOfParameter(sent, name) !== '');

  return html`<form method="get" class="card" id="form" aria-labelledby="form-title">
<h2 id="form-title">Query an allele</h2>
<div class="fields">
${selectField(
  {
    name: 'assemblyId',
    label: 'Genome assembly',
    value: asked ? (assemblyNamed(assembly) ?? assembly) : onlyAssembly(datasets),
  },
  [{ value: '', label: 'Choose…' }, ...assemblies.map((value) => ({ value }))],
  true,
)}
${selectField({ name: 'referenceName', label: 'Chromosome', value: chromosome('referenceName') }, chromosomes('Choose…'), true)}
</div>
<fieldset>
<legend>Position</legend>
<div class="fields">
${text('start', 'Start', 'position', 'Zero-based: the POS of a VCF record minus 1.')}
${text('end', 'End', 'position', 'Zero-based, exclusive; for a breakend, the position of its mate. Optional.')}
</div>
<details${isRange && html` open`}>
<summary>Search a range instead</summary>
<p class="hint">For alleles with imprecise ends. Bounds are zero-based and inclusive; each is optional. Leave Start and End empty.</p>
<div class="fields">
${text('startMin', 'Minimum start', 'position')}
${text('startMax', 'Maximum start', 'position')}
${text('endMin', 'Minimum end', 'position')}
${text('endMax', 'Maximum end', 'position')}
</div>
</details>
</fieldset>
<fieldset>
<legend>Allele</legend>
<div class="fields">
${text('referenceBases', 'Reference bases', 'bases', 'A, C, G, T and N. N matches any base, a single N any sequence. Required if only Start is given.')}
${text('alternateBases', 'Alternate bases', 'bases', 'As above. Required unless a variant type is selected.')}
${selectField({ name: 'variantType', label: 'Variant type', value: firstOfParameter(sent, 'variantType') }, variantTypes)}
${selectField({ name: 'mateName', label: 'Mate chromosome (breakends)', value: chromosome('mateName') }, chromosomes('Any'))}
</div>
</fieldset>
${datasetFields(datasets, sent)}
<fieldset>
<legend>Results per dataset</legend>
<div class="checks inline">
${includeFields(sent, asked)}</div>
</fieldset>
<p class="actions"><button type="submit" name="query" value="submit">Search ${beacon}</button> <a href="?">Reset</a></p>
</form>`;
}

function datasetFields(datasets: readonly Dataset[], sent: SentQuery): Html {
  const ids = new Set(readableIds(sent));
  const own = new Set(datasets.map(({ id }) => id));
  const foreign = [...ids].filter((id) => !own.has(id)).slice(0, mostForeign);
  return html`<fieldset>
<legend>Datasets</legend>
<p class="hint">All public datasets are searched if none is selected.</p>
<div class="checks">
${datasets.map(({ id, name, assembly }) => checkField('checkbox', 'datasetIds', id, ids.has(id), html`${name} <span class="soft">${id}, ${assembly}</span>`))}
${foreign.map((id) => checkField('checkbox', 'datasetIds', id, true, html`${id} <span class="soft">not a public dataset</span>`))}</div>
</fieldset>`;
}

/** If omitted, no dataset is listed, as in the API; a new form preselects all. */
function includeFields(sent: SentQuery, asked: boolean): Html[] {
  const value = firstOfParameter(sent, 'includeDatasetResponses') || (asked ? 'NONE' : 'ALL');
  const known = includes.some(([include]) => include === value);
  const all: readonly (readonly [string, string])[] = known ? includes : [...includes, [value, 'Unknown']];
  return all.map(([include, label]) =>
    checkField(
      'radio',
      'includeDatasetResponses',
      include,
      include === value,
      html`${label} <span class="soft">${include}</span>`,
    ),
  );
}

// Example queries, as links.

/** The parameters of a query that has a hit. */
export type QueryExample = SentQuery['parameters'];

export function exampleLinks(examples: readonly QueryExample[]): Html | undefined {
  const links = examples.flatMap((example) => {
    const link = linkOfQuery({ parameters: example, form: true });
    return link === undefined ? [] : [html`<a href="${link}">${nameOfExample(example)}</a>`];
  });
  if (links.length === 0) return undefined;
  return html`<p class="examples">Examples: ${links.map((link) => html`${link} `)}</p>`;
}

function nameOfExample({ referenceName, start, referenceBases, alternateBases, variantType }: QueryExample): string {
  const change = variantType ?? `${shortBases(referenceBases)}>${shortBases(alternateBases)}`;
  return `chromosome ${referenceName}, ${start}, ${change}`;
}

function shortBases(bases: unknown): string {
  const text = String(bases);
  return text.length > 12 ? `${text.slice(0, 12)}…` : text;
}

// A query in other forms: parameter by parameter, as a link, as a command.

/** The order in which the page shows them. */
const order = [
  'assemblyId',
  'referenceName',
  ...coordinates,
  'referenceBases',
  'alternateBases',
  'variantType',
  'mateName',
  'datasetIds',
  'includeDatasetResponses',
] as const;
type ParameterName = (typeof order)[number];

/** All values of a parameter as text: one, unless it was repeated. */
function textsOfParameter(sent: SentQuery, name: ParameterName): string[] {
  return [sent.parameters[name]].flat().filter(isGiven).map(String);
}

/** The first value of a parameter as text; empty if there is none. */
export function firstOfParameter(sent: SentQuery, name: ParameterName): string {
  return textsOfParameter(sent, name)[0] ?? '';
}

/** The known parameters that were given, with their values as text. */
export function givenParameters(sent: SentQuery): [ParameterName, string[]][] {
  return order
    .map((name): [ParameterName, string[]] => [name, textsOfParameter(sent, name)])
    .filter(([, texts]) => texts.length > 0);
}

/** The length that all servers and browsers accept in an address. */
const longest = 4000;

function searchOf(sent: SentQuery): string {
  const pairs = givenParameters(sent).flatMap(([name, texts]) => texts.map((text): [string, string] => [name, text]));
  return new URLSearchParams(pairs).toString();
}

/** The query string of the same query; undefined if it is too long for an address. */
export function linkOfQuery(sent: SentQuery): string | undefined {
  const search = searchOf(sent);
  return search.length > longest ? undefined : `?${search}`;
}

/** A command that sends the same query to the API. */
export function curlOfQuery(sent: SentQuery, server: string): string {
  const address = `${server}/apiv1.0/query`;
  const link = linkOfQuery(sent);
  return link === undefined
    ? `curl --data ${shellWord(searchOf(sent))} ${shellWord(address)}`
    : `curl ${shellWord(address + link)}`;
}

/** Any text as one word for a POSIX shell. */
function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
