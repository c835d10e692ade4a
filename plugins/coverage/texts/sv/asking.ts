/** The form, its choices and error messages, the links between pages, gene panels and kept reports, in Swedish. */
import type * as english from '../en/asking.js';
import { swedish, type Translation } from '../numbers.js';

const { number, plural } = swedish;

export const asking: Translation<typeof english.asking> = {
  form: {
    missing: 'saknas',
    oneOf: (choices) => `måste vara något av ${choices.join(', ')}`,
    tooLong: (most) => `är längre än ${number(most)} tecken`,
    tooMany: (most) => `har fler än ${number(most)} poster`,
    noDepth: 'måste vara heltal från 1 till 1 000 000',
    noText: 'måste vara text',
    noDate: 'måste börja med ett datum som 2026-04-23',
    noSex: 'måste vara female, male eller unknown',
    noSamples: 'måste ange minst ett prov',
    idAndFile: 'kan inte anges tillsammans med en D4-fil',
    idAndUnique: 'kan inte anges med ett registrerat prov, som har sin egen',
    noUnique: 'kräver en D4-fil med unika läsningar',
    noQuality: 'måste vara ett heltal från 1 till 255',
    notRegistered: 'är inte registrerat',
    noSample: 'måste vara ett objekt med name och coverage_file_path',
    sampleAt: (place) => `prov ${number(place)}`,
    sameName: (name) => `har två prover som heter ${name}`,
    nameTaken: (name) => `är också namnet på ett annat prov: ${name}`,
    noList: (position, reason) => `är varken JSON eller en Python-lista: vid tecken ${number(position)}: ${reason}`,
    noGenes: 'måste ange minst en gen',
    noBed: 'krävs: sökvägen till en BED-fil på servern, eller BED-rader',
    title: 'Rapporten kunde inte skapas',
    intro: 'Dina uppgifter finns kvar i formuläret nedan. Rätta fälten som anges här och skicka formuläret igen.',
    customise: 'Rapportinställningar',
    level: 'Tröskelvärde för täckning',
    thresholds: 'Redovisade läsdjup, åtskilda med komma',
    type: 'Intervall',
    transcripts: 'Transkript',
    build: 'Referensgenom',
    genes: 'Gener: HGNC-id, Ensembl-id eller symboler',
    gene: 'Gen: HGNC-id, Ensembl-id eller symbol',
    panel: 'Panelens namn',
    caseName: 'Fall',
    samples: 'Prover',
    samplesHint: 'Rader som lämnas tomma räknas inte.',
    sampleRow: (place) => `Prov ${number(place)}`,
    rowField: (field, place) => `${field} för prov ${number(place)}`,
    registeredHint:
      'Välj ett registrerat prov, eller ange en D4-fil. Namn, angivet kön och grupp får lämnas tomma för ett registrerat prov.',
    row: {
      id: 'Registrerat prov',
      name: 'Namn',
      file: 'D4-fil',
      unique: 'D4-fil med unika läsningar',
      quality: 'Lägsta mappningskvalitet',
      sex: 'Angivet kön',
      group: 'Grupp',
      date: 'Analysdag',
    },
    uniqueMore: 'Läsdjup av unika läsningar',
    uniqueHint:
      'Läsdjup av samma provs unikt mappade läsningar, från dess BAM-fil: mosdepth --d4 -Q 20, i övrigt med samma val som för den första filen. Rapporten anger då varje andel även för unika läsningar.',
    noSexGiven: 'ej angivet',
    fileHint: 'Välj en av filerna i listan, eller skriv en URL eller en sökväg under en konfigurerad katalog.',
    pathHint: 'Skriv en URL eller en sökväg under en konfigurerad katalog.',
    filesCut: (shown) => `Endast ${number(shown)} filer listas; skriv sökvägen till andra.`,
    addSample: 'Lägg till prov',
    samplesJson: 'Prover som JSON',
    bedPath: 'BED-fil på servern',
    bedName: 'Namn på dessa rader',
    bedField: (field, number) => (number === 1 ? field : `${field}, fil ${number}`),
    bedMore: 'Ytterligare en BED-fil',
    tooManyBeds: (most) => `har fler än ${number(most)} BED-filer`,
    bed: 'BED-rader',
    bedFile: 'Hämta från en fil',
    longBed: (megabytes) =>
      `BED-filen (${number(megabytes)} MB) sparas inte på sidan. Välj den igen här innan du väljer en export, ett annat läsdjup, en kolumnrubrik eller en ny del.`,
    send: 'Skapa rapport',
  },

  refusals: {
    title: 'Sidan kan inte visas',
    statuses: {
      401: 'En giltig åtkomsttoken krävs. Den kan ha gått ut: öppna sidan på nytt från programmet som länkar hit.',
      404: 'Sidan finns inte.',
      405: 'Sidan skapas från ett formulär: börja på /coverage.',
      413: 'Formuläret är för stort.',
    },
  },

  types: {
    genes: 'Gener (hela genen)',
    transcripts: 'Transkript (exonbaser)',
    exons: 'Exoner',
    coding: 'Kodande baser',
    custom_intervals: 'BED-rader',
  },

  targets: {
    genes: ['gen', 'gener'],
    transcripts: ['transkript', 'transkript'],
    exons: ['exon', 'exoner'],
    coding: ['transkript', 'transkript'],
    custom_intervals: ['intervall', 'intervall'],
  },

  choices: {
    preferred: 'MANE Select, annars MANE Plus Clinical, annars RefSeq mRNA, annars alla',
    mane: 'MANE Select och MANE Plus Clinical',
    mane_select: 'Endast MANE Select',
    mane_plus_clinical: 'Endast MANE Plus Clinical',
    refseq_mrna: 'Med RefSeq mRNA',
    all: 'Alla',
  },

  sets: { genes: 'gener', transcripts: 'transkript', exons: 'exoner', names: 'gennamn' },

  sexes: { female: 'kvinna', male: 'man', unknown: 'okänt' },

  pages: {
    report: 'Täckningsrapport',
    overview: 'Intervall med ofullständig täckning',
    gene_overview: 'Täckning för gen',
    mane_overview: 'Täckning för MANE-transkript',
  },

  fileNames: {
    report: 'tackningsrapport',
    overview: 'tackning-oversikt',
    gene_overview: 'tackning-gen',
    mane_overview: 'tackning-mane',
  },

  exports: {
    title: 'Spara som',
    json: 'JSON',
    multiqc: 'MultiQC',
    fhir: 'FHIR',
    csv: 'CSV',
    tsv: 'TSV',
    bed: 'BED (låg täckning)',
    pdf: 'PDF',
    print: 'Skriv ut',
  },

  links: {
    skip: 'Hoppa till innehållet',
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
    intro: 'Täckning för gener, transkript, exoner och genpaneler, från D4-filer för sekvenserade prover.',
    demos: 'Demo',
    demoText: 'En syntetisk trio och några gener.',
    noDemo: 'Demosidor finns om konfigurationen har demo: true.',
    sets: 'Inlästa gener, transkript och exoner',
    noSets: 'Inga gener är inlästa: se trefoil coverage --help.',
    rows: (rows) => plural(rows, 'rad', 'rader'),
    ask: 'Ny rapport',
  },
};

