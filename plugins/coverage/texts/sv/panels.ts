/** Gene panels, in Swedish. */
import type { Texts } from '../en.js';
import { swedish } from '../numbers.js';

const { number } = swedish;

export const panels: Texts['panels'] = {
  field: 'Genpanel: ID@VERSION, eller ID för den senast signerade versionen',
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
};
