/** Everything that pages and PDF files say, in Swedish. */
import type { Texts } from './texts.js';

const number = new Intl.NumberFormat('sv');
const decimal = new Intl.NumberFormat('sv', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const plural = (count: number, one: string, many: string) => `${number.format(count)} ${count === 1 ? one : many}`;

export const sv: Texts = {
  language: 'sv',
  languageName: 'Svenska',
  number: (value) => number.format(value),
  decimal: (value) => decimal.format(value),
  depth: (value) => `${number.format(value)}×`,

  form: {
    missing: 'saknas',
    oneOf: (choices) => `måste vara något av ${choices.join(', ')}`,
    tooLong: (most) => `är längre än ${number.format(most)} tecken`,
    tooMany: (most) => `har fler än ${number.format(most)} poster`,
    noDepth: 'måste innehålla heltal från 1 till 1 000 000',
    noText: 'måste vara en text',
    noDate: 'måste börja med ett datum som 2026-04-23',
    noSex: 'måste vara female, male eller unknown',
    noSamples: 'nämner inget prov',
    noSample: 'måste vara ett objekt med name och coverage_file_path',
    sameName: (name) => `har två prover som heter ${name}`,
    noList: (position, reason) =>
      `är varken JSON eller en Python-lista: vid tecken ${number.format(position)}: ${reason}`,
    noGenes: 'nämner ingen gen',
    noBed: 'En BED-fil behövs: dess sökväg på servern eller dess rader',
    title: 'Detta kan inte rapporteras',
    intro: 'Det som skickades finns kvar i formuläret nedan. Rätta det som nämns här och skicka igen.',
    customise: 'Ändra vad som rapporteras',
    level: 'Täckt från (djup)',
    thresholds: 'Djup att rapportera, åtskilda med komma',
    type: 'Intervall',
    transcripts: 'Transkript',
    build: 'Genombygge',
    genes: 'Gener: HGNC-id, Ensembl-id eller symboler',
    gene: 'Gen: HGNC-id, Ensembl-id eller symbol',
    panel: 'Panelens namn',
    caseName: 'Fall',
    samples: 'Prover, som JSON',
    bedPath: 'BED-fil på servern',
    bed: 'Rader ur en BED-fil',
    bedFile: 'Fyll i från en fil',
    send: 'Rapportera',
  },

  types: {
    genes: 'Gener (hela spannet)',
    transcripts: 'Transkript (baser i exoner)',
    exons: 'Exoner',
    custom_intervals: 'Rader ur en BED-fil',
  },
  targets: {
    genes: ['gen', 'gener'],
    transcripts: ['transkript', 'transkript'],
    exons: ['exon', 'exoner'],
    custom_intervals: ['intervall', 'intervall'],
  },
  choices: {
    preferred: 'MANE Select, annars MANE Plus Clinical, annars RefSeq mRNA, annars alla',
    mane: 'MANE Select och MANE Plus Clinical',
    mane_select: 'Endast MANE Select',
    mane_plus_clinical: 'Endast MANE Plus Clinical',
    refseq_mrna: 'De med ett RefSeq mRNA',
    all: 'Alla',
  },
  sets: { genes: 'gener', transcripts: 'transkript', exons: 'exoner', names: 'gennamn' },
  sexes: { female: 'kvinna', male: 'man', unknown: 'okänt' },

  pages: {
    report: 'Täckningsrapport',
    overview: 'Ofullständigt täckta intervall',
    gene_overview: 'Täckning av en gen',
    mane_overview: 'Täckning av MANE-transkript',
  },
  fileNames: {
    report: 'tackningsrapport',
    overview: 'tackning-oversikt',
    gene_overview: 'tackning-gen',
    mane_overview: 'tackning-mane',
  },

  header: {
    about: 'Om rapporten',
    case: 'Fall',
    panel: 'Panel',
    samples: 'Prover',
    build: 'Genombygge',
    level: 'Räknas som täckt från',
    thresholds: 'Rapporterade djup',
    intervals: 'Intervall',
    transcripts: 'Regel för transkript',
    sets: 'Genuppsättning',
    set: (kinds, release, loaded, checksum) =>
      `${kinds}: ${release ?? 'utgåva ej angiven'}, inläst ${loaded}, ${checksum}`,
    file: 'Täckningsfil',
    fingerprint: 'Fingeravtryck',
    declared: 'Angivet kön',
    analysed: 'Analyserat',
    group: 'Grupp',
    sample: 'Prov',
    method: 'Metod',
    methodText:
      'Varje unik bas i intervallen räknas en gång, från djupen i D4-filen; andelar är exakta och avrundas till två decimaler sist, och 100 % visas bara där varje bas når djupet.',
    software: 'Program',
    made: 'Skapad',
    version: (version) => `Trefoil ${version}`,
    noFingerprintNote: 'Fingeravtrycket ändras med filens storlek, tid och huvud.',
    coordinates:
      'Lägen räknar baser från 1, första och sista inräknade; BED- och JSON-exporter räknar från 0, slutet ej inräknat.',
    genesAsked: (asked, targets) => `${plural(asked, 'gen', 'gener')} efterfrågade, ${targets}`,
    targetCount: (count, [one, many]) => plural(count, one, many),
  },

  warnings: {
    title: 'Observera',
    none: 'Ingenting talar emot filerna, bygget eller de efterfrågade generna.',
    ofSamples: (samples, message) => `${samples.join(', ')}: ${message}`,
    notMeasured: {
      malformed: 'inget gennamn',
      'no-genes-loaded': 'inga gener är inlästa för detta bygge',
      unknown: 'okänd',
      'not-in-build': 'inte bland generna i detta bygge',
      ambiguous: 'kan betyda flera gener',
      'no-transcripts': 'inget transkript av det valda slaget',
      'no-exons': 'inga exoner är inlästa',
    },
    notMeasuredTitle: (count) => `${plural(count, 'gen ingår', 'gener ingår')} inte i rapporten:`,
    renamed: (asked, symbol, by) => `${asked} rapporteras som ${symbol} (${by}).`,
    by: { previous: 'en tidigare symbol för den', alias: 'ett alias för den' },
    sexMismatch: (sample, declared, found) =>
      `${sample}: angivet ${declared}, men djupen på X och Y talar för ${found}.`,
    pars: (build) => `Könet bestäms från X och Y utan de pseudoautosomala regionerna i ${build}.`,
    more: (count) => `och ${number.format(count)} till`,
    bedIgnoresGenes: 'Intervallen är BED-filens: gener som nämns slås inte upp.',
  },

  sex: {
    title: 'Kön enligt sekvensen',
    predicted: 'Förutsagt',
    declared: 'Angivet',
    x: 'Medeldjup X',
    y: 'Medeldjup Y',
    autosomes: 'Medeldjup autosomer',
    xRatio: 'X / autosomer',
    yRatio: 'Y / autosomer',
    mismatch: 'motsägs',
    agrees: 'stämmer',
    none: '–',
  },

  metrics: {
    title: 'Djup och täckningsgrad',
    caption: (bases, count) => `Över ${number.format(bases)} unika baser i ${count}.`,
    mean: 'Medeldjup',
    completeness: (depth) => `≥ ${depth}`,
  },

  full: {
    title: (kind, depth) => `Fullständigt täckta ${kind} vid ${depth}`,
    caption: 'Fullständigt betyder att varje enskild bas når djupet.',
    share: 'Fullständigt täckta',
    incomplete: 'Ofullständiga',
    genes: 'Ofullständigt täckta gener',
    all: 'Varje bas i varje intervall når djupet.',
    none: '–',
    of: (count, all) => `${number.format(count)} av ${number.format(all)}`,
  },

  gaps: {
    title: (depth) => `Sträckor under ${depth}`,
    summary: (intervals, stretches) =>
      `${plural(stretches, 'sträcka', 'sträckor')} i ${plural(intervals, 'intervall', 'intervall')}, bas för bas`,
    caption: 'Första och sista bas i varje sträcka, räknade från 1, och dess längd.',
    gene: 'Gen',
    interval: 'Intervall',
    none: 'inga',
    more: (count) =>
      `${plural(count, 'ytterligare ofullständigt intervall', 'ytterligare ofullständiga intervall')} visas inte här: BED-exporten har alla.`,
    moreInCell: (count, bases) => `och ${number.format(count)} till (${number.format(bases)} bp)`,
  },

  curve: {
    title: 'Kumulativ täckning',
    axis: 'Djup',
    caption: 'Andel av de unika baserna som når varje djup. Lodräta linjer: rapporterade djup; röd: det som avgör.',
    sample: (name, shares) =>
      `${name}: ${shares.map(([depth, share]) => `${decimal.format(share * 100)} % når ${depth}×`).join(', ')}.`,
    table: 'Kurvan i siffror',
  },

  overview: {
    title: (depth) => `Intervall med baser under ${depth}`,
    caption: (shown, all) => `${shown} av ${plural(all, 'intervall', 'intervall')}; andel baser som når djupet.`,
    none: (depth) => `Varje bas i varje intervall når ${depth}.`,
    noMatch: 'Inget intervall passar filtret.',
    gene: 'Gen',
    interval: 'Intervall',
    place: 'Läge',
    levels: 'Djup som avgör',
    filter: 'Visa bara (gen, intervall eller transkript)',
    sort: 'Ordning',
    sorts: { gene: 'efter gen', interval: 'efter läge', completeness: 'sämst först' },
    apply: 'Använd',
    part: (part, parts) => `Del ${number.format(part)} av ${number.format(parts)}`,
    previous: 'Föregående del',
    next: 'Nästa del',
    range: (from, to) => `${number.format(from)}–${number.format(to)}`,
  },

  gene: {
    title: (symbol) => `Täckning av ${symbol}`,
    plot: 'Djup längs genen',
    plotCaption: (transcript) =>
      `Exoner i ${transcript} skalenligt, introner hoptryckta. Linje: medeldjup; skugga: ned till det minsta; röda märken: baser under det avgörande djupet.`,
    plotOf: (sample, transcript) => `Djup för ${sample} längs ${transcript}`,
    plotText: (sample, exons, mean, gaps, level) =>
      `${sample}: ${plural(exons, 'exon', 'exoner')}, medeldjup ${mean}; ${gaps === 0 ? `ingen bas under ${level}` : `${plural(gaps, 'sträcka', 'sträckor')} under ${level}`}.`,
    transcripts: 'Transkript',
    exons: (count) => plural(count, 'exon', 'exoner'),
    exonColumn: 'Exon',
    exon: (rank) => `Exon ${rank}`,
    size: (bases) => `${number.format(bases)} baser i exoner`,
    coding: (bases) => `${number.format(bases)} kodande`,
    notCoding: 'kodande del ej känd',
    draw: 'Rita detta transkript',
    drawn: 'ritat ovan',
    browser: 'UCSC Genome Browser',
    ensembl: 'Ensembl',
    external: 'Länkar öppnar en annan webbplats, som får veta läget och inget annat.',
    forward: 'läses från vänster till höger',
    reverse: 'på den omvända strängen, visas från sin första exon',
    tableOf: (id) => `Transkript ${id}`,
    bases: 'Baser',
  },

  mane: {
    title: 'MANE-transkript',
    caption: 'Baser i exoner för varje transkript i MANE Select och MANE Plus Clinical, var och ett på egen rad.',
    transcript: 'Transkript',
    select: 'MANE Select',
    plusClinical: 'MANE Plus Clinical',
    refseq: 'RefSeq',
  },

  explain: {
    title: 'Förklaringar',
    items: [
      [
        'Medeldjup',
        'Summan av djupen för alla unika baser, delad med deras antal. Baser som intervall delar räknas en gång.',
      ],
      ['Täckningsgrad', 'Andel av de unika baserna vars djup är minst det angivna.'],
      [
        'Fullständigt täckt',
        'Andel av intervallen där varje bas har minst det avgörande djupet. Det avgörs genom att räkna, aldrig av en avrundad andel.',
      ],
    ],
    sex: 'Kön',
    sexRule: (male, female) =>
      `Från medeldjupen på X och Y utanför de pseudoautosomala regionerna: en kvot X till Y upp till ${male} är man, från ${female} kvinna, och däremellan okänt. För lite sekvens på X är okänt.`,
  },

  exports: {
    title: 'Spara som',
    json: 'JSON',
    csv: 'CSV',
    tsv: 'TSV',
    bed: 'BED med luckor',
    pdf: 'PDF',
    print: 'Skriv ut',
    page: (page, pages) => `Sida ${page} av ${pages}`,
    continued: 'fortsättning',
    cut: (shown, all) => `De första ${number.format(shown)} av ${number.format(all)} rader; CSV-exporten har alla.`,
  },

  links: {
    skip: 'Till innehållet',
    title: 'Andra vyer av samma prover',
    report: 'Rapport',
    overview: 'Ofullständiga intervall',
    mane_overview: 'MANE-transkript',
    landing: 'Täckning',
    docs: 'API-dokumentation',
    server: 'Denna server',
  },

  landing: {
    title: 'Sekvenseringstäckning',
    intro: 'Rapporterar hur väl gener, transkript, exoner och paneler är täckta i D4-filer från sekvenserade prover.',
    demos: 'Se demonstrationen',
    demoText: 'En påhittad trio på några gener; den beskriver ingen.',
    noDemo: 'Demonstrationssidorna svarar där konfigurationen säger demo: true.',
    sets: 'Inlästa gener, transkript och exoner',
    noSets: 'Inga gener är inlästa än: se trefoil coverage --help.',
    rows: (rows) => plural(rows, 'rad', 'rader'),
    ask: 'Be om en rapport',
  },
};
