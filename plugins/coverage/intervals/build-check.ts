/** Checks that the rows of a file are at the positions that their genes have in the build they are loaded for. */
import { Fault } from '../../../core/plugin.js';
import { type Batch, type Build, builds, type IntervalRepository, type Place } from '../contract.js';
import { anchors } from './anchors.js';

interface Found {
  gene: string;
  place: Place;
}

/** Rows that are compared with the loaded sets. Rows of anchors are all compared. */
const mostSampled = 1000;

/** Genes that must contradict a build if none of them is an anchor. */
const fewestGenes = 3;

const anchored = new Set(anchors.map(({ ensembl }) => ensembl));
/** Files of RefSeq have other ids of genes. */
const ofHgnc = new Map<number | undefined, string>(anchors.map(({ hgnc, ensembl }) => [hgnc, ensembl]));

/** Takes an evenly spread sample of the rows that pass, and compares it at the end. */
export class BuildCheck {
  readonly #build: Build;
  readonly #ofAnchors: Found[] = [];
  #sample: Found[] = [];
  #seen = 0;
  #every = 1;

  constructor(build: Build) {
    this.#build = build;
  }

  take({ genes = [], transcripts = [], exons = [] }: Batch): void {
    for (const row of genes) {
      const anchor = row.ensembl.startsWith('GeneID:') ? ofHgnc.get(row.hgnc) : undefined;
      this.#look(anchor ?? row.ensembl, row);
    }
    for (const row of transcripts) this.#look(row.gene, row);
    for (const row of exons) this.#look(row.gene, row);
  }

  /** Throws an `unprocessable` fault if more rows contradict the build than fit it. */
  async judge(file: string, repository: Pick<IntervalRepository, 'select'>): Promise<void> {
    const other = builds.find((build) => build !== this.#build) ?? this.#build;
    const rows = [...this.#ofAnchors, ...this.#sample];
    const genes = [...new Set(rows.map(({ gene }) => gene))];
    const [here, there] = await Promise.all([known(repository, this.#build, genes), known(repository, other, genes)]);
    let [right, wrong, foreign] = [0, 0, 0];
    const doubtful = new Set<string>();
    for (const { gene, place } of rows) {
      const [fits, fitsOther] = [here, there].map((places) => places.get(gene)?.some((one) => meet(one, place)));
      // A gene that is unknown, or at this position in both builds or in neither, says nothing about the build.
      if (fits === fitsOther) continue;
      if (fits ?? !fitsOther) {
        right += 1;
      } else {
        wrong += 1;
        if (fitsOther) foreign += 1;
        doubtful.add(gene);
      }
    }
    // Some genes have nearly the same position in both builds.
    const isClear = doubtful.size >= fewestGenes || [...doubtful].some((gene) => anchored.has(gene));
    if (wrong <= right || !isClear) return;
    const hint = foreign > wrong / 2 ? ` The file seems to be of ${other}.` : '';
    throw new Fault(
      'unprocessable',
      `${file} does not fit ${this.#build}: of ${right + wrong} rows that were compared with the known positions of ` +
        `their genes, ${wrong} are elsewhere.${hint} The old set stays. Force the load if the file is right`,
    );
  }

  #look(gene: string, { chromosome, start, end }: Place): void {
    if (chromosome === 'MT') return; // the same in both builds
    if (anchored.has(gene)) this.#ofAnchors.push({ gene, place: { chromosome, start, end } });
    else if (this.#seen++ % this.#every === 0) this.#sample.push({ gene, place: { chromosome, start, end } });
    if (this.#sample.length < mostSampled) return;
    this.#sample = this.#sample.filter((_, i) => i % 2 === 0);
    this.#every *= 2;
  }
}

/** The positions of genes in a build: of anchors as listed here, of others as in the loaded set. */
async function known(
  repository: Pick<IntervalRepository, 'select'>,
  build: Build,
  genes: readonly string[],
): Promise<Map<string, Place[]>> {
  const places = new Map<string, Place[]>();
  for (const { ensembl, chromosome, start, end } of await repository.select('genes', build, { genes })) {
    if (anchored.has(ensembl)) continue;
    const known = places.get(ensembl);
    if (known === undefined) places.set(ensembl, [{ chromosome, start, end }]);
    else known.push({ chromosome, start, end });
  }
  for (const { ensembl, chromosome, ends } of anchors) {
    const [first, last] = ends[build];
    places.set(ensembl, [{ chromosome, start: first - 1, end: last }]);
  }
  return places;
}

function meet(left: Place, right: Place): boolean {
  return left.chromosome === right.chromosome && left.start < right.end && right.start < left.end;
}
