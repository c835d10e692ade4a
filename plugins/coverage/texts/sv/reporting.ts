/**
 * The header, the sections and the explanations of pages: which bases they count, what they cannot show, what a panel requires,
 * and what a FHIR document says, in Swedish.
 */
import type * as english from '../en/reporting.js';
import { swedish, type Translation } from '../numbers.js';

const { decimal, number, plural } = swedish;

export const reporting: Translation<typeof english.reporting> = {
  header: {
    about: 'Om rapporten',
    case: 'Fall',
    panel: 'Panel',
    samples: 'Prover',
    build: 'Referensgenom',
    level: 'Tröskelvärde för täckning',
    thresholds: 'Redovisade läsdjup',
    requested: 'Efterfrågat',
    intervals: 'Intervall',
    transcripts: 'Val av transkript',
    sets: 'Genuppsättning',
    set: (kinds, release, loaded, checksum) =>
      `${kinds}: ${release ?? 'utgåva ej angiven'}, inläst ${loaded}, ${checksum}`,
    file: 'Täckningsfil',
    fingerprint: 'Fingeravtryck',
    notIncluded: 'I rapporten',
    included: 'ja',
    noFile: 'Filen finns inte eller är inte åtkomlig.',
    declared: 'Angivet kön',
    analysed: 'Analyserat',
    group: 'Grupp',
    sample: 'Prov',
    method: 'Metod',
    methodText:
      'Varje unik bas i intervallen räknas en gång, med sitt läsdjup i D4-filen. Täckningsgrader beräknas ur exakta antal och avrundas till två decimaler; 100 % visas bara om alla baser når läsdjupet.',
    software: 'Program',
    made: 'Skapad',
    version: (version) => `Trefoil ${version}`,
    noFingerprintNote: 'Fingeravtrycket ändras med filens storlek, ändringstid och filhuvud.',
    coordinates: 'Koordinater är 1-baserade, inklusive; BED- och JSON-exporter är 0-baserade, halvöppna.',
    genesAsked: (asked, targets) => `${plural(asked, 'gen', 'gener')}, ${targets}`,
    targetCount: (count, [one, many]) => plural(count, one, many),
  },

  sex: {
    title: 'Könskontroll',
    predicted: 'Predikterat kön',
    declared: 'Angivet kön',
    x: 'Medelläsdjup X',
    y: 'Medelläsdjup Y',
    autosomes: 'Medelläsdjup autosomer',
    xRatio: 'X / autosomer',
    yRatio: 'Y / autosomer',
    matches: (predicted) => `${predicted}, stämmer med angivet kön`,
    mismatch: (predicted) => `${predicted}, stämmer inte med angivet kön`,
    none: '–',
  },

  metrics: {
    title: 'Täckning',
    caption: (bases, count, counted) =>
      `Medelläsdjup, och täckningsgrad (andel baser) vid varje läsdjup; ${number(bases)} unika baser i ${count}. Räknade: ${counted}.`,
    mean: 'Medelläsdjup',
    completeness: (depth) => `≥ ${depth}`,
  },

  full: {
    title: (kind, depth) => `Fullständigt täckta ${kind} vid ${depth}`,
    caption: 'Fullständigt täckt: alla baser når tröskelvärdet.',
    share: 'Fullständigt täckta',
    incomplete: 'Ej fullständigt täckta',
    genes: 'Gener med ofullständig täckning',
    all: 'Alla baser i alla intervall når tröskelvärdet.',
    of: (count, all) => `${number(count)} av ${number(all)}`,
  },

  incomplete: {
    title: (depth) => `Gener med ofullständig täckning vid ${depth}`,
    caption: (depth) => `Täckningsgrad vid ${depth}; baser som genens intervall delar räknas en gång.`,
    hint: 'Välj en kolumnrubrik för att sortera, en gen för att öppna dess sida.',
    gene: 'Gen',
    lowest: 'Lägst',
    more: (count) => `Ytterligare ${plural(count, 'gen', 'gener')} visas inte här; CSV- och JSON-exporten har alla.`,
  },

  gaps: {
    title: (depth) => `Regioner under ${depth}`,
    summary: (intervals, regions) =>
      `${plural(regions, 'region', 'regioner')} i ${plural(intervals, 'intervall', 'intervall')}`,
    caption:
      'Koordinater och längd för varje region med låg täckning; exon och kodande position (HGVS c.) om transkriptet är känt.',
    gene: 'Gen',
    interval: 'Intervall',
    none: 'inga',
    more: (count) =>
      `Ytterligare ${plural(count, 'intervall', 'intervall')} visas inte här; BED- och JSON-exporten har alla.`,
    moreInCell: (count, bases) => `och ${number(count)} till (${number(bases)} bp)`,
    track: 'läsdjup (bedGraph)',
  },

  curve: {
    title: 'Kumulativ täckning',
    axis: 'Läsdjup',
    caption: 'Täckningsgrad vid varje läsdjup. Lodräta linjer: redovisade läsdjup; röd: tröskelvärdet.',
    sample: (name, shares) =>
      `${name}: ${shares.map(([depth, share]) => `${decimal(share * 100)} % vid ${depth}×`).join(', ')}.`,
    table: 'Kurvans data',
  },

  overview: {
    title: (depth) => `Intervall med baser under ${depth}`,
    caption: (shown, all) => `${shown} av ${plural(all, 'intervall', 'intervall')}; täckningsgrad vid tröskelvärdet.`,
    none: (depth) => `Alla baser i alla intervall når ${depth}.`,
    noMatch: 'Inget intervall matchar filtret.',
    gene: 'Gen',
    interval: 'Intervall',
    place: 'Position',
    levels: 'Tröskelvärde för täckning',
    filter: 'Filtrera på gen, intervall eller transkript',
    sort: 'Sortering',
    sorts: { gene: 'efter gen', interval: 'efter position', completeness: 'lägst täckningsgrad först' },
    apply: 'Använd',
    part: (part, parts) => `Del ${number(part)} av ${number(parts)}`,
    previous: 'Föregående del',
    next: 'Nästa del',
    range: (from, to) => `${number(from)}–${number(to)}`,
  },

  gene: {
    title: (symbol) => `Täckning för ${symbol}`,
    plot: 'Läsdjup längs genen',
    plotCaption: (transcript) =>
      `Exoner i ${transcript} skalenligt, introner hoptryckta. Linje: medelläsdjup; skuggning: ned till det lägsta; röda markeringar: baser under tröskelvärdet.`,
    plotOf: (sample, transcript) => `Läsdjup för ${sample} längs ${transcript}`,
    plotText: (sample, exons, mean, gaps, level) =>
      `${sample}: ${plural(exons, 'exon', 'exoner')}, medelläsdjup ${mean}; ${gaps === 0 ? `ingen bas under ${level}` : `${plural(gaps, 'region', 'regioner')} under ${level}`}.`,
    transcripts: 'Transkript',
    exons: (count) => plural(count, 'exon', 'exoner'),
    exonColumn: 'Exon',
    exon: (rank) => `Exon ${rank}`,
    size: (bases) => `${number(bases)} exonbaser`,
    coding: (bases) => `${number(bases)} kodande`,
    notCoding: 'kodande sekvens okänd',
    draw: 'Rita detta transkript',
    drawn: 'ritat ovan',
    browser: 'UCSC Genome Browser',
    ensembl: 'Ensembl',
    external: 'Länkar öppnar en annan webbplats, som får positionen och inget annat.',
    forward: 'plussträngen',
    reverse: 'minussträngen, ritad från första exonen',
    tableOf: (id) => `Transkript ${id}`,
    bases: 'Baser',
  },

  mane: {
    title: 'MANE-transkript',
    caption: 'Exonbaser för varje transkript i MANE Select och MANE Plus Clinical.',
    transcript: 'Transkript',
    select: 'MANE Select',
    plusClinical: 'MANE Plus Clinical',
    refseq: 'RefSeq',
  },

  explain: {
    title: 'Förklaringar',
    items: [
      [
        'Medelläsdjup',
        'Summan av läsdjupen för alla unika baser, delad med deras antal. Baser som intervall delar räknas en gång.',
      ],
      ['Täckningsgrad ≥ 20×', 'Andel av de unika baserna med ett läsdjup på minst 20.'],
      [
        'Fullständigt täckt',
        'Andel av intervallen där alla baser når tröskelvärdet, avgjort av exakta antal, inte av en avrundad andel.',
      ],
    ],
    sex: 'Kön',
    sexRule: (male, female) =>
      `Predikteras ur medelläsdjupen på X och Y utanför de pseudoautosomala regionerna: man om X/Y är högst ${male}, kvinna om kvoten är minst ${female}, okänt däremellan eller om för lite av X har sekvenserats.`,
  },
};

