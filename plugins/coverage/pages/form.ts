/** The report settings: the request as a form, to change and send again. Buttons all over the page belong to it. */
import { type Html, html } from '../../../core/plugin.js';
import { builds } from '../contract.js';
import type { GeneIntervalType } from '../domain/select.js';
import { transcriptChoices } from '../domain/transcripts.js';
import { lastOf, valuesOf } from '../form/fields.js';
import { hsMetricsField } from '../form/hs-metrics.js';
import { defaultType, geneFields, intervalTypes, type PageName, passedOn } from '../form/request.js';
import { rowsOf } from '../form/rows.js';
import { panelConfidences, panelReference } from '../panels/panel.js';
import { confidenceField, panelField } from '../panels/resolve.js';
import { keepField } from '../stored/paths.js';
import type { Texts } from '../texts/texts.js';
import { area, type Choice, select, text } from './fields.js';
import { namesRegistered, type SampleRowsOptions, sampleRows } from './sample-rows.js';

/** The id of the form. The value of a button comes after the form's fields, and so overrides them. */
export const carryForm = 'ask';

/** Bytes of BED lines that a page carries: with more, each of its buttons would send all of them. */
const mostBed = 256 * 1024;

export interface FormOptions extends SampleRowsOptions {
  page: PageName;
  levels: readonly number[];
  defaultIntervals?: GeneIntervalType | undefined;
  /** Whether the server keeps gene panels. */
  hasPanels: boolean;
  /** If reports are kept: whether all are. */
  keeps?: { all: boolean } | undefined;
  /** The uploaded BED file; what is pasted is a field. */
  file?: Buffer | undefined;
  /** Whether it is shown open. */
  open: boolean;
}

export function askForm(options: FormOptions): Html {
  const { page, sent, file, levels, defaultIntervals, texts, base, open } = options;
  const { form } = texts;
  const value = (name: string) => lastOf(sent, name) ?? '';
  const isGenePage = page === 'gene_overview';
  const bed = file === undefined || file.length === 0 ? value('intervals_bed') : linesOf(file);
  const isLong = bed === undefined || bed.length > mostBed;
  const many = geneFields.flatMap((name) => valuesOf(sent, name)).join(', ');
  const genes = isGenePage ? value('hgnc_gene_id') : many;
  return html`<details class="ask"${(open || isLong) && html` open`}>
<summary>${form.customise}</summary>
<form id="${carryForm}" method="post" action="${base}/${page}"${isLong && html` enctype="multipart/form-data"`}>
${defaultButton(page, texts, base)}<input type="hidden" name="lang" value="${texts.language}">
${passedOn[page].flatMap((name) => valuesOf(sent, name).map((one) => html`<input type="hidden" name="${name}" value="${one}">\n`))}${page === 'report' && value('mt_method') !== '' && html`<input type="hidden" name="mt_method" value="${value('mt_method')}">\n`}${page === 'report' && value('order') !== '' && html`<input type="hidden" name="order" value="${value('order')}">\n`}<div class="fields">
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
    value('interval_type') || (defaultIntervals === undefined ? 'genes' : defaultType),
    [
      [defaultType, texts.counted.byDefault(texts.types[defaultIntervals ?? 'coding'])],
      ...intervalTypes.map((type): Choice => [type, texts.types[type]]),
    ],
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
${(options.hasPanels || value(panelField) !== '') && panelFields(options)}
${text('panel_name', form.panel, value('panel_name'))}
${text('case_display_name', form.caseName, value('case_display_name'))}
</div>
${isGenePage ? text('hgnc_gene_id', form.gene, genes) : area('hgnc_gene_ids', form.genes, genes, 2)}
${sampleRows(options)}
${namesRegistered(options) && html`<p class="field check"><label><input type="checkbox" name="pool_assays" value="true"${value('pool_assays') === 'true' && html` checked`}> ${texts.cohort.pool}</label></p>\n`}${page === 'report' && html`<p class="field check"><label><input type="checkbox" name="print_aneuploidy" value="true"${value('print_aneuploidy') === 'true' && html` checked`}> ${texts.karyotype.print}</label></p>\n`}${
  !isGenePage &&
  page !== 'mane_overview' &&
  html`<details class="more"${(bed !== '' || value('intervals_bed_path') !== '') && html` open`}>
<summary>${texts.types.custom_intervals}</summary>
${text('intervals_bed_path', form.bedPath, value('intervals_bed_path'))}
${isLong ? longBed(file?.length ?? value('intervals_bed').length, texts) : shortBed(bed, texts)}
</details>`
}
${keepChoice(options)}${page === 'report' && hsMetricsInputs(options)}
<p class="actions"><button type="submit">${form.send}</button></p>
</form>
</details>`;
}

