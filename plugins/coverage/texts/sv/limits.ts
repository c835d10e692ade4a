/** What a report covers and what it cannot show, in Swedish. */
import type { Texts } from '../en.js';
import { swedish } from '../numbers.js';

const { number, plural } = swedish;

export const limits: Texts['limits'] = {
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
