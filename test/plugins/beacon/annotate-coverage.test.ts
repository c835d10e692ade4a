/**
 * `beacon annotate` with coverage: from depth files, and beside gVCF files of the same people. The two methods agree where
 * callers write what depth suggests; the guide ("Out of how many") lists the places below where they differ.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { blockFolder } from '../../support/folder.js';
import { typedCommands } from '../../support/typed.js';
import { chromosomesOf, writeD4 } from '../coverage/support/d4.js';

/** Depth of each of the places, and what a caller of gVCF files wrote there: genotype, GQ, DP, and MIN_DP of a block. */
interface Place {
  position: number;
  what: string;
  depth: { p1: number; p2: number };
  called: { p1: string; p2: string };
}

/** Both people are women; a block is written `GT GQ MIN_DP`, a variant `GT GQ DP`. */
const places: readonly Place[] = [
  { position: 1000, what: 'covered in both', depth: { p1: 30, p2: 32 }, called: { p1: '0/1 99 30', p2: '0/0 90 31' } },
  { position: 2000, what: 'covered in one', depth: { p1: 30, p2: 4 }, called: { p1: '0/0 90 30', p2: '0/0 9 4' } },
  { position: 3000, what: 'nothing called', depth: { p1: 0, p2: 0 }, called: { p1: './. 0 0', p2: './. 0 0' } },
  // Where they differ.
  { position: 4000, what: 'low quality', depth: { p1: 12, p2: 30 }, called: { p1: '0/0 11 12', p2: '0/0 90 30' } },
  { position: 5000, what: 'ambiguous reads', depth: { p1: 40, p2: 38 }, called: { p1: './. 0 0', p2: './. 0 0' } },
  {
    position: 6000,
    what: 'thin end of a block',
    depth: { p1: 11, p2: 30 },
    called: { p1: '0/0 20 8', p2: '0/0 90 30' },
  },
  { position: 7000, what: 'called below', depth: { p1: 8, p2: 30 }, called: { p1: '0/1 50 8', p2: '0/0 90 30' } },
];

/** As gnomAD counts: GQ of 20 and DP of 10, or more. */
function byBlocks({ called }: Place): number {
  return (
    Object.values(called).filter((text) => {
      const [genotype, quality, depth] = text.split(' ');
      return genotype !== './.' && Number(quality) >= 20 && Number(depth) >= 10;
    }).length * 2
  );
}

/** AN by blocks and by depth, by hand. */
const allelesNumbers: Record<string, [number, number]> = {
  'covered in both': [4, 4],
  'covered in one': [2, 2],
  'nothing called': [0, 0],
  'low quality': [2, 4],
  'ambiguous reads': [0, 4],
  'thin end of a block': [2, 4],
  'called below': [2, 4],
};

