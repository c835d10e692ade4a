/**
 * Compares REF of the records of a file with the loaded reference: where many disagree on a chromosome, the file is of another build.
 */
import { Fault } from '../../../../core/plugin.js';
import type { CalledAllele, Contig } from '../../domain/allele.js';
import { isPlain } from '../../domain/allele-query.js';
import type { ReadChromosomes, VcfSummary } from '../summary.js';
import type { PackedReference } from './packed.js';

/** SNVs of a chromosome from which on it is judged, and the share of them that may disagree. */
const leastJudged = 100;
const mostDisagreeing = 0.05;
/** A sample has some thirty SNVs on MT: there two are enough, beyond the same share. */
const leastOnMitochondrion = 2;
/** Disagreements that are listed. */
const mostListed = 5;

interface ComparedSnvs {
  all: number;
  disagreeing: number;
}

/** Of one file. */
export class ReferenceCheck {
  readonly #name: string;
  readonly #reference: PackedReference;
  readonly #compared = new Map<Contig, ComparedSnvs>();
  readonly #listed: string[] = [];
  #disagreeing = 0;
  #records = 0;
  #last: Contig | undefined;

  constructor(name: string, reference: PackedReference) {
    this.#name = name;
    this.#reference = reference;
  }

  /** What the `##contig` lines of the file say of other sequences, as sentences; by chromosome, their MD5. */
  differences(md5s: ReadonlyMap<Contig, string>): string[] {
    return [...md5s].flatMap(([contig, md5]) => {
      const own = this.#reference.md5(contig);
      const isSame = own === undefined || own === md5.toLowerCase();
      return isSame
        ? []
        : [`the header has the MD5 ${md5} for chromosome ${contig}, and the loaded reference has ${own}`];
    });
  }

  /**
   * Takes a small record: `position` is one-based, `reference` upper-case bases. Throws an `unprocessable` fault once a whole
   * chromosome shows that the file is of another build.
   */
  take(line: number, contig: Contig, position: number, reference: string, alternates: readonly string[]): void {
    if (contig !== this.#last) {
      if (this.#last !== undefined) this.#judge(this.#last);
      this.#last = contig;
    }
    const known = this.#reference.bases(contig, position - 1, position - 1 + reference.length);
    if (known === undefined) return;
    this.#records++;
    const agrees = known === reference || isCompatible(known, reference);
    if (reference.length === 1 && alternates[0]?.length === 1 && isPlain(known)) {
      const compared = this.#compared.get(contig) ?? { all: 0, disagreeing: 0 };
      compared.all++;
      if (!agrees) compared.disagreeing++;
      this.#compared.set(contig, compared);
    }
    if (agrees) return;
    this.#disagreeing++;
    if (this.#listed.length < mostListed) {
      this.#listed.push(`line ${line} (${shown(reference)} instead of ${shown(known)})`);
    }
  }

  /**
   * The alleles of the file without those of MT if that is another sequence, which the summary then says, as it says which records
   * disagree. Throws an `unprocessable` fault if the file is of another build.
   */
  async *checked(
    batches: AsyncIterable<CalledAllele[]>,
    summary: VcfSummary,
    chromosomes: ReadChromosomes,
  ): AsyncGenerator<CalledAllele[]> {
    const held: CalledAllele[] = [];
    for await (const batch of batches) {
      const others = batch.filter(({ contig }) => contig !== 'MT');
      if (others.length < batch.length) held.push(...batch.filter(({ contig }) => contig === 'MT'));
      if (others.length > 0) yield others;
    }
    for (const contig of this.#compared.keys()) this.#judge(contig);
    const { all, disagreeing } = this.#compared.get('MT') ?? { all: 0, disagreeing: 0 };
    const isOther = disagreeing >= leastOnMitochondrion && disagreeing > mostDisagreeing * all;
    if (!isOther && held.length > 0) yield held;
    if (isOther) {
      this.#leaveOut(held, summary, chromosomes);
      const which = `${disagreeing} of its ${all} SNVs have another REF than the reference, as in hg19 (NC_001807)`;
      summary.warnings = [...summary.warnings, `chromosome MT was left out: ${which}`];
    }
    const count = this.#disagreeing;
    if (count === 0) return;
    const more = count > this.#listed.length ? ', …' : '';
    const what = `${count} of ${this.#records} small variants have another REF than the reference: ${this.#listed.join(', ')}${more}`;
    summary.warnings = [...summary.warnings, what];
  }

  #judge(contig: Contig): void {
    const { all, disagreeing } = this.#compared.get(contig) ?? { all: 0, disagreeing: 0 };
    if (contig === 'MT' || all < leastJudged || disagreeing <= mostDisagreeing * all) return;
    throw new Fault(
      'unprocessable',
      `${this.#name}: REF of ${disagreeing} of the ${all} SNVs on chromosome ${contig} is not that of ${this.#reference.assembly}: the ` +
        'file is of another genome build',
    );
  }

  #leaveOut(held: readonly CalledAllele[], summary: VcfSummary, chromosomes: ReadChromosomes): void {
    for (const { carriers } of held) {
      if (carriers.length > 0) summary.alleles--;
      for (const [, copies] of carriers) summary.calls -= copies;
    }
    for (const kind of ['small', 'structural'] as const) {
      const { read, skipped } = chromosomes[kind];
      if (!read.delete('MT')) continue;
      skipped.add('MT');
      if (read.size === 0) summary.searched[kind] = false;
    }
    if (chromosomes.small.read.size + chromosomes.structural.read.size > 0) return;
    throw new Fault(
      'unprocessable',
      `${this.#name}: all records are on MT, and their REF is not that of the reference: it is another mitochondrial sequence`,
    );
  }
}

/** Whether bases agree where both are known: a VCF writes one of the bases for an IUPAC code of the reference. */
function isCompatible(known: string, reference: string): boolean {
  if (known.length !== reference.length) return false;
  for (let i = 0; i < known.length; i++) {
    const [one, other] = [known[i] as string, reference[i] as string];
    if (one !== other && isPlain(one) && isPlain(other)) return false;
  }
  return true;
}

function shown(bases: string): string {
  return bases.length > 10 ? `${bases.slice(0, 10)}…` : bases;
}
