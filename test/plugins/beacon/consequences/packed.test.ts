/** How consequences are stored: numbers and texts in few bits, and lines with their names. */
import { expect } from 'chai';
import type { Allele, AlleleAnnotation, TranscriptConsequence } from '../../../../plugins/beacon/contract.js';
import { Coder, isWhole, numberContexts, textContexts } from '../../../../plugins/beacon/vcf/consequences/coder.js';
import { annotationOf, isSameLine, lineOf } from '../../../../plugins/beacon/vcf/consequences/lines.js';
import { genesWithTranscript, mayHaveAny } from '../../../../plugins/beacon/vcf/consequences/names.js';
import { packed, unpacked } from '../../../../plugins/beacon/vcf/consequences/packed.js';
import { digestOf, mayHaveChange } from '../../../../plugins/beacon/vcf/consequences/proteins.js';
import { breakend, small, structural } from '../../../conformance/beacon/build.js';
import { Random } from '../../../conformance/core.js';

const contexts = 2 * numberContexts + textContexts + 32;

describe('beacon: the coder of consequences', () => {
  for (const seed of [1, 2, 3]) {
    it(`reads what it wrote, seed ${seed}`, () => {
      const random = new Random(seed);
      const values = Array.from({ length: 3000 }, () => ({
        number: random.chance(0.5) ? random.int(0, 5) : Math.floor(2 ** (31 * random.next())) - 1,
        difference: random.int(-(2 ** random.int(0, 29)), 2 ** random.int(0, 29)),
        text: random.pick(['', 'c.', 'é ü', '☃', 'a\tb', '𝒜']).repeat(random.int(0, 3)),
        bit: random.chance(0.9) ? 1 : 0,
        leaf: random.int(0, 31),
      }));
      const code = (coder: Coder, given?: (typeof values)[number]) => ({
        number: coder.number(0, given?.number ?? 0),
        difference: coder.difference(numberContexts, given?.difference ?? 0),
        text: coder.text(2 * numberContexts, given?.text ?? ''),
        bit: coder.bit(0, given?.bit ?? 0),
        leaf: coder.tree(2 * numberContexts + textContexts, 5, given?.leaf ?? 0),
      });
      const writing = new Coder(contexts);
      for (const value of values) code(writing, value);
      const bytes = writing.end();
      const reading = new Coder(contexts, bytes);
      for (const value of values) expect(code(reading)).to.deep.equal(value);
    });
  }

  it('takes next to nothing for what is expected', () => {
    const coder = new Coder(contexts);
    for (let i = 0; i < 10_000; i++) coder.number(0, 0);
    expect(coder.end().length).to.be.below(60);
  });

  it('knows damaged bytes', () => {
    const coder = new Coder(contexts);
    for (let i = 0; i < 100; i++) coder.number(0, i * i);
    const bytes = coder.end();
    expect(isWhole(bytes)).to.equal(true);
    for (const [at] of bytes.entries()) {
      const other = Uint8Array.from(bytes);
      other[at] = (other[at] ?? 0) ^ 1;
      expect(isWhole(other), `byte ${at}`).to.equal(false);
      expect(() => new Coder(contexts, other)).to.throw('damaged');
    }
    expect([isWhole(bytes.subarray(1)), isWhole(new Uint8Array(3))]).to.deep.equal([false, false]);
  });
});

const codings = [
  'c.665C>T',
  'c.665G>A',
  'c.-12+3A>G',
  'c.*5_*6insTT',
  'c.1104+19T>C',
  'c.1104-2_1105del',
  'n.12_13insGA',
  'c.1_2dup',
];
const oddCodings = [
  'c.0123A>G',
  'c.(4071+1_4072-1)_(5154+1_5155-1)del',
  'g.5A>G',
  'c.9999999999A>G',
  'c.5_?del',
  'c.=',
  'n.*7+0C>T',
  'm.3243A>G',
];
const proteins = [
  'p.Ala222Val',
  'p.Ala222=',
  'p.Arg97ProfsTer23',
  'p.Ter12Glu',
  'p.Sec2Pyl',
  'p.?',
  'p.Lys23_Val25del',
  'p.=',
  'p.Arg97Ter',
];
const transcripts = [
  'ENST00000376590.9',
  'ENST00000376590',
  'NM_005957.5',
  'NM_001330358.2',
  'NM_123456789.1',
  'NR_046018.2',
  'ENST99999999999.12',
  'x',
  'N005957.5',
  '376590.9',
  'ENST00000000000.1',
];
const values = [0, 1, 0.3041, 6.57e-7, 0.1, 0.30000000000000004, 1e-300, 5e-324, 0.000006, 1.234567890123e-5];

function randomTranscript(random: Random): TranscriptConsequence {
  const maybe = <Value>(share: number, all: readonly Value[]) => (random.chance(share) ? random.pick(all) : undefined);
  const found = {
    transcript: maybe(0.9, transcripts),
    mane: maybe(0.4, transcripts),
    coding: random.chance(0.2) ? random.pick(oddCodings) : maybe(0.8, codings),
    protein: maybe(0.5, proteins),
  };
  const stated = Object.entries(found).filter(([, value]) => value !== undefined);
  const terms = [
    random.pick(['missense_variant', 'intron_variant', 'stop_gained']),
    ...(random.chance(0.2) ? ['splice_region_variant'] : []),
  ];
  const choice = random.pick(['mane-select', 'mane-plus-clinical', 'canonical', 'worst'] as const);
  return { choice, terms, ...Object.fromEntries(stated) };
}

