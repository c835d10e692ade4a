/** How evenly the reads are spread, in Swedish. */
import type { Texts } from '../en.js';

export const uniformity: Texts['uniformity'] = {
  title: 'Jämnhet',
  caption: 'Hur jämnt läsningarna är fördelade över intervallens unika baser. Formlerna står under Förklaringar.',
  median: 'Medianläsdjup',
  max: 'Högsta läsdjup',
  fold80: 'Fold-80',
  fold80Nonzero: 'Fold-80, intervall med läsningar',
  atFifthOfMean: '≥ 0,2 × medel',
  evenness: 'Evenness',
  cqvOfMedian: '(Q3 − Q1) / median',
  cqv: '(Q3 − Q1) / (Q3 + Q1)',
  zeroTargets: 'Intervall utan läsningar',
  terms: {
    all: 'Beräknas ur läsdjupen i D4-filen, som räknar andra läsningar än Picard CollectHsMetrics (baskvalitet, överlappande läspar): samma formler ger något andra värden. För hela gener, med introner, säger värdena lite om en infångning.',
    fold80:
      'Medelläsdjup delat med den 20:e percentilen av alla basers läsdjup (det lägsta läsdjup som 20 % av dem inte överstiger), så som Picard beräknar FOLD_80_BASE_PENALTY. Anges inte om percentilen är 0.',
    fold80Nonzero:
      'Samma kvot för baserna i intervall med minst en läsning, så som Picard dokumenterar FOLD_80_BASE_PENALTY.',
    atFifthOfMean: 'Andel av de unika baserna med minst en femtedel av medelläsdjupet.',
    evenness:
      'Medelvärdet av min(läsdjup, medelläsdjup) delat med medelläsdjupet (Mokry m.fl. 2010): 1 om alla baser har medelläsdjupet.',
    cqv: 'Kvartilvariationskoefficienter: kvartilavståndet delat med medianen, och delat med kvartilernas summa. Kvartiler och median är av typ 7 enligt Hyndman och Fan.',
    zeroTargets: 'Andel av intervallen där alla baser har läsdjupet 0 (Picard: ZERO_CVG_TARGETS_PCT).',
  },
};