// Which bases a page counts, in Swedish.

export const counted: Translation<typeof english.counted> = {
  label: 'Räknade baser',
  fact: (splice) =>
    splice === 0
      ? 'kodande baser med start- och stoppkodon'
      : `kodande baser med start- och stoppkodon, och ${plural(splice, 'splitsbas', 'splitsbaser')} i intronet där ett kodande segment slutar vid ett intron`,
  ofExons: (genes) => `icke-kodande, räknade på sina exoner: ${genes}`,
  preferred: 'MANE Select och MANE Plus Clinical, annars RefSeq mRNA, annars alla',
  byDefault: (type) => `Standard: ${type}`,
  unknown: (build) =>
    `De inlästa exonerna för ${build} anger inte vilka baser som är kodande. Läs in en GTF- eller GFF3-fil (filer från BioMart anger det inte) eller välj exoner.`,
  fellBack: (build) =>
    `Exoner räknas i stället för kodande baser: de inlästa exonerna för ${build} anger inte vilka baser som är kodande. Det gör en GTF- eller GFF3-fil.`,
  open: (count) =>
    `${plural(count, 'transkript har', 'transkript har')} en ofullständig kodande sekvens i genuppsättningen; baserna som saknas där räknas inte:`,
  openEnds: { start: 'början saknas', end: 'slutet saknas', both: 'början och slutet saknas' },
  title: 'Kodande baser och splitsbaser',
  caption: (splice) =>
    `Kodande baser omfattar start- och stoppkodon. Splitsbaser: upp till ${number(splice)} i intronet vid varje ände av ett kodande segment där, inga vid otranslaterade exoner. Baser som transkript delar räknas en gång.`,
  column: 'Räknade baser',
  kinds: {
    coding: 'Kodande',
    splice: 'Splits',
    nonCoding: 'Exoner i icke-kodande gener',
    together: 'Sammanlagt',
  },
  nonCoding: 'icke-kodande',
  share: {
    coding: (share) => `kodande ${share}`,
    exonic: (share) => `exoner ${share}`,
    withSplice: (share) => `med splits ${share}`,
  },
  belowTranscripts: (depth, splice) =>
    `I liten stil visas täckningsgraden vid ${depth} för de kodande baserna${splice === 0 ? '' : `, utan och med ${plural(splice, 'splitsbas', 'splitsbaser')} i intronerna intill`}.`,
  below:
    'I liten stil visas täckningsgraden för enbart de kodande baserna, och för alla exonbaser i samma transkript, även otranslaterade delar.',
  cohort: 'De kodande baser och splitsbaser som rapporten räknar jämförs; av icke-kodande gener exonerna.',
};

