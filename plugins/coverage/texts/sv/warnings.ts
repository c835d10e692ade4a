/** Quality warnings and notes above the numbers, in Swedish. */
import type { Texts } from '../en.js';
import { swedish } from '../numbers.js';

const { listed, number, plural } = swedish;

export const warnings: Texts['warnings'] = {
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
    'no-genes': 'Inga gener har angetts: inget har mätts.',
    'shared-reads': 'Läsningar av pseudoautosomala gener har troligen delats mellan X och Y.',
    'other-gene': 'Ett Ensembl-id mättes som det angavs; HGNC-genen har flera.',
    'other-transcript': 'Ett transkript mättes inte, eller inte säkert, i den version som angavs.',
    'same-file': 'Samma fil har angetts för flera prover.',
    'not-included': 'Provet kunde inte tas med: dess täckningsfil kan inte användas.',
  },
  nothing: 'Det finns inget att mäta.',
  noMane: (build) => `Inget transkript som är inläst för ${build} är märkt som MANE.`,
  pars: (build) => `Könet predikteras ur X och Y utanför de pseudoautosomala regionerna i ${build}.`,
  more: (count) => `och ${number(count)} till`,
  bedIgnoresGenes: 'Intervallen kommer från BED-filen; genlistan används inte.',
};
