/** Known sites, in Swedish. */
import type { Texts } from '../en.js';
import { swedish } from '../numbers.js';

const { plural } = swedish;

export const sites: Texts['sites'] = {
  title: 'Kända varianter',
  caption: (depth) =>
    `Positioner för kända varianter i rapportens gener, även i introner och otranslaterade regioner. Bedömbar: varje bas i referensallelen och en på var sida når ${depth}. Delvis bedömbar: några av dessa baser gör det; ej bedömbar: ingen.`,
  fact: 'Kända varianter',
  set: (name, release, loaded, checksum) => `${name} ${release}, inläst ${loaded}, ${checksum}`,
  source: 'Källa',
  count: 'Positioner',
  share: 'Bedömbara, %',
  columns: { callable: 'Bedömbara', partly: 'Delvis bedömbara', not: 'Ej bedömbara' },
  states: { callable: 'bedömbar', partly: 'delvis bedömbar', not: 'ej bedömbar' },
  all: 'Alla kända varianter är bedömbara i alla prover.',
  listTitle: (depth) => `Kända varianter som inte är bedömbara vid ${depth}`,
  listCaption: 'Ett negativt resultat utesluter inte dessa varianter.',
  summary: (sites) => plural(sites, 'position', 'positioner'),
  more: (count) =>
    `Ytterligare ${plural(count, 'position', 'positioner')} visas inte här; CSV- och JSON-exporten har alla.`,
  gene: 'Gen',
  site: 'Variant',
  stars: 'Stjärnor',
  least: (depth) => `lägst ${depth}`,
  usual: (covered, n) => `bedömbar i ${covered} av ${n} övriga prover för analysen`,
  notStored: (samples, of, depth) =>
    `${samples} av ${of} övriga prover räknas inte med i om analysen vanligen täcker en position: deras täckta regioner är inte lagrade vid ${depth}.`,
  storeToo: (stored, level) =>
    `Använd tröskelvärdet ${stored.join(' eller ')}, eller låt lägga till ${level} i coverage.samples.thresholds i konfigurationen; nästa kontroll av proverna lagrar regionerna.`,
  storedSoon: 'Nästa kontroll av proverna lagrar dem.',
  holes: { assay: 'vanligen ej bedömbar i denna analys', sample: 'ej bedömbar i detta prov', few: '' },
  terms: {
    sites: 'Kända varianter',
    sitesText:
      'En variant hör till en gen om den ligger inom genens utsträckning, eller om källan anger genen (GENEINFO). Ur ClinVar de som klassificerats som patogena eller sannolikt patogena, utan motsägelse; stjärnor: granskningsstatus, 0 till 4. Brytpunkter (BND) och varianter längre än 10 000 baser ingår inte.',
    hole: 'Vanligen bedömbar',
    holeText:
      'Ur lagrade täckta regioner för övriga registrerade prover för analysen; på X och Y utanför de pseudoautosomala regionerna för prover av samma kön. Bedömbar i färre än hälften av minst 20 prover: vanligen ej bedömbar i denna analys; annars: ej bedömbar i detta prov. För färre prover anges bara antalen.',
    sampling: 'Sannolikhet att se en variant (sampling)',
    samplingText: (depth, three, four) =>
      `Sannolikheten att minst k av d läsningar visar den alternativa allelen för en heterozygot variant, om varje läsning visar endera allelen med sannolikheten ½: 1 − Σ C(d, i) / 2^d för i = 0 … k − 1. Vid ${depth}: ${three} för k = 3, ${four} för k = 4. Det är en övre gräns för vad sekvensering vid detta läsdjup kan visa: referensbias, mappning och variantanrop sänker den, och mosaicism, repetitioner och stora varianter omfattas inte. Det är en egenskap hos läsdjupet, inte en patients risk.`,
  },
};