/** A panel, and which of its genes are reported: the page of a gene only carries the choice. */
function panelFields({ page, sent, texts, offers }: FormOptions): Html {
  const { panels } = texts;
  const confidence = lastOf(sent, confidenceField) ?? panelConfidences[0];
  const list = (offers?.panels ?? []).map((one): Choice => [panelReference(one), one.name]);
  return html`${text(panelField, panels.field, lastOf(sent, panelField) ?? '', { list })}
${
  page === 'gene_overview'
    ? html`<input type="hidden" name="${confidenceField}" value="${confidence}">`
    : select(
        confidenceField,
        panels.confidence,
        confidence,
        panelConfidences.map((one) => [one, panels.confidences[one]]),
      )
}`;
}

/** Not ticked again by itself: each button of the page would keep a further report. */
function keepChoice({ keeps, page, texts: { kept } }: FormOptions): Html | undefined {
  if (keeps === undefined) return undefined;
  if (keeps.all && page === 'report') return html`<p class="soft">${kept.always}</p>\n`;
  return html`<p class="field check"><label><input type="checkbox" name="${keepField}" value="true"> ${kept.field}</label></p>\n`;
}

/** A path and a text for each sample of the form; one sample if it has none yet. */
function hsMetricsInputs({ sent, texts: { hsMetrics: words } }: FormOptions): Html {
  const value = (name: string) => lastOf(sent, name) ?? '';
  const count = Math.max(1, rowsOf(sent).length);
  const places = Array.from({ length: count }, (_, i) => i + 1);
  const fields = (place: number) => [hsMetricsField('path', place), hsMetricsField('text', place)] as const;
  const isGiven = places.some((place) => fields(place).some((name) => value(name) !== ''));
  return html`<details class="more"${isGiven && html` open`}>
<summary>${words.title}</summary>
${places.map((place) => {
  const [path, pasted] = fields(place);
  return html`${text(path, words.path(place), value(path))}${area(pasted, words.pasted(place), value(pasted), 2)}`;
})}</details>`;
}

function shortBed(bed: string, { form }: Texts): Html {
  return html`${area('intervals_bed', form.bed, bed, 4)}
<p class="field script-only" hidden><label for="bed-file">${form.bedFile}</label> <input type="file" id="bed-file" accept=".bed,.txt,text/plain"></p>`;
}

/** The lines of an uploaded file, unless they are too long to be carried, or compressed. */
function linesOf(file: Buffer): string | undefined {
  const isCompressed = file[0] === 0x1f && file[1] === 0x8b;
  return isCompressed || file.length > mostBed ? undefined : file.toString('utf8').trim();
}

/** No page can fill in a file field: the user selects the file again. */
function longBed(bytes: number, { form }: Texts): Html {
  return html`<p class="note">${form.longBed(Math.ceil(bytes / 1e6))}</p>
<p class="field"><label for="intervals_bed">${form.bedFile}</label> <input type="file" id="intervals_bed" name="intervals_bed"></p>`;
}

/**
 * The Enter key in a field activates the form's first button in document order, which must not be one that adds a sample
 * or saves a file.
 */
export function defaultButton(page: PageName, texts: Texts, base: string): Html {
  return html`<button class="unseen screen" form="${carryForm}" formaction="${base}/${page}" tabindex="-1" aria-hidden="true">${texts.form.send}</button>
`;
}
