/** What must be known before the numbers are read, in Swedish. */
import type { Texts } from '../texts.js';
import { number, plural } from './numbers.js';

export const warnings: Texts['warnings'] = {
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
  sexMismatch: (sample, declared, found) => `${sample}: angivet ${declared}, men djupen på X och Y talar för ${found}.`,
  yOfFemale: (genes) =>
    `räknas som kvinna, så att Y inte väntas vara täckt. Det som efterfrågas på Y räknas ändå som ofullständigt: ${genes}.`,
  measured: {
    'unknown-build': 'Genombygget kan inte avgöras av filens kromosomer.',
    'contig-length': 'Kromosomer i filen har inte byggets längd.',
    'missing-chromosome': 'Filen saknar kromosomer som behövs: deras baser räknas som otäckta.',
    'beyond-end': 'Ett intervall går utanför kromosomens slut: baserna där räknas som otäckta.',
    'lost-records': 'Filen har förlorat poster: djup kan saknas.',
    capped: 'Djupen ser ut att vara avkapade vid filens största värde.',
    'odd-file': 'Filen kan läsas men är inte som den borde.',
    'several-tracks': 'Filen har flera spår, av vilka det första lästes.',
    'little-evidence': 'För lite av X har sekvenserats för att könet ska kunna bestämmas.',
  },
  nothing: 'Det finns inget att mäta.',
  noMane: (build) => `De transkript som är inlästa för ${build} anger inte att de hör till MANE.`,
  pars: (build) => `Könet bestäms från X och Y utan de pseudoautosomala regionerna i ${build}.`,
  more: (count) => `och ${number(count)} till`,
  bedIgnoresGenes: 'Intervallen är BED-filens: gener som nämns slås inte upp.',
};
