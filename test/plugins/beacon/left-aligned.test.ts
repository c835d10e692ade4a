/** The one form of insertions and deletions: against all spellings that give the same sequence, and against bcftools. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Allele, alleleKey, type Contig, isPlain, trimmed } from '../../../plugins/beacon/contract.js';
import { leftAligned, leftAlignedQuestion, type ReferenceBases } from '../../../plugins/beacon/domain/left-aligned.js';
import { alleleAt, haplotype, numbersFrom, randomIndel, referenceOf, repeatedSequence } from './support/reference.js';
import { describeWithShared, shared } from './support/shared.js';

/** Random alleles of the comparison with bcftools: more in .ci/long. */
const alleles = Number(process.env.TEST_INDELS ?? 600);
const installed = spawnSync('bcftools', ['--version']).status === 0;

/** Every spelling with one base beside what is inserted or deleted, and with several, that gives the same sequence. */
function spellingsOf(sequence: string, allele: Allele): Allele[] {
  const wanted = haplotype(sequence, allele);
  const longer = allele.alternate.length - allele.reference.length;
  const found: Allele[] = [];
  for (let start = 0; start < sequence.length; start++) {
    for (const shared of [1, 2, 5]) {
      const end = start + shared + Math.max(0, -longer);
      if (end > sequence.length) continue;
      const alternate = wanted.slice(start, end + longer);
      const one = alleleAt(allele.contig, start, sequence.slice(start, end), alternate);
      if (alternate.length > 0 && haplotype(sequence, one) === wanted) found.push(one);
    }
  }
  return found;
}

