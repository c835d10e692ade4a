/** The samples of a form: rows that people fill in, a button that adds a row, and a JSON list for programs. */
import type { FileList } from '../../../core/files.js';
import { type Html, html } from '../../../core/plugin.js';
import { lastOf, type Sent } from '../form/fields.js';
import { isBlank, type RowField, rowField, rowsOf, type SampleRow } from '../form/rows.js';
import type { Texts } from '../texts/texts.js';
import { area, type Choice, select } from './fields.js';

/** What a form offers to choose from. */
export interface Offered {
  files: FileList;
  /** The ids of registered samples. */
  registered: readonly string[];
  /** The latest signed-off version of each panel; none if omitted. */
  panels?: readonly { panel: string; version: string; name: string }[];
}

export interface SampleRowsOptions {
  sent: Sent;
  texts: Texts;
  base: string;
  /** Samples that a request may have at most: the greatest number of rows. */
  mostSamples: number;
  /** Omitted if the client may not see it. */
  offers?: Offered | undefined;
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
const sexes = ['female', 'male', 'unknown'] as const;

export function sampleRows(options: SampleRowsOptions): Html {
  const { sent, texts, base, mostSamples } = options;
  const { files, registered = [] } = options.offers ?? {};
  const { form } = texts;
  const list = lastOf(sent, 'samples') ?? '';
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
${area('samples', form.samplesJson, list, 4)}</details>
</fieldset>`;
}

/** Which lists the fields of a row offer. */
interface Lists {
  hasFiles: boolean;
  hasSamples: boolean;
}

/** Whether the form names registered samples, or offers some. */
export function namesRegistered({ sent, offers }: SampleRowsOptions): boolean {
  return (offers?.registered.length ?? 0) > 0 || rowsOf(sent).some(({ id }) => id !== '');
}

/** The rows to show, at least one: if there are too many, those that are not empty. */
function shownRows(sent: Sent, most: number): SampleRow[] {
  const rows = rowsOf(sent);
  if (rows.length === 0) return [{ place: 1, id: '', name: '', file: '', sex: '', group: '', date: '' }];
  return rows.length <= most ? rows : rows.filter((row) => !isBlank(row)).slice(0, most);
}

function rowMarkup(row: SampleRow, { hasFiles, hasSamples }: Lists, { texts, wrong, added }: SampleRowsOptions): Html {
  const { place } = row;
  const { form } = texts;
  const refused = (name: string) => wrong?.has(name) === true;
  const text = (field: Exclude<RowField, 'sex' | 'date'>, more: Html | false = false): Html => {
    const name = rowField(field, place);
    const notes = [...(field === 'file' ? [fileHint] : []), ...(refused(name) ? [reasonId(name)] : [])];
    return html`<p class="field ${field}"><label for="${name}">${form.row[field]}</label>
<input type="text" id="${name}" name="${name}" value="${row[field]}" autocomplete="off" spellcheck="false"${refused(name) && html` aria-invalid="true"`}${notes.length > 0 && html` aria-describedby="${notes.join(' ')}"`}${more}></p>`;
  };
  const sexField = rowField('sex', place);
  const choices: Choice[] = [['', form.noSexGiven], ...sexes.map((sex): Choice => [sex, texts.sexes[sex]])];
  const hasId = hasSamples || row.id !== '';
  return html`<fieldset class="sample${hasId && ' registered'}"><legend>${form.sampleRow(place)}</legend>
${hasId && text('id', html`${hasSamples && html` list="${sampleList}"`}${added === place && html` autofocus`}`)}
${text('name', added === place && !hasId && html` autofocus`)}
${text('file', hasFiles && html` list="${fileList}"`)}
${select(sexField, form.row.sex, row.sex, choices, refused(sexField) ? reasonId(sexField) : undefined)}
${text('group')}
${row.date !== '' && html`<input type="hidden" name="${rowField('date', place)}" value="${row.date}">`}</fieldset>
`;
}

/** The id of the message that explains why a field is not valid. */
export function reasonId(field: string): string {
  return `reason-${field}`;
}
