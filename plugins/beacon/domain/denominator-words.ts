/** Denominators in words. */
import { type Denominator, upperBoundOf } from './denominator.js';

/** What depth does not know, which is printed wherever it is counted with. */
export const depthLimits =
  'A sample counts as covered if it has enough reads at every base of the place. Depth does not know genotype quality, ' +
  'mapping quality beyond the filter of the depth file, allele balance, or what the caller cannot see, so allele numbers ' +
  'are mostly as high as or higher than those of gVCF files; in duplicated genes they can be wrong.';

const numbers = new Intl.NumberFormat('en');

/** `3 carriers among 412 covered (of 430; 18 not covered at ≥ 10x)`; of a structural variant only how many are covered. */
export function denominatorWords(denominator: Denominator, carriers: number): string {
  const { total, covered, notCovered, unknown, unknownSex, threshold, alleles } = denominator;
  if (total === 0) {
    // Calls in the masked pseudo-autosomal regions of Y, or on Y in women.
    if (carriers === 0) return 'No sample of the dataset could show it';
    return `No sample of the dataset is expected to show it; ${inWords(carriers)} not counted here`;
  }
  if (covered + notCovered === 0) return `Coverage unknown (${samples(total)})`;
  const below = alleles?.carriersBelowThreshold ?? 0;
  const parts = [
    `${numbers.format(notCovered)} not covered at ≥ ${threshold}x`,
    ...(unknown > 0 ? [`${numbers.format(unknown)} of unknown coverage`] : []),
    ...(unknownSex > 0 ? [`${numbers.format(unknownSex)} of unknown sex`] : []),
  ];
  const of = `(of ${numbers.format(total)}; ${parts.join(', ')})`;
  if (!alleles) return `${samples(covered)} covered at both ends ${of}`;
  const all = `${numbers.format(alleles.carriers)} ${alleles.carriers === 1 ? 'carrier' : 'carriers'}`;
  const seen = below === 0 ? all : `${all}, ${numbers.format(alleles.carriers - below)} of them`;
  const bound = upperBoundOf(denominator, carriers);
  const most = bound === undefined ? '' : `; at most ${percent(bound)} carry it (95 % confidence)`;
  // Without these, `0 carriers` would read as if the allele had never been seen.
  const others =
    alleles.carriersUnknown === 0
      ? ''
      : `; ${inWords(alleles.carriersUnknown, ' of unknown coverage or sex')} not counted here`;
  return `${seen} among ${numbers.format(covered)} covered ${of}${most}${others}`;
}

/** `1 carrier is`, `2 carriers of unknown sex are`. */
function inWords(carriers: number, which = ''): string {
  return `${numbers.format(carriers)} ${carriers === 1 ? `carrier${which} is` : `carriers${which} are`}`;
}

function samples(count: number): string {
  return `${numbers.format(count)} ${count === 1 ? 'sample' : 'samples'}`;
}

/** So many significant digits: one of thousands is not 0 %. What is not all is not 100 % either. */
export function percent(share: number, digits = 2): string {
  const rounded = Number((100 * share).toPrecision(digits));
  return share < 1 && rounded >= 100 ? `> ${99 + 0.9 * Number(digits > 2)} %` : `${rounded} %`;
}
