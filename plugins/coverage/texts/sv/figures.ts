/**
 * The figures of samples: copies of chromosomes, cohorts and runs, known sites, uniformity, CollectHsMetrics, and warnings, in
 * Swedish.
 */
import type * as english from '../en/figures.js';
import { swedish, type Translation } from '../numbers.js';

const { listed, number, plural } = swedish;

export const chromosomes: Translation<typeof english.chromosomes> = {
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

// Samples beside their cohorts, and runs beside earlier runs, in Swedish.

export const comparing: Translation<typeof english.comparing> = {
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

// Known sites, in Swedish.

export const sites: Translation<typeof english.sites> = {
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

// How evenly the reads are spread, in Swedish.

export const uniformity: Translation<typeof english.uniformity> = {
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

// Figures of Picard CollectHsMetrics, in Swedish.

export const hsMetrics: Translation<typeof english.hsMetrics> = {
  title: 'Picard HsMetrics',
  caption:
    'Så som filen från Picard CollectHsMetrics anger det, bredvid värden med samma formel ur läsdjupen i D4-filen; Picard räknar sina egna målregioner och filtrerar läsningar och baser först. Procenttal (PCT) är andelar.',
  metric: 'Värde',
  fromPicard: (sample) => `${sample}: Picard`,
  fromDepths: (sample) => `${sample}: läsdjup`,
  otherSample: (name, other) => `Filen som angavs för ${name} gäller ett annat prov: ${other}.`,
  noSample: (samples) => `Det finns inget prov med detta nummer: formuläret har ${samples}.`,
  path: (place) => `HsMetrics-fil för prov ${place}: sökväg på servern`,
  pasted: (place) => `eller texten i filen för prov ${place}`,
};

// Quality warnings and notes above the numbers, in Swedish.

export const warnings: Translation<typeof english.warnings> = {
  title: 'Observera',
  none: 'Inga varningar om filer eller prover; täckningen bedöms inte här.',
  sexNotChecked: (samples) =>
    `Könet för ${samples.join(', ')} har inte kontrollerats: det är inte angivet, eller kan inte predikteras ur X och Y.`,
  ofSamples: (samples, message) => `${samples.join(', ')}: ${message}`,
  notMeasured: {
    malformed: 'inget gennamn',
    'no-genes-loaded': 'inga gener är inlästa för detta referensgenom',
    unknown: 'finns inte bland de gener som är inlästa',
    'not-in-build': 'inte bland generna i detta referensgenom',
    ambiguous: 'motsvarar flera gener',
    'no-transcripts-loaded': 'inga transkript är inlästa för detta referensgenom',
    'unknown-transcript': 'inte bland transkripten i detta referensgenom',
    'no-transcripts': 'inget transkript av vald typ',
    'no-exons': 'inga exoner är inlästa',
  },
  notMeasuredTitle: (count) => `${plural(count, 'gen', 'gener')} kunde inte tas med:`,
  renamed: (asked, symbol, by) => `${asked} redovisas som ${symbol} (${by}).`,
  by: { previous: 'tidigare symbol', alias: 'alias' },
  sexMismatch: (sample, declared, found) =>
    `${sample}: angivet kön ${declared}, predikterat ${found}. Möjliga orsaker är förväxlade prover, felaktigt angivet kön ` +
    'eller aneuploidi av X eller Y.',
  yOfFemale: (genes, isDoubted) =>
    `${isDoubted ? 'Predikterat kön' : 'Kön'}: kvinna. Gener på Y förväntas inte vara täckta och räknas som ofullständiga: ${genes}.`,
  sharedReads: (genes) =>
    `Det finns läsdjup i de pseudoautosomala regionerna på Y, vid kopiorna av ${genes}. Troligen var referensen inte ` +
    'maskad, så att läsningar delades mellan X och Y och läsdjupen på X är för låga.',
  sameFile: {
    whole: (samples) => `Samma fil har angetts för ${listed(samples)}: har prover förväxlats?`,
    parts: (samples) =>
      `Filerna för ${listed(samples)} är lika stora och stämmer överens i alla delar som jämfördes, så de är troligen ` +
      'samma fil: har prover förväxlats?',
  },
  measured: {
    'unknown-build': 'Referensgenomet kan inte avgöras av filens kromosomer.',
    'contig-length': 'Kromosomer i filen har inte referensgenomets längd.',
    'missing-chromosome': 'Filen saknar kromosomer som behövs: deras baser har inga läsdjup i filen och räknas som 0.',
    'beyond-end': 'Ett intervall går utanför kromosomens slut: baserna där har inga läsdjup i filen och räknas som 0.',
    'lost-records': 'Filen har förlorat poster: läsdjup kan saknas.',
    capped: 'Läsdjupen verkar vara kapade vid filens största värde.',
    'possibly-capped': 'Läsdjupen kan vara kapade vid filens största värde, eller jämna som i amplikoner.',
    'odd-file': 'Filen kan läsas men avviker från formatet.',
    'several-tracks': 'Filen har flera spår, av vilka det första lästes.',
    'little-evidence': 'För lite av X har sekvenserats för att könet ska kunna bestämmas.',
    'sex-mismatch': 'Det angivna könet stämmer inte med X och Y.',
    'sex-contradiction': 'Registreringen och beacon anger olika kön: könet räknas som okänt.',
    'changed-file':
      'Täckningsfilen har ändrats sedan den senast kontrollerades för provet: talen gäller filen som den är nu.',
    'female-y': 'Y förväntas inte vara täckt hos kvinnor.',
    'same-unique': 'Filen med unika läsningar är densamma som filen med alla läsningar.',
    'no-genes': 'Inga gener har angetts: inget har mätts.',
    'shared-reads': 'Läsningar av pseudoautosomala gener har troligen delats mellan X och Y.',
    'other-gene': 'Ett Ensembl-id mättes som det angavs; HGNC-genen har flera.',
    'other-transcript': 'Ett transkript mättes inte, eller inte säkert, i den version som angavs.',
    'same-file': 'Samma fil har angetts för flera prover.',
    'nested-file':
      'Täckningsfilen och ett annat provs fil har gjorts av samma läsningar. Det visar vems filen är, inte vems provet är: har prover förväxlats?',
    'calls-elsewhere':
      'Varianternas läsdjup stämmer lika bra eller bättre med ett annat provs täckningsfil: har prover förväxlats?',
    'calls-misfit': 'Varianternas läsdjup stämmer inte med någon täckningsfil från samma analys.',
    'calls-untold': 'Det gick inte att avgöra om varianterna och täckningsfilen hör ihop.',
    'not-included': 'Provet kunde inte tas med: dess täckningsfil kan inte användas.',
  },
  nothing: 'Det finns inget att mäta.',
  noMane: (build) => `Inget transkript som är inläst för ${build} är märkt som MANE.`,
  pars: (build) => `Könet predikteras ur X och Y utanför de pseudoautosomala regionerna i ${build}.`,
  more: (count) => `och ${number(count)} till`,
  bedIgnoresGenes: 'Intervallen kommer från BED-filen; genlistan används inte.',
};
