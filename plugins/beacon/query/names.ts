/** The assembly and the chromosome that parameters name. */
import { type Accession, accessionNamed, assemblyNamed, contigNamed } from '../../../core/genome.js';
import { Fault } from '../../../core/plugin.js';
import type { Assembly, Contig } from '../contract.js';
import { quoted } from '../domain/quoted.js';

/** A chromosome of an assembly. */
export interface Chromosome {
  assembly: Assembly;
  contig: Contig;
}

/** Patches of the two assemblies, by the number of their accession GCF_000001405. */
function patchOf(name: string): Assembly | undefined {
  const version = Number(/^GCF_000001405\.(\d{1,3})$/i.exec(name)?.[1]);
  if (version >= 13 && version <= 25) return 'GRCh37';
  return version >= 26 && version <= 40 ? 'GRCh38' : undefined;
}

/** The assembly of `assemblyId`, or of what else names it; undefined if it is not given. Throws an `invalid` fault for an unknown one. */
export function assemblyOf(assemblyId: string | undefined, parameter = 'assemblyId'): Assembly | undefined {
  if (assemblyId === undefined) return undefined;
  const assembly = assemblyNamed(assemblyId) ?? patchOf(assemblyId);
  if (assembly) return assembly;
  throw new Fault(
    'invalid',
    `${parameter} must be GRCh37 or GRCh38, or one of their names hg19, b37, hg38 and GCF_000001405.13 to .40; got ${quoted(assemblyId)}`,
  );
}

/** Numbers that some clients use for X and Y. */
const numbered: Readonly<Record<string, Contig>> = { '23': 'X', '24': 'Y' };

/**
 * The chromosome that a parameter names, by itself or by an accession. Throws an `invalid` fault for any other name, and for an
 * accession that belongs to no assembly.
 */
export function chromosomeNamed(parameter: string, name: string): Accession {
  const bare = name.trim().replace(/^refseq:/i, '');
  const contig = contigNamed(bare) ?? numbered[bare.replace(/^chr/i, '')];
  if (contig) return { contig };
  const accession = accessionNamed(bare);
  if (accession?.assembly || accession?.contig === 'MT') return accession;
  throw new Fault(
    'invalid',
    `${parameter} must be 1 to 22, X, Y or MT, with or without chr, or the RefSeq accession of a chromosome of GRCh37 or ` +
      `GRCh38, such as NC_000017.11; got ${quoted(name)}`,
  );
}

/**
 * The assembly of a query: that of the accession or of `assemblyId`, else the only one that there is. Throws an `invalid` fault
 * if the two differ, or if several assemblies are possible.
 */
export function assemblyFor(
  assemblyId: string | undefined,
  { accession, parameter }: { accession?: Accession | undefined; parameter: string },
  present: readonly Assembly[],
): Assembly {
  const named = assemblyOf(assemblyId);
  const fixed = accession?.assembly;
  if (named && fixed && named !== fixed) {
    throw new Fault(
      'invalid',
      `${parameter} is an accession of ${fixed}, but assemblyId is ${named}; leave one of them out`,
    );
  }
  const [only = 'GRCh38', ...others] = new Set(present);
  const assembly = fixed ?? named;
  if (assembly || others.length === 0) return assembly ?? only;
  throw new Fault(
    'invalid',
    `assemblyId is missing: the datasets are of ${[only, ...others].sort().join(' and ')}, and ${parameter} does not tell which is meant`,
  );
}
