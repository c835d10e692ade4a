/**
 * The figures of samples: copies of chromosomes, cohorts and runs, known sites, uniformity, CollectHsMetrics, and warnings, in
 * English.
 */
import { english } from '../numbers.js';

const { listed, number, plural } = english;

export const chromosomes = {
  karyotype: {
    title: 'Sex chromosomes',
    caption: 'How many copies of X and Y the depths fit. An estimate from depths for review, not a karyotype analysis.',
    column: 'Karyotype by depth',
    xCopies: 'Copies of X',
    yCopies: 'Copies of Y',
    median: 'Median depth autosomes',
    places: 'Counted by',
    counts: {
      bins: (autosomes: string, x: string, y: string) => `bins of 10 kb: ${autosomes} autosomal, ${x} X, ${y} Y`,
      exons: (autosomes: string, x: string, y: string) => `coding exons: ${autosomes} autosomal, ${x} X, ${y} Y`,
    },
    mismatch: (karyotype: string) => `${karyotype}, does not match the declared sex`,
    reasons: {
      'few-places': 'unclear: too few places with depth',
      shallow: 'unclear: too little depth',
      between: 'unclear: fits no karyotype',
      'y-unknown': 'unclear: X0, or Y not captured',
      withheld: 'not stated',
    },
    term: (tolerance: string, least: { autosomes: number; x: number; y: number }, depth: number) =>
      `Twice the median depth of X, and of Y, divided by the median depth of the autosomes. X without the pseudoautosomal and X-transposed regions, Y where it is in single copy; autosomes and X without places that have no depth. XX is 2 and 0, XY 1 and 1, X0 1 and 0, XXY 2 and 1, XYY 1 and 2, XXX 3 and 0; stated only if both numbers are within ${tolerance} of these, with at least ${least.autosomes} places on the autosomes and ${least.x} on X, ${least.y} on Y, and a median depth of at least ${depth}×. In-between values occur in mosaics and with age (loss of X or Y in blood); they do not mean that samples were swapped. An aneuploidy is shown only to readers with the right to see it, and by default not on paper; for others it reads "not stated", like numbers that fit no karyotype.`,
    print: 'Print aneuploidies of the sex chromosomes (for readers with the right to see them)',
  },

  copies: {
    one: '1 copy',
    oneAt: (depth: string) => `1 copy: ${depth}`,
    notExpected: 'not expected',
    withoutY: 'without Y',
    of: (sample: string, reason: string) => `${sample} (${reason})`,
    byKaryotype: (karyotype: string) => `${karyotype} by depth`,
    byDeclared: (sex: string) => `declared ${sex}`,
    byDepth: 'no Y by depth',
    and: ' and ',
    leftOut: (samples: string, genes: string, bases: number) =>
      `Without Y: ${samples}. Not expected, and left out of totals, fully covered intervals and uniformity: ${genes} (${number(bases)}\u00A0bp).`,
    single: (samples: string) =>
      `One copy outside the pseudoautosomal regions, with about half the depth of two: ${samples}.`,
    half: (level: string, half: string) =>
      `Values there are marked by ${half} in place of ${level}; lists, counts and percentages keep ${level}.`,
    contradiction: (sample: string, declared: string, found: string) =>
      `${sample}: declared ${declared}, but ${found} by depth. The copies of X and Y are unknown, and nothing is left out.`,
    title: 'Expected copies',
    term: 'Of X and Y outside the pseudoautosomal regions (PARs): by the karyotype that the depths fit, or by the declared sex if depths do not tell. If they contradict each other the copies are unknown, and nothing is left out. PARs count as two copies.',
    allExpected: 'Every base that is expected is at or above the coverage threshold.',
    requirement: 'The requirement counts all bases, also of genes that a sample without Y cannot have.',
  },

  doses: {
    title: 'Autosomes beside the assay',
    caption:
      'Autosomes of which the sample has more depth than the other samples of its assay: a flag for review, not a result.',
    column: 'Above the assay',
    others: 'Other samples',
    few: 'not stated with fewer than 20 other samples',
    none: 'none',
    flag: (chromosome: string, ratio: string, z: string) => `chromosome ${chromosome}: ratio ${ratio}, z ${z}`,
    term: (ratio: string, z: string) =>
      `The median of the normalised depths of exons spread over each autosome (their mean depth divided by the sample's median over autosomal exons), compared with the other samples of the assay. Flagged at a ratio of at least ${ratio} to their median, with a robust z above ${z}. Three copies have a ratio of about 1.5. Shown only to readers with the right to see aneuploidies.`,
  },

  mitochondria: {
    title: 'Mitochondrial copy number',
    formulas: {
      median:
        'Copies of the mitochondrial genome per cell = 2 × mean depth of MT / median depth of the 10 kb bins of the autosomes.',
      scout14:
        'Copies of the mitochondrial genome per cell, as Scout states it = 2 × mean depth of MT / mean depth of chromosome 14.',
    },
    copies: 'Copies of MT',
    numerator: 'Mean depth MT',
    denominators: { median: 'Median depth autosomes', scout14: 'Mean depth chromosome 14' },
    note: 'Note',
    refusals: {
      'no-mt': 'The file has no mitochondrial chromosome.',
      capture: 'Not stated for exomes and panels: MT and the autosomes are not captured alike.',
      shallow: 'Too little depth on the autosomes.',
      capped: 'Not stated: the depths of MT in this file may be capped.',
      'no-chromosome-14': 'Chromosome 14 has no depth.',
    },
    unusual: (least: number, most: number) =>
      `Outside the usual ${least} to ${most}: below, nuclear copies of MT disturb the count; above, think of cell lines or tissue.`,
    term: 'An estimate from depths. It depends on tissue, DNA extraction and assay: compare it only with samples of the same tissue and assay. Nuclear copies of mitochondrial sequence, filters for mapping quality, the ends of the circular genome and positions 303–315 and 3107 lower or raise the depth of MT. The usual 50 to 500 are the limits within which gnomAD released samples.',
  },
};

