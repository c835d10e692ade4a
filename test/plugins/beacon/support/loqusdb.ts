/** The trio with which loqusdb tests itself, stated as facts: positions, lengths and genotypes of its published fixtures. */

/** Chromosome, position, reference, alternate, and the genotypes of father, mother and proband, all with GQ 60. */
const small: [chrom: string, pos: number, ref: string, alt: string, father: string, mother: string, proband: string][] =
  [
    ['1', 879537, 'T', 'C', '0/1', '0/1', '1/1'],
    ['1', 879541, 'G', 'A', './.', '0/1', '1/1'],
    ['1', 879595, 'C', 'T', '0/1', '0/0', '1/1'],
    ['1', 879676, 'G', 'A', '0/1', '1/1', '1/1'],
    ['1', 879911, 'G', 'A', '0/1', '0/0', '0/1'],
    ['1', 880012, 'A', 'G', '0/0', '0/1', '0/1'],
    ['1', 880086, 'T', 'C', '0/0', '0/0', '0/1'],
    ['1', 880199, 'G', 'A', '0/0', '0/0', '0/1'],
    ['1', 880217, 'T', 'G', '0/0', '0/0', '0/1'],
    ['10', 76154051, 'A', 'G', '0/0', '0/1', '0/1'],
    ['10', 76154073, 'T', 'G', '0/0', '0/0', '0/1'],
    ['10', 76154074, 'C', 'G', './.', '0/1', '0/1'],
    ['10', 76154076, 'G', 'C', './.', '0/0', '0/1'],
    ['X', 302253, 'CCCTCCTGCCCCT', 'C', '0/0', '0/1', '1/1'],
    ['MT', 302253, 'CCCTCCTGCCCCT', 'C', '0/0', '0/1', '1/1'],
  ];

/** Chromosome, position, end, SVTYPE, SVLEN if stated, and genotype:GQ of father, proband and mother. */
const structural: [chrom: string, pos: number, end: number, type: string, length: number | undefined, ...string[]][] = [
  ['1', 7889972, 7890026, 'DEL', -54, '0/0:56', '0/1:100', '1/1:10'],
  ['4', 861261, 861332, 'DEL', -71, '0/0:61', '0/1:46', '0/0:15'],
  ['5', 474602, 474974, 'DEL', -372, '1/1:3', '0/1:27', '0/1:47'],
  ['6', 4050241, 4050560, 'DEL', -319, '1/1:48', '1/1:48', '0/1:4'],
  ['7', 144343218, 144343218, 'INS', 296, '0/0:118', '0/0:127', '0/1:725'],
  ['8', 133920667, 133920667, 'INS', undefined, '1/1:27', '1/1:39', '1/1:47'],
  ['8', 141468110, 141468175, 'DEL', -65, '0/0:6', '0/1:40', '0/0:56'],
  ['9', 133305073, 133305157, 'DEL', -84, '0/0:81', '0/1:58', '1/1:7'],
  ['11', 223831, 224048, 'DEL', -217, '0/0:189', '0/1:252', '0/1:142'],
  ['13', 21729289, 21729831, 'DEL', -542, '0/0:251', '0/0:262', '0/1:521'],
  ['13', 21732261, 21734037, 'DEL', -1776, '0/0:192', '0/0:237', '0/1:454'],
  ['13', 21732265, 21735928, 'DEL', -3663, '0/0:211', '0/0:235', '0/1:272'],
  ['13', 21746642, 21750512, 'DEL', -3870, '0/0:268', '0/0:209', '0/1:185'],
  ['15', 66633812, 66634133, 'DEL', -321, '1/1:10', '1/1:30', '0/1:13'],
  ['16', 4847619, 4847619, 'INS', 72, '0/1:356', '0/0:105', '0/0:121'],
  ['17', 17719503, 17719503, 'INS', 96, '0/1:27', '0/1:12', '0/1:53'],
  ['20', 54963149, 54963210, 'DUP', 61, '0/1:104', '0/1:15', '0/1:221'],
  ['21', 46825202, 46825202, 'INS', 57, '1/1:27', '0/1:4', '1/1:11'],
  ['21', 46910447, 46910574, 'DEL', -127, '0/1:260', '0/1:195', '0/1:88'],
];

/** loqusdb's ids of the small variants. The last lies beyond the end of MT. */
export const trioVariants = small.map(([chrom, pos, ref, alt]) => `${chrom}_${pos}_${ref}_${alt}`);

/** The small variants that father, mother or proband carries twice. */
export const homozygousInTrio = small
  .filter((variant) => variant.includes('1/1'))
  .map(([chrom, pos, ref, alt]) => `${chrom}_${pos}_${ref}_${alt}`);

export const trioStructural = structural.map(([chrom, pos, end, type]) => ({ chrom, pos, end, type }));

export const trioPed = [
  '#FamilyID\tSampleID\tFather\tMother\tSex\tPhenotype',
  'recessive_trio\tproband\tfather\tmother\t1\t2',
  'recessive_trio\tmother\t0\t0\t2\t1',
  'recessive_trio\tfather\t0\t0\t1\t1',
  '',
].join('\n');

const header = (samples: readonly string[]) => [
  '##fileformat=VCFv4.2',
  '##FORMAT=<ID=GQ,Number=1,Type=Integer,Description="Genotype quality">',
  `#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t${samples.join('\t')}`,
];

/** The small variants as a VCF file; `names` replace father, mother and proband. */
export function smallVcf(
  names: readonly string[] = ['father', 'mother', 'proband'],
  from: readonly string[] = trioVariants,
) {
  const chosen = small.filter(([chrom, pos, ref, alt]) => from.includes(`${chrom}_${pos}_${ref}_${alt}`));
  const records = chosen.map(([chrom, pos, ref, alt, ...genotypes]) => {
    const called = genotypes.slice(0, names.length).map((genotype) => `${genotype}:60`);
    return [chrom, pos, '.', ref, alt, '100', 'PASS', '.', 'GT:GQ', ...called].join('\t');
  });
  return `${[...header(names), ...records].join('\n')}\n`;
}

export function structuralVcf(): string {
  const records = structural.map(([chrom, pos, end, type, length, ...genotypes]) => {
    const info = [`END=${end}`, `SVTYPE=${type}`, ...(length === undefined ? [] : [`SVLEN=${length}`])].join(';');
    return [chrom, pos, '.', 'N', `<${type}>`, '100', 'PASS', info, 'GT:GQ', ...genotypes].join('\t');
  });
  return `${[...header(['father', 'proband', 'mother']), ...records].join('\n')}\n`;
}

/** What loqusdbapi answers about 1_880086_T_C of the trio, without the id. */
export const answerOnSmall = {
  chrom: '1',
  start: 880086,
  end: 880087,
  ref: 'T',
  alt: 'C',
  observations: 1,
  homozygote: 0,
  hemizygote: 0,
  families: ['recessive_trio'],
  total: 1,
};
