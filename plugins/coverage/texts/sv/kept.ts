/** Kept reports, in Swedish. */
import type { Texts } from '../en.js';
import { swedish } from '../numbers.js';

const { number, plural } = swedish;

export const kept: Texts['kept'] = {
  id: 'Rapport-id',
  field: 'Spara rapporten, så att den kan öppnas igen som den är',
  always: 'Alla rapporter sparas, så att de kan öppnas igen som de är.',
  off: 'kan inte användas: servern sparar inga rapporter (inställningen plugins.coverage.reports)',
  note: 'Rapporten är sparad.',
  open: 'Öppna den på dess adress',
  title: 'Sparad rapport',
  opened: (made, madeBy, opened, openedBy) =>
    `Beräknad ${made} av ${madeBy}, och inte beräknad på nytt. Visad ${opened} av ${openedBy}.`,
  newerTitle: 'Nyare panelversion',
  newer: (used, latest, genes) =>
    `Rapporten använde ${used}. Sedan dess är ${latest} signerad, där ${plural(genes, 'gen skiljer', 'gener skiljer')} sig.`,
  changes: {
    added: 'Tillagda',
    removed: 'Borttagna',
    promoted: 'Uppgraderade',
    demoted: 'Nedgraderade',
    renamed: 'Omdöpta',
    changed: 'Ändrade på annat sätt',
  },
  more: (count) => `och ${number(count)} till`,
  formats: { pdf: 'PDF', json: 'JSON, som den skickades' },
  list: {
    title: 'Sparade rapporter',
    link: 'Sparade rapporter',
    intro:
      'Rapporter vars prover du får se, de senaste först. För en gen alla rapporter som mätte den, som inte kunde mäta den, eller vars panel har den med en evidensgrad som inte efterfrågades.',
    gene: 'Gen: HGNC-id, Ensembl-id eller symbol',
    panel: 'Panel: ID, ID@VERSION eller namn',
    sample: 'Prov: id eller namn',
    search: 'Sök',
    none: 'Det finns inga sådana rapporter.',
    unknownGene: (gene) =>
      `${gene} är inte en gen i de inlästa genuppsättningarna. Här visas rapporter som beställdes med detta namn.`,
    panelsOf: (gene) => `Panelversioner med ${gene}`,
    noPanels: 'Ingen version som du får läsa.',
    uncertain: 'Inte genomsökta: namnet betyder inte säkert en enda gen. Sök med HGNC-id eller godkänd symbol.',
    entry: (given) => `posten ${given}, som ännu saknar gen, kan vara den`,
    shown: (count) => plural(count, 'rapport', 'rapporter'),
    next: 'Tidigare rapporter',
    columns: {
      made: 'Beräknad',
      report: 'Rapport',
      samples: 'Prover',
      panel: 'Panel',
      genes: 'Gener',
      gene: 'Genen',
      by: 'Beställd av',
      software: 'Programvara',
    },
    missing: (count) => `${number(count)} ej mätta`,
    held: { measured: 'mätt', missing: 'ej mätt', left: 'i panelen, ej efterfrågad' },
  },
};