// Samples beside their cohorts, and runs beside earlier runs, in English.

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

// Known sites, in English.

export const sites = {
  title: 'Known sites',
  caption: (depth: string) =>
    `Known variant sites in the genes of the report, those in introns and untranslated regions too. Callable: every base of the reference allele and one on each side is at or above ${depth}. Partly callable: some of these bases are; not callable: none is.`,
  fact: 'Known sites',
  set: (name: string, release: string, loaded: string, checksum: string) =>
    `${name} ${release}, loaded ${loaded}, ${checksum}`,
  source: 'Source',
  count: 'Sites',
  share: 'Callable, %',
  columns: { callable: 'Callable', partly: 'Partly callable', not: 'Not callable' },
  states: { callable: 'callable', partly: 'partly callable', not: 'not callable' },
  all: 'Every known site is callable in every sample.',
  listTitle: (depth: string) => `Known sites that are not callable at ${depth}`,
  listCaption: 'A negative result does not exclude these variants.',
  summary: (sites: number) => plural(sites, 'site', 'sites'),
  more: (count: number) =>
    `${plural(count, 'further site', 'further sites')} not listed here; the CSV and JSON exports have all.`,
  gene: 'Gene',
  site: 'Site',
  stars: 'Stars',
  least: (depth: string) => `minimum ${depth}`,
  usual: (covered: string, n: string) => `callable in ${covered} of ${n} other samples of the assay`,
  notStored: (samples: string, of: string, depth: string) =>
    `${samples} of ${of} other samples do not count in whether the assay usually covers a site: their covered regions are not stored at ${depth}.`,
  storeToo: (stored: readonly string[], level: string) =>
    `Use a coverage threshold of ${stored.join(' or ')}, or have ${level} added to coverage.samples.thresholds in the configuration; the next check of the samples stores the regions.`,
  storedSoon: 'The next check of the samples stores them.',
  holes: { assay: 'usually not callable in this assay', sample: 'not callable in this sample', few: '' },
  terms: {
    sites: 'Known sites',
    sitesText:
      'Sites belong to a gene if they are within its extent, or if the source names the gene (GENEINFO). Of ClinVar those classified as pathogenic or likely pathogenic, without conflict; stars: review status, 0 to 4. Breakends and variants longer than 10,000 bases are not among them.',
    hole: 'Usually callable',
    holeText:
      'From the stored covered regions of the other registered samples of the assay; on X and Y outside the pseudoautosomal regions, of the same sex. Fewer than half of at least 20 samples callable: usually not callable in this assay; otherwise: not callable in this sample. Of fewer samples only the numbers are stated.',
    sampling: 'Sampling sensitivity',
    samplingText: (depth: string, three: string, four: string) =>
      `The chance that at least k of d reads show the alternate allele of a heterozygous variant, if each read shows either allele with probability ½: 1 − Σ C(d, i) / 2^d over i = 0 … k − 1. At ${depth}: ${three} for k = 3, ${four} for k = 4. It is an upper bound of what sequencing at this depth can show: reference bias, mapping and the variant caller lower it, and mosaicism, repeats and large variants are out of its scope. It is a property of the depth, not the risk of a patient.`,
  },
};

/** How evenly the reads are spread, in English. */
export const uniformity = {
  title: 'Uniformity',
  caption:
    'How evenly the reads are spread over the distinct bases of the intervals. The formulas are below, under Explanations.',
  median: 'Median depth',
  max: 'Greatest depth',
  fold80: 'Fold-80',
  fold80Nonzero: 'Fold-80, intervals with reads',
  atFifthOfMean: '≥ 0.2 × mean',
  evenness: 'Evenness',
  cqvOfMedian: '(Q3 − Q1) / median',
  cqv: '(Q3 − Q1) / (Q3 + Q1)',
  zeroTargets: 'Intervals without reads',
  terms: {
    all: 'Computed from the depths in the D4 file, which counts other reads than Picard CollectHsMetrics does (base quality, overlapping mates): the same formulas give somewhat different figures. For spans of genes, which include introns, the figures say little about a capture.',
    fold80:
      'Mean depth divided by the 20th percentile of the depths of all bases (the least depth that 20 % of them do not exceed), as Picard computes FOLD_80_BASE_PENALTY. Not stated if that percentile is 0.',
    fold80Nonzero:
      'The same over the bases of the intervals with at least one read, as Picard documents FOLD_80_BASE_PENALTY.',
    atFifthOfMean: 'Percentage of the distinct bases with at least a fifth of the mean depth.',
    evenness:
      'Mean of min(depth, mean depth), divided by the mean depth (Mokry et al. 2010): 1 if every base has the mean depth.',
    cqv: 'Coefficients of quartile variation: the distance of the quartiles divided by the median, and divided by their sum. Quartiles and median are of type 7 of Hyndman and Fan.',
    zeroTargets: 'Percentage of the intervals of which every base has depth 0 (Picard: ZERO_CVG_TARGETS_PCT).',
  },
};

