/** Which ids of OMIM, Orphanet, MONDO and DECIPHER are one disease, and which diseases are one step apart. */
import { bytesOfColumns, numbers, type PackedColumns, rangeOfValue } from './packed.js';

/** How an id relates to the one before it: both are one disease, or this one is a step broader or narrower. */
export type DiseaseRelation = 'exact' | 'broader' | 'narrower';

/** An id on the way from one disorder to another; the first has no relation. */
export interface WayStep {
  id: string;
  relation?: DiseaseRelation;
}

/** With other spellings of their names. Their numbers, from 1, are part of keys. */
const vocabularies = [['MIM', 'OMIM'], ['Orphanet', 'ORPHA'], ['MONDO'], ['DECIPHER']];
const vocabularyNumbers = new Map(
  vocabularies.flatMap((names, i) => names.map((name): [string, number] => [name.toUpperCase(), i + 1])),
);

/**
 * The same number for all spellings of a disorder's id: `MIM:` and `OMIM:`, `Orphanet:` and `ORPHA:`, in any case, with or
 * without leading zeros. Undefined for ids of other vocabularies.
 */
export function disorderKey(id: string): number | undefined {
  const [, name = '', digits = ''] = /^([a-z]+):(\d{1,9})$/i.exec(id.trim()) ?? [];
  const vocabulary = vocabularyNumbers.get(name.toUpperCase());
  return vocabulary === undefined ? undefined : vocabulary * 2 ** 31 + Number(digits);
}

/** Codes of one vocabulary. */
const codes = 2 ** 30;

/** A key of `disorderKey` as a 32-bit number; its ids have nine digits at most. */
export function diseaseCode(key: number): number {
  return (Math.floor(key / 2 ** 31) - 1) * codes + (key % 2 ** 31);
}

function idOfDisease(code: number): string {
  const [name] = vocabularies[Math.floor(code / codes)] ?? [];
  return `${name}:${String(code % codes).padStart(name === 'MONDO' ? 7 : 1, '0')}`;
}

const none = new Uint32Array();

/** Pairs of numbers that are found by the first. */
class DiseasePairs {
  readonly #from: Uint32Array;
  readonly #to: Uint32Array;

  constructor(columns: PackedColumns | undefined, name: string) {
    this.#from = columns ? numbers(columns, `${name}.from`) : none;
    this.#to = columns ? numbers(columns, `${name}.to`) : none;
  }

  of(from: number): Uint32Array {
    return this.#to.subarray(...rangeOfValue(this.#from, from));
  }
}

/** Packed mappings (`disease-files.ts`), searched in place. Without them each id is a disease of its own. */
export class DiseaseMappings {
  readonly bytes: number;
  readonly #ids: Uint32Array;
  readonly #diseases: Uint32Array;
  readonly #exact: DiseasePairs;
  readonly #broader: DiseasePairs;
  readonly #narrower: DiseasePairs;
  readonly #near: DiseasePairs;

  constructor(columns?: PackedColumns) {
    this.bytes = columns ? bytesOfColumns(columns) : 0;
    this.#ids = columns ? numbers(columns, 'ids') : none;
    this.#diseases = columns ? numbers(columns, 'diseases') : none;
    this.#exact = new DiseasePairs(columns, 'exact');
    this.#broader = new DiseasePairs(columns, 'broader');
    this.#narrower = new DiseasePairs(columns, 'narrower');
    this.#near = new DiseasePairs(columns, 'near');
  }

  /** The same number for all ids of one disease; takes a key of `disorderKey`. */
  disease(key: number): number {
    const code = diseaseCode(key);
    const [at, end] = rangeOfValue(this.#ids, code);
    return at === end ? code : (this.#diseases[at] as number);
  }

  /** The diseases that are one step broader or narrower; takes and returns numbers of `disease`. */
  near(disease: number): Uint32Array {
    return this.#near.of(disease);
  }

  /**
   * The shortest way between two keys of `disorderKey` by exact mappings, or by these and one step to a broader or narrower
   * id; undefined if there is none.
   */
  way(from: number, to: number): WayStep[] | undefined {
    const [start, end] = [diseaseCode(from), diseaseCode(to)];
    const ways = [{ at: start, steps: [{ id: idOfDisease(start) } as WayStep], isStepped: false }];
    const seen = new Set<number>();
    // Breadth first: the iterator of an array also returns what is added meanwhile.
    for (const { at, steps, isStepped } of ways) {
      if (at === end) return steps;
      const goOn = (relation: DiseaseRelation, next: Uint32Array, stepped: boolean) => {
        for (const code of next) {
          const state = 2 * code + Number(stepped);
          if (seen.has(state)) continue;
          seen.add(state);
          ways.push({ at: code, steps: [...steps, { id: idOfDisease(code), relation }], isStepped: stepped });
        }
      };
      goOn('exact', this.#exact.of(at), isStepped);
      if (isStepped) continue;
      goOn('broader', this.#broader.of(at), true);
      goOn('narrower', this.#narrower.of(at), true);
    }
    return undefined;
  }
}
