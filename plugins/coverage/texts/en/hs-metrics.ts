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
