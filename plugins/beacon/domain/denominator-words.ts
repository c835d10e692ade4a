/** Denominators in words. */
import { type Denominator, lackingOf, upperBoundOf } from './denominator.js';

/** What depth does not know, which is printed wherever it is counted with. */
export const depthLimits =
  'A sample counts as covered if it has enough reads at every base of the place. Depth does not know genotype quality, ' +
  'mapping quality beyond the filter of the depth file, allele balance, or what the caller cannot see, so allele numbers ' +
  'are mostly as high as or higher than those of gVCF files; in duplicated genes they can be wrong.';

const numbers = new Intl.NumberFormat('en');

const lacking = { coverage: 'Coverage', sex: 'Sex', both: 'Coverage or sex' } as const;

/** `3 carriers among 412 covered (of 430; 18 not covered at ≥ 10x)`; of a structural variant only how many are covered. */
export function denominatorWords(denominator: Denominator, carriers: number): string {
  const { total, covered, notCovered, unknown, unknownSex, notCalled, threshold, alleles } = denominator;
  const missed = notCalled > 0 ? [`${numbers.format(notCalled)} not called`] : [];
  if (total === 0) {
    // Calls in the masked pseudo-autosomal regions of Y, or on Y in women.
    if (carriers === 0 && notCalled > 0) return `No sample of the dataset was called there (${missed.join()})`;
    if (carriers === 0) return 'No sample of the dataset could show it';
    return `No sample of the dataset is expected to show it; ${notCounted(carriers)}`;
  }
  const lacks = lackingOf(denominator);
  if (lacks) return `${lacking[lacks]} unknown (${[samples(total), ...missed].join('; ')})`;
  const below = alleles?.carriersBelowThreshold ?? 0;
  const parts = [
    `${numbers.format(notCovered)} not covered at ≥ ${threshold}x`,
    ...(unknown > 0 ? [`${numbers.format(unknown)} of unknown coverage`] : []),
    ...(unknownSex > 0 ? [`${numbers.format(unknownSex)} of unknown sex`] : []),
    ...missed,
  ];
  const of = `(of ${numbers.format(total)}; ${parts.join(', ')})`;
  if (!alleles) return `${samples(covered)} covered at both ends ${of}`;
  const all = `${numbers.format(alleles.carriers)} ${alleles.carriers === 1 ? 'carrier' : 'carriers'}`;
  const seen = below === 0 ? all : `${all}, ${numbers.format(alleles.carriers - below)} of them`;
  const bound = upperBoundOf(denominator, carriers);
  const most = bound === undefined ? '' : `; at most ${percent(bound)} carry it (95 % confidence)`;
  // Without these, `0 carriers` would read as if the allele had never been seen.
  const others = alleles.carriersUnknown === 0 ? '' : `; ${notCounted(alleles.carriersUnknown, unknownKind)}`;
  return `${seen} among ${numbers.format(covered)} covered ${of}${most}${others}`;
}

const unknownKind = ' of unknown coverage or sex';

/** `1 carrier is not counted here`, `2 carriers of unknown coverage or sex are not counted here`. */
function notCounted(carriers: number, kind = ''): string {
  const [noun, verb] = carriers === 1 ? ['carrier', 'is'] : ['carriers', 'are'];
  return `${numbers.format(carriers)} ${noun}${kind} ${verb} not counted here`;
}

function samples(count: number): string {
  return `${numbers.format(count)} ${count === 1 ? 'sample' : 'samples'}`;
}

/** A share in percent, to so many significant digits: one of thousands is not 0 %, and all but one of thousands not 100 %. */
export function percent(share: number, digits = 2, write: (value: number) => string = String): string {
  const rounded = Number((100 * share).toPrecision(digits));
  return share < 1 && rounded >= 100 ? `> ${write(100 - 10 ** (2 - digits))} %` : `${write(rounded)} %`;
}
