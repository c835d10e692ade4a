/** The header, the sections and the explanations of pages, in Swedish. */
import type { Texts } from '../en.js';
import { swedish } from '../numbers.js';

const { decimal, number, plural } = swedish;

export const reporting: Pick<
  Texts,
  'header' | 'sex' | 'metrics' | 'full' | 'incomplete' | 'gaps' | 'curve' | 'overview' | 'gene' | 'mane' | 'explain'
> = {
  header: {
    about: 'Om rapporten',
    case: 'Fall',
    panel: 'Panel',
    samples: 'Prover',
    build: 'Referensgenom',
    level: 'Tröskelvärde för täckning',
    thresholds: 'Redovisade läsdjup',
    requested: 'Efterfrågat',
    intervals: 'Intervall',
    transcripts: 'Val av transkript',
    sets: 'Genuppsättning',
    set: (kinds, release, loaded, checksum) =>
      `${kinds}: ${release ?? 'utgåva ej angiven'}, inläst ${loaded}, ${checksum}`,
    file: 'Täckningsfil',
    fingerprint: 'Fingeravtryck',
    notIncluded: 'I rapporten',
    included: 'ja',
    noFile: 'Filen finns inte eller är inte åtkomlig.',
    declared: 'Angivet kön',
    analysed: 'Analyserat',
    group: 'Grupp',
    sample: 'Prov',
    method: 'Metod',
    methodText:
      'Varje unik bas i intervallen räknas en gång, med sitt läsdjup i D4-filen. Täckningsgrader beräknas ur exakta antal och avrundas till två decimaler; 100 % visas bara om alla baser når läsdjupet.',
    software: 'Program',
    made: 'Skapad',
    version: (version) => `Trefoil ${version}`,
    noFingerprintNote: 'Fingeravtrycket ändras med filens storlek, ändringstid och filhuvud.',
    coordinates: 'Koordinater är 1-baserade, inklusive; BED- och JSON-exporter är 0-baserade, halvöppna.',
    genesAsked: (asked, targets) => `${plural(asked, 'gen', 'gener')}, ${targets}`,
    targetCount: (count, [one, many]) => plural(count, one, many),
  },

  sex: {
    title: 'Könskontroll',
    predicted: 'Predikterat kön',
    declared: 'Angivet kön',
    x: 'Medelläsdjup X',
    y: 'Medelläsdjup Y',
    autosomes: 'Medelläsdjup autosomer',
    xRatio: 'X / autosomer',
    yRatio: 'Y / autosomer',
    matches: (predicted) => `${predicted}, stämmer med angivet kön`,
    mismatch: (predicted) => `${predicted}, stämmer inte med angivet kön`,
    none: '–',
  },

  metrics: {
    title: 'Täckning',
    caption: (bases, count, counted) =>
      `Medelläsdjup, och täckningsgrad (andel baser) vid varje läsdjup; ${number(bases)} unika baser i ${count}. Räknade: ${counted}.`,
    mean: 'Medelläsdjup',
    completeness: (depth) => `≥ ${depth}`,
  },

  full: {
    title: (kind, depth) => `Fullständigt täckta ${kind} vid ${depth}`,
    caption: 'Fullständigt täckt: alla baser når tröskelvärdet.',
    share: 'Fullständigt täckta',
    incomplete: 'Ej fullständigt täckta',
    genes: 'Gener med ofullständig täckning',
    all: 'Alla baser i alla intervall når tröskelvärdet.',
    of: (count, all) => `${number(count)} av ${number(all)}`,
  },

  incomplete: {
    title: (depth) => `Gener med ofullständig täckning vid ${depth}`,
    caption: (depth) => `Täckningsgrad vid ${depth}; baser som genens intervall delar räknas en gång.`,
    hint: 'Välj en kolumnrubrik för att sortera, en gen för att öppna dess sida.',
    gene: 'Gen',
    lowest: 'Lägst',
    more: (count) => `Ytterligare ${plural(count, 'gen', 'gener')} visas inte här; CSV- och JSON-exporten har alla.`,
  },

  gaps: {
    title: (depth) => `Regioner under ${depth}`,
    summary: (intervals, regions) =>
      `${plural(regions, 'region', 'regioner')} i ${plural(intervals, 'intervall', 'intervall')}`,
    caption:
      'Koordinater och längd för varje region med låg täckning; exon och kodande position (HGVS c.) om transkriptet är känt.',
    gene: 'Gen',
    interval: 'Intervall',
    none: 'inga',
    more: (count) =>
      `Ytterligare ${plural(count, 'intervall', 'intervall')} visas inte här; BED- och JSON-exporten har alla.`,
    moreInCell: (count, bases) => `och ${number(count)} till (${number(bases)} bp)`,
    track: 'läsdjup (bedGraph)',
  },

  curve: {
    title: 'Kumulativ täckning',
    axis: 'Läsdjup',
    caption: 'Täckningsgrad vid varje läsdjup. Lodräta linjer: redovisade läsdjup; röd: tröskelvärdet.',
    sample: (name, shares) =>
      `${name}: ${shares.map(([depth, share]) => `${decimal(share * 100)} % vid ${depth}×`).join(', ')}.`,
    table: 'Kurvans data',
  },

  overview: {
    title: (depth) => `Intervall med baser under ${depth}`,
    caption: (shown, all) => `${shown} av ${plural(all, 'intervall', 'intervall')}; täckningsgrad vid tröskelvärdet.`,
    none: (depth) => `Alla baser i alla intervall når ${depth}.`,
    noMatch: 'Inget intervall matchar filtret.',
    gene: 'Gen',
    interval: 'Intervall',
    place: 'Position',
    levels: 'Tröskelvärde för täckning',
    filter: 'Filtrera på gen, intervall eller transkript',
    sort: 'Sortering',
    sorts: { gene: 'efter gen', interval: 'efter position', completeness: 'lägst täckningsgrad först' },
    apply: 'Använd',
    part: (part, parts) => `Del ${number(part)} av ${number(parts)}`,
    previous: 'Föregående del',
    next: 'Nästa del',
    range: (from, to) => `${number(from)}–${number(to)}`,
  },

  gene: {
    title: (symbol) => `Täckning för ${symbol}`,
    plot: 'Läsdjup längs genen',
    plotCaption: (transcript) =>
      `Exoner i ${transcript} skalenligt, introner hoptryckta. Linje: medelläsdjup; skuggning: ned till det lägsta; röda markeringar: baser under tröskelvärdet.`,
    plotOf: (sample, transcript) => `Läsdjup för ${sample} längs ${transcript}`,
    plotText: (sample, exons, mean, gaps, level) =>
      `${sample}: ${plural(exons, 'exon', 'exoner')}, medelläsdjup ${mean}; ${gaps === 0 ? `ingen bas under ${level}` : `${plural(gaps, 'region', 'regioner')} under ${level}`}.`,
    transcripts: 'Transkript',
    exons: (count) => plural(count, 'exon', 'exoner'),
    exonColumn: 'Exon',
    exon: (rank) => `Exon ${rank}`,
    size: (bases) => `${number(bases)} exonbaser`,
    coding: (bases) => `${number(bases)} kodande`,
    notCoding: 'kodande sekvens okänd',
    draw: 'Rita detta transkript',
    drawn: 'ritat ovan',
    browser: 'UCSC Genome Browser',
    ensembl: 'Ensembl',
    external: 'Länkar öppnar en annan webbplats, som får positionen och inget annat.',
    forward: 'plussträngen',
    reverse: 'minussträngen, ritad från första exonen',
    tableOf: (id) => `Transkript ${id}`,
    bases: 'Baser',
  },

  mane: {
    title: 'MANE-transkript',
    caption: 'Exonbaser för varje transkript i MANE Select och MANE Plus Clinical.',
    transcript: 'Transkript',
    select: 'MANE Select',
    plusClinical: 'MANE Plus Clinical',
    refseq: 'RefSeq',
  },

  explain: {
    title: 'Förklaringar',
    items: [
      [
        'Medelläsdjup',
        'Summan av läsdjupen för alla unika baser, delad med deras antal. Baser som intervall delar räknas en gång.',
      ],
      ['Täckningsgrad ≥ 20×', 'Andel av de unika baserna med ett läsdjup på minst 20.'],
      [
        'Fullständigt täckt',
        'Andel av intervallen där alla baser når tröskelvärdet, avgjort av exakta antal, inte av en avrundad andel.',
      ],
    ],
    sex: 'Kön',
    sexRule: (male, female) =>
      `Predikteras ur medelläsdjupen på X och Y utanför de pseudoautosomala regionerna: man om X/Y är högst ${male}, kvinna om kvoten är minst ${female}, okänt däremellan eller om för lite av X har sekvenserats.`,
  },
};
