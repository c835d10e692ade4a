/** Figures of Picard CollectHsMetrics, in Swedish. */
import type { Texts } from '../en.js';

export const hsMetrics: Texts['hsMetrics'] = {
  title: 'Picard HsMetrics',
  caption:
    'Så som filen från Picard CollectHsMetrics anger det, bredvid värden med samma formel ur läsdjupen i D4-filen; Picard räknar sina egna målregioner och filtrerar läsningar och baser först. Procenttal (PCT) är andelar.',
  metric: 'Värde',
  fromPicard: (sample) => `${sample}: Picard`,
  fromDepths: (sample) => `${sample}: läsdjup`,
  otherSample: (name, other) => `Filen som angavs för ${name} gäller ett annat prov: ${other}.`,
  noSample: (samples) => `Det finns inget prov med detta nummer: formuläret har ${samples}.`,
  path: (place) => `HsMetrics-fil för prov ${place}: sökväg på servern`,
  pasted: (place) => `eller texten i filen för prov ${place}`,
};
