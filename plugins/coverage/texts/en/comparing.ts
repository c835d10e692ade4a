/** Samples beside their cohorts, and runs beside earlier runs, in English. */
import { english } from '../numbers.js';

const { number, plural } = english;

export const comparing = {
  cohort: {
    title: 'Cohorts',
    caption:
      'Registered samples are compared with the other registered samples of their assay and genome build: never with themselves, but with relatives. On X and Y outside the pseudoautosomal regions only with samples of the same sex.',
    which: 'Compared with',
    samples: 'Samples',
    sameSex: 'Same sex',
    checksum: 'Checksum of the samples',
    ofAssay: (assay: string) => `Samples of the assay ${assay}.`,
    pooled: (assays: string) =>
      `Samples of all assays, as requested: ${assays}. Their coverage may differ because the assays do.`,
    shared: (own: number, others: number, sameSex: readonly [own: number, others: number] | undefined) => {
      const ofSex = sameSex === undefined ? '' : `; of the same sex ${number(sameSex[0])} and ${number(sameSex[1])}`;
      return `${plural(own, 'sample', 'samples')} of your own and ${number(others)} that others share${ofSex}.`;
    },
    unknownSex: 'The sex is unknown: nothing is compared on X and Y.',
    states: {
      'no-assay': 'No assay is stated for this sample: it is not compared.',
      alone: 'There is no other sample of this assay with stored values.',
      changed: 'The coverage file is not the one that was registered: depths are not compared.',
      'no-values': 'The values of this sample are not stored yet: depths are not compared.',
      'too-many': 'The report has too many intervals to compare all of them.',
      unavailable: 'The stored values cannot be read now: nothing is compared.',
    } as Readonly<Record<'no-assay' | 'alone' | 'changed' | 'no-values' | 'too-many' | 'unavailable', string>>,
    pool: 'Compare with samples of all assays',
    depth: 'Normalised depth',
    completeness: (depth: string) => `≥ ${depth} in the cohort`,
    cellOf: (sample: string, depth: string) => `${sample}: ≥ ${depth} in the cohort`,
    percentile: (percentile: string) => `percentile ${percentile}`,
    count: (n: number) => `n ${number(n)}`,
    values: (n: number) => (n === 0 ? 'no other sample' : `${plural(n, 'sample', 'samples')}:`),
    finding: 'Compared with the cohort',
    kinds: {
      'possible-deletion': 'Low in this sample only: check whether this is a dropout or a deletion.',
      assay: 'Usually poor in this assay',
      sample: 'Poor in this sample',
      usual: 'Within the usual range of this assay',
      unknown: 'Too little to compare with',
    } as Readonly<Record<'possible-deletion' | 'assay' | 'sample' | 'usual' | 'unknown', string>>,
    deletionInFile: 'Low in this sample only: see the page of the report.',
    alsoUsual: 'usually poor in this assay',
    evidence: (ratio: string, z: string) => `ratio ${ratio}, z ${z}`,
    terms: {
      cohort: 'Cohort',
      cohortText: (least: number) =>
        `Median, and in parentheses the 5th and the 95th percentile of the other samples (linear interpolation, Hyndman and Fan 7), and their number n. Of fewer than ${number(least)} samples the values themselves are listed, without names.`,
      percentile: 'Percentile',
      percentileText:
        'Percentage of the cohort with a lower value than this sample, and half of those with an equal one: 50 if all are equal.',
      depth: 'Normalised depth',
      depthText:
        'Mean depth divided by the median of the mean depths of the autosomal exons with depth, of the same sample. Ratio: normalised depth divided by the median of the cohort. z: distance from that median, divided by 1.4826 times the median absolute deviation; none if that is 0.',
    },
    defined: {
      assay: (least: number) =>
        `The median completeness of the exon (or interval) at the coverage threshold is below 95 % in at least ${number(least)} samples of the assay. It says something of the assay, not of this sample.`,
      sample:
        'The completeness is below the 5th percentile of the cohort, or the depth is as low as below and other samples share that.',
      deletion: (ratio: string, z: number, least: number) =>
        `The normalised depth of the exon (or interval) is less than ${ratio} times the median of the cohort, with z below ${number(z)}, and no other sample of at least ${number(least)} is as low. A hint where to look, never a call: depths cannot tell a dropout from a deletion, and the absence of this note excludes neither. Not for patient reports.`,
      usual: 'The completeness is not below the 5th percentile of the cohort.',
      unknown: (least: number) =>
        `The cohort has fewer than ${number(least)} samples, the values of the interval or of the sample are not stored, the coverage threshold is not a stored one, or the sex is unknown on X or Y.`,
    },
  },

  runs: {
    title: (assay: string) => `Runs of ${assay}`,
    table: (assay: string) => `Runs of ${assay} in numbers`,
    caption: (places: number, counted: 'coding' | 'exons', most: number) =>
      `Control chart over ${counted === 'coding' ? plural(places, 'autosomal coding segment with its splice bases', 'autosomal coding segments with their splice bases') : plural(places, 'autosomal exon', 'autosomal exons')} (at most ${number(most)}, evenly spread). For each sample the median of z over these, where z is the robust z of its normalised depth among all samples of the assay, and the share of them with |z| > 3. Dashed: 2 and 3 times 1.4826 MAD from the median of all samples.`,
    run: 'Run',
    day: 'Day',
    samples: 'Samples',
    medianZ: 'Median z',
    share: '|z| > 3',
    distance: 'Distance',
    rules: 'Westgard rules',
    rulesText:
      'Distance: median of the run minus the median of the samples of all earlier runs of the assay, divided by 1.4826 times their median absolute deviation; p: two-sided test of Mann and Whitney of the run against these samples; both from 20 earlier samples. Rules on the distances: 1-3s beyond 3; 2-2s two runs in a row beyond 2 on one side; R-4s one beyond 2 and the next beyond −2; 4-1s four in a row beyond 1 on one side; 10-x ten in a row on one side; 1-2s beyond 2, a warning. A run is marked if it breaks a rule other than 1-2s, or if p is below 0.001.',
    legend: (marked: boolean) => `${marked ? '◆ sample of this report; ' : ''}■ other samples; — median of the run`,
    description: (runs: number, samples: number, drifted: readonly string[], share: string) =>
      `${plural(runs, 'run', 'runs')} with ${plural(samples, 'sample', 'samples')}; ${drifted.length === 0 ? 'no run is marked' : `marked: ${drifted.join(', ')}`}; median share of exons with |z| > 3: ${share} %.`,
  },
};