function randomAnnotation(random: Random): AlleleAnnotation {
  const genes = Array.from({ length: random.int(1, 3) }, () => {
    const symbol = random.pick(['MTHFR', 'é ü', 'A', '']);
    const hgnc = random.chance(0.7) ? random.int(1, 20) : undefined;
    const own = Array.from({ length: random.int(1, 3) }, () => randomTranscript(random));
    return { ...(hgnc && { hgnc }), ...(symbol && { symbol }), transcripts: own };
  });
  return {
    genes,
    ...(random.chance(0.8) && {
      frequency: { value: random.pick(values), field: random.pick(['gnomADe_AF', 'MAX_AF']) },
    }),
    ...(random.chance(0.3) && { clinVar: random.pick([['benign'], ['benign', 'drug_response']]) }),
  };
}

function randomAlleles(random: Random): Allele[] {
  const bases = () => random.pick(['A', 'C', 'G', 'T', 'N', 'AT', 'GATTACA']);
  const alleles = Array.from({ length: 400 }, () => {
    const start = random.chance(0.5) ? 1000 + random.int(0, 300) : random.int(0, 249_000_000);
    if (random.chance(0.05)) return structural('1', start, start + 20_000, random.pick(['DEL', 'DUP']));
    if (random.chance(0.05)) return breakend('1', start, 'G]17:198982]', '17', 198_981);
    return small('1', start, bases(), bases());
  });
  return alleles.sort((one, other) => one.start - other.start);
}

describe('beacon: packed consequences', () => {
  for (let seed = 1; seed <= 10; seed++) {
    it(`are what was packed, seed ${seed}`, () => {
      const random = new Random(seed);
      const all = randomAlleles(random).map((allele) => ({ allele, annotation: randomAnnotation(random) }));
      const lines = all.map(({ allele, annotation }) => lineOf(allele, annotation, random.int(0, 3)));
      const block = packed(lines);
      const read = unpacked({ names: Uint8Array.from(block.names), content: Uint8Array.from(block.content) });
      expect(read).to.deep.equal(lines);
      expect(read.every((line, i) => isSameLine(line, lines[i] as (typeof lines)[number]))).to.equal(true);
      for (const [i, line] of read.entries()) {
        const { allele, ...annotation } = annotationOf('1', line);
        expect({ allele, annotation }).to.deep.equal(all[i]);
      }
      const named = all.flatMap(({ annotation }) => annotation.genes.filter(({ hgnc, symbol }) => hgnc ?? symbol));
      for (const gene of named) expect(mayHaveAny([gene])(block.names)).to.equal(true);
      expect([mayHaveAny([{ hgnc: 21 }])(block.names), mayHaveAny([{ symbol: 'MTHF' }])(block.names)]).to.deep.equal([
        false,
        false,
      ]);
      const ofAccession = named.filter((gene) =>
        gene.transcripts.some((one) => [one.transcript, one.mane].includes('NM_001330358.2')),
      );
      const found = genesWithTranscript(block.names, 'NM_001330358');
      for (const { hgnc, symbol } of ofAccession)
        expect(found).to.deep.include({ ...(hgnc && { hgnc }), ...(symbol && { symbol }) });
      expect(found.length).to.be.at.most(ofAccession.length);
    });
  }

  it('name a gene that has many transcripts, and alleles of many genes', () => {
    const genes = Array.from({ length: 300 }, (_, i) => ({
      hgnc: i + 1,
      symbol: `G${i}`,
      transcripts: [
        { choice: 'canonical', transcript: `ENST0000000${1000 + i}.1`, terms: ['transcript_ablation'] },
      ] as const,
    }));
    const deletion = structural('1', 5, 9_000_000, 'DEL');
    const others = Array.from({ length: 100 }, (_, i) => {
      const transcript = { choice: 'worst', transcript: `NM_${100_000 + i}.1`, terms: ['intron_variant'] } as const;
      return [small('1', 10 + i, 'A', 'C'), { genes: [{ hgnc: 1, symbol: 'G0', transcripts: [transcript] }] }] as const;
    });
    const lines = [
      lineOf(deletion, { genes }, 0),
      ...others.map(([allele, annotation]) => lineOf(allele, annotation, 0)),
    ];
    expect(unpacked(packed(lines))).to.deep.equal(lines);
  });

  it('take a few bytes an allele, if each is in the gene of the one before', () => {
    const transcript = { choice: 'mane-select', transcript: 'ENST00000376590.9', terms: ['missense_variant'] } as const;
    const lines = Array.from({ length: 2000 }, (_, i) => {
      const own = [{ ...transcript, coding: `c.${3 * i + 1}G>A`, protein: `p.Ala${i + 1}Thr` }];
      return lineOf(
        small('1', 1000 + 3 * i, 'G', 'A'),
        { genes: [{ hgnc: 7436, symbol: 'MTHFR', transcripts: own }] },
        0,
      );
    });
    const { names, content } = packed(lines);
    expect(names.length + content.length).to.be.below(600);
  });
});

describe('beacon: digests of protein changes', () => {
  it('have each change, and hardly another one', () => {
    const changes = Array.from({ length: 1000 }, (_, i) => `p.Ala${i + 1}Val`);
    const digest = digestOf([...changes, 'p.?', 'p.=']);
    expect(digest.length).to.be.below(1200);
    expect(changes.every((change) => mayHaveChange(digest, change.slice(2)))).to.equal(true);
    const others = Array.from({ length: 10_000 }, (_, i) => `Gly${i + 1}Val`);
    expect(others.filter((change) => mayHaveChange(digest, change)).length).to.be.below(300);
    expect(mayHaveChange(digestOf([]), 'Ala1Val')).to.equal(false);
    for (const one of changes.slice(0, 50)) expect(mayHaveChange(digestOf([one]), one.slice(2))).to.equal(true);
  });
});
