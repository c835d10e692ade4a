/**
 * The report settings: the request as a form, to change and send again, with rows for samples. Buttons all over the page belong
 * to it.
 */
import type { FileList } from '../../../../core/files.js';
import { type Html, html } from '../../../../core/plugin.js';
import { builds, sampleSexes } from '../../contract.js';
import type { GeneIntervalType } from '../../measure/select.js';
import { transcriptChoices } from '../../measure/transcripts.js';
import type { Texts } from '../../texts/texts.js';
import {
  type BedField,
  bedField,
  bedNumbersOf,
  type FormFields,
  hsMetricsField,
  isBlankRow,
  keepField,
  lastOfField,
  type RowField,
  rowField,
  type SampleRow,
  sampleRowsOf,
  valuesOfField,
} from '../form/fields.js';
import { defaultType, geneFields, intervalTypes, mostBeds, type PageName, passedOn } from '../form/request.js';
import { confidenceField, panelConfidences, panelField, panelReference } from '../panel.js';

/** The id of the form. The value of a button comes after the form's fields, and so overrides them. */
export const carryForm = 'ask';

/** Bytes of BED lines that a page carries: with more, each of its buttons would send all of them. */
const mostBed = 256 * 1024;

interface ReportFormOptions extends SampleRowsOptions {
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

export function askForm(options: ReportFormOptions): Html {
  const { page, sent, file, levels, defaultIntervals, texts, base, open } = options;
  const { form } = texts;
  const value = (name: string) => lastOfField(sent, name) ?? '';
  const isGenePage = page === 'gene_overview';
  const bed = file === undefined || file.length === 0 ? value('intervals_bed') : linesOfUpload(file);
  const isLong = bed === undefined || bed.length > mostBed;
  const many = geneFields.flatMap((name) => valuesOfField(sent, name)).join(', ');
  const genes = isGenePage ? value('hgnc_gene_id') : many;
  return html`<details class="ask"${(open || isLong) && html` open`}>
<summary>${form.customise}</summary>
<form id="${carryForm}" method="post" action="${base}/${page}"${isLong && html` enctype="multipart/form-data"`}>
${defaultButton(page, texts, base)}<input type="hidden" name="lang" value="${texts.language}">
${passedOn[page].flatMap((name) => valuesOfField(sent, name).map((one) => html`<input type="hidden" name="${name}" value="${one}">\n`))}${page === 'report' && value('mt_method') !== '' && html`<input type="hidden" name="mt_method" value="${value('mt_method')}">\n`}${page === 'report' && value('order') !== '' && html`<input type="hidden" name="order" value="${value('order')}">\n`}<div class="fields">
${selectField(
  'build',
  form.build,
  value('build') || builds[1],
  builds.map((build) => [build, build]),
)}
${textField('default_level', form.level, value('default_level') || '10', { numeric: true, list: levels })}
${textField('completeness_thresholds', form.thresholds, value('completeness_thresholds') || levels.join(', '))}
${
  !isGenePage &&
  page !== 'mane_overview' &&
  selectField(
    'interval_type',
    form.type,
    value('interval_type') || (defaultIntervals === undefined ? 'genes' : defaultType),
    [
      [defaultType, texts.counted.byDefault(texts.types[defaultIntervals ?? 'coding'])],
      ...intervalTypes.map((type): SelectChoice => [type, texts.types[type]]),
    ],
  )
}
${
  !isGenePage &&
  page !== 'mane_overview' &&
  selectField(
    'transcripts',
    form.transcripts,
    value('transcripts') || 'preferred',
    transcriptChoices.map((choice) => [choice, texts.choices[choice]]),
  )
}
${(options.hasPanels || value(panelField) !== '') && panelFields(options)}
${textField('panel_name', form.panel, value('panel_name'))}
${textField('case_display_name', form.caseName, value('case_display_name'))}
</div>
${isGenePage ? textField('hgnc_gene_id', form.gene, genes) : areaField('hgnc_gene_ids', form.genes, genes, 2)}
${sampleRows(options)}
${namesRegistered(options) && html`<p class="field check"><label><input type="checkbox" name="pool_assays" value="true"${value('pool_assays') === 'true' && html` checked`}> ${texts.cohort.pool}</label></p>\n`}${page === 'report' && html`<p class="field check"><label><input type="checkbox" name="print_aneuploidy" value="true"${value('print_aneuploidy') === 'true' && html` checked`}> ${texts.karyotype.print}</label></p>\n`}${
  !isGenePage &&
  page !== 'mane_overview' &&
  html`<details class="more"${(bed !== '' || bedNumbersOf(sent).length > 0) && html` open`}>
<summary>${texts.types.custom_intervals}</summary>
${textField('intervals_bed_path', form.bedPath, value('intervals_bed_path'))}
${isLong ? longBed(file?.length ?? value('intervals_bed').length, texts) : shortBed(bed, texts)}
${textField('intervals_bed_name', form.bedName, value('intervals_bed_name'))}
${furtherBeds(sent, texts)}</details>`
}
${keepChoice(options)}${page === 'report' && hsMetricsInputs(options)}
<p class="actions"><button type="submit">${form.send}</button></p>
</form>
</details>`;
}

/** A panel, and which of its genes are reported: the page of a gene only carries the choice. */
function panelFields({ page, sent, texts, offers }: ReportFormOptions): Html {
  const { panels } = texts;
  const confidence = lastOfField(sent, confidenceField) ?? panelConfidences[0];
  const list = (offers?.panels ?? []).map((one): SelectChoice => [panelReference(one), one.name]);
  return html`${textField(panelField, panels.field, lastOfField(sent, panelField) ?? '', { list })}
${
  page === 'gene_overview'
    ? html`<input type="hidden" name="${confidenceField}" value="${confidence}">`
    : selectField(
        confidenceField,
        panels.confidence,
        confidence,
        panelConfidences.map((one) => [one, panels.confidences[one]]),
      )
}`;
}

/** Not ticked again by itself: each button of the page would keep a further report. */
function keepChoice({ keeps, page, texts: { kept } }: ReportFormOptions): Html | undefined {
  if (keeps === undefined) return undefined;
  if (keeps.all && page === 'report') return html`<p class="soft">${kept.always}</p>\n`;
  return html`<p class="field check"><label><input type="checkbox" name="${keepField}" value="true"> ${kept.field}</label></p>\n`;
}

/** A path and a text for each sample of the form; one sample if it has none yet. */
function hsMetricsInputs({ sent, texts: { hsMetrics: words } }: ReportFormOptions): Html {
  const value = (name: string) => lastOfField(sent, name) ?? '';
  const count = Math.max(1, sampleRowsOf(sent).length);
  const places = Array.from({ length: count }, (_, i) => i + 1);
  const fields = (place: number) => [hsMetricsField('path', place), hsMetricsField('text', place)] as const;
  const isGiven = places.some((place) => fields(place).some((name) => value(name) !== ''));
  return html`<details class="more"${isGiven && html` open`}>
<summary>${words.title}</summary>
${places.map((place) => {
  const [path, pasted] = fields(place);
  return html`${textField(path, words.path(place), value(path))}${areaField(pasted, words.pasted(place), value(pasted), 2)}`;
})}</details>`;
}

function shortBed(bed: string, { form }: Texts): Html {
  return html`${areaField('intervals_bed', form.bed, bed, 4)}
${bedReader('', form.bedFile)}`;
}

/** Reads a file into the field of the lines with this ending of its name. */
function bedReader(ending: string, label: string): Html {
  return html`<p class="field script-only" hidden><label for="bed-file${ending}">${label}</label> <input type="file" id="bed-file${ending}" data-bed="${ending}" accept=".bed,.txt,text/plain"></p>`;
}

/** The files after the first, and an empty one while there may be more. */
function furtherBeds(sent: FormFields, { form }: Texts): Html {
  const further = bedNumbersOf(sent).filter((number) => number > 1);
  const next = Math.max(1, ...further) + 1;
  const value = (kind: BedField, number: number) => lastOfField(sent, bedField(kind, number)) ?? '';
  const fields = (
    number: number,
  ) => html`${textField(bedField('path', number), form.bedField(form.bedPath, number), value('path', number))}
${areaField(bedField('text', number), form.bedField(form.bed, number), value('text', number), 2)}
${bedReader(`_${number}`, form.bedField(form.bedFile, number))}
${textField(bedField('name', number), form.bedField(form.bedName, number), value('name', number))}
`;
  const empty = html`<details class="more"><summary>${form.bedMore}</summary>\n${fields(next)}</details>`;
  return html`${further.map(fields)}${further.length + 1 < mostBeds && empty}`;
}

/** The lines of an uploaded file, unless they are too long to be carried, or compressed. */
function linesOfUpload(file: Buffer): string | undefined {
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

// The samples of a form: rows that people fill in, a button that adds a row, and a JSON list for programs.

/** What a form offers to choose from. */
export interface FormChoices {
  files: FileList;
  /** The ids of registered samples. */
  registered: readonly string[];
  /** The latest signed-off version of each panel; none if omitted. */
  panels?: readonly { panel: string; version: string; name: string }[];
}

interface SampleRowsOptions {
  sent: FormFields;
  texts: Texts;
  base: string;
  /** Samples that a request may have at most: the greatest number of rows. */
  mostSamples: number;
  /** Omitted if the client may not see it. */
  offers?: FormChoices | undefined;
  /** Names of fields that are not valid. */
  wrong?: ReadonlySet<string>;
  /** The row that was just added, which gets the focus. */
  added?: number | undefined;
}

/** The field name of the button that adds a row. */
export const addSample = 'add_sample';

const fileList = 'coverage-files';
const sampleList = 'registered-samples';
const fileHint = 'sample-files-hint';

function sampleRows(options: SampleRowsOptions): Html {
  const { sent, texts, base, mostSamples } = options;
  const { files, registered = [] } = options.offers ?? {};
  const { form } = texts;
  const list = lastOfField(sent, 'samples') ?? '';
  const rows = shownRows(sent, mostSamples);
  const hasFiles = files !== undefined && files.paths.length > 0;
  const hasSamples = registered.length > 0;
  return html`<fieldset class="samples"><legend>${form.samples}</legend>
<p class="hint">${form.samplesHint}${hasSamples && ` ${form.registeredHint}`}</p>
<p class="hint" id="${fileHint}">${hasFiles ? form.fileHint : form.pathHint}${hasFiles && files.isCut && ` ${form.filesCut(files.paths.length)}`}</p>
${hasFiles && html`<datalist id="${fileList}">${files.paths.map((path) => html`<option value="${path}">`)}</datalist>`}
${hasSamples && html`<datalist id="${sampleList}">${registered.map((id) => html`<option value="${id}">`)}</datalist>`}
${rows.map((row) => rowMarkup(row, { hasFiles, hasSamples }, options))}
${rows.length < mostSamples && html`<p class="actions"><button class="plain" name="${addSample}" value="1" formaction="${base}/coverage">${form.addSample}</button></p>`}
<details class="more"${list !== '' && html` open`}><summary>${form.samplesJson}</summary>
${areaField('samples', form.samplesJson, list, 4)}</details>
</fieldset>`;
}

/** Which lists the fields of a row offer. */
interface FieldLists {
  hasFiles: boolean;
  hasSamples: boolean;
}

/** Whether the form names registered samples, or offers some. */
function namesRegistered({ sent, offers }: SampleRowsOptions): boolean {
  return (offers?.registered.length ?? 0) > 0 || sampleRowsOf(sent).some(({ id }) => id !== '');
}

/** The rows to show, at least one: if there are too many, those that are not empty. */
function shownRows(sent: FormFields, most: number): SampleRow[] {
  const rows = sampleRowsOf(sent);
  if (rows.length === 0)
    return [{ place: 1, id: '', name: '', file: '', unique: '', quality: '', sex: '', group: '', date: '' }];
  return rows.length <= most ? rows : rows.filter((row) => !isBlankRow(row)).slice(0, most);
}

function rowMarkup(
  row: SampleRow,
  { hasFiles, hasSamples }: FieldLists,
  { texts, wrong, added }: SampleRowsOptions,
): Html {
  const { place } = row;
  const { form } = texts;
  const refused = (name: string) => wrong?.has(name) === true;
  const text = (field: Exclude<RowField, 'sex' | 'date'>, more: Html | false = false): Html => {
    const name = rowField(field, place);
    const notes = [
      ...(field === 'file' || field === 'unique' ? [fileHint] : []),
      ...(refused(name) ? [reasonId(name)] : []),
    ];
    return html`<p class="field ${field}"><label for="${name}">${form.row[field]}</label>
<input type="text" id="${name}" name="${name}" value="${row[field]}" autocomplete="off" spellcheck="false"${refused(name) && html` aria-invalid="true"`}${notes.length > 0 && html` aria-describedby="${notes.join(' ')}"`}${more}></p>`;
  };
  const sexField = rowField('sex', place);
  const choices: SelectChoice[] = [
    ['', form.noSexGiven],
    ...sampleSexes.map((sex): SelectChoice => [sex, texts.sexes[sex]]),
  ];
  const hasId = hasSamples || row.id !== '';
  return html`<fieldset class="sample${hasId && ' registered'}"><legend>${form.sampleRow(place)}</legend>
${hasId && text('id', html`${hasSamples && html` list="${sampleList}"`}${added === place && html` autofocus`}`)}
${text('name', added === place && !hasId && html` autofocus`)}
${text('file', hasFiles && html` list="${fileList}"`)}
${selectField(sexField, form.row.sex, row.sex, choices, refused(sexField) ? reasonId(sexField) : undefined)}
${text('group')}
${
  (row.id === '' || row.unique !== '') &&
  html`<details class="more"${(row.unique !== '' || row.quality !== '') && html` open`}><summary>${form.uniqueMore}</summary>
<p class="hint">${form.uniqueHint}</p>
${text('unique', hasFiles && html` list="${fileList}"`)}
${text('quality', html` inputmode="numeric"`)}
</details>`
}${row.date !== '' && html`<input type="hidden" name="${rowField('date', place)}" value="${row.date}">`}</fieldset>
`;
}

/** The id of the message that explains why a field is not valid. */
export function reasonId(field: string): string {
  return `reason-${field}`;
}

// Form fields with their labels. The id of each is its name.

/** Value and title. */
type SelectChoice = readonly [string, string];

/** `reason` is the id of the message that explains why the value is not valid. */
function selectField(
  name: string,
  label: string,
  value: string,
  choices: readonly SelectChoice[],
  reason?: string,
): Html {
  const all = choices.some(([choice]) => choice === value) ? choices : [...choices, [value, value] as const];
  return html`<p class="field"><label for="${name}">${label}</label>
<select id="${name}" name="${name}"${reason !== undefined && html` aria-invalid="true" aria-describedby="${reason}"`}>${all.map(([choice, title]) => html`<option value="${choice}"${choice === value && html` selected`}>${title}</option>`)}</select></p>`;
}

export function textField(
  name: string,
  label: string,
  value: string,
  { numeric = false, list = [] as readonly (number | SelectChoice)[] } = {},
): Html {
  const options =
    list.length === 0
      ? undefined
      : html`<datalist id="${name}-list">${list.map((one) => (typeof one === 'number' ? html`<option value="${one}">` : html`<option value="${one[0]}" label="${one[1]}">`))}</datalist>`;
  return html`<p class="field"><label for="${name}">${label}</label>
<input type="text" id="${name}" name="${name}" value="${value}" autocomplete="off" spellcheck="false"${numeric && html` inputmode="numeric"`}${options && html` list="${name}-list"`}>${options}</p>`;
}

/** HTML ignores the line break after the start tag. */
function areaField(name: string, label: string, value: string, rows: number): Html {
  return html`<p class="field"><label for="${name}">${label}</label>
<textarea id="${name}" name="${name}" rows="${rows}" spellcheck="false" autocomplete="off">
${value}</textarea></p>`;
}