// Regions that depth cannot judge, in Swedish.

export const caution: Translation<typeof english.caution> = {
  title: 'Svårbedömda regioner',
  caption:
    'Andel av de unika uppmätta baserna i regioner där läsdjupet kan vara missvisande, till exempel för att läsningar kan höra till en annan kopia av sekvensen. Alla andra tal räknar dessa baser som övriga.',
  column: 'I svårbedömda regioner',
  whole: 'Hela rapporten',
  share: (name, share, bases) => `${name}: ${share} (${number(bases)}\u00A0bp)`,
  none: (name) => `${name}: ingen av de uppmätta baserna`,
  summary: (genes) => `${plural(genes, 'gen eller intervall', 'gener eller intervall')} med baser i dem`,
  at: (names) => `i ${names}`,
  limit: (list) => `${list}. Dessa baser kan inte bedömas enbart av läsdjupet.`,
  notLoaded: (build) =>
    `Inga regioner där läsdjupet kan vara missvisande (segmentella duplikationer, låg mappbarhet) är inlästa för ${build}: rapporten anger inte vilka baser som ligger i dem.`,
};

// What a report covers and what it cannot show, in Swedish.

export const limits: Translation<typeof english.limits> = {
  content: {
    genes: 'Rapportens gener',
    genesCaption: 'Symbol, HGNC-id och de transkript vars exoner har mätts.',
    codingCaption: 'Symbol, HGNC-id och de transkript som mättes.',
    lines: 'BED-filens intervall',
    linesCaption: 'Namn i fjärde kolumnen, eller koordinater.',
    countGenes: (count) => plural(count, 'gen', 'gener'),
    countLines: (names, lines) => `${plural(names, 'namn', 'namn')} för ${plural(lines, 'intervall', 'intervall')}`,
    manyNames: (lines) => plural(lines, 'intervall', 'intervall'),
    furtherTranscripts: (count) => `${number(count)} till`,
    more: 'Alla visas inte här; CSV-exporten av intervallen har alla.',
    bed: 'BED-fil',
    bedText: (name, lines, checksum) => [name, lines, checksum].filter(Boolean).join(', '),
  },

  title: 'Begränsningar: vad ett negativt resultat inte utesluter',
  statement: 'Endast täckning',
  statementText: (depth) =>
    `Rapporten anger var sekvensen har lästs tillräckligt ofta för att varianter ska kunna hittas (minsta läsdjup: ${depth}), inte vilka varianter som har hittats. Ett negativt resultat utesluter bara det som analysen kan påvisa, i de baser som har lästs tillräckligt ofta.`,
  below: (depth) => `Baser under ${depth}`,
  belowOf: (sample, bases, all, percent) => `${sample}: ${bases} av ${all} baser (${percent})`,
  belowText: (list, depth) => `${list}. Varianter där kan ha missats: se regionerna under ${depth}.`,
  noneBelow: (depth) => `Alla baser i intervallen når ${depth} i alla prover.`,
  unmeasured: 'Efterfrågat men inte bedömt',
  unmeasuredGenes: (list) => `Gener: ${list}.`,
  unmeasuredEntries: (list) => `Poster i panelen: ${list}.`,
  unmeasuredSamples: (list) => `Prover: ${list}.`,
  outside: 'Utanför intervallen',
  outsideOf: {
    genes:
      'Hela utsträckningen av varje listad gen har bedömts, även introner. Regulatoriska regioner utanför den och alla andra gener har inte bedömts.',
    transcripts:
      'Exonerna i de listade transkripten har bedömts, även otranslaterade delar. Introner, splitsregioner utanför exonerna, regulatoriska regioner, exoner i andra transkript och alla andra gener har inte bedömts.',
    exons:
      'Exonerna i de listade transkripten har bedömts, även otranslaterade delar. Introner, splitsregioner utanför exonerna, regulatoriska regioner, exoner i andra transkript och alla andra gener har inte bedömts.',
    coding:
      'De kodande baserna i de listade transkripten har bedömts, och de splitsbaser intill dem som rapporten anger; i icke-kodande gener exonerna. Otranslaterade delar, övriga baser i introner, regulatoriska regioner, andra transkript och alla andra gener har inte bedömts.',
    custom_intervals: 'BED-filens intervall har bedömts, och inga andra baser i någon gen.',
  },
  kinds: 'Vad läsdjup inte visar',
  kindsText:
    'Deletioner och duplikationer, inversioner och andra omarrangemang, repeatexpansioner, mosaicism och låg heteroplasmi, uniparental disomi och förändrad metylering kan förekomma vid alla läsdjup. Där en sekvens har kopior på andra ställen i genomet (pseudogener, segmentella duplikationer) kan läsningar höra till en annan kopia, och om sådana läsningar har räknats beror på hur D4-filen gjordes.',
  person: 'Vems provet är',
  personText:
    'Läsdjup visar varken ett provs identitet eller kontamination. Det som kontrolleras är könet, om det är angivet, och om två prover i rapporten har samma fil.',
  known: 'Kända patogena varianter',
  knownNone: (build) =>
    `Inga kända patogena varianter är inlästa för ${build}: rapporten anger inte vilka som hade kunnat hittas.`,
  knownBed:
    'Rapporter om gener anger vilka kända patogena varianter som hade kunnat hittas; en rapport om en BED-fil gör det inte.',
  sampling: 'Sannolikhet att se en variant, per läsdjup',
  samplingCaption:
    'För en heterozygot variant, efter antalet läsningar som måste visa den. Definieras i förklaringarna.',
  reads: 'Läsningar som måste visa den',
};

