/**
 * Whose cases have to be asked again, as far as it follows from what one process reads of calls and annotations, and read before. What
 * another server asked meanwhile, and what is so again as it was, the night makes good.
 */
import type { CalledSample } from '../../services/services.js';
import type { CarriedAllele } from './evidence.js';
import type { KnownVariant } from './known-variant.js';

type SampleIds = ReadonlySet<string>;

export class ChangedSamples {
  readonly #isCommon: (allele: Pick<CarriedAllele, 'local'>) => boolean;
  /** Whether all cases were asked since changes are noted. */
  #isAsked: boolean;
  /** Those that are different themselves, and those whose cases alone are concerned. */
  #changed = new Set<string>();
  #touched = new Set<string>();

  /** `isCommon`: an allele is taken for an artefact; `isAsked`: all cases are about to be asked. */
  constructor(isCommon: (allele: Pick<CarriedAllele, 'local'>) => boolean, isAsked: boolean) {
    this.#isCommon = isCommon;
    this.#isAsked = isAsked;
  }

  noteSamples(before: ReadonlyMap<string, CalledSample>, now: ReadonlyMap<string, CalledSample>): void {
    for (const id of new Set([...before.keys(), ...now.keys()]))
      if (JSON.stringify(before.get(id)) !== JSON.stringify(now.get(id))) this.#changed.add(id);
  }

  /** Of one allele; undefined if nobody carried it, or does now. How many samples were searched for it is not compared. */
  noteAllele(before: KnownVariant | undefined, now: KnownVariant | undefined): void {
    const [former, carriers] = [before, now].map((one) => new Map(one?.carriers()));
    const all = new Map([...(former ?? []), ...(carriers ?? [])]);
    const changed = [...all.keys()].filter((sample) => former?.get(sample) !== carriers?.get(sample));
    for (const sample of changed) this.#changed.add(sample);
    const isSame = before && now && isSameAllele(before, now) && this.#isCommon(before) === this.#isCommon(now);
    if (changed.length > 0 || !isSame) for (const sample of all.keys()) this.#touched.add(sample);
  }

  /**
   * The samples whose cases have to be asked again since the last call: those whose calls or facts are others, those that share an
   * allele with one, and those that carry an allele of which something else is to be said. Undefined if any case has to.
   */
  take(carriedBy: (sample: string) => Iterable<KnownVariant>): SampleIds | undefined {
    const taken = new Set([...this.#touched, ...this.#changed]);
    for (const sample of this.#changed)
      for (const variant of carriedBy(sample)) for (const [other] of variant.carriers()) taken.add(other);
    const isAsked = this.#isAsked;
    [this.#isAsked, this.#changed, this.#touched] = [true, new Set(), new Set()];
    return isAsked ? taken : undefined;
  }

  /** Their cases could not be asked. */
  giveBack(taken: SampleIds | undefined): void {
    if (taken === undefined) this.#isAsked = false;
    for (const sample of taken ?? []) this.#touched.add(sample);
  }
}

function isSameAllele(one: KnownVariant, other: KnownVariant): boolean {
  if (one.frequency !== other.frequency || one.genes.length !== other.genes.length) return false;
  return [one.annotated, ...one.genes].every((said, i) =>
    isSame(said ?? {}, [other.annotated, ...other.genes][i] ?? {}),
  );
}

/** Lists are shared: the same terms are the same list. */
function isSame(one: object, other: object): boolean {
  const [left, right] = [Object.entries(one), new Map(Object.entries(other))];
  return left.length === right.size && left.every(([name, value]) => right.get(name) === value);
}