describe('left-aligned alleles', () => {
  it('are one for all spellings of a sequence, the first of them', () => {
    const random = numbersFrom(11);
    for (let round = 0; round < 400; round++) {
      const sequence = repeatedSequence(40 + random(60), random);
      const reference = referenceOf({ 7: sequence });
      const allele = randomIndel('7', sequence, random);
      const form = leftAligned(allele, reference);
      const label = `${sequence} ${alleleKey(allele)}`;
      expect(haplotype(sequence, form), label).to.equal(haplotype(sequence, allele));
      const all = spellingsOf(sequence, allele);
      expect(all.length, label).to.be.greaterThan(0);
      const least = Math.min(
        ...all.filter((one) => one.reference.length + one.alternate.length > 2).map(({ start }) => start),
      );
      for (const one of all) {
        const found = leftAligned(one, reference);
        expect(alleleKey(found), `${label} as ${alleleKey(one)}`).to.equal(alleleKey(form));
        const { start, end } = one;
        const asked = leftAlignedQuestion(
          { ...one, start: { min: start, max: start }, end: { min: end, max: end } },
          reference,
        );
        expect([asked.start.min, asked.end.max, asked.reference, asked.alternate], label).to.deep.equal([
          ...[form.start, form.end, form.reference, form.alternate],
        ]);
      }
      // Spellings that share several bases may begin further to the left.
      expect(form.start, label).to.be.within(least, least + 5);
      if (form.start > 0 || form.reference[0] === form.alternate[0]) {
        expect(form.reference[0], label).to.equal(form.alternate[0]);
        const moved = all.filter((one) => Math.min(one.reference.length, one.alternate.length) === 1);
        expect(Math.min(...moved.map(({ start }) => start)), label).to.equal(form.start);
      }
    }
  });

  it('move over many bases, and to the begin of a sequence, where the base after them stays', () => {
    const reference = referenceOf({ 1: `${'CA'.repeat(9000)}GT`, 2: `GT${'CAG'.repeat(7000)}T` });
    expect(leftAligned(alleleAt('1', 17_997, 'ACA', 'A'), reference)).to.deep.equal(alleleAt('1', 0, 'CAC', 'C'));
    expect(leftAligned(alleleAt('1', 17_999, 'A', 'ACA'), reference)).to.deep.equal(alleleAt('1', 0, 'C', 'CAC'));
    expect(leftAligned(alleleAt('2', 20_998, 'GCAG', 'G'), reference)).to.deep.equal(alleleAt('2', 1, 'TCAG', 'T'));
    expect(leftAligned(alleleAt('2', 21_001, 'G', 'GCAGCAG'), reference)).to.deep.equal(
      alleleAt('2', 1, 'T', 'TCAGCAG'),
    );
  });

  it('stay as they are where nothing is known, and if they are structural', () => {
    const reference = referenceOf({ 1: 'GCACACAT', 2: 'NNCACANN' });
    const canonical = (allele: Allele) => trimmed(allele);
    for (const allele of [
      alleleAt('3', 5, 'CA', 'C'),
      alleleAt('1', 5, 'CG', 'C'),
      alleleAt('1', 7, 'TA', 'T'),
      alleleAt('1', 3, 'CANA', 'CA'),
      alleleAt('1', 3, 'CA', 'GT'),
      alleleAt('1', 3, 'CACA', 'TGA'),
    ]) {
      expect(leftAligned(allele, reference), alleleKey(allele)).to.deep.equal(canonical(allele));
    }
    const structural = { ...alleleAt('1', 4, 'CAC', 'C'), structural: true, kind: 'DEL' };
    expect(leftAligned(structural, reference)).to.equal(structural);
    // Beside unknown bases the known one after it is written.
    expect(leftAligned(alleleAt('2', 3, 'ACA', 'A'), reference)).to.deep.equal(alleleAt('2', 2, 'CAC', 'C'));
    const unchanged = { contig: '1' as const, start: { min: 3, max: 5 }, reference: 'CAC', alternate: 'C' };
    expect(leftAlignedQuestion(unchanged, reference)).to.deep.equal(unchanged);
  });

  (installed ? it : it.skip)(`are those of bcftools norm for ${alleles} random insertions and deletions`, function () {
    this.timeout(600_000);
    const random = numbersFrom(Number(process.env.TEST_SEED ?? 5));
    const sequence = repeatedSequence(200_000, random);
    const asked = Array.from({ length: alleles }, () => randomIndel('20', sequence, random));
    const folder = mkdtempSync(join(tmpdir(), 'trefoil-norm-'));
    try {
      const fasta = join(folder, 'reference.fa');
      writeFileSync(fasta, `>20\n${sequence.replace(/.{60}/g, '$&\n')}\n`);
      const head = `##fileformat=VCFv4.2\n##contig=<ID=20,length=${sequence.length}>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n`;
      const lines = asked.map((one, i) => `20\t${one.start + 1}\t${i}\t${one.reference}\t${one.alternate}\t.\t.\t.\n`);
      const options = { input: head + lines.join(''), maxBuffer: 1 << 30, encoding: 'utf8', stdio: 'pipe' } as const;
      const normalized = execFileSync('bcftools', ['norm', '-f', fasta, '-w', '100000000', '-'], options);
      const reference = referenceOf({ 20: sequence });
      let compared = 0;
      for (const [, position, id, ref = '', alt = ''] of recordsIn(normalized)) {
        const allele = asked[Number(id)] as Allele;
        const expected = trimmed(alleleAt('20', Number(position) - 1, ref, alt));
        expect(leftAligned(allele, reference), alleleKey(allele)).to.deep.equal(expected);
        compared++;
      }
      expect(compared).to.equal(alleles);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

function recordsIn(vcf: string): string[][] {
  const lines = vcf.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => line.split('\t'));
}

describeWithShared("left-aligned alleles and bcftools' own tests of norm", () => {
  /** Those that only split or align, with the sequence they are of. */
  const tests: readonly [input: string, fasta: string, expected: string][] = [
    ['norm.vcf', 'norm.fa', 'norm.out'],
    ['norm.6.vcf', 'norm.2.fa', 'norm.6.1.out'],
    ['norm.telomere.vcf', 'norm.fa', 'norm.telomere.out'],
    ['norm.right-align.vcf', 'norm.right-align.fa', 'norm.right-align.1.out'],
    ['norm.split.vcf', 'norm.fa', 'norm.split.and.norm.out'],
    ['norm.symbolic.vcf', 'norm.symbolic.fa', 'norm.symbolic.1.out'],
  ];
  const read = (name: string) => readFileSync(shared(`../bcftools/${name}`), 'utf8');

  function referenceIn(fasta: string): ReferenceBases {
    const sequences = fasta
      .split(/^>/m)
      .slice(1)
      .map((part) => {
        const [name = '', ...lines] = part.split('\n');
        return [name.split(/\s/)[0]?.replace(/^chr/, ''), lines.join('').toUpperCase()];
      });
    return referenceOf(Object.fromEntries(sequences) as Partial<Record<Contig, string>>);
  }

  /** By plain alleles whose REF is that of the sequence; those of one alternate apart. */
  function allelesIn(vcf: string, reference: ReferenceBases): { all: Allele[]; single: Allele[] } {
    const found = recordsIn(vcf).map(([name = '', position, , ref = '', alternates = '']) => {
      const contig = name.replace(/^chr/, '') as Contig;
      const start = Number(position) - 1;
      const isOwn = reference.bases(contig, start, start + ref.length) === ref.toUpperCase();
      const written = alternates.toUpperCase().split(',');
      const plain = written.filter((alternate) => isOwn && isPlain(alternate) && isPlain(ref.toUpperCase()));
      const alleles = plain.map((alternate) => alleleAt(contig, start, ref.toUpperCase(), alternate));
      return { alleles, isSingle: written.length === 1 };
    });
    return {
      all: found.flatMap(({ alleles }) => alleles),
      single: found.flatMap(({ alleles, isSingle }) => (isSingle ? alleles : [])),
    };
  }

  for (const [input, fasta, expected] of tests) {
    it(`agree on ${input} with ${fasta}`, () => {
      const reference = referenceIn(read(fasta));
      const keys = (list: readonly Allele[]) =>
        [...new Set(list.map((one) => alleleKey(leftAligned(one, reference))))].sort();
      const after = allelesIn(read(expected), reference);
      const before = allelesIn(read(input), reference);
      expect(keys(before.all)).to.deep.equal(keys(after.all));
      if (input === 'norm.right-align.vcf') return;
      for (const one of after.single) expect(leftAligned(one, reference)).to.deep.equal(trimmed(one));
    });
  }
});
