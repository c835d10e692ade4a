/** Runs of equal depth, in columns. */

/** Runs of equal depth on one chromosome, as columns: ascending, without overlap, zero-based half-open. */
export interface RunBatch {
  chromosome: string;
  begins: ArrayLike<number>;
  ends: ArrayLike<number>;
  depths: ArrayLike<number>;
}

/** Builds a batch from stored integers; adjacent runs of equal value are joined. */
export class RunBuilder {
  begins: Uint32Array;
  ends: Uint32Array;
  values: Int32Array;
  length = 0;

  constructor(capacity = 1024) {
    this.begins = new Uint32Array(capacity);
    this.ends = new Uint32Array(capacity);
    this.values = new Int32Array(capacity);
  }

  push(begin: number, end: number, value: number): void {
    if (begin >= end) return;
    const last = this.length - 1;
    if (last >= 0 && this.values[last] === value && this.ends[last] === begin) {
      this.ends[last] = end;
      return;
    }
    if (this.length === this.begins.length) this.#grow();
    this.begins[this.length] = begin;
    this.ends[this.length] = end;
    this.values[this.length] = value;
    this.length++;
  }

  /** Removes the runs as a batch: `all` of them, or all but the last, which may continue. */
  take(chromosome: string, denominator: number, all: boolean): RunBatch {
    const count = all ? this.length : Math.max(0, this.length - 1);
    const stored = this.values.slice(0, count);
    const batch: RunBatch = {
      chromosome,
      begins: this.begins.slice(0, count),
      ends: this.ends.slice(0, count),
      depths: denominator === 1 ? stored : Float64Array.from(stored, (value) => value / denominator),
    };
    if (count < this.length) {
      this.begins[0] = this.begins[count] as number;
      this.ends[0] = this.ends[count] as number;
      this.values[0] = this.values[count] as number;
    }
    this.length -= count;
    return batch;
  }

  #grow(): void {
    const size = this.begins.length * 2;
    const { begins, ends, values } = this;
    this.begins = new Uint32Array(size);
    this.ends = new Uint32Array(size);
    this.values = new Int32Array(size);
    this.begins.set(begins);
    this.ends.set(ends);
    this.values.set(values);
  }
}
