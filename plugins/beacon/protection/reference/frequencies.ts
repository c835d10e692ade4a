/** How common alleles are in a reference population: sites of a VCF with AC and AN, such as those of gnomAD or SweGen. */
import type { Allele, Assembly } from '../../contract.js';
import { isPlain, trimmed } from '../../domain/canonical.js';
import type { Counted } from '../frequency.js';
import { TabixFile } from './tabix-file.js';

/** Bases before an allele at which a record may begin that writes it with more bases in common. */
const reach = 100;

/** Finds out how common alleles are. */
export interface Frequencies {
  /**
   * How often the commonest of these alleles was counted in the reference of this assembly. Undefined if there is none, or if one of
   * them is not of plain bases: references of single bases do not count those.
   */
  commonest(assembly: Assembly, alleles: readonly Allele[]): Promise<Counted | undefined>;
  close(): Promise<void>;
}

export type FrequencyFiles = Readonly<Partial<Record<Assembly, readonly string[]>>>;

/** Throws an `invalid` fault if a file or its index cannot be read. */
export async function openFrequencies(files: FrequencyFiles): Promise<Frequencies> {
  const opened = new Map<Assembly, TabixFile[]>();
  try {
    for (const [assembly, paths] of Object.entries(files) as [Assembly, readonly string[]][]) {
      const own: TabixFile[] = [];
      opened.set(assembly, own);
      for (const path of paths) own.push(await TabixFile.open(path));
    }
  } catch (error) {
    await closeAll();
    throw error;
  }

  async function closeAll(): Promise<void> {
    for (const file of [...opened.values()].flat()) await file.close();
  }

  return {
    async commonest(assembly, alleles) {
      const own = opened.get(assembly);
      if (!own || own.length === 0 || !alleles.every(isCounted)) return undefined;
      let best: Counted = { seen: 0, of: 1 };
      for (const allele of alleles) {
        for (const file of own) {
          const counted = await countOf(file, allele);
          if (counted && counted.seen / counted.of > best.seen / best.of) best = counted;
        }
      }
      return best;
    },
    close: closeAll,
  };
}

function isCounted({ structural, reference, alternate }: Allele): boolean {
  return !structural && isPlain(reference) && isPlain(alternate);
}

async function countOf(file: TabixFile, allele: Allele): Promise<Counted | undefined> {
  const name = nameIn(file, allele.contig);
  if (name === undefined) return undefined;
  for (const line of await file.lines(name, Math.max(0, allele.start - reach), allele.start + 1)) {
    const [, position = '', , reference = '', alternates = '', , , info = ''] = line.split('\t', 9);
    const index = alternates
      .split(',')
      .findIndex((alternate) => isSame(allele, Number(position) - 1, reference.toUpperCase(), alternate.toUpperCase()));
    if (index >= 0) return counted(info, index);
  }
  return undefined;
}

/** Files name contigs with or without `chr`. */
function nameIn(file: TabixFile, contig: Allele['contig']): string | undefined {
  const names = [contig, `chr${contig}`, ...(contig === 'MT' ? ['chrM', 'M'] : [])];
  return names.find((name) => file.has(name));
}

function isSame(allele: Allele, start: number, reference: string, alternate: string): boolean {
  if (!isPlain(reference) || !isPlain(alternate)) return false;
  const own = trimmed(allele);
  const other = trimmed({ ...allele, start, end: start + reference.length, reference, alternate });
  return own.start === other.start && own.reference === other.reference && own.alternate === other.alternate;
}

function counted(info: string, index: number): Counted | undefined {
  const fields = new Map(info.split(';').map((field) => field.split('=', 2) as [string, string]));
  const seen = Number(fields.get('AC')?.split(',')[index]);
  const of = Number(fields.get('AN'));
  return seen >= 0 && of > 0 ? { seen: Math.min(seen, of), of } : undefined;
}
