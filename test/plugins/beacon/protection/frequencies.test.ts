/** Frequencies of a reference, read by place from files that bgzip and tabix made. */
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Allele } from '../../../../plugins/beacon/contract.js';
import { openFrequencies } from '../../../../plugins/beacon/protection/frequencies.js';
import { referencesIn } from '../../../../plugins/beacon/vcf/reference/packed.js';
import { blockFolder } from '../../../support/folder.js';
import { useOnce } from '../../../support/use.js';
import { alleleAt, fastaOf, loadFasta } from '../support/reference.js';

const header = [
  '##fileformat=VCFv4.2',
  '##contig=<ID=chr1>',
  '##contig=<ID=chrM>',
  '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO',
];

/** Enough records for several blocks of BGZF and windows of the index; at each 100th place A>C with AC = its number. */
const many = Array.from({ length: 20_000 }, (_, i) => `chr1\t${100 * (i + 1)}\t.\tA\tC\t.\tPASS\tAC=${i};AN=40000`);

const special = [
  'chr1\t3000001\t.\tT\tA,TCC,TGG\t.\tPASS\tAC=1,22,3;AN=1000;AF=0.001',
  'chr1\t3000050\t.\tCAA\tTAA\t.\tPASS\tDP=3;AC=7;AN=100',
  'chr1\t3000060\t.\tC\t<DEL>\t.\tPASS\tAC=9;AN=100',
  'chr1\t3000070\t.\tC\tG\t.\tPASS\tDP=9',
  'chrM\t5\t.\tA\tG\t.\tPASS\tAC=2;AN=10',
];

function allele(start: number, reference: string, alternate: string, contig: Allele['contig'] = '1'): Allele {
  return { contig, start, end: start + reference.length, reference, alternate, kind: 'SNP', structural: false };
}

describe('frequencies of a reference population', () => {
  const folder = blockFolder();
  const frequencies = useOnce(async () => {
    await writeFile(join(folder, 'sites.vcf'), `${[...header, ...many, ...special].join('\n')}\n`);
    for (const args of [
      ['bgzip', 'sites.vcf'],
      ['tabix', '-p', 'vcf', 'sites.vcf.gz'],
    ] as const) {
      const { status, stderr } = spawnSync(args[0], args.slice(1), { cwd: folder, encoding: 'utf8' });
      expect(status, stderr).to.equal(0);
    }

    return openFrequencies({ GRCh38: [join(folder, 'sites.vcf.gz')] });
  });
  const count = (...alleles: Allele[]) => frequencies.commonest('GRCh38', alleles);

  it('are found at every place of the file', async () => {
    for (const i of [0, 1, 163, 164, 4095, 9999, 19_998, 19_999]) {
      expect(await count(allele(100 * (i + 1) - 1, 'A', 'C')), `${i}`).to.deep.equal(
        i === 0 ? { seen: 0, of: 1 } : { seen: i, of: 40_000 },
      );
    }
  });

  it('are those of the same allele, however the file writes it', async () => {
    expect(await count(allele(3_000_000, 'T', 'TCC'))).to.deep.equal({ seen: 22, of: 1000 });
    expect(await count(allele(3_000_049, 'C', 'T'))).to.deep.equal({ seen: 7, of: 100 });
    expect(await count(allele(4, 'A', 'G', 'MT'))).to.deep.equal({ seen: 2, of: 10 });
  });

  it('are nothing for what the reference does not have, or does not count', async () => {
    const nothing = { seen: 0, of: 1 };
    expect(await count(allele(99, 'A', 'G'))).to.deep.equal(nothing);
    expect(await count(allele(150, 'A', 'C'))).to.deep.equal(nothing);
    expect(await count(allele(3_000_069, 'C', 'G'))).to.deep.equal(nothing);
    expect(await count(allele(99, 'A', 'C', '2'))).to.deep.equal(nothing);
    expect(await count(allele(900_000_000, 'A', 'C'))).to.deep.equal(nothing);
  });

  it('are those of the commonest of several alleles', async () => {
    expect(await count(allele(999, 'A', 'C'), allele(1_999_999, 'A', 'C'))).to.deep.equal({ seen: 19_999, of: 40_000 });
  });

  it('are unknown for another assembly, and for structural alleles', async () => {
    expect(await frequencies.commonest('GRCh37', [allele(999, 'A', 'C')])).to.equal(undefined);
    expect(await count({ ...allele(3_000_059, 'C', '<DEL>'), structural: true, kind: 'DEL' })).to.equal(undefined);
  });

  it('are found however the file and the allele are written, where a reference is loaded', async () => {
    // The repeat is longer than the file's own bases before an allele.
    const repeat = `TG${'CA'.repeat(200)}TTTTTG`;
    const lines = ['20\t390\t.\tACA\tA\t.\t.\tAC=5;AN=10', '20\t407\t.\tTG\tTTG\t.\t.\tAC=3;AN=10'];
    await writeFile(join(folder, 'repeats.vcf'), `${['##fileformat=VCFv4.2', header.at(-1), ...lines].join('\n')}\n`);
    expect(spawnSync('bgzip', ['repeats.vcf'], { cwd: folder }).status).to.equal(0);
    expect(spawnSync('tabix', ['-p', 'vcf', 'repeats.vcf.gz'], { cwd: folder }).status).to.equal(0);
    await loadFasta(folder, fastaOf({ chr20: repeat }));
    const files = { GRCh37: [join(folder, 'repeats.vcf.gz')] };
    const [plain, aligned] = [await openFrequencies(files), await openFrequencies(files, referencesIn(folder))];
    for (const start of [1, 3, 5, 200, 389, 397]) {
      const written = alleleAt('20', start, repeat.slice(start, start + 3), repeat.charAt(start));
      expect(await aligned.commonest('GRCh37', [written]), `${start}`).to.deep.equal({ seen: 5, of: 10 });
      expect((await plain.commonest('GRCh37', [written]))?.seen, `${start}`).to.equal(start === 389 ? 5 : 0);
    }
    for (const start of [401, 402, 405]) {
      const written = alleleAt('20', start, repeat.charAt(start), `${repeat.charAt(start)}T`);
      expect(await aligned.commonest('GRCh37', [written]), `${start}`).to.deep.equal({ seen: 3, of: 10 });
    }
    await plain.close();
    await aligned.close();
  });

  it('are refused from files that are not what they should be', async () => {
    const message = async (name: string) => {
      try {
        await openFrequencies({ GRCh38: [join(folder, name)] });
      } catch (error) {
        return (error as Error).message;
      }
      return 'opened';
    };
    expect(await message('missing.vcf.gz')).to.include('missing.vcf.gz.tbi cannot be read');
    await writeFile(join(folder, 'text.vcf.gz'), '');
    await writeFile(join(folder, 'text.vcf.gz.tbi'), 'text');
    expect(await message('text.vcf.gz')).to.include('text.vcf.gz.tbi cannot be read as the index');
  });
});
