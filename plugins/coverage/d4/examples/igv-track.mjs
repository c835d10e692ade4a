/** A track of igv.js with the depths of a D4 file. */
import { chromosomeIndex, openD4 } from 'trefoil/d4/browser';

const mostParts = 2000;

class D4Reader {
  constructor(location) {
    this.location = location;
  }

  open() {
    this.file ??= openD4(this.location).catch((error) => {
      this.file = undefined; // the next view tries again
      throw error;
    });
    return this.file;
  }

  async readFeatures(chr, start, end) {
    const file = await this.open();
    const { chromosomes } = file.track();
    const { name, size } = chromosomes[chromosomeIndex(chromosomes, chr, true)] ?? { size: 0 };
    const [begin, stop] = [Math.max(0, Math.floor(start)), Math.min(size, Math.ceil(end))];
    if (begin >= stop) return [];
    const interval = { chromosome: name, begin, end: stop };
    const { begins, means } = await file.profile({ interval, parts: mostParts });
    return Array.from(means, (value, i) => ({ chr, start: begins[i], end: begins[i + 1] ?? stop, value }));
  }
}

// With expandQuery and disableCache igv.js asks for what is shown: the resolution is that of the screen.
// igv.createBrowser(element, { genome: 'hg38', tracks: [d4Track('https://example.org/sample.d4')] });
export function d4Track(location) {
  return { type: 'wig', name: 'Depth', reader: new D4Reader(location), expandQuery: false, disableCache: true };
}
