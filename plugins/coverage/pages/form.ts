/** The form of a page: what was asked, to be changed and asked again. Buttons all over the page belong to it. */
import { type Html, html } from '../../../core/plugin.js';
import { builds } from '../contract.js';
import { transcriptChoices } from '../domain/transcripts.js';
import { lastOf, type Sent, valuesOf } from '../form/fields.js';
import { geneFields, intervalTypes, type PageName, passedOn } from '../form/request.js';
import type { Texts } from '../texts/texts.js';

/** Its id. What a button of it names comes after its own fields, and so overrides them. */
export const carryForm = 'ask';

export interface FormOptions {
  page: PageName;
  /** As sent, or the fields that ask the same again. */
  sent: Sent;
  levels: readonly number[];
  texts: Texts;
  base: string;
  /** Whether it is shown open. */
  open: boolean;
}

export function askForm({ page, sent, levels, texts, base, open }: FormOptions): Html {
  const { form } = texts;
  const value = (name: string) => lastOf(sent, name) ?? '';
  const isGenePage = page === 'gene_overview';
  const genes = isGenePage ? value('hgnc_gene_id') : geneFields.flatMap((name) => valuesOf(sent, name)).join(', ');
  return html`<details class="ask"${open && html` open`}>
<summary>${form.customise}</summary>
<form id="${carryForm}" method="post" action="${base}/${page}">
<input type="hidden" name="lang" value="${texts.language}">
${passedOn[page].flatMap((name) => valuesOf(sent, name).map((one) => html`<input type="hidden" name="${name}" value="${one}">\n`))}${page === 'report' && value('order') !== '' && html`<input type="hidden" name="order" value="${value('order')}">\n`}<div class="fields">
${select(
  'build',
  form.build,
  value('build') || builds[1],
  builds.map((build) => [build, build]),
)}
${text('default_level', form.level, value('default_level') || '10', { numeric: true, list: levels })}
${text('completeness_thresholds', form.thresholds, value('completeness_thresholds') || levels.join(', '))}
${
  !isGenePage &&
  page !== 'mane_overview' &&
  select(
    'interval_type',
    form.type,
    value('interval_type') || 'genes',
    intervalTypes.map((type) => [type, texts.types[type]]),
  )
}
${
  !isGenePage &&
  page !== 'mane_overview' &&
  select(
    'transcripts',
    form.transcripts,
    value('transcripts') || 'preferred',
    transcriptChoices.map((choice) => [choice, texts.choices[choice]]),
  )
}
${text('panel_name', form.panel, value('panel_name'))}
${text('case_display_name', form.caseName, value('case_display_name'))}
</div>
${isGenePage ? text('hgnc_gene_id', form.gene, genes) : area('hgnc_gene_ids', form.genes, genes, 2)}
${area('samples', form.samples, value('samples'), 4)}
${
  !isGenePage &&
  page !== 'mane_overview' &&
  html`<details class="more"${(value('intervals_bed') !== '' || value('intervals_bed_path') !== '') && html` open`}>
<summary>${texts.types.custom_intervals}</summary>
${text('intervals_bed_path', form.bedPath, value('intervals_bed_path'))}
${area('intervals_bed', form.bed, value('intervals_bed'), 4)}
<p class="field script-only" hidden><label for="bed-file">${form.bedFile}</label> <input type="file" id="bed-file" accept=".bed,.txt,text/plain"></p>
</details>`
}
<p class="actions"><button type="submit">${form.send}</button></p>
</form>
</details>`;
}

function select(name: string, label: string, value: string, choices: readonly (readonly [string, string])[]): Html {
  const all = choices.some(([choice]) => choice === value) ? choices : [...choices, [value, value] as const];
  return html`<p class="field"><label for="${name}">${label}</label>
<select id="${name}" name="${name}">${all.map(([choice, title]) => html`<option value="${choice}"${choice === value && html` selected`}>${title}</option>`)}</select></p>`;
}

function text(
  name: string,
  label: string,
  value: string,
  { numeric = false, list = [] as readonly number[] } = {},
): Html {
  const options =
    list.length === 0
      ? undefined
      : html`<datalist id="${name}-list">${list.map((one) => html`<option value="${one}">`)}</datalist>`;
  return html`<p class="field"><label for="${name}">${label}</label>
<input type="text" id="${name}" name="${name}" value="${value}" autocomplete="off" spellcheck="false"${numeric && html` inputmode="numeric"`}${options && html` list="${name}-list"`}>${options}</p>`;
}

/** A line break at the beginning of a text area is not part of its value. */
function area(name: string, label: string, value: string, rows: number): Html {
  return html`<p class="field"><label for="${name}">${label}</label>
<textarea id="${name}" name="${name}" rows="${rows}" spellcheck="false" autocomplete="off">
${value}</textarea></p>`;
}
