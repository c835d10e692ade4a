/** The form, its choices and error messages, and the links between pages, in Swedish. */
import type { Texts } from '../en.js';
import { swedish } from '../numbers.js';

const { number, plural } = swedish;

export const asking: Pick<
  Texts,
  | 'form'
  | 'refusals'
  | 'types'
  | 'targets'
  | 'choices'
  | 'sets'
  | 'sexes'
  | 'pages'
  | 'fileNames'
  | 'exports'
  | 'links'
  | 'landing'
> = {
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
      sex: 'Angivet kön',
      group: 'Grupp',
      date: 'Analysdag',
    },
    noSexGiven: 'ej angivet',
    fileHint: 'Välj en av filerna i listan, eller skriv en URL eller en sökväg under en konfigurerad katalog.',
    pathHint: 'Skriv en URL eller en sökväg under en konfigurerad katalog.',
    filesCut: (shown) => `Endast ${number(shown)} filer listas; skriv sökvägen till andra.`,
    addSample: 'Lägg till prov',
    samplesJson: 'Prover som JSON',
    bedPath: 'BED-fil på servern',
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
    page: (page, pages) => `Sida ${page} av ${pages}`,
    continued: 'fortsättning',
    cut: (shown, all) => `De första ${number(shown)} av ${number(all)} rader; CSV-exporten har alla.`,
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
