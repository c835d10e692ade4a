/** Gene panels, in Swedish. */
import type { Texts } from '../en.js';
import { swedish } from '../numbers.js';

const { number, plural } = swedish;

export const panels: Texts['panels'] = {
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
  otherConfidence: (level) => `${level}: inte bland de gener i panelen som efterfrågats`,
  notAGene: 'omfattas inte av denna typ av rapport',
};
