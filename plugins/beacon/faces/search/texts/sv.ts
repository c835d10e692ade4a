/** Texts of the search page in Swedish. */
import { numberWriter, percent } from '../../../counts/denominator.js';
import type { SearchTexts } from './en.js';

const number = numberWriter('sv');
// By default digits after the third decimal are left out, of rare alleles all.
const decimals = numberWriter('sv', { maximumFractionDigits: 20 });
const count = (value: number, one: string, many: string) => `${number(value)} ${value === 1 ? one : many}`;

export const sv: SearchTexts = {
  language: 'sv',
  languageName: 'Svenska',
  number,
  percent: (share) => percent(share, 2, decimals),
  title: 'Sök varianter',
  intro: (beacon) => `Har en variant setts i någon datamängd hos ${beacon}?`,
  skip: 'Gå till sökningen',
  field: {
    label: 'Gen, variant eller plats',
    hint: 'En gen (MTHFR), en variant (1-11856378-G-A eller NC_000001.10:g.11856378G>A; MTHFR p.Ala222Val eller NM_005957.5:c.665C>T, om data är annoterade), en plats (1:11856000-11857000) eller en rad ur en VCF-fil. Positioner räknas från 1.',
    assembly: 'Genomversion',
    choose: 'Välj…',
    search: 'Sök',
    examples: 'Exempel',
  },
  readAs: {
    gene: 'gen',
    hgvs: 'variant i HGVS-notation',
    change: 'variant efter sin ändring av ett protein eller transkript',
    place: 'plats',
    allele: 'variant',
    vcf: 'rad ur en VCF-fil',
  },
  read: (what) => `Tolkat som: ${what}`,
  mistakes: {
    unreadable: 'Detta är varken en gen, en variant, en plats eller en rad ur en VCF-fil. Exempel finns under fältet.',
    'transcript-form':
      'Ändringar i transkript och proteiner skrivs som MTHFR p.Ala222Val eller NM_005957.5:c.665C>T. Om data saknar annotering, ange den genomiska positionen, till exempel NC_000001.10:g.11856378G>A.',
    'several-alternates': 'Raden har flera alternativa alleler. Lämna kvar en av dem.',
    'no-alternate': 'Raden har ingen alternativ allel.',
    position: 'Positioner räknas från 1.',
    backwards: 'Slutet ligger före början.',
    'no-end': 'Raden saknar variantens slut (END i kolumnen INFO).',
  },
  tooLong: (most) => `Fältet rymmer ${number(most)} tecken.`,
  noAssembly: 'Välj genomversion: datamängderna använder flera.',
  errorTitle: 'Sökningen kunde inte göras',
  foundTitle: 'Hittad',
  missedTitle: 'Inte hittad',
  result: 'Resultat',
  found: (datasets) => `Hittad i ${count(datasets, 'datamängd', 'datamängder')}`,
  missed: 'Inte hittad i någon datamängd som du får söka i',
  nothingSearched: (assembly) => `Det finns ingen datamängd med ${assembly} som du får söka i.`,
  columns: {
    dataset: 'Datamängd',
    result: 'Resultat',
    variants: 'Varianter',
    samples: 'Prover',
    frequency: 'Frekvens',
    place: 'Plats',
    change: 'Ändring',
    gene: 'Gen',
    type: 'Typ',
    copies: 'Kopior',
  },
  hit: 'hittad',
  miss: 'inte hittad',
  hidden: 'anges inte',
  unknown: 'okänd',
  datasetsCaption: (isOne) =>
    isOne
      ? 'Prover: bärare av varianten. Frekvens: dess kopior bland alla kopior i täckta prover.'
      : 'Prover: bärare av någon av varianterna.',
  allelesTitle: 'Varianter',
  allelesCaption: (shown, all) =>
    shown < all
      ? `De första ${number(shown)} av ${count(all, 'variant', 'varianter')}, efter plats.`
      : `${count(all, 'variant', 'varianter')}, efter plats.`,
  covered: (covered, total, threshold) =>
    `${number(covered)} av ${count(total, 'prov', 'prover')} täckta vid ≥ ${threshold}×`,
  lacking: { coverage: 'okänd täckning', sex: 'okänt kön', both: 'okänd täckning eller okänt kön' },
  notExpected: 'väntas inte i något prov',
  notCounted: (carriers) => `${count(carriers, 'bärare', 'bärare')} med okänd täckning eller okänt kön räknas inte här`,
  frequency: (share, copies, all) => `${share} (${number(copies)} av ${number(all)})`,
  pictureTitle: (gene) => `Var varianterna ligger i ${gene}`,
  pictureNote: (gene, exons, transcript) =>
    exons === 0
      ? `${gene}; dess exoner är inte kända här.`
      : `${gene} med ${count(exons, 'exon', 'exoner')}${transcript === undefined ? '' : ` (${transcript})`}; streck: varianter.`,
  naming: (note) => {
    if (note.about === 'none') {
      return `Ingen allel är annoterad som ${note.change} här: bara annoterade alleler hittas så`;
    }
    return note.about === 'version'
      ? `Annoteringarna gäller ${note.annotated}, inte ${note.asked}: positionerna kan skilja sig`
      : `Utan gen söks högst ${note.most} alleler i varje skyddad datamängd`;
  },
  noGene: 'Ingen känd gen ligger här.',
  asJson: 'Samma sak som JSON (Beacon v2)',
  links: {
    form: 'Formulär med enskilda fält',
    info: 'Om denna beacon (JSON)',
    services: 'Alla tjänster på denna server',
  },
  otherLanguage: 'English',
};
