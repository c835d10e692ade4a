/** What a panel requires of a report, in Swedish. */
import type { Texts } from '../en.js';

export const requirement: Texts['requirement'] = {
  title: 'Panelens krav',
  required: (percent, depth) =>
    `Panelen kräver ${percent} av sina baser med ${depth} eller mer, och alla baser i sina kärngener. Varje bas räknas en gång.`,
  coreOnly: (depth) => `Panelen kräver alla baser i sina kärngener med ${depth} eller mer.`,
  notMeasured: (genes) => `Dessa gener i panelen mättes inte, så att kravet inte är uppfyllt: ${genes}.`,
  verdict: 'Krav',
  met: 'uppfyllt',
  notMet: 'inte uppfyllt',
  core: 'Kärngener som inte är kompletta',
  below: (percent) => `Andra gener under ${percent} %`,
};
