/** What the pages report: the header, the sections and the explanations, in Swedish. */
import type { Texts } from '../texts.js';
import { decimal, number, plural } from './numbers.js';

export const reporting: Pick<
  Texts,
  'header' | 'sex' | 'metrics' | 'full' | 'gaps' | 'curve' | 'overview' | 'gene' | 'mane' | 'explain'
> = {
  header: {
    about: 'Om rapporten',
    case: 'Fall',
    panel: 'Panel',
    samples: 'Prover',
    build: 'Genombygge',
    level: 'Räknas som täckt från',
    thresholds: 'Rapporterade djup',
    intervals: 'Intervall',
    transcripts: 'Regel för transkript',
    sets: 'Genuppsättning',
    set: (kinds, release, loaded, checksum) =>
      `${kinds}: ${release ?? 'utgåva ej angiven'}, inläst ${loaded}, ${checksum}`,
    file: 'Täckningsfil',
    fingerprint: 'Fingeravtryck',
    declared: 'Angivet kön',
    analysed: 'Analyserat',
    group: 'Grupp',
    sample: 'Prov',
    method: 'Metod',
    methodText:
      'Varje unik bas i intervallen räknas en gång, från djupen i D4-filen; andelar är exakta och avrundas till två decimaler sist, och 100 % visas bara där varje bas når djupet.',
    software: 'Program',
    made: 'Skapad',
    version: (version) => `Trefoil ${version}`,
    noFingerprintNote: 'Fingeravtrycket ändras med filens storlek, tid och huvud.',
    coordinates:
      'Lägen räknar baser från 1, första och sista inräknade; BED- och JSON-exporter räknar från 0, slutet ej inräknat.',
    genesAsked: (asked, targets) => `${plural(asked, 'gen', 'gener')} efterfrågade, ${targets}`,
    targetCount: (count, [one, many]) => plural(count, one, many),
  },

  sex: {
    title: 'Kön enligt sekvensen',
    predicted: 'Förutsagt',
    declared: 'Angivet',
    x: 'Medeldjup X',
    y: 'Medeldjup Y',
    autosomes: 'Medeldjup autosomer',
    xRatio: 'X / autosomer',
    yRatio: 'Y / autosomer',
    mismatch: 'motsägs',
    agrees: 'stämmer',
    none: '–',
  },

  metrics: {
    title: 'Djup och täckningsgrad',
    caption: (bases, count) => `Över ${number(bases)} unika baser i ${count}.`,
    mean: 'Medeldjup',
    completeness: (depth) => `≥ ${depth}`,
  },

  full: {
    title: (kind, depth) => `Fullständigt täckta ${kind} vid ${depth}`,
    caption: 'Fullständigt betyder att varje enskild bas når djupet.',
    share: 'Fullständigt täckta',
    incomplete: 'Ofullständiga',
    genes: 'Ofullständigt täckta gener',
    all: 'Varje bas i varje intervall når djupet.',
    none: '–',
    of: (count, all) => `${number(count)} av ${number(all)}`,
  },

  gaps: {
    title: (depth) => `Sträckor under ${depth}`,
    summary: (intervals, stretches) =>
      `${plural(stretches, 'sträcka', 'sträckor')} i ${plural(intervals, 'intervall', 'intervall')}, bas för bas`,
    caption: 'Första och sista bas i varje sträcka, räknade från 1, och dess längd.',
    gene: 'Gen',
    interval: 'Intervall',
    none: 'inga',
    more: (count) =>
      `${plural(count, 'ytterligare ofullständigt intervall', 'ytterligare ofullständiga intervall')} visas inte här: BED-exporten har alla.`,
    moreInCell: (count, bases) => `och ${number(count)} till (${number(bases)} bp)`,
  },

  curve: {
    title: 'Kumulativ täckning',
    axis: 'Djup',
    caption: 'Andel av de unika baserna som når varje djup. Lodräta linjer: rapporterade djup; röd: det som avgör.',
    sample: (name, shares) =>
      `${name}: ${shares.map(([depth, share]) => `${decimal(share * 100)} % når ${depth}×`).join(', ')}.`,
    table: 'Kurvan i siffror',
  },

  overview: {
    title: (depth) => `Intervall med baser under ${depth}`,
    caption: (shown, all) => `${shown} av ${plural(all, 'intervall', 'intervall')}; andel baser som når djupet.`,
    none: (depth) => `Varje bas i varje intervall når ${depth}.`,
    noMatch: 'Inget intervall passar filtret.',
    gene: 'Gen',
    interval: 'Intervall',
    place: 'Läge',
    levels: 'Djup som avgör',
    filter: 'Visa bara (gen, intervall eller transkript)',
    sort: 'Ordning',
    sorts: { gene: 'efter gen', interval: 'efter läge', completeness: 'sämst först' },
    apply: 'Använd',
    part: (part, parts) => `Del ${number(part)} av ${number(parts)}`,
    previous: 'Föregående del',
    next: 'Nästa del',
    range: (from, to) => `${number(from)}–${number(to)}`,
  },

  gene: {
    title: (symbol) => `Täckning av ${symbol}`,
    plot: 'Djup längs genen',
    plotCaption: (transcript) =>
      `Exoner i ${transcript} skalenligt, introner hoptryckta. Linje: medeldjup; skugga: ned till det minsta; röda märken: baser under det avgörande djupet.`,
    plotOf: (sample, transcript) => `Djup för ${sample} längs ${transcript}`,
    plotText: (sample, exons, mean, gaps, level) =>
      `${sample}: ${plural(exons, 'exon', 'exoner')}, medeldjup ${mean}; ${gaps === 0 ? `ingen bas under ${level}` : `${plural(gaps, 'sträcka', 'sträckor')} under ${level}`}.`,
    transcripts: 'Transkript',
    exons: (count) => plural(count, 'exon', 'exoner'),
    exonColumn: 'Exon',
    exon: (rank) => `Exon ${rank}`,
    size: (bases) => `${number(bases)} baser i exoner`,
    coding: (bases) => `${number(bases)} kodande`,
    notCoding: 'kodande del ej känd',
    draw: 'Rita detta transkript',
    drawn: 'ritat ovan',
    browser: 'UCSC Genome Browser',
    ensembl: 'Ensembl',
    external: 'Länkar öppnar en annan webbplats, som får veta läget och inget annat.',
    forward: 'läses från vänster till höger',
    reverse: 'på den omvända strängen, visas från sin första exon',
    tableOf: (id) => `Transkript ${id}`,
    bases: 'Baser',
  },

  mane: {
    title: 'MANE-transkript',
    caption: 'Baser i exoner för varje transkript i MANE Select och MANE Plus Clinical, var och ett på egen rad.',
    transcript: 'Transkript',
    select: 'MANE Select',
    plusClinical: 'MANE Plus Clinical',
    refseq: 'RefSeq',
  },

  explain: {
    title: 'Förklaringar',
    items: [
      [
        'Medeldjup',
        'Summan av djupen för alla unika baser, delad med deras antal. Baser som intervall delar räknas en gång.',
      ],
      ['Täckningsgrad', 'Andel av de unika baserna vars djup är minst det angivna.'],
      [
        'Fullständigt täckt',
        'Andel av intervallen där varje bas har minst det avgörande djupet. Det avgörs genom att räkna, aldrig av en avrundad andel.',
      ],
    ],
    sex: 'Kön',
    sexRule: (male, female) =>
      `Från medeldjupen på X och Y utanför de pseudoautosomala regionerna: en kvot X till Y upp till ${male} är man, från ${female} kvinna, och däremellan okänt. För lite sekvens på X är okänt.`,
  },
};