describe('beacon: annotate, with the coverage of the samples', function () {
  this.timeout(120_000);
  const folder = blockFolder();
  const { done: run } = typedCommands(() => ({ cwd: folder }), { last: ['--config', 'c.yaml'] });
  const write = (name: string, lines: readonly string[]) => writeFile(join(folder, name), `${lines.join('\n')}\n`);

  before(async () => {
    for (const person of ['p1', 'p2'] as const) {
      const runs = places.map(({ position, depth }) => ({
        chromosome: '1',
        begin: position - 11,
        end: position + 10,
        depth: depth[person],
      }));
      // X as deep as the rest of the person.
      runs.push({ chromosome: 'X', begin: 20_000_000, end: 20_100_000, depth: 30 });
      writeD4(join(folder, `${person}.d4`), { chromosomes: chromosomesOf('GRCh38'), runs });
      const lines = places.map(({ position, called }) => {
        const [genotype, quality, depth] = called[person].split(' ');
        const isBlock = genotype !== '0/1';
        const [alternate, info] = isBlock ? ['<NON_REF>', `END=${position}`] : ['C,<NON_REF>', '.'];
        const format = isBlock ? 'GT:GQ:MIN_DP' : 'GT:GQ:DP';
        return ['1', position, '.', 'A', alternate, '.', 'PASS', info, format, `${genotype}:${quality}:${depth}`].join(
          '\t',
        );
      });
      const header = ['##fileformat=VCFv4.2', '##contig=<ID=1,length=248956422>'];
      await write(`${person}.g.vcf`, [
        ...header,
        `#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t${person}`,
        ...lines,
      ]);
    }
    const sites = places.map(({ position }) => `1\t${position}\t.\tA\tC\t.\t.\tObsAN=9;DP=1`);
    await write('sites.vcf', ['##fileformat=VCFv4.2', '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO', ...sites]);
    await write('c.yaml', [
      JSON.stringify({
        storage: { adapter: 'sqlite', file: 't.sqlite' },
        plugins: { coverage: { roots: [folder] }, beacon: {} },
      }),
    ]);
    await write('depths.tsv', ['sample\tcoverage_file_path\tbuild', 'lab-1\tp1.d4\tGRCh38', 'p2\tp2.d4\tGRCh38']);
    await write('map.tsv', ['sample\tcoverage_id', 'p1\tlab-1']);
    await run('migrate');
    await run('beacon', ...'add dataset --did ds --name D --authlevel controlled --build GRCh38'.split(' '));
    for (const person of ['p1', 'p2']) {
      await run('beacon', 'add', 'variants', '--ds', 'ds', '--vcf', `${person}.g.vcf`, '--sex', 'female');
    }
  });

  async function annotated(...more: string[]): Promise<string[]> {
    await run('beacon', 'annotate', 'sites.vcf', '--ds', 'ds', '--out', 'out.vcf', ...more);
    return (await readFile(join(folder, 'out.vcf'), 'utf8')).trimEnd().split('\n');
  }

  it('says nothing of coverage as long as no sample is known, and drops what an earlier file said', async () => {
    const lines = await annotated();
    expect(lines.filter((line) => line.startsWith('1\t')).map((line) => line.split('\t')[7])).to.deep.equal([
      'DP=1;Obs=1;Hom=0;Frq=0.5',
      ...Array(5).fill('DP=1;Obs=0;Hom=0;Frq=0'),
      'DP=1;Obs=1;Hom=0;Frq=0.5',
    ]);
  });

  it('counts out of covered samples, and differs from gVCF files where they know more', async () => {
    await run('coverage', 'add', 'samples', '--sheet', 'depths.tsv');
    await run('beacon', 'update', 'samples', '--ds', 'ds', '--sheet', 'map.tsv');
    const lines = await annotated();
    expect(lines.find((line) => line.startsWith('##INFO=<ID=ObsAN,'))).to.match(
      /Allele number by depth: .* with at least 10 reads/,
    );
    expect(lines.filter((line) => line.startsWith('##TrefoilDenominator='))).to.have.length(1);
    const infos = lines.filter((line) => line.startsWith('1\t')).map((line) => line.split('\t')[7] ?? '');
    // Carriers: p1 at 1000, and at 7000 with 8 reads.
    expect(infos[0]).to.equal('DP=1;Obs=1;Hom=0;Frq=0.5;ObsAC=1;ObsAN=4;ObsCov=2;ObsNotCov=0;ObsUnk=0');
    expect(infos[1]).to.equal('DP=1;Obs=0;Hom=0;Frq=0;ObsAC=0;ObsAN=2;ObsCov=1;ObsNotCov=1;ObsUnk=0');
    expect(infos[6]).to.equal('DP=1;Obs=1;Hom=0;Frq=0.5;ObsAC=1;ObsAN=4;ObsCov=1;ObsNotCov=1;ObsUnk=0');
    const numbers = places.map((place, i) => [
      place.what,
      [byBlocks(place), Number(/ObsAN=(\d+)/.exec(infos[i] as string)?.[1])],
    ]);
    expect(Object.fromEntries(numbers)).to.deep.equal(allelesNumbers);
    const again = await annotated();
    expect(again.filter((line) => line.startsWith('1\t'))).to.deep.equal(
      lines.filter((line) => line.startsWith('1\t')),
    );
  });

  it('says that coverage is unknown in a server without the plugin', async () => {
    await write('c.yaml', [
      JSON.stringify({ storage: { adapter: 'sqlite', file: 't.sqlite' }, plugins: { beacon: {} } }),
    ]);
    const lines = await annotated();
    expect(lines.filter((line) => line.startsWith('##TrefoilDenominator='))).to.deep.equal([
      '##TrefoilDenominator=<Dataset=ds,Method="unknown">',
    ]);
    expect(lines.find((line) => line.startsWith('1\t'))).to.match(/\tDP=1;Obs=1;Hom=0;Frq=0.5$/);
  });
});
