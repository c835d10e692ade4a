/** Samples beside their cohorts, and runs beside earlier runs, in Swedish. */
import type { Texts } from '../en.js';
import { swedish } from '../numbers.js';

const { number, plural } = swedish;

export const comparing: Pick<Texts, 'cohort' | 'runs'> = {
  cohort: {
    title: 'Kohorter',
    caption:
      'Registrerade prover jämförs med övriga registrerade prover för samma analys och referensgenom: aldrig med sig själva, men med släktingar. På X och Y utanför de pseudoautosomala regionerna endast med prover av samma kön.',
    which: 'Jämförs med',
    samples: 'Prover',
    sameSex: 'Samma kön',
    checksum: 'Provernas kontrollsumma',
    ofAssay: (assay) => `Prover för analysen ${assay}.`,
    pooled: (assays) =>
      `Prover för alla analyser, på begäran: ${assays}. Täckningen kan skilja sig därför att analyserna gör det.`,
    shared: (own, others, sameSex) => {
      const ofSex = sameSex === undefined ? '' : `; av samma kön ${number(sameSex[0])} och ${number(sameSex[1])}`;
      return `${plural(own, 'eget prov', 'egna prover')} och ${number(others)} som andra delar${ofSex}.`;
    },
    unknownSex: 'Könet är okänt: inget jämförs på X och Y.',
    states: {
      'no-assay': 'Ingen analys är angiven för provet: det jämförs inte.',
      alone: 'Det finns inget annat prov för denna analys med lagrade värden.',
      changed: 'Täckningsfilen är inte den som registrerades: läsdjup jämförs inte.',
      'no-values': 'Provets värden är inte lagrade ännu: läsdjup jämförs inte.',
      'too-many': 'Rapporten har för många intervall för att jämföra alla.',
      unavailable: 'De lagrade värdena kan inte läsas nu: inget jämförs.',
    },
    pool: 'Jämför med prover för alla analyser',
    depth: 'Normaliserat läsdjup',
    completeness: (depth) => `≥ ${depth} i kohorten`,
    cellOf: (sample, depth) => `${sample}: ≥ ${depth} i kohorten`,
    percentile: (percentile) => `percentil ${percentile}`,
    count: (n) => `n ${number(n)}`,
    values: (n) => (n === 0 ? 'inget annat prov' : `${plural(n, 'prov', 'prover')}:`),
    finding: 'Jämfört med kohorten',
    kinds: {
      'possible-deletion': 'Lågt endast i detta prov: kontrollera om det är ett bortfall eller en deletion.',
      assay: 'Vanligen dåligt täckt i denna analys',
      sample: 'Dåligt täckt i detta prov',
      usual: 'Inom det vanliga för denna analys',
      unknown: 'För lite att jämföra med',
    },
    deletionInFile: 'Lågt endast i detta prov: se rapportens webbsida.',
    alsoUsual: 'vanligen dåligt täckt i denna analys',
    evidence: (ratio, z) => `kvot ${ratio}, z ${z}`,
    terms: {
      cohort: 'Kohort',
      cohortText: (least) =>
        `Median, och inom parentes 5:e och 95:e percentilen för övriga prover (linjär interpolation, Hyndman och Fan 7), och deras antal n. För färre än ${number(least)} prover anges värdena själva, utan namn.`,
      percentile: 'Percentil',
      percentileText:
        'Andel av kohorten, i procent, med lägre värde än provet, plus hälften av dem med samma värde: 50 om alla är lika.',
      depth: 'Normaliserat läsdjup',
      depthText:
        'Medelläsdjup delat med medianen av medelläsdjupen för de autosomala exoner som har läsdjup, i samma prov. Kvot: normaliserat läsdjup delat med kohortens median. z: avstånd från medianen, delat med 1,4826 gånger medianen av de absoluta avvikelserna; anges inte om den är 0.',
    },
    defined: {
      assay: (least) =>
        `Exonets (eller intervallets) mediantäckningsgrad vid tröskelvärdet är under 95 % i minst ${number(least)} prover för analysen. Det säger något om analysen, inte om provet.`,
      sample:
        'Täckningsgraden är under kohortens 5:e percentil, eller läsdjupet är så lågt som nedan och andra prover delar det.',
      deletion: (ratio, z, least) =>
        `Exonets (eller intervallets) normaliserade läsdjup är mindre än ${ratio} gånger kohortens median, med z under ${number(z)}, och inget annat av minst ${number(least)} prover är lika lågt. En hänvisning om var man bör titta, aldrig ett fynd: läsdjup kan inte skilja bortfall från deletion, och avsaknad av anmärkningen utesluter inget av dem. Inte för patientrapporter.`,
      usual: 'Täckningsgraden är inte under kohortens 5:e percentil.',
      unknown: (least) =>
        `Kohorten har färre än ${number(least)} prover, intervallets eller provets värden är inte lagrade, tröskelvärdet är inte ett lagrat, eller könet är okänt på X eller Y.`,
    },
  },

  runs: {
    title: (assay) => `Körningar för ${assay}`,
    table: (assay) => `Körningar för ${assay} i siffror`,
    caption: (places, counted, most) =>
      `Styrdiagram över ${counted === 'coding' ? plural(places, 'autosomalt kodande segment med splitsbaser', 'autosomala kodande segment med splitsbaser') : plural(places, 'autosomalt exon', 'autosomala exoner')} (högst ${number(most)}, jämnt spridda). För varje prov medianen av z över dessa, där z är det robusta z-värdet för provets normaliserade läsdjup bland alla prover för analysen, och andelen av dem med |z| > 3. Streckat: 2 och 3 gånger 1,4826 MAD från medianen för alla prover.`,
    run: 'Körning',
    day: 'Dag',
    samples: 'Prover',
    medianZ: 'Median av z',
    share: '|z| > 3',
    distance: 'Avstånd',
    rules: 'Westgardregler',
    rulesText:
      'Avstånd: körningens median minus medianen för proverna i alla tidigare körningar för analysen, delat med 1,4826 gånger deras medianabsolutavvikelse; p: tvåsidigt Mann–Whitney-test av körningen mot dessa prover; båda från 20 tidigare prover. Regler för avstånden: 1-3s utanför 3; 2-2s två körningar i rad utanför 2 på samma sida; R-4s en utanför 2 och nästa utanför −2; 4-1s fyra i rad utanför 1 på samma sida; 10-x tio i rad på samma sida; 1-2s utanför 2, en varning. En körning markeras om den bryter mot en annan regel än 1-2s, eller om p är under 0,001.',
    legend: (marked) => `${marked ? '◆ rapportens prov; ' : ''}■ övriga prover; — körningens median`,
    description: (runs, samples, drifted, share) =>
      `${plural(runs, 'körning', 'körningar')} med ${plural(samples, 'prov', 'prover')}; ${drifted.length === 0 ? 'ingen körning är markerad' : `markerade: ${drifted.join(', ')}`}; medianandel exoner med |z| > 3: ${share} %.`,
  },
};
