/** Made-up people with genotypes by Mendel's laws, and VCF files of them as different callers write them. */
import { contigs } from '../../../../plugins/beacon/contract.js';
import { Random } from '../../../conformance/core.js';
import { vcf } from './vcf.js';

/** Alternate alleles at each site: 0, 1 or 2. */
export type Person = readonly number[];

export class Families {
  readonly sites: number;
  readonly #random: Random;
  readonly #frequencies: readonly number[];

  constructor(sites: number, seed: number) {
    this.sites = sites;
    this.#random = new Random(seed);
    this.#frequencies = Array.from({ length: sites }, () => 0.2 + 0.6 * this.#random.next());
  }

  /** Somebody who is related to nobody. */
  person(): Person {
    return this.#frequencies.map(
      (frequency) => Number(this.#random.next() < frequency) + Number(this.#random.next() < frequency),
    );
  }

  /** Each parent passes one of its two alleles on. */
  child(one: Person, other: Person): Person {
    const passed = (copies: number) => Number(this.#random.next() < copies / 2);
    return one.map((copies, site) => passed(copies) + passed(other[site] ?? 0));
  }
}

const names = ['0/0', '0/1', '1/1'];

/** Neighbouring sites are on one chromosome. */
function place(site: number, sites: number): { contig: string; position: number } {
  return { contig: contigs[Math.floor((site * 22) / sites)] as string, position: 1000 * (site + 1) };
}

/** All genotypes of all people, as joint calling writes them. */
export function joint(people: Readonly<Record<string, Person>>): string {
  const all = Object.values(people);
  const sites = all[0]?.length ?? 0;
  const records = Array.from({ length: sites }, (_, site) => {
    const { contig, position } = place(site, sites);
    return `${contig} ${position} . A G . PASS . GT:GQ ${all.map((person) => `${names[person[site] ?? 0]}:50`).join(' ')}`;
  });
  return vcf({ samples: Object.keys(people), records });
}

/** Only what one person carries. */
export function carried(name: string, person: Person): string {
  const records = person.flatMap((copies, site) => {
    const { contig, position } = place(site, person.length);
    return copies === 0 ? [] : [`${contig} ${position} . A G . PASS . GT:GQ ${names[copies]}:50`];
  });
  return vcf({ samples: [name], records });
}

/** The same, with blocks of reference genotypes in between. */
export function gvcf(name: string, person: Person): string {
  const records: string[] = [];
  let [block, last] = [{ contig: '', position: 0 }, 0];
  const end = () => {
    if (last >= block.position && block.contig !== '') {
      records.push(`${block.contig} ${block.position} . C <NON_REF> . . END=${last} GT:GQ 0/0:50`);
    }
  };
  for (const [site, copies] of person.entries()) {
    const { contig, position } = place(site, person.length);
    if (contig !== block.contig) {
      end();
      block = { contig, position: 1 };
    }
    last = position - 1;
    if (copies === 0) last = position + 10;
    else {
      end();
      records.push(`${contig} ${position} . A G,<NON_REF> . PASS . GT:GQ ${names[copies]}:50`);
      block = { contig, position: position + 1 };
    }
  }
  end();
  return vcf({ samples: [name], records });
}

/** How two people look, counted one by one. */
export function likenessOf(one: Person, other: Person, compared: (site: number) => boolean = () => true) {
  const sites = one.flatMap((copies, site) => (compared(site) ? [[copies, other[site] ?? 0] as const] : []));
  return {
    sites: sites.length,
    ibs0: sites.filter(([here, there]) => Math.abs(here - there) === 2).length,
    ibs2: sites.filter(([here, there]) => here === there).length,
  };
}
