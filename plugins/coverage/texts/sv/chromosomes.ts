/** The copies of chromosomes, in Swedish. */
import type { Texts } from '../en.js';
import { swedish } from '../numbers.js';

const { number } = swedish;

export const chromosomes: Pick<Texts, 'karyotype' | 'copies' | 'doses' | 'mitochondria'> = {
  karyotype: {
    title: 'Könskromosomer',
    caption:
      'Hur många kopior av X och Y läsdjupen stämmer med. En uppskattning ur läsdjup som ska granskas, inte en kromosomanalys.',
    column: 'Karyotyp enligt läsdjup',
    xCopies: 'Kopior av X',
    yCopies: 'Kopior av Y',
    median: 'Medianläsdjup autosomer',
    places: 'Räknat på',
    counts: {
      bins: (autosomes, x, y) => `fönster om 10 kb: ${autosomes} autosomala, ${x} X, ${y} Y`,
      exons: (autosomes, x, y) => `kodande exoner: ${autosomes} autosomala, ${x} X, ${y} Y`,
    },
    mismatch: (karyotype) => `${karyotype}, stämmer inte med angivet kön`,
    reasons: {
      'few-places': 'oklart: för få ställen med läsdjup',
      shallow: 'oklart: för lågt läsdjup',
      between: 'oklart: stämmer inte med någon karyotyp',
      'y-unknown': 'oklart: X0, eller Y ej infångat',
      withheld: 'anges inte',
    },
    term: (tolerance, least, depth) =>
      `Två gånger medianläsdjupet på X, respektive Y, delat med autosomernas medianläsdjup. X utan de pseudoautosomala regionerna och den X-transponerade regionen, Y där sekvensen finns i en enda kopia; autosomer och X utan ställen som saknar läsdjup. XX är 2 och 0, XY 1 och 1, X0 1 och 0, XXY 2 och 1, XYY 1 och 2, XXX 3 och 0; anges bara om båda talen ligger inom ${tolerance} från dessa, med minst ${least.autosomes} ställen på autosomerna, ${least.x} på X och ${least.y} på Y, och ett medianläsdjup på minst ${depth}×. Värden däremellan förekommer vid mosaicism och med stigande ålder (förlust av X eller Y i blod); de betyder inte att prover har förväxlats. En aneuploidi visas bara för läsare med rätt att se den, och som standard inte på papper; för andra står "anges inte", liksom när talen inte stämmer med någon karyotyp.`,
    print: 'Skriv ut aneuploidier av könskromosomerna (för läsare med rätt att se dem)',
  },

  copies: {
    one: '1 kopia',
    oneAt: (depth) => `1 kopia: ${depth}`,
    notExpected: 'ej förväntad',
    withoutY: 'utan Y',
    of: (sample, reason) => `${sample} (${reason})`,
    byKaryotype: (karyotype) => `${karyotype} enligt läsdjup`,
    byDeclared: (sex) => `angivet kön: ${sex}`,
    byDepth: 'inget Y enligt läsdjup',
    and: ' och ',
    leftOut: (samples, genes, bases) =>
      `Utan Y: ${samples}. Förväntas inte och räknas inte med i totaler, fullständigt täckta intervall och jämnhet: ${genes} (${number(bases)}\u00A0bp).`,
    single: (samples) =>
      `En kopia utanför de pseudoautosomala regionerna, med ungefär halva läsdjupet av två: ${samples}.`,
    half: (level, half) =>
      `Värden där märks efter ${half} i stället för ${level}; listor, antal och procenttal behåller ${level}.`,
    contradiction: (sample, declared, found) =>
      `${sample}: angivet kön ${declared}, men ${found} enligt läsdjup. Antalet kopior av X och Y är okänt, och inget utelämnas.`,
    title: 'Förväntade kopior',
    term: 'Av X och Y utanför de pseudoautosomala regionerna (PAR): efter den karyotyp som läsdjupen stämmer med, eller efter angivet kön om läsdjupen inte räcker. Om de motsäger varandra är antalet kopior okänt, och inget utelämnas. PAR räknas som två kopior.',
    allExpected: 'Alla baser som förväntas har minst tröskelvärdets läsdjup.',
    requirement: 'Kravet räknar alla baser, även i gener som ett prov utan Y inte kan ha.',
  },

  doses: {
    title: 'Autosomer jämfört med analysen',
    caption:
      'Autosomer där provet har högre läsdjup än de andra proverna i samma analys: en flagga att granska, inte ett resultat.',
    column: 'Över analysens nivå',
    others: 'Andra prover',
    few: 'anges inte med färre än 20 andra prover',
    none: 'inga',
    flag: (chromosome, ratio, z) => `kromosom ${chromosome}: kvot ${ratio}, z ${z}`,
    term: (ratio, z) =>
      `Medianen av normaliserade läsdjup för exoner spridda över varje autosom (deras medelläsdjup delat med provets median över autosomala exoner), jämförd med andra prover i analysen. Flaggas när kvoten till deras median är minst ${ratio} och robust z är över ${z}. Tre kopior har kvoten cirka 1,5. Visas bara för läsare med rätt att se aneuploidier.`,
  },

  mitochondria: {
    title: 'Mitokondriellt kopietal',
    formulas: {
      median:
        'Kopior av mitokondriegenomet per cell = 2 × medelläsdjup MT / medianläsdjup i autosomernas fönster om 10 kb.',
      scout14:
        'Kopior av mitokondriegenomet per cell, så som Scout anger det = 2 × medelläsdjup MT / medelläsdjup kromosom 14.',
    },
    copies: 'Kopior av MT',
    numerator: 'Medelläsdjup MT',
    denominators: { median: 'Medianläsdjup autosomer', scout14: 'Medelläsdjup kromosom 14' },
    note: 'Anmärkning',
    refusals: {
      'no-mt': 'Filen saknar mitokondriekromosomen.',
      capture: 'Anges inte för exom och paneler: MT och autosomer infångas inte lika.',
      shallow: 'För lågt läsdjup på autosomerna.',
      capped: 'Anges inte: läsdjupen på MT kan vara avkapade i filen.',
      'no-chromosome-14': 'Kromosom 14 saknar läsdjup.',
    },
    unusual: (least, most) =>
      `Utanför det vanliga, ${least} till ${most}: under det stör kopior av MT i kärnan, över det kan det vara en cellinje eller vävnad.`,
    term: 'En uppskattning ur läsdjup. Den beror på vävnad, DNA-extraktion och analys: jämför bara med prover av samma vävnad och analys. Kopior av mitokondriesekvens i kärnan, filter för mappningskvalitet, det cirkulära genomets ändar och positionerna 303–315 och 3107 sänker eller höjer läsdjupet på MT. Det vanliga, 50 till 500, är gränserna inom vilka gnomAD har publicerat prover.',
  },
};