// Depths of reads that map uniquely, in Swedish.

export const unique: Translation<typeof english.unique> = {
  title: 'Unika läsningar',
  share: (percent) => `unika: ${percent}`,
  file: (name, quality) => `unika: ${name}${quality === undefined ? '' : ` (mappningskvalitet ≥ ${quality})`}`,
  term: (depth) =>
    `Andelar märkta ”unika” räknar bara läsningar vars plats är säker, enligt provets andra D4-fil. En bas täcks bara av flertydiga läsningar om den har ${depth} av alla läsningar och mindre av unika: läsningar där kan höra till en annan kopia av sekvensen, och varianter kan missas eller hamna fel.`,
  ambiguous: (sample, genes, depth) =>
    `${sample}: ${plural(genes, 'gen', 'gener')} täcks bara av flertydiga läsningar (har baser med ${depth}, men ingen av unika läsningar):`,
  incomplete: (sample, genes, depth) =>
    `${sample}: ${plural(genes, 'gen', 'gener')} har ${depth} på varje bas av alla läsningar, men inte av unika:`,
};

// Gene panels, in Swedish.

export const panels: Translation<typeof english.panels> = {
  field: 'Genpanel: ID eller ID@VERSION',
  confidence: 'Panelens gener',
  confidences: {
    all: 'alla',
    amber: 'gröna, gula och ograderade',
    green: 'gröna och ograderade',
  },
  noPlugin: 'kan inte användas: servern har inga genpaneler (insticksmodulen panels är inte aktiverad)',
  unknown: (reference) => `det finns ingen panelversion ${reference} som du får använda`,
  noneSigned: (reference) => `det finns ingen panel ${reference} med en signerad version som du får använda`,
  noGenes: (reference) => `${reference} har inga gener`,
  noneReported: (reference) => `ingen gen i ${reference} har denna evidensnivå`,
  tooMany: (reference, most) => `${reference} och listans gener är fler än ${number(most)} tillsammans`,
  notWithBed: 'kan inte kombineras med BED-rader: välj gener, transkript eller exoner, eller lämna fältet tomt',

  panel: 'Genpanel',
  digest: 'Panelens kontrollsumma',
  states: { draft: 'utkast', 'in review': 'under granskning', 'signed off': 'signerad', retired: 'tagen ur bruk' },
  marks: {
    draft: 'UTKAST TILL PANEL',
    'in review': 'OSIGNERAD PANEL',
    'signed off': '',
    retired: '',
  },
  stateNotices: {
    draft: (reference) => `Panelen ${reference} är ett utkast: den är inte signerad och kan ändras.`,
    'in review': (reference) => `Panelen ${reference} är under granskning: den är inte signerad.`,
    retired: (reference) => `Panelen ${reference} är tagen ur bruk.`,
  },
  newer: (reference, genes) =>
    `En nyare version är signerad: ${reference}, där ${plural(genes, 'gen skiljer', 'gener skiljer')} sig.`,
  signedBy: (day, people) => `signerad ${day} av ${people}`,
  names: (release) => `gennamn: ${release ?? 'okänd utgåva'}`,
  levels: { green: 'grön', amber: 'gul', red: 'röd', unrated: 'ograderad' },
  geneCounts: (count, levels) => `${plural(count, 'gen', 'gener')} (${levels})`,
  onlyReported: (levels) => `redovisade: ${levels}`,
  genesOf: (count, reference) => `${plural(count, 'gen', 'gener')} i ${reference}`,
  andOthers: (panel, count, names) => `${panel} och ${plural(count, 'gen därutöver', 'gener därutöver')} (${names})`,
  wantedUsed: (genes) => `för ${plural(genes, 'gen', 'gener')} de transkript som panelen anger`,
  wantedUnused: (genes) => `de transkript som panelen anger för ${plural(genes, 'gen', 'gener')} används inte`,
  entries: {
    gene: (count) => plural(count, 'gen', 'gener'),
    region: (count) => plural(count, 'region', 'regioner'),
    str: (count) => plural(count, 'kort tandemrepetition', 'korta tandemrepetitioner'),
    unmapped: (count) => plural(count, 'post utan gen', 'poster utan gen'),
  },
  uncovered: (kinds) => `Av panelen omfattar rapporten inte: ${kinds}.`,
  unmetTitle: (count) =>
    `${plural(count, 'transkript', 'transkript')} i panelen har inte, eller inte säkert, mätts som angivet:`,
  unmet: (symbol, wanted, loaded) =>
    loaded === undefined
      ? `${symbol}: ${wanted} är inte inläst`
      : `${symbol}: ${loaded}${loaded.includes('.') ? '' : ' (versionen är okänd)'} i stället för ${wanted}`,
  renamedTitle: (count) => `${plural(count, 'gen har', 'gener har')} en annan symbol i genuppsättningen än i panelen:`,
  renamed: (panel, report) => `${panel} redovisas som ${report}`,
  geneNotIn: (reference) => `Genen ingår inte i panelen ${reference}.`,
  geneWants: (reference, transcripts) => `Panelen ${reference} anger för denna gen: ${transcripts}.`,

  uncoveredTitle: 'Poster i panelen som rapporten inte omfattar',
  uncoveredCaption: 'Ett negativt resultat säger ingenting om dem.',
  entriesCount: (count) => plural(count, 'post', 'poster'),
  genesTitle: 'Panelens gener',
  columns: {
    entry: 'Post',
    kind: 'Slag',
    place: 'Position i panelen',
    reason: 'Omfattas inte eftersom',
    id: 'HGNC-id',
    symbol: 'Symbol',
    confidence: 'Evidensnivå',
    inheritance: 'Nedärvning',
    transcripts: 'Transkript',
  },
  kinds: { gene: 'gen', region: 'region', str: 'kort tandemrepetition', unmapped: 'post utan gen' },
  otherConfidence: (level) => `${level}: inte bland de poster i panelen som efterfrågats`,
  notAGene: 'omfattas inte av denna typ av rapport',
  notLookedAt: {
    'no-place': (build) => `inte granskad: panelen anger inte var den ligger i ${build}`,
    'no-coding': () => 'inte granskad: inga kodande baser i gener inom den är kända',
    'too-many-genes': () => 'inte granskad: regionerna har fler gener än en förfrågan får ha',
  },
  places: {
    region: 'Panelens regioner',
    str: 'Panelens repetitioner',
    caption:
      'Endast läsdjup: varken kopietal eller repetitioners längd mäts. Ingen summa, inget krav och ingen annan tabell i rapporten räknar dessa baser, om inte panelen anger posten som kärnpost.',
    count: (count) => plural(count, 'post', 'poster'),
    entry: 'Post',
    position: 'Position och medräknade baser',
    core: 'kärnpost',
    depthOnly: 'endast läsdjup: repetitionens längd mäts inte',
    counted: {
      whole: (bases) => `alla ${plural(bases, 'bas', 'baser')}`,
      coding: (bases, genes) => `${plural(bases, 'kodande bas', 'kodande baser')} i generna inom den: ${genes}`,
      exonic: (bases, genes) => `${plural(bases, 'exonbas', 'exonbaser')} i generna inom den: ${genes}`,
    },
    below: (depth) => `Under ${depth}`,
    bases: (bases) => `${number(bases)}\u00A0bp`,
    gapsTitle: (depth) => `Panelens regioner och repetitioner: baser under ${depth}`,
  },
};