/** Figures of Picard CollectHsMetrics, in English. */
export const hsMetrics = {
  title: 'Picard HsMetrics',
  caption:
    'As the file of Picard CollectHsMetrics states it, beside figures of the same formula from the depths in the D4 file; Picard counts its own targets, and filters reads and bases first. Percentages (PCT) are fractions.',
  metric: 'Figure',
  fromPicard: (sample: string) => `${sample}: Picard`,
  fromDepths: (sample: string) => `${sample}: depths`,
  otherSample: (name: string, other: string) => `The file given for ${name} names another sample: ${other}.`,
  noSample: (samples: number) => `There is no sample of this number: the form has ${samples}.`,
  path: (place: number) => `HsMetrics file of sample ${place}: path on the server`,
  pasted: (place: number) => `or the text of the file of sample ${place}`,
};

// Quality warnings and notes above the numbers, in English.

export const warnings = {
  title: 'Please note',
  none: 'No warnings about files or samples; coverage is not judged here.',
  sexNotChecked: (samples: readonly string[]) =>
    `The sex of ${samples.join(', ')} was not checked: it is not declared, or X and Y do not predict it.`,
  ofSamples: (samples: readonly string[], message: string) => `${samples.join(', ')}: ${message}`,
  notMeasured: {
    malformed: 'not a gene name',
    'no-genes-loaded': 'no genes are loaded for this build',
    unknown: 'not in the gene set that is loaded',
    'not-in-build': 'not among the genes of this build',
    ambiguous: 'matches several genes',
    'no-transcripts-loaded': 'no transcripts are loaded for this build',
    'unknown-transcript': 'not among the transcripts of this build',
    'no-transcripts': 'no transcript of the chosen kind',
    'no-exons': 'no exons are loaded',
  },
  notMeasuredTitle: (count: number) => `${plural(count, 'gene', 'genes')} could not be included:`,
  renamed: (asked: string, symbol: string, by: string) => `${asked} is reported as ${symbol} (${by}).`,
  by: { previous: 'previous symbol', alias: 'alias' },
  sexMismatch: (sample: string, declared: string, found: string) =>
    `${sample}: declared ${declared}, predicted ${found}. Possible causes are swapped samples, a wrong declaration, or an ` +
    'aneuploidy of X or Y.',
  /** `isDoubted`: another sex is declared. */
  yOfFemale: (genes: string, isDoubted: boolean) =>
    `${isDoubted ? 'Predicted' : 'Sex:'} female. Genes on Y are not expected to be covered and count as incomplete: ${genes}.`,
  sharedReads: (genes: string) =>
    `There is depth in the pseudoautosomal regions of Y, at the copies of ${genes}. Probably the reference was not masked, ` +
    'reads were shared between X and Y, and the depths on X are too low.',
  sameFile: {
    whole: (samples: readonly string[]) => `The same file was given for ${listed(samples)}: were samples mixed up?`,
    parts: (samples: readonly string[]) =>
      `The files of ${listed(samples)} have the same size and agree in all parts that were compared, so they are probably ` +
      'the same file: were samples mixed up?',
  },
  /** Replaces the message of a warning, which is English; empty if that message is used. */
  measured: {
    'unknown-build': '',
    'contig-length': '',
    'missing-chromosome': '',
    'beyond-end': '',
    'lost-records': '',
    capped: '',
    'possibly-capped': '',
    'odd-file': '',
    'several-tracks': '',
    'little-evidence': '',
    'sex-mismatch': '',
    'sex-contradiction': '',
    'changed-file': '',
    'female-y': '',
    'shared-reads': '',
    'other-gene': '',
    'other-transcript': '',
    'same-file': '',
    'same-unique': '',
    'nested-file': '',
    'calls-elsewhere': '',
    'calls-misfit': '',
    'calls-untold': '',
    'no-genes': '',
    'not-included': '',
  },
  nothing: 'There is nothing to measure.',
  noMane: (build: string) => `No transcript that is loaded for ${build} is marked as MANE.`,
  pars: (build: string) => `Sex is predicted from X and Y outside the pseudoautosomal regions of ${build}.`,
  more: (count: number) => `and ${number(count)} more`,
  bedIgnoresGenes: 'The intervals come from the BED file; the gene list is not used.',
};
