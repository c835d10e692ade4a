/**
 * What is known of registered samples, from the registration and from a beacon that has samples of the same id. A fact that one
 * of them states holds; where they contradict each other, the registration holds, except for the sex: it is then unknown,
 * because a wrong one would count alleles of X and Y wrongly.
 */
import type { DatasetFacts, SampleFactsService } from '../../services/beacon.js';
import { type RegisteredSample, type SampleLabels, type SampleSex, sampleLabels } from '../contract.js';
import { contradicts } from '../domain/sex.js';

export interface SampleFacts {
  /** Its own id if no case is known. */
  case: string;
  /** As stated; unknown if nobody states it, or if statements contradict each other. */
  declared: SampleSex;
  /** For counting: the declared sex, else the predicted one; unknown if the two contradict each other. */
  sex: SampleSex;
  labels: SampleLabels;
  /** The datasets of the beacon that have the sample. */
  datasets: readonly string[];
  warnings: readonly FactWarning[];
}

export interface FactWarning {
  code: 'sex-mismatch' | 'sex-contradiction' | 'case-contradiction' | 'label-contradiction';
  message: string;
}

/** Finds the beacon's service when it is used: the beacon need not be enabled. */
export type FindSampleFacts = () => SampleFactsService | undefined;

/** The key under which the beacon offers its facts. */
export const sampleFactsKey = 'beacon/sample-facts@1';

/** The facts of each sample, in their order. */
export async function factsOfAll(samples: readonly RegisteredSample[], find: FindSampleFacts): Promise<SampleFacts[]> {
  const linked = await find()?.factsOf(samples.map(({ id }) => id));
  return samples.map((sample) => factsOf(sample, linked?.get(sample.id) ?? []));
}

export function factsOf(sample: RegisteredSample, linked: readonly DatasetFacts[]): SampleFacts {
  const warnings: FactWarning[] = [];
  const warn = (code: FactWarning['code'], message: string) => void warnings.push({ code, message });

  const own = { where: 'the registration', sex: sample.sex, case: sample.case };
  const all = [own, ...linked.map(({ dataset, ...facts }) => ({ where: `dataset ${dataset}`, ...facts }))];
  const sexes = all.filter(({ sex }) => sex !== 'unknown');
  const isOneSex = new Set(sexes.map(({ sex }) => sex)).size <= 1;
  const declared = isOneSex ? (sexes[0]?.sex ?? 'unknown') : 'unknown';
  if (!isOneSex) {
    const list = sexes.map(({ where, sex }) => `${sex} in ${where}`).join(', ');
    warn('sex-contradiction', `The sex is stated differently: ${list}. It counts as unknown.`);
  }
  const predicted = sample.check?.sex ?? 'unknown';
  const isContradicted = contradicts(predicted, declared);
  if (isContradicted) warn('sex-mismatch', `Declared ${declared}, predicted ${predicted}. The sex counts as unknown.`);

  const cases = all.filter((one) => one.case !== undefined);
  if (new Set(cases.map((one) => one.case)).size > 1) {
    const list = cases.map((one) => `${one.case} in ${one.where}`).join(', ');
    warn('case-contradiction', `The case is stated differently: ${list}.`);
  }
  const labels: Partial<Record<(typeof sampleLabels)[number], string>> = {};
  for (const label of sampleLabels) {
    const stated = [
      { where: own.where, text: sample.labels[label] },
      ...linked.map(({ dataset, labels: theirs }) => ({ where: `dataset ${dataset}`, text: textOf(theirs, label) })),
    ].filter((one) => one.text !== undefined);
    const [first] = stated;
    if (first?.text === undefined) continue;
    labels[label] = first.text;
    if (stated.every(({ text }) => text === first.text)) continue;
    const list = stated.map(({ where, text }) => `${text} in ${where}`).join(', ');
    warn('label-contradiction', `The label ${label} is stated differently: ${list}.`);
  }
  return {
    case: cases[0]?.case ?? sample.id,
    declared,
    sex: isContradicted || !isOneSex ? 'unknown' : declared === 'unknown' ? predicted : declared,
    labels,
    datasets: linked.map(({ dataset }) => dataset),
    warnings,
  };
}

/** The beacon has no label for the mapping-quality filter and for groups. */
function textOf(labels: Readonly<Record<string, string | undefined>>, label: string): string | undefined {
  return labels[label];
}
