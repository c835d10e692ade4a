/** What a report says as a FHIR document, in Swedish. */
import type { Texts } from '../en.js';

export const fhir: Texts['fhir'] = {
  subject: 'Anges inte: provet är kopplat till personen',
  part: (gene, reached, bases, percent, depth) =>
    `${gene}: ${reached} av ${bases} baser (${percent} %) når ${depth}; BED-filerna har regionerna`,
  regions: (depth) =>
    `Bedömbart (called): alla baser når ${depth}. Gener som täcks delvis listas som ej bedömbara (uncalled), med andelen täckta baser; BED-filerna har de exakta regionerna.`,
  metrics: (bases, depth, counted) =>
    `Medelläsdjup, och andelen baser som når ${depth}, för ${bases} unika baser (${counted}).`,
  files: {
    studied: (build) => `Undersökta regioner, ${build}`,
    called: (build, depth) => `Undersökta regioner som når ${depth}, ${build}`,
    uncalled: (build, depth) => `Undersökta regioner under ${depth}, ${build}`,
  },
  sites: (sets, callable, all, depth) => `Kända varianter (${sets}): ${callable} av ${all} bedömbara vid ${depth}.`,
  depths: 'Läsdjup för varje bas (D4)',
};