// Names of lines of BED files, in Swedish.

export const bedNames: Translation<typeof english.bedNames> = {
  title: 'Täckning per namn i BED-filen',
  caption: 'Rader med samma namn tas tillsammans; gemensamma baser räknas en gång.',
  count: (names) => plural(names, 'namn', 'namn'),
  name: 'Namn',
  lines: 'Rader',
};

// Kept reports, in Swedish.

export const kept: Translation<typeof english.kept> = {
  id: 'Rapport-id',
  field: 'Spara rapporten, så att den kan öppnas igen som den är',
  always: 'Alla rapporter sparas, så att de kan öppnas igen som de är.',
  off: 'kan inte användas: servern sparar inga rapporter (inställningen plugins.coverage.reports)',
  note: 'Rapporten är sparad.',
  open: 'Öppna den på dess adress',
  title: 'Sparad rapport',
  opened: (made, madeBy, opened, openedBy) =>
    `Beräknad ${made} av ${madeBy}, och inte beräknad på nytt. Visad ${opened} av ${openedBy}.`,
  newerTitle: 'Nyare panelversion',
  newer: (used, latest, genes) =>
    `Rapporten använde ${used}. Sedan dess är ${latest} signerad, där ${plural(genes, 'gen skiljer', 'gener skiljer')} sig.`,
  changes: {
    added: 'Tillagda',
    removed: 'Borttagna',
    promoted: 'Uppgraderade',
    demoted: 'Nedgraderade',
    renamed: 'Omdöpta',
    changed: 'Ändrade på annat sätt',
  },
  more: (count) => `och ${number(count)} till`,
  formats: { pdf: 'PDF', json: 'JSON, som den skickades' },
  list: {
    title: 'Sparade rapporter',
    link: 'Sparade rapporter',
    intro:
      'Rapporter vars prover du får se, de senaste först. För en gen alla rapporter som mätte den, som inte kunde mäta den, eller vars panel har den med en evidensgrad som inte efterfrågades.',
    gene: 'Gen: HGNC-id, Ensembl-id eller symbol',
    panel: 'Panel: ID, ID@VERSION eller namn',
    sample: 'Prov: id eller namn',
    search: 'Sök',
    none: 'Det finns inga sådana rapporter.',
    unknownGene: (gene) =>
      `${gene} är inte en gen i de inlästa genuppsättningarna. Här visas rapporter som beställdes med detta namn.`,
    panelsOf: (gene) => `Panelversioner med ${gene}`,
    noPanels: 'Ingen version som du får läsa.',
    uncertain: 'Inte genomsökta: namnet betyder inte säkert en enda gen. Sök med HGNC-id eller godkänd symbol.',
    entry: (given) => `posten ${given}, som ännu saknar gen, kan vara den`,
    shown: (count) => plural(count, 'rapport', 'rapporter'),
    next: 'Tidigare rapporter',
    columns: {
      made: 'Beräknad',
      report: 'Rapport',
      samples: 'Prover',
      panel: 'Panel',
      genes: 'Gener',
      gene: 'Genen',
      by: 'Beställd av',
      software: 'Programvara',
    },
    missing: (count) => `${number(count)} ej mätta`,
    held: { measured: 'mätt', missing: 'ej mätt', left: 'i panelen, ej efterfrågad' },
  },
};
