/** Whether the rows of a file lie where their genes lie in the build that they are loaded for. */
import { Fault } from '../../../core/plugin.js';
import { type Batch, type Build, builds, type IntervalRepository, type Place } from '../contract.js';
import { anchors } from './anchors.js';

interface Found {
  gene: string;
  place: Place;
}

/** Rows that are compared with the sets in place; those of anchors are compared all. */
const mostSampled = 1000;

/** Genes that must speak against a build, where none of them is an anchor. */
const fewest = 3;

const anchored = new Set(anchors.map(({ ensembl }) => ensembl));

/** Gathers a sample of the rows that pass, evenly spread; then judges. */
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
    for (const row of genes) this.#look(row.ensembl, row);
    for (const row of transcripts) this.#look(row.gene, row);
    for (const row of exons) this.#look(row.gene, row);
  }

  /** Throws an `unprocessable` fault where more rows speak against the build than for it. */
  async judge(file: string, repository: Pick<IntervalRepository, 'select'>): Promise<void> {
    const other = builds.find((build) => build !== this.#build) ?? this.#build;
    const rows = [...this.#ofAnchors, ...this.#sample];
    const genes = [...new Set(rows.map(({ gene }) => gene))];
    const [here, there] = await Promise.all([known(repository, this.#build, genes), known(repository, other, genes)]);
    let [right, wrong, foreign] = [0, 0, 0];
    const doubtful = new Set<string>();
    for (const { gene, place } of rows) {
      const [fits, fitsOther] = [here, there].map((places) => places.get(gene)?.some((one) => meet(one, place)));
      // What is known of neither build, and what lies in both or in neither as it does here, tells nothing.
      if (fits === fitsOther) continue;
      if (fits ?? !fitsOther) {
        right += 1;
      } else {
        wrong += 1;
        if (fitsOther) foreign += 1;
        doubtful.add(gene);
      }
    }
    // Some genes lie in both builds at much the same place.
    const isClear = doubtful.size >= fewest || [...doubtful].some((gene) => anchored.has(gene));
    if (wrong <= right || !isClear) return;
    const hint = foreign > wrong / 2 ? ` The file seems to be of ${other}.` : '';
    throw new Fault(
      'unprocessable',
      `${file} does not fit ${this.#build}: of ${right + wrong} rows that were compared with what is known of their ` +
        `genes, ${wrong} lie elsewhere.${hint} The old set stays. Force the load if it is right`,
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

/** Where genes lie in a build: anchors as a matter of fact, others by the set in place. */
async function known(
  repository: Pick<IntervalRepository, 'select'>,
  build: Build,
  genes: readonly string[],
): Promise<Map<string, Place[]>> {
  const places = new Map<string, Place[]>();
  for (const { ensembl, chromosome, start, end } of await repository.select('genes', build, { genes })) {
    if (!anchored.has(ensembl)) places.set(ensembl, [...(places.get(ensembl) ?? []), { chromosome, start, end }]);
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
