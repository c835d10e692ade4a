/** What must be known before the numbers are read. */
import { isComplete, type Warning } from '../domain/measure.js';
import { contradicts } from '../domain/sex.js';
import type { Texts } from '../texts/texts.js';
import { type Gathered, type Measurement, notMeasuredText } from './gather.js';
import type { Notice } from './view.js';

/** Entries of one list. */
const most = 30;

export function noticesOf(gathered: Gathered, texts: Texts): Notice[] {
  const { request, found, notMeasured, samples } = gathered;
  const { warnings } = texts;
  const notices: Notice[] = [];
  if (notMeasured.length > 0) {
    const list = notMeasured.slice(0, most).map((one) => notMeasuredText(one, warnings));
    if (notMeasured.length > most) list.push(warnings.more(notMeasured.length - most));
    notices.push({ text: warnings.notMeasuredTitle(notMeasured.length), list });
  }
  if (request.type === 'custom_intervals' && request.genes.length > 0) notices.push({ text: warnings.bedIgnoresGenes });
  for (const { asked, by, genes } of found) {
    if (by !== 'previous' && by !== 'alias') continue;
    const symbol = genes[0]?.symbol ?? genes[0]?.ensembl ?? '';
    notices.push({ text: warnings.renamed(asked, symbol, warnings.by[by]) });
  }
  for (const { sample, sex } of samples) {
    if (sex !== undefined && sample.sex !== undefined && contradicts(sex.sex, sample.sex)) {
      notices.push({ text: warnings.sexMismatch(sample.name, texts.sexes[sample.sex], texts.sexes[sex.sex]) });
    }
  }
  for (const { samples: names, genes } of femalesWithY(gathered)) {
    const [shown, more] = [genes.slice(0, most), genes.length - most];
    const list = [...shown, ...(more > 0 ? [warnings.more(more)] : [])];
    notices.push({ text: warnings.ofSamples(names, warnings.yOfFemale(list.join(', '))) });
  }
  for (const { warning, samples: names } of measurementWarnings(samples)) {
    notices.push(measuredNotice(warning, names, texts));
  }
  if (samples.some(({ sex }) => sex?.build !== undefined)) notices.push({ text: warnings.pars(request.build) });
  return notices;
}

/** In the language's own words; with what measuring says of the very case where those do not hold it. */
function measuredNotice({ code, message }: Warning, samples: readonly string[], { warnings }: Texts): Notice {
  const sentence = warnings.measured[code];
  return sentence === ''
    ? { text: warnings.ofSamples(samples, message) }
    : { text: warnings.ofSamples(samples, sentence), list: [message] };
}

/** Samples without a Y, as far as is known, by the genes on Y that are asked for and count as incomplete in them. */
export function femalesWithY({ samples, targets, level }: Gathered): { samples: string[]; genes: string[] }[] {
  const groups = new Map<string, { samples: string[]; genes: string[] }>();
  for (const { sample, sex, depths } of samples) {
    const known = sex === undefined || sex.sex === 'unknown' ? sample.sex : sex.sex;
    if (known !== 'female') continue;
    const incomplete = targets.flatMap(({ group, place: { chromosome } }, i) => {
      const own = depths.targets[i];
      return /^(chr)?Y$/i.test(chromosome) && own !== undefined && !isComplete(own, level) ? [group] : [];
    });
    if (incomplete.length === 0) continue;
    const genes = [...new Set(incomplete)];
    const group = groups.get(genes.join('\n')) ?? { samples: [], genes };
    group.samples.push(sample.name);
    groups.set(genes.join('\n'), group);
  }
  return [...groups.values()];
}

/** Everything that measuring warned of: once where it holds for all samples, else with the sample's name. */
export function measurementWarnings(samples: readonly Measurement[]): { warning: Warning; samples: string[] }[] {
  const found = new Map<string, { warning: Warning; samples: string[] }>();
  for (const { sample, depths, sex } of samples) {
    for (const warning of [...depths.warnings, ...(sex?.warnings ?? [])]) {
      const key = `${warning.code} ${warning.message}`;
      const known = found.get(key) ?? { warning, samples: [] };
      if (!known.samples.includes(sample.name)) known.samples.push(sample.name);
      found.set(key, known);
    }
  }
  return [...found.values()];
}
