/** Texts of the pages in Swedish. */
import type { ReviewTexts } from './en.js';

const plural = (count: number, one: string, many: string) =>
  `${count.toLocaleString('sv')} ${count === 1 ? one : many}`;

/** Words of the rules; what a source words stays as it is. */
const values = new Map(
  `absent=saknas|known=känd|new=ny|green=grön|amber=gul|red=röd|high=stor effekt|moderate=måttlig effekt|low=liten effekt
rare=sällsynt|common=vanlig|covered=täckt|not covered=inte täckt|not yet called=varianter inte sökta ännu
or not of the panel=eller inte i panelen|in coding bases=i kodande baser|not in coding bases=inte i kodande baser
contacted=kontaktad|they-contacted=har kontaktat oss|follow-up=följ upp`
    .split(/[|\n]/)
    .map((pair) => pair.split('=') as [string, string]),
);

const counted = (text: string) => text.replace(/^(\d+) of (\d+)/, '$1 av $2').replace(/(\d) stars$/, '$1 stjärnor');

export const sv: ReviewTexts = {
  language: 'sv',
  number: (value) => value.toLocaleString('sv'),
  links: 'Omvärdering',
  unknown: 'okänt',
  reasons: {
    panel: 'panelen ändrad',
    raised: 'klassen höjd',
    lowered: 'klassen sänkt eller återtagen',
    covered: 'täckt nu',
    calls: 'nya varianter',
    recurrence: 'sedd hos andra fall',
    match: 'matchning',
    terms: 'fenotypen ändrad',
    hole: 'inte täckt',
    transcript: 'transkriptet ändrat',
  },
  because: {
    panel: (gene, allele) =>
      `en nyare signerad version av panelen lägger till ${gene}, gör den grön eller ändrar dess nedärvning, och ${allele} passar`,
    raised: (gene, allele) => `${allele} i ${gene} klassas nu som (sannolikt) patogen`,
    lowered: (gene, allele) => `klassen för ${allele} i ${gene}, som slutsatsen vilar på, har sänkts eller återtagits`,
    covered: (gene) => `regioner i ${gene} som svaret inte täckte är täckta nu, men varianter har ännu inte sökts där`,
    calls: (gene, allele) => `${allele} i ${gene} är ny, de novo eller i trans i ersatta eller tillagda varianter`,
    recurrence: (gene, allele) => `${allele} i ${gene} har setts hos andra fall här`,
    match: (gene, allele) => `en matchning delar ${gene}, där ${allele} passar`,
    terms: (gene, allele) => `panelen innehåller nu ${gene} utifrån fenotypen, och ${allele} passar`,
    hole: (gene) => `kodande baser i ${gene} är inte täckta i provet, så att ett fynd kan saknas där`,
    transcript: (gene, allele) => `${allele} ligger i kodande baser i ${gene} enligt ett nyare transkript`,
  },
  made: (when) => `Skapad ${when}`,
  someGene: 'en gen',
  someAllele: 'en allel',
  together: (allele, partners) => `${allele} (med ${partners})`,
  inherited: { 'de novo': 'de novo', mother: 'från modern', father: 'från fadern', trans: 'i trans' },
  value: (text) =>
    text
      .split(/(: |; |, |[()])/)
      .map((part) => values.get(part) ?? counted(part))
      .join(''),
  priorities: {
    1: 'patogen och passar',
    2: 'de novo, eller stor effekt i ny grön gen',
    3: 'patogen, andra allelen inte täckt',
    4: 'annan allel som passar',
    5: 'sedd hos andra fall',
    6: 'matchning',
  },
  states: { open: 'öppen', later: 'senare', decided: 'avgjord', gone: 'gäller inte längre' },
  outcomes: { reopened: 'återöppnat', 'no change': 'ingen ändring', later: 'senare' },
  conclusions: { negative: 'negativt', uncertain: 'osäkert', solved: 'löst' },
  zygosities: { heterozygous: 'heterozygot', homozygous: 'homozygot', hemizygous: 'hemizygot' },
  classes: {
    pathogenic: 'patogen',
    'likely pathogenic': 'sannolikt patogen',
    uncertain: 'oklar signifikans',
    'likely benign': 'sannolikt benign',
    benign: 'benign',
  },
  marks: {
    phase: 'det är okänt om allelerna sitter på olika kromosomer',
    inheritance: 'nedärvningen är okänd',
    frequency: 'populationsfrekvensen är okänd',
    consequence: 'konsekvensen är okänd',
    sex: 'könet är okänt',
    class: 'klassen är okänd',
    stars: 'klassens granskningsstatus är okänd',
    indels: 'ingen referens: insertioner och deletioner kan saknas',
  },
  facts: {
    panel: 'Panel',
    confidence: 'Evidensgrad',
    inheritance: 'Nedärvning',
    class: 'Klass',
    calls: 'Varianter',
    coverage: 'Täckning',
    terms: 'Fenotyp',
    local: 'Sedd här',
    match: 'Matchning',
    transcripts: 'Transkript',
  },
  carried: { 0: 'bär den inte', 1: 'en kopia', 2: 'två kopior', unknown: 'okänt' },
  roles: { proband: 'proband', mother: 'mor', father: 'far', relative: 'släkting' },
  affected: 'sjuk',
  list: {
    title: 'Fall att se på igen',
    intro:
      'Besvarade fall som bör ses på igen, eftersom kunskapen har ändrats sedan dess. Inga slutsatser dras här: en människa avgör.',
    found: (findings, cases, isAll) =>
      `${plural(findings, 'fynd', 'fynd')} i ${plural(cases, 'fall', 'fall')}${isAll ? '' : ' på denna sida'}`,
    nothing: 'Inget fynd uppfyller villkoren.',
    columns: {
      priority: 'Prioritet',
      case: 'Fall',
      because: 'Bör ses på igen eftersom',
      panel: 'Panel',
      found: 'Funnet',
      state: 'Status',
    },
    filters: 'Villkor',
    gene: 'Gen',
    geneHint: 'Symbol, HGNC-id.',
    reason: 'Skäl',
    anyReason: 'alla skäl',
    ages: {
      '': 'när som helst',
      week: 'de senaste 7 dagarna',
      month: 'de senaste 30 dagarna',
      older: 'för mer än 30 dagar sedan',
      oldest: 'för mer än 90 dagar sedan',
    },
    person: 'Person',
    personHint: 'Prov, eller patient.',
    search: 'Visa',
    next: 'Nästa sida',
    unlooked: (count) =>
      `${plural(count, 'bevakat fall har', 'bevakade fall har')} ännu inte granskats: utgångsläget saknas. Att inget fynd är listat där betyder inte att inget hittades.`,
  },
  groups: {
    title: 'För panelernas ägare',
    hint: 'En rad för varje gen eller position, analysmetod och utgåva, med antalet fall bakom den.',
    kinds: { hole: 'inte bedömbar', name: 'sammanslagen, delad eller borttagen', transcript: 'föredraget transkript' },
    columns: {
      subject: 'Gen eller position',
      kind: 'Vad',
      assay: 'Analysmetod',
      release: 'Utgåva',
      cases: 'Fall',
      panels: 'Paneler',
    },
  },
  held: {
    title: 'Ändringar som väntar på en människa',
    text: (cases, watched) =>
      `skulle sätta ${plural(cases, 'fall', 'fall')} av ${watched.toLocaleString('sv')} bevakade på listan`,
    approve: 'Genomför',
  },
  case: {
    title: (name) => `Fall ${name}`,
    conclusion: 'Slutsats',
    reviewer: 'Granskare',
    decided: 'Besvarat',
    recontact: 'Återkontakt',
    recontacts: { yes: 'ja', no: 'nej: bevakas inte', until: (when) => `till ${when}` },
    persons: 'Personer',
    report: 'Rapport',
    why: 'Varför finns fallet här?',
    notHere: 'Inget om detta fall finns på listan nu.',
    notLooked: 'Fallet har ännu inte granskats: utgångsläget saknas.',
    since: (when) => `funnet ${when}`,
    changed: 'Vad har ändrats? Var det täckt, då och nu?',
    before: (when) => `Då (${when})`,
    now: 'Nu',
    who: 'Vem mer har den?',
    decidedTitle: 'Vad beslutade vi?',
    coverage: (threshold) => `Täckning (≥ ${threshold}x)`,
    sites: 'Kända positioner',
    matches: 'Matchningar',
    isLatest: (version) => `${version} är den senast signerade`,
    newer: (version, genes) => `${version}: ${plural(genes, 'gen skiljer', 'gener skiljer')}`,
    allCovered: 'alla kodande exoner täckta',
    holes: (count) => `${plural(count, 'kodande exon', 'kodande exoner')} inte täckta`,
    siteHoles: (count) => `${plural(count, 'känd position', 'kända positioner')} inte täckta`,
    nowCovered: (covered, still) =>
      `${covered.toLocaleString('sv')} täckta nu, ${still.toLocaleString('sv')} fortfarande inte`,
    covered: 'täckt',
    notCovered: 'inte täckt',
    ofCovered: (carriers, covered) =>
      `${plural(carriers, 'bärare', 'bärare')} av ${covered.toLocaleString('sv')} täckta`,
    ofSamples: (carriers, samples) =>
      `${plural(carriers, 'bärare', 'bärare')} av ${plural(samples, 'prov', 'prov')}, täckning okänd`,
    noAlleles: 'Ingen allel är listad eller funnen i detta fall.',
    population: (frequency) => `populationsfrekvens ${frequency}`,
    matchCount: (count) => plural(count, 'matchning', 'matchningar'),
    notLookedAt: (why) => `inte granskat: ${why}`,
    whys: {
      'no-plugin': 'insticksmodulen som vet det är inte aktiv',
      'no-calls': 'det finns inga varianter för någon sjuk person i detta genombygge',
      'not-annotated': 'varianterna är inte annoterade',
      'no-genes': 'inga gener och transkript för genombygget är inlästa',
      'no-sets': 'inga kända varianter för genombygget är inlästa',
      'no-coverage': 'provets täckning är inte känd vid detta tröskelvärde',
      'no-patient': 'ingen patient i matchmaker är angiven',
      'not-stored': 'täckningen har ersatts sedan dess, och den tidigare är inte sparad för positionen',
      'no-dataset': 'ingen datamängd av detta genombygge som du får läsa',
      'no-panel': 'ingen version av panelen som du får läsa',
      'no-baseline': 'utgångsläget saknas',
      'not-yours': 'du får inte se det',
      unregistered: 'provet är inte registrerat, eller inte ditt',
      unchecked: 'provets fil är inte kontrollerad ännu',
      unusable: 'provets fil kan inte användas',
      'other-build': 'provet är av ett annat genombygge',
      'other-threshold': 'detta tröskelvärde är inte sparat för provet',
      unavailable: 'det kan inte läsas nu',
      'too-many': 'det är för många positioner',
    },
    statement: (revision) => `Utlåtande ${revision}`,
    newStatement: 'Skriv ett nytt utlåtande',
    reopenedHint: 'Fallet återöppnades. Ett nytt utlåtande, som ersätter detta, avslutar det.',
    decide: 'Besluta',
    outcome: 'Beslut',
    until: 'Till (för senare)',
    save: 'Spara',
    returned: 'tillbaka: underlaget har ändrats sedan detta beslut',
    history: { at: 'Datum', by: 'Av', what: 'Vad' },
    columns: { allele: 'Allel', here: 'Här' },
    basis: 'slutsatsen vilar på den',
    releases: 'Använda utgåvor',
  },
  form: {
    title: (name) => `Nytt utlåtande om fall ${name}`,
    intro:
      'Det ersätter det senaste utlåtandet, av vilket allt som inte efterfrågas här står kvar. Från dess dag är det som redan är känt ingen nyhet.',
    version: 'Version av',
    terms: 'HPO-termer',
    termsHint: 'Id:n, åtskilda med blanksteg.',
    releasesHint: 'En källa per rad, som ClinVar 2026-11.',
    recontactHint: 'yes (ja), no (nej), eller ett datum som 2030-01-31.',
    alleles: 'Listade alleler',
    allelesHint:
      'En per rad, som 1-11796321-G-A (positionen räknas från 1); därefter, i valfri ordning: zygositeten och klassen på engelska, och "basis" om slutsatsen vilar på den.',
    save: 'För in',
  },
  digest: {
    subject: (count) => `Fall att se på igen: ${plural(count, 'nytt fynd', 'nya fynd')}`,
    since: (count, when) => `${plural(count, 'fynd', 'fynd')} har kommit på listan sedan ${when}`,
    open: 'Öppna',
  },
  yield: {
    title: 'Utbyte',
    intro:
      'Efter året då fynden kom på listan: hur många som återöppnades, och hur många av dessa fall som är lösta nu.',
    nothing: 'Det finns inga fynd ännu.',
    columns: { year: 'År', findings: 'Fynd', reopened: 'Återöppnade', solved: 'Lösta' },
    all: 'alla skäl',
  },
};
