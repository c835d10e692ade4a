/** Texts of the pages in Swedish. */
import type { TriageTexts } from './en.js';

const plural = (count: number, one: string, many: string) =>
  `${count.toLocaleString('sv')} ${count === 1 ? one : many}`;

const percent = (value: number) => `${value.toLocaleString('sv')} %`;

const carriersOf = (carriers: number, homozygotes: number) =>
  plural(carriers, 'bärare', 'bärare') +
  (homozygotes > 0 ? ` (${plural(homozygotes, 'homozygot', 'homozygota')})` : '');

export const sv: TriageTexts = {
  language: 'sv',
  score: (value) => value.toFixed(3).replace('.', ','),
  reading: ({ higherThan, pairs }) => {
    const all = pairs.toLocaleString('sv');
    const share = higherThan === 100 ? `alla ${all}` : `${percent(higherThan)} av ${all}`;
    return `högre än ${share} slumpvisa par av patienter i denna nod`;
  },
  sameDisease: {
    share: ({ share, low, high }) =>
      `samma sjukdom: ${percent(share)} (95 % konfidensintervall ${low.toLocaleString('sv')}–${percent(high)})`,
    note: ({ terms: [from, to], genes }) =>
      'Samma sjukdom: andelen par med samma sjukdom, av alla par med en sådan poäng, bland publicerade fall med ett andra ' +
      `fall lagrat, för patienter med ${to === undefined ? `${from} eller fler` : `${from}–${to}`} termer och ` +
      `${{ none: 'inga gener', one: 'en gen', several: '2–10 gener' }[genes]}.`,
  },
  purposes: { clinical: 'klinisk', research: 'forskning' },
  origins: {
    'de novo': 'de novo',
    maternal: 'från modern',
    paternal: 'från fadern',
    biparental: 'från båda föräldrarna',
    inherited: 'nedärvd',
    unknown: 'av okänt ursprung',
  },
  zygosity: (copies) => {
    if (copies === 1) return 'heterozygot eller hemizygot';
    return copies === 2 ? 'homozygot' : plural(copies, 'kopia', 'kopior');
  },
  stated: {
    gene: 'Gen',
    variant: 'Variant (position räknad från 1)',
    zygosity: 'Zygositet',
    inheritance: 'Nedärvning',
  },
  local: {
    title: 'Täckning och förekomst på denna server',
    hint: 'Om den andra av de två patienterna är täckt vid varianten, och hur ofta allelen har setts här.',
    columns: { variant: 'Variant', coverage: 'Täckning', counts: 'Lokal förekomst' },
    sampleOf: { submission: 'hos den andra patienten', counterpart: 'hos vår patient' },
    covered: (threshold) => `täckt (≥ ${threshold}x)`,
    notCovered: (threshold) => `inte täckt (≥ ${threshold}x)`,
    lifted: (build) => `omräknat till ${build}`,
    unknown: (why) => `täckning okänd: ${why}`,
    reasons: {
      unregistered: 'det länkade provet är inte registrerat',
      unchecked: 'provets fil är inte kontrollerad ännu',
      unusable: 'provets fil kan inte användas',
      'other-build': 'provet hör till en annan genomversion, dit varianten inte kan räknas om',
      'other-threshold': 'tröskelvärdet är inte sparat för provet',
      unavailable: 'den kan inte läsas just nu',
    },
    among: ({ carriers, homozygotes, within, covered, total }) =>
      `${carriersOf(carriers, homozygotes)}${within < carriers ? `, varav ${within.toLocaleString('sv')}` : ''} bland ${plural(covered, 'täckt prov', 'täckta prover')} av ${total.toLocaleString('sv')}`,
    ofSamples: ({ carriers, homozygotes, samples }) =>
      `${carriersOf(carriers, homozygotes)} bland ${plural(samples, 'prov', 'prover')}; täckning okänd`,
    oneBased: 'om startpositionen räknas från 1',
    more: (count) => `och ${plural(count, 'variant till', 'varianter till')}`,
  },
  links: 'Matchmaker',
  dashboard: 'Matchmaker: nodens tillstånd',
  none: 'inga',
  new: 'ny',
  statuses: {
    new: 'ny',
    contacted: 'kontaktad',
    'they-contacted': 'har kontaktat oss',
    'follow-up': 'följ upp',
    irrelevant: 'inte relevant',
    solved: 'löst',
  },
  time: (at) => at.toISOString().slice(0, 16).replace('T', ' '),
  list: {
    title: 'Inskickade patienter',
    intro: 'Patienter som har skickats till Matchmaker Exchange, och svaren. Den senaste träffen står först.',
    text: 'Sök i träffar',
    textHint:
      'Den andra patientens id eller kontakt, nod, gemensam gen, eller den inskickade patientens id eller etikett.',
    gene: 'Den inskickade patientens gen',
    term: 'HPO-term',
    termHint: 'Hittar även mer specifika termer.',
    label: 'Etikett eller id',
    submitter: 'Kontakt',
    status: 'Med en träff som är',
    anyStatus: 'i valfri status',
    assignee: 'Handläggare',
    node: 'Nod',
    anyNode: 'valfri nod',
    since: 'Senaste träff från och med',
    all: 'Även patienter utan träffar',
    search: 'Sök',
    filters: 'Fler villkor',
    found: (count) => plural(count, 'inskickad patient', 'inskickade patienter'),
    nothing: 'Ingen inskickad patient hittades.',
    more: 'Det finns fler.',
    readMore: 'Alla inskickade patienter är inte genomsökta.',
    next: 'Fortsätt',
    columns: {
      submission: 'Patient',
      contact: 'Kontakt',
      genes: 'Gener',
      last: 'Senaste träff (UTC)',
      matches: 'Träffar',
      unseen: 'Nya för dig',
    },
  },
  submission: {
    title: (id) => `Inskickad patient ${id}`,
    facts: {
      label: 'Etikett',
      owner: 'Inskickad av',
      contact: 'Kontakt',
      genes: 'Gener',
      purpose: 'Syfte',
      terms: 'HPO-termer',
      changed: 'Ändrad (UTC)',
    },
    stated: 'Patientens gener och varianter',
    matches: (count) => plural(count, 'träff', 'träffar'),
    noMatches: 'Det finns inga träffar ännu.',
    requireGene: 'Kräv en gemensam gen',
    hide: 'Dölj träffar på enbart fenotyp från',
    apply: 'Visa',
    hidden: (count) => `${plural(count, 'träff döljs', 'träffar döljs')} av urvalet ovan.`,
    columns: {
      patient: 'Annan patient',
      node: 'Nod',
      genes: 'Gemensamma gener',
      score: 'Poäng',
      local: 'På denna server',
      seen: 'Först och senast sedd (UTC)',
      status: 'Status',
      assignee: 'Handläggare',
    },
    noGene: 'enbart fenotyp',
    found: 'hittad av vår sökning',
    asked: 'sökte här',
    both: 'hittad av vår sökning, och sökte här',
    higher: (value) => `högre än ${percent(value)} av slumpvisa par`,
    was: (score) => `var ${score}`,
    changed: 'ändrad poäng',
    here: 'Denna server',
    unknownNode: 'inte ansluten nu',
    responded: (at) => `svarade senast ${at}`,
    never: 'har inte svarat ännu',
    failed: (why, at) => `${why} (${at})`,
    handOver: 'Lämna över till en annan kontakt',
    handOverHint:
      'Den nya kontakten visas för andra noder från och med nu och får e-post om nya träffar. Patienten skickas till de anslutna noderna igen.',
    name: 'Namn',
    href: 'E-postadress eller webbadress',
    institution: 'Institution',
    comment: 'Kommentar',
    save: 'Lämna över',
    history: 'Historik',
  },
  row: {
    title: (patient, node) => `${patient} på ${node}`,
    facts: {
      contact: 'Kontakt',
      node: 'Nod',
      genes: 'Gemensamma gener',
      terms: 'Gemensamma HPO-termer',
      former: 'Tidigare id:n',
      seen: 'Först och senast sedd (UTC)',
      way: 'Träff',
      purpose: 'Den andra sidans syfte',
    },
    stated: 'Den andra patientens gener och varianter',
    scores: 'Poäng',
    scoreColumns: {
      at: 'Sedan (UTC)',
      score: 'Poäng',
      genotype: 'Genotyp',
      phenotype: 'Fenotyp',
      reading: 'Jämfört med slumpen',
    },
    work: 'Status och anteckningar',
    status: 'Status',
    assignee: 'Handläggare',
    note: 'Anteckning',
    save: 'Spara',
    mail: 'Skriv till kontakten',
    to: 'Till',
    replies: (addresses) => `Svar går till ${addresses}.`,
    noReplies: 'Den inskickade patientens kontakt har ingen e-postadress: skriv i texten vart svar ska skickas.',
    noAddress: 'Kontakten har ingen e-postadress. Använd webbadressen:',
    noServer: 'Servern skickar ingen e-post: skriv till adressen med ditt eget e-postprogram.',
    subject: 'Ämne',
    text: 'Text',
    keep: 'Spara som utkast',
    send: 'Skicka',
    history: 'Historik',
    nothing: 'Inget har antecknats ännu.',
    columns: { at: 'Tid (UTC)', by: 'Av', what: 'Vad' },
  },
  entries: {
    status: (from, to) => `status: ${from} → ${to}`,
    assignee: (from, to) => `handläggare: ${from} → ${to}`,
    note: 'anteckning',
    draft: 'utkast till e-post sparat',
    contact: (from, to) => `kontakt: ${from} → ${to}`,
    mail: {
      sending: (to) => `e-post till ${to}: inte bekräftad; den kan ha skickats eller inte`,
      sent: (to) => `e-post skickad till ${to}`,
      failed: (to, why) => `e-post till ${to} skickades inte: ${why}`,
    },
  },
};
