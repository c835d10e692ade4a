/** Warnings and notes above the numbers. */
import type { QualityWarning } from '../domain/quality.js';
import type { Texts } from '../texts/texts.js';
import { openNotices } from './counted.js';
import { panelNotices } from './panel-header.js';
import { notMeasuredText, type ReportData } from './report-data.js';
import type { Notice } from './view.js';

/** Entries of one list at most. */
const most = 30;

export function noticesOf(data: ReportData, texts: Texts): Notice[] {
  const { request, found, notMeasured, quality } = data;
  const { warnings } = texts;
  const notices: Notice[] = panelNotices(data, texts);
  if (notMeasured.length > 0) {
    const list = notMeasured.slice(0, most).map((one) => notMeasuredText(one, warnings));
    if (notMeasured.length > most) list.push(warnings.more(notMeasured.length - most));
    notices.push({ text: warnings.notMeasuredTitle(notMeasured.length), list });
  }
  if (request.type === 'custom_intervals' && request.genes.length > 0) notices.push({ text: warnings.bedIgnoresGenes });
  if (request.orExons && request.type === 'exons') notices.push({ text: texts.counted.fellBack(request.build) });
  notices.push(...openNotices(data, texts));
  for (const { asked, by, genes } of found) {
    if (by !== 'previous' && by !== 'alias') continue;
    const symbol = genes[0]?.symbol ?? genes[0]?.ensembl ?? '';
    notices.push({ text: warnings.renamed(asked, symbol, warnings.by[by]) });
  }
  for (const warning of quality.warnings) notices.push(qualityNotice(warning, quality.warnings, texts));
  return notices;
}

function qualityNotice(warning: QualityWarning, all: readonly QualityWarning[], texts: Texts): Notice {
  const { warnings } = texts;
  const { code, samples, sexes, targets, compared } = warning;
  if (sexes !== undefined) {
    const [declared, predicted] = [texts.sexes[sexes.declared], texts.sexes[sexes.predicted]];
    return { text: warnings.sexMismatch(samples.join(', '), declared, predicted) };
  }
  if (targets !== undefined) {
    const [shown, more] = [targets.slice(0, most), targets.length - most];
    const list = [...shown, ...(more > 0 ? [warnings.more(more)] : [])];
    const isDoubted = all.some((one) => one.sexes !== undefined && samples.some((name) => one.samples.includes(name)));
    const names = list.join(', ');
    const sentence = code === 'shared-reads' ? warnings.sharedReads(names) : warnings.yOfFemale(names, isDoubted);
    return { text: warnings.ofSamples(samples, sentence) };
  }
  if (compared !== undefined) return { text: warnings.sameFile[compared](samples) };
  return measuredNotice(warning, texts);
}

/** What could not be checked: with it, no page says that there are no quality warnings. */
export function uncheckedOf({ quality: { sexNotChecked } }: ReportData, { warnings }: Texts): string[] {
  return sexNotChecked.length === 0 ? [] : [warnings.sexNotChecked(sexNotChecked)];
}

/** In the words of the language; if these are general, followed by the English message with its details. */
function measuredNotice({ code, message, samples }: QualityWarning, { warnings }: Texts): Notice {
  const sentence = warnings.measured[code];
  if (samples.length === 0) return { text: sentence === '' ? message : sentence };
  return sentence === ''
    ? { text: warnings.ofSamples(samples, message) }
    : { text: warnings.ofSamples(samples, sentence), list: [message] };
}
