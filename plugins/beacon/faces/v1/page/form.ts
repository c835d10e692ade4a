/** The query form, filled in with the previous query. */
import { type Html, html } from '../../../../../core/plugin.js';
import { assemblies, contigs, type Dataset } from '../../../contract.js';
import { assemblyNamed, contigNamed } from '../../../domain/reference.js';
import { rangeCoordinates, readableIds, type Sent } from '../parameters.js';
import type { Include } from '../query.js';
import { type Choice, checkField, selectField, textField } from './fields.js';
import { firstOf, type ParameterName } from './request.js';

export interface FormOptions {
  beacon: string;
  /** The datasets that may be queried. */
  datasets: readonly Dataset[];
  sent: Sent;
  /** False for a new form. */
  asked: boolean;
}

const variantTypes: readonly Choice[] = [
  { value: '', label: 'Any' },
  { value: 'SNV', label: 'SNV: one base for another' },
  { value: 'MNP', label: 'MNP: several bases for as many' },
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
  ['HIT', 'Those with the allele'],
  ['MISS', 'Those without it'],
  ['NONE', 'None'],
];

/** Ids that belong to no public dataset are kept too, up to this number: more than a person would type. */
const mostForeign = 20;

export function queryForm({ beacon, datasets, sent, asked }: FormOptions): Html {
  const text = (name: ParameterName, label: string, kind: 'position' | 'bases', hint?: string) =>
    textField({ name, label, value: firstOf(sent, name), ...(hint && { hint }) }, kind);
  const assembly = firstOf(sent, 'assemblyId');
  const chromosomes = (none: string) => [{ value: '', label: none }, ...contigs.map((value) => ({ value }))];
  const chromosome = (name: ParameterName) => {
    const sentName = firstOf(sent, name);
    return contigNamed(sentName) ?? sentName;
  };
  const isRange = rangeCoordinates.some((name) => firstOf(sent, name) !== '');

  return html`<form method="get" class="card" id="form" aria-labelledby="form-title">
<h2 id="form-title">Ask for an allele</h2>
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
<legend>Where</legend>
<div class="fields">
${text('start', 'Start', 'position', 'Counted from 0: the position in a VCF file minus 1.')}
${text('end', 'End', 'position', 'One past the last base; a breakend’s is its mate’s position. May be left out.')}
</div>
<details${isRange && html` open`}>
<summary>Within a range instead</summary>
<p class="hint">For alleles whose ends are not exactly known. Bounds belong to the range; any may be left out. Leave start and end empty.</p>
<div class="fields">
${text('startMin', 'Start, at least', 'position')}
${text('startMax', 'Start, at most', 'position')}
${text('endMin', 'End, at least', 'position')}
${text('endMax', 'End, at most', 'position')}
</div>
</details>
</fieldset>
<fieldset>
<legend>What</legend>
<div class="fields">
${text('referenceBases', 'Reference bases', 'bases', 'Letters A, C, G, T; N is any base, a lone N any bases. Needed with a start alone.')}
${text('alternateBases', 'Alternate bases', 'bases', 'What stands in their place, in the same letters. This or a variant type is needed.')}
${selectField({ name: 'variantType', label: 'Variant type', value: firstOf(sent, 'variantType') }, variantTypes)}
${selectField({ name: 'mateName', label: 'Chromosome of a breakend’s mate', value: chromosome('mateName') }, chromosomes('Any'))}
</div>
</fieldset>
${datasetFields(datasets, sent)}
<fieldset>
<legend>List datasets one by one</legend>
<div class="checks inline">
${includeFields(sent, asked)}</div>
</fieldset>
<p class="actions"><button type="submit" name="query" value="submit">Search ${beacon}</button> <a href="?">Empty the form</a></p>
</form>`;
}

/** Positions differ between assemblies: if there are several, the user must choose one deliberately. */
function onlyAssembly(datasets: readonly Dataset[]): string {
  const [first, ...others] = new Set(datasets.map(({ assembly }) => assembly));
  return first === undefined || others.length > 0 ? '' : first;
}

function datasetFields(datasets: readonly Dataset[], sent: Sent): Html {
  const ids = new Set(readableIds(sent));
  const foreign = [...ids].filter((id) => !datasets.some((dataset) => dataset.id === id)).slice(0, mostForeign);
  return html`<fieldset>
<legend>In which datasets</legend>
<p class="hint">Where none is ticked, all public ones are searched.</p>
<div class="checks">
${datasets.map(({ id, name, assembly }) => checkField('checkbox', 'datasetIds', id, ids.has(id), html`${name} <span class="soft">${id}, ${assembly}</span>`))}
${foreign.map((id) => checkField('checkbox', 'datasetIds', id, true, html`${id} <span class="soft">not a public dataset</span>`))}</div>
</fieldset>`;
}

/** Without a choice no dataset is listed, as in the API; a new form preselects all. */
function includeFields(sent: Sent, asked: boolean): Html[] {
  const value = firstOf(sent, 'includeDatasetResponses') || (asked ? 'NONE' : 'ALL');
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
