/** A gene with its exons, and where alleles lie in it, drawn to scale on every width. */
import { type Html, html } from '../../../../core/plugin.js';
import type { GeneStructure } from '../../../services/coverage.js';
import type { Texts } from './texts/texts.js';

type Stretch = Pick<GeneStructure, 'start' | 'end'>;

export interface PictureOptions {
  gene: GeneStructure;
  /** Zero-based, half-open; those of alleles within the gene are drawn. */
  alleles: readonly Stretch[];
  texts: Texts;
  /** Unique on the page. */
  id: string;
}

/** Marks that are drawn, at most: more would run together. */
const mostMarks = 500;

export function picture({ gene, alleles, texts, id }: PictureOptions): Html {
  const name = gene.symbol ?? gene.ensembl;
  const bases = gene.end - gene.start;
  const here = alleles.filter(({ start, end }) => start < gene.end && Math.max(end, start + 1) > gene.start);
  const percent = (value: number) => `${Math.round((10_000 * value) / bases) / 100}%`;
  /** At least so wide that it can be seen. */
  const box = ({ start, end }: Stretch, least: number, kind: string, y: number, height: number) => {
    const [first, last] = [Math.max(start, gene.start), Math.min(Math.max(end, start + 1), gene.end)];
    const width = Math.max(last - first, bases * least);
    const x = Math.min(first - gene.start, bases - width);
    return html`<rect class="${kind}" x="${percent(x)}" y="${y}" width="${percent(width)}" height="${height}"/>`;
  };
  const note = texts.pictureNote(name, gene.exons.length, gene.transcript);
  return html`<figure class="gene">
<svg width="100%" height="46" role="img" aria-labelledby="${id}">
<title id="${id}">${texts.pictureTitle(name)}</title>
<line class="gene-line" x1="0" x2="100%" y1="30" y2="30"/>
${gene.exons.map((exon) => box(exon, 1 / 300, 'exon', 22, 16))}
${here.slice(0, mostMarks).map((allele) => box(allele, 1 / 250, 'allele', 2, 16))}
</svg>
<p class="ends"><span>${gene.chromosome}:${texts.number(gene.start + 1)}</span><span aria-hidden="true">${arrow(gene)}</span><span>${texts.number(gene.end)}</span></p>
<figcaption>${note}</figcaption>
</figure>
`;
}

/** The direction of transcription. */
function arrow({ strand }: GeneStructure): string {
  return strand === undefined ? '' : strand === 1 ? '→' : '←';
}