// What a panel requires of a report, in Swedish.

export const requirement: Translation<typeof english.requirement> = {
  title: 'Panelens krav',
  required: (percent, depth) =>
    `Panelen kräver ${percent} av sina baser med ${depth} eller mer, och alla baser i sina kärngener. Varje bas räknas en gång.`,
  coreOnly: (depth) => `Panelen kräver alla baser i sina kärngener med ${depth} eller mer.`,
  notMeasured: (genes) => `Gener och kärnposter i panelen mättes inte, så att kravet inte är uppfyllt: ${genes}.`,
  verdict: 'Krav',
  met: 'uppfyllt',
  notMet: 'inte uppfyllt',
  core: 'Kärngener och kärnposter som inte är kompletta',
  below: (percent) => `Andra gener under ${percent} %`,
};

// What a report says as a FHIR document, in Swedish.

export const fhir: Translation<typeof english.fhir> = {
  subject: 'Anges inte: provet är kopplat till personen',
  part: (gene, reached, bases, percent, depth) =>
    `${gene}: ${reached} av ${bases} baser (${percent} %) når ${depth}; BED-filerna har regionerna`,
  regions: (depth) =>
    `Bedömbart (called): alla baser når ${depth}. Gener som täcks delvis listas som ej bedömbara (uncalled), med andelen täckta baser; BED-filerna har de exakta regionerna.`,
  metrics: (bases, depth, counted) =>
    `Medelläsdjup, och andelen baser som når ${depth}, för ${bases} unika baser (${counted}).`,
  files: {
    studied: (build) => `Undersökta regioner, ${build}`,
    called: (build, depth) => `Undersökta regioner som når ${depth}, ${build}`,
    uncalled: (build, depth) => `Undersökta regioner under ${depth}, ${build}`,
  },
  sites: (sets, callable, all, depth) => `Kända varianter (${sets}): ${callable} av ${all} bedömbara vid ${depth}.`,
  depths: 'Läsdjup för varje bas (D4)',
};
