/** Checks that the rows of a file are at the positions that their genes have in the build they are loaded for. */
import { Fault } from '../../../core/plugin.js';
import { type Batch, type Build, builds, type Chromosome, type IntervalRepository, type Place } from '../contract.js';

// The positions of some genes in each build. They reveal a file of one build that is loaded as the other. The genes are on
// many panels, their Ensembl ids are stable, and their positions in the two builds do not overlap.

/** First and last base, 1-based, as Ensembl states them. */
type AnchorEnds = readonly [first: number, last: number];

interface AnchorGene {
  ensembl: string;
  hgnc: number;
  chromosome: Chromosome;
  ends: Readonly<Record<Build, AnchorEnds>>;
}

function anchor(
  ensembl: string,
  hgnc: number,
  chromosome: Chromosome,
  GRCh37: AnchorEnds,
  GRCh38: AnchorEnds,
): AnchorGene {
  return { ensembl, hgnc, chromosome, ends: { GRCh37, GRCh38 } };
}

const anchors: readonly AnchorGene[] = [
  anchor('ENSG00000177000', 7436, '1', [11845780, 11866977], [11785723, 11806455]), // MTHFR
  anchor('ENSG00000134086', 12687, '3', [10182692, 10193904], [10141008, 10152220]), // VHL
  anchor('ENSG00000228716', 2861, '5', [79922047, 79950802], [80626226, 80654983]), // DHFR
  anchor('ENSG00000134982', 583, '5', [112043195, 112181936], [112707498, 112846239]), // APC
  anchor('ENSG00000001626', 1884, '7', [117105838, 117356025], [117465784, 117715971]), // CFTR
  anchor('ENSG00000165731', 9967, '10', [43572475, 43625799], [43077069, 43130351]), // RET
  anchor('ENSG00000171862', 9588, '10', [89622870, 89731687], [87862563, 87971930]), // PTEN
  anchor('ENSG00000244734', 4827, '11', [5246694, 5250625], [5225464, 5229395]), // HBB
  anchor('ENSG00000110195', 3791, '11', [71900602, 71907345], [72189558, 72196323]), // FOLR1
  anchor('ENSG00000133703', 6407, '12', [25357723, 25403870], [25205246, 25250929]), // KRAS
  anchor('ENSG00000139618', 1101, '13', [32889611, 32973805], [32315086, 32400268]), // BRCA2
  anchor('ENSG00000092054', 7577, '14', [23881947, 23904927], [23412740, 23435660]), // MYH7
  anchor('ENSG00000141510', 11998, '17', [7565097, 7590856], [7661779, 7687550]), // TP53
  anchor('ENSG00000076351', 30521, '17', [26721661, 26734215], [28394642, 28407197]), // SLC46A1
  anchor('ENSG00000012048', 1100, '17', [41196312, 41277500], [43044295, 43125364]), // BRCA1
  anchor('ENSG00000130164', 6547, '19', [11200038, 11244492], [11089362, 11133820]), // LDLR
  anchor('ENSG00000142168', 11179, '21', [33031935, 33041244], [31659622, 31668931]), // SOD1
  anchor('ENSG00000186575', 7773, '22', [29999545, 30094589], [29603556, 29698600]), // NF2
  anchor('ENSG00000185010', 3546, 'X', [154064063, 154255215], [154835788, 155026940]), // F8
  anchor('ENSG00000184895', 11311, 'Y', [2654896, 2655740], [2786855, 2787699]), // SRY
];

interface SampledGene {
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
  readonly #ofAnchors: SampledGene[] = [];
  #sample: SampledGene[] = [];
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
    const [here, there] = await Promise.all([
      knownPositions(repository, this.#build, genes),
      knownPositions(repository, other, genes),
    ]);
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
async function knownPositions(
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
