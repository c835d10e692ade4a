/** What is asked and refused: the form, the names of what can be chosen, and the ways from page to page, in Swedish. */
import type { Texts } from '../texts.js';
import { number, plural } from './numbers.js';

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
    noDepth: 'måste innehålla heltal från 1 till 1 000 000',
    noText: 'måste vara en text',
    noDate: 'måste börja med ett datum som 2026-04-23',
    noSex: 'måste vara female, male eller unknown',
    noSamples: 'nämner inget prov',
    noSample: 'måste vara ett objekt med name och coverage_file_path',
    sameName: (name) => `har två prover som heter ${name}`,
    noList: (position, reason) => `är varken JSON eller en Python-lista: vid tecken ${number(position)}: ${reason}`,
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

  refusals: {
    title: 'Sidan kan inte visas',
    statuses: {
      401: 'En åtkomsttoken behövs, och ingen giltig kom med. Den kan ha gått ut: begär sidan på nytt från programmet som leder hit.',
      404: 'Det finns ingen sådan sida.',
      405: 'Sidan svarar på ett formulär som skickas till den, inte på bara sin adress.',
      413: 'Formuläret är för stort.',
    },
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
    cut: (shown, all) => `De första ${number(shown)} av ${number(all)} rader; CSV-exporten har alla.`,
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
