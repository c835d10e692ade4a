/** Which bases a page counts, in Swedish. */
import type { Texts } from '../en.js';
import { swedish } from '../numbers.js';

const { number, plural } = swedish;

export const counted: Texts['counted'] = {
  label: 'Räknade baser',
  fact: (splice) =>
    splice === 0
      ? 'kodande baser med start- och stoppkodon'
      : `kodande baser med start- och stoppkodon, och ${plural(splice, 'splitsbas', 'splitsbaser')} i intronet där ett kodande segment slutar vid ett intron`,
  ofExons: (genes) => `icke-kodande, räknade på sina exoner: ${genes}`,
  preferred: 'MANE Select och MANE Plus Clinical, annars RefSeq mRNA, annars alla',
  byDefault: (type) => `Standard: ${type}`,
  unknown: (build) =>
    `De inlästa exonerna för ${build} anger inte vilka baser som är kodande. Läs in en GTF- eller GFF3-fil (filer från BioMart anger det inte) eller välj exoner.`,
  fellBack: (build) =>
    `Exoner räknas i stället för kodande baser: de inlästa exonerna för ${build} anger inte vilka baser som är kodande. Det gör en GTF- eller GFF3-fil.`,
  open: (count) =>
    `${plural(count, 'transkript har', 'transkript har')} en ofullständig kodande sekvens i genuppsättningen; baserna som saknas där räknas inte:`,
  openEnds: { start: 'början saknas', end: 'slutet saknas', both: 'början och slutet saknas' },
  title: 'Kodande baser och splitsbaser',
  caption: (splice) =>
    `Kodande baser omfattar start- och stoppkodon. Splitsbaser: upp till ${number(splice)} i intronet vid varje ände av ett kodande segment där, inga vid otranslaterade exoner. Baser som transkript delar räknas en gång.`,
  column: 'Räknade baser',
  kinds: {
    coding: 'Kodande',
    splice: 'Splits',
    nonCoding: 'Exoner i icke-kodande gener',
    together: 'Sammanlagt',
  },
  nonCoding: 'icke-kodande',
  share: {
    coding: (share) => `kodande ${share}`,
    exonic: (share) => `exoner ${share}`,
    withSplice: (share) => `med splits ${share}`,
  },
  belowTranscripts: (depth, splice) =>
    `I liten stil visas täckningsgraden vid ${depth} för de kodande baserna${splice === 0 ? '' : `, utan och med ${plural(splice, 'splitsbas', 'splitsbaser')} i intronerna intill`}.`,
  below:
    'I liten stil visas täckningsgraden för enbart de kodande baserna, och för alla exonbaser i samma transkript, även otranslaterade delar.',
  cohort: 'De kodande baser och splitsbaser som rapporten räknar jämförs; av icke-kodande gener exonerna.',
};
