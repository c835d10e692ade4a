/** Links to genome browsers at a region. They pass on the build and the region, and nothing about samples. */
import type { Build } from '../contract.js';
import type { Region } from '../domain/region.js';
import type { Texts } from '../texts/texts.js';
import type { Link } from './view.js';

export function browserLinks(build: Build, { chromosome, start, end }: Region, texts: Texts): Link[] {
  const ucsc = new URL('https://genome.ucsc.edu/cgi-bin/hgTracks');
  ucsc.searchParams.set('db', build === 'GRCh37' ? 'hg19' : 'hg38');
  // The chrM of hg19 is an older sequence than MT of GRCh37.
  const own = chromosome === 'MT' && build === 'GRCh38' ? 'M' : chromosome;
  ucsc.searchParams.set('position', `chr${own.replace(/^chr/i, '')}:${start + 1}-${end}`);
  const ensembl = new URL(build === 'GRCh37' ? 'https://grch37.ensembl.org' : 'https://www.ensembl.org');
  ensembl.pathname = '/Homo_sapiens/Location/View';
  ensembl.searchParams.set('r', `${chromosome}:${start + 1}-${end}`);
  return [
    { text: texts.gene.browser, href: ucsc.href },
    { text: texts.gene.ensembl, href: ensembl.href },
  ];
}
