/** The form of the observation page, filled in with what was sent. */
import { assemblyNamed, contigNamed } from '../../../../core/genome.js';
import { type Html, html } from '../../../../core/plugin.js';
import { assemblies, contigs, type Dataset } from '../../contract.js';
import { alert, checkField, type FormChoice, onlyAssembly, selectField, textField } from '../pages.js';

/** The parameters of the request, as sent. */
export type ObservationInput = Readonly<Record<string, string | string[] | undefined>>;

function textOfField(sent: ObservationInput, name: string): string {
  return [sent[name]].flat()[0]?.trim() ?? '';
}

export function textsOfField(sent: ObservationInput, name: string): string[] {
  return [sent[name] ?? []].flat();
}

const types: readonly FormChoice[] = [
  { value: '', label: 'Choose…' },
  { value: 'DEL', label: 'DEL: deletion' },
  { value: 'DUP', label: 'DUP: duplication' },
  { value: 'INS', label: 'INS: insertion' },
  { value: 'INV', label: 'INV: inversion' },
  { value: 'CNV', label: 'CNV: copy number variation' },
  { value: 'BND', label: 'BND: breakend, such as a translocation' },
];

export function observationForm(datasets: readonly Dataset[], sent: ObservationInput): Html {
  const text = (name: string, label: string, kind: 'position' | 'bases', hint?: string) =>
    textField({ name, label, value: textOfField(sent, name), ...(hint && { hint }) }, kind);
  const chromosome = (name: string, label: string) => {
    const value = contigNamed(textOfField(sent, name)) ?? textOfField(sent, name);
    return selectField({ name, label, value }, [
      { value: '', label: 'Choose…' },
      ...contigs.map((one) => ({ value: one })),
    ]);
  };
  const assembly = textOfField(sent, 'assembly');
  return html`<form method="get" class="card" id="form" aria-labelledby="form-title">
<h2 id="form-title">Look up a variant</h2>
${datasets.length === 0 && alert('warning', 'This token may not observe any dataset of this server.')}
<div class="fields">
${selectField(
  {
    name: 'assembly',
    label: 'Genome assembly',
    value: assembly === '' ? onlyAssembly(datasets) : (assemblyNamed(assembly) ?? assembly),
  },
  [{ value: '', label: 'Choose…' }, ...assemblies.map((value) => ({ value }))],
  true,
)}
${text('allele', 'Allele', 'bases', 'Chromosome, position, reference and alternate as in a VCF file, such as 1-880086-T-C.')}
</div>
<details${['chromosome', 'threshold'].some((name) => textOfField(sent, name) !== '') && html` open`}>
<summary>Structural variant, or allele in single fields</summary>
<p class="hint">Coordinates are 1-based, inclusive. Leave Allele empty.</p>
<div class="fields">
${chromosome('chromosome', 'Chromosome')}
${text('position', 'Position', 'position', 'POS')}
${selectField({ name: 'type', label: 'Type', value: textOfField(sent, 'type').toUpperCase(), hint: 'SVTYPE' }, types)}
${text('end', 'End', 'position', 'END; for a breakend the position of its mate.')}
${chromosome('mateChromosome', 'Mate chromosome (breakends)')}
${text('length', 'Length', 'position', 'Bases that an insertion adds, if known.')}
${text('reference', 'Reference bases', 'bases', 'Instead of a type.')}
${text('alternate', 'Alternate bases', 'bases', 'Instead of a type.')}
${text('threshold', 'Coverage threshold', 'position', 'Reads from which on a base counts as covered; that of the dataset if empty.')}
</div>
</details>
${datasetFields(datasets, sent)}
<p class="actions"><button type="submit">Look up</button> <a href="?">Reset</a></p>
</form>`;
}

function datasetFields(datasets: readonly Dataset[], sent: ObservationInput): Html | undefined {
  if (datasets.length < 2) return undefined;
  const chosen = new Set(textsOfField(sent, 'dataset'));
  return html`<fieldset>
<legend>Datasets</legend>
<p class="hint">All of the assembly are searched if none is selected.</p>
<div class="checks">
${datasets.map(({ id, name, assembly }) => checkField('checkbox', 'dataset', id, chosen.has(id), html`${name} <span class="soft">${id}, ${assembly}</span>`))}</div>
</fieldset>`;
}
