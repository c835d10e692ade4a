/**
 * Latent semantic analysis of a collection of patients (Deerwester et al. 1990, doi:10.1002/(SICI)1097-4571(199009)41:6):
 * patients as rows of weighted terms, projected on the leading right singular vectors and compared by the cosine. The
 * vectors are found by randomized subspace iteration (Halko et al. 2011, doi:10.1137/090771806), the same for one seed.
 */
import { random } from '../vcf.js';

export interface Row {
  terms: Uint32Array;
}

const oversampling = 10;
const iterations = 3;

export class LatentTerms {
  /** By term: the index of its row in `#basis`, plus 1; 0 for a term that no patient has. */
  readonly #rowOf: Uint32Array;
  readonly #weights: Float64Array;
  /** Orthonormal columns, term after term. */
  readonly #basis: Float64Array;
  readonly #rank: number;
  readonly #embedded: Float64Array;
  readonly #patients: number;

  constructor(rows: readonly Row[], weights: Float64Array, rank: number, seed: number) {
    this.#weights = weights;
    this.#rowOf = new Uint32Array(weights.length);
    let terms = 0;
    for (const row of rows) {
      for (const term of row.terms) if (this.#rowOf[term] === 0) this.#rowOf[term] = ++terms;
    }
    const columns = Math.min(rank + oversampling, terms);
    const next = random(seed);
    const basis = Float64Array.from({ length: terms * columns }, () => next() - 0.5);
    orthonormalize(basis, columns);
    for (let round = 0; round < iterations; round++) {
      const product = new Float64Array(basis.length);
      const image = new Float64Array(columns);
      for (const row of rows) {
        this.#project(row, basis, columns, image);
        for (const [at, weight] of this.#entries(row)) {
          for (let k = 0; k < columns; k++) {
            product[at * columns + k] = (product[at * columns + k] as number) + weight * (image[k] as number);
          }
        }
      }
      basis.set(product);
      orthonormalize(basis, columns);
    }
    this.#basis = basis;
    this.#rank = columns;
    this.#patients = rows.length;
    this.#embedded = new Float64Array(rows.length * columns);
    rows.forEach((row, i) => {
      this.#embedded.set(this.#embed(row), i * columns);
    });
  }

  /** Cosine of a query with each patient; 0 with one that has no terms. */
  cosines(query: Row): Float64Array {
    const mine = this.#embed(query);
    return Float64Array.from({ length: this.#patients }, (_, patient) => {
      let sum = 0;
      for (let k = 0; k < this.#rank; k++) {
        sum += (mine[k] as number) * (this.#embedded[patient * this.#rank + k] as number);
      }
      return sum;
    });
  }

  /** Of length 1, or 0. */
  #embed(row: Row): Float64Array {
    const image = new Float64Array(this.#rank);
    this.#project(row, this.#basis, this.#rank, image);
    const length = Math.hypot(...image);
    return length === 0 ? image : image.map((value) => value / length);
  }

  #project(row: Row, basis: Float64Array, columns: number, image: Float64Array): void {
    image.fill(0);
    for (const [at, weight] of this.#entries(row)) {
      for (let k = 0; k < columns; k++) image[k] = (image[k] as number) + weight * (basis[at * columns + k] as number);
    }
  }

  /** Rows of the basis with the weights of a patient's terms, of length 1 together. */
  #entries({ terms }: Row): [number, number][] {
    let squares = 0;
    for (const term of terms) squares += (this.#weights[term] as number) ** 2;
    const scale = squares === 0 ? 0 : 1 / Math.sqrt(squares);
    const entries: [number, number][] = [];
    for (const term of terms) {
      const at = this.#rowOf[term] as number;
      if (at > 0) entries.push([at - 1, (this.#weights[term] as number) * scale]);
    }
    return entries;
  }
}

/** Gram–Schmidt, twice for accuracy, on the columns of a matrix that is stored row after row. */
function orthonormalize(matrix: Float64Array, columns: number): void {
  const rows = matrix.length / columns;
  const cell = (row: number, column: number) => matrix[row * columns + column] as number;
  for (let column = 0; column < columns; column++) {
    for (let pass = 0; pass < 2; pass++) {
      for (let earlier = 0; earlier < column; earlier++) {
        let product = 0;
        for (let row = 0; row < rows; row++) product += cell(row, earlier) * cell(row, column);
        for (let row = 0; row < rows; row++) {
          matrix[row * columns + column] = cell(row, column) - product * cell(row, earlier);
        }
      }
    }
    let squares = 0;
    for (let row = 0; row < rows; row++) squares += cell(row, column) ** 2;
    const scale = squares === 0 ? 0 : 1 / Math.sqrt(squares);
    for (let row = 0; row < rows; row++) matrix[row * columns + column] = cell(row, column) * scale;
  }
}
