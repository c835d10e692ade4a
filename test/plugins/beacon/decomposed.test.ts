/** `decompose=true`: a substitution of several bases and its single ones find each other, if they are in cis. */
import { Readable } from 'node:stream';
import { expect } from 'chai';
import fc from 'fast-check';
import { sourceOf } from '../../../core/files.js';
import { DepthChoice } from '../../../plugins/beacon/vcf/depths/choice.js';
import { openVcf, type VcfRequest } from '../../../plugins/beacon/vcf/reader.js';
import { useOnce } from '../../support/use.js';
import { engines } from './support/engines.js';
import { send, tokenWith } from './support/observed.js';
import { dataset, type Json } from './support/serve.js';
import { Panel, vcf } from './support/vcf.js';
import { serveWriter } from './support/write.js';

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
/** By sample from a on; those that are not given are 0/0. */
const called = (record: string, ...calls: string[]) =>
  `${record.replace(/ (\S+)$/, ' . . . $1')} ${names.map((_, i) => calls[i] ?? '0/0').join(' ')}`;

/** CA>TG of 1:100, of which the calls of a to g are the single bases, and those of h both at once. */
const records = [
  //                           in cis     in trans   unphased trans+hom two sets   no set    one set    none
  called('1 100 . C T GT:PS', '0|1:100', '0|1:100', '0/1:.', '1/1:.', '0|1:100', '0|1:.', '0|1:100', '0/0:.', '0/1:.'),
  called('1 100 . CA TG GT', '0/0', '0/0', '0/0', '0/0', '0/0', '0/0', '0/0', '0/1'),
  called('1 101 . A G GT:PS', '0|1:100', '1|0:100', '0/1:.', '0/1:.', '0|1:101', '0|1', '0|1:.'),
  // a: each copy has another alternate; b: one copy has both; c: one copy, and by the last record another one.
  called('1 400 . CA TA,CG GT', '1|2', '0|1', '0|1'),
  called('1 401 . A G GT', '0/0', '0|1', '0|1'),
  called('1 401 . A G GT', '0/0', '0/0', '1|0'),
  // The middle base stays; c has only one of both.
  called('1 200 . C T GT', '1|0', '1|0', '1|0'),
  called('1 202 . G C GT', '1|0', '0|1'),
  called('1 211 . G C GT', '0/0', '0/0', '1|0'),
  // a carries all three, b the substitution alone.
  called('1 600 . C T GT', '0|1'),
  called('1 600 . CA TG GT', '0/1', '0/1'),
  called('1 601 . A G GT', '0|1'),
  // Sexes: a male, b female, c unknown.
  called('X 31000000 . G A GT', '0/1', '0/1', '0/1', '1/1'),
  called('X 31000001 . C T GT', '0/1', '0/1', '0/1', '0/1'),
  // MT: 60 + 50 %, 50 + 50 %, 1/1 without a fraction, phased, 97 + 2 %, 99 + 2 %.
  called('MT 3243 . A G GT:AF', '0/1:0.6', '0/1:0.5', '1/1:.', '0|1:.', '0/1:0.97', '0/1:0.99'),
  called('MT 3244 . G A GT:AF', '0/1:0.5', '0/1:0.5', '0/1:.', '0|1:.', '0/1:0.02', '0/1:0.02'),
];
const nothing = { carriers: 0, cases: 0 };
const counts = (certain: number, unknown: number) => [certain, unknown];

describe('beacon: phases in VCF files', () => {
  let rules: Partial<VcfRequest> = {};
  afterEach(() => {
    rules = {};
  });
  const phasesOf = async (...files: string[][]) => {
    const choice = new DepthChoice(1);
    for (const records of files) {
      const bytes = Buffer.from(vcf({ records }));
      const source = sourceOf('x.vcf', bytes.length, () => Readable.from([bytes], { objectMode: false }));
      const opened = await openVcf({ source, assembly: 'GRCh37', samples: [], depths: () => choice, ...rules });
      for await (const _ of opened.batches());
    }
    return [...(choice.phases(['s']).get('s')?.values() ?? [])];
  };
  const at = (position: number, genotype: string) => `1 ${position} . A C . . . GT ${genotype}`;

  it('are those of one file, one chromosome and up to nine bases', async () => {
    expect(await phasesOf([at(100, '0|1'), at(108, '1|0')])).to.deep.equal(['trans']);
    expect(await phasesOf([at(100, '0|1'), at(109, '0|1')])).to.deep.equal([]);
    expect(await phasesOf([at(100, '0|1')], [at(101, '0|1')])).to.deep.equal([]);
    expect(await phasesOf([at(100, '0|1'), at(101, '0|1').replace(/^1/, '2')])).to.deep.equal([]);
  });

  it('are those of genotypes that are loaded', async () => {
    const quality = (gq: string) => `${at(101, '0|1').replace('GT', 'GT:GQ')}:${gq}`;
    rules = { quality: { minimum: 20, structural: false } };
    const first = `${at(100, '0|1').replace('GT', 'GT:GQ')}:20`;
    expect(await phasesOf([first, quality('20')])).to.deep.equal(['cis']);
    for (const low of ['19', '.']) expect(await phasesOf([first, quality(low)])).to.deep.equal([]);
    const both = [at(100, '0|1'), at(101, '0|1')];
    rules = { panel: new Panel([['1', 99, 101]]) };
    expect(await phasesOf(both)).to.deep.equal(['cis']);
    rules = { panel: new Panel([['1', 99, 100]]) };
    expect(await phasesOf(both)).to.deep.equal([]);
  });

  it('are kept of so many pairs of a load', async () => {
    // Each has eight before it, but the first eight: 1,007,964 pairs.
    const records = Array.from({ length: 126_000 }, (_, i) => at(i + 1, '0|1'));
    expect((await phasesOf(records)).length).to.equal(1_000_000);
  });

  it('are stated by phased genotypes of two different alleles alone', async () => {
    for (const other of ['0/1', '1|1', '1', '|1', '1|', '.|1', '0|0|1', '0|1|', '0/1|1'])
      expect(await phasesOf([at(100, '0|1'), at(101, other)]), other).to.deep.equal([]);
    // The tenth alternate.
    const long = `1 101 . AA ${['CC', 'CG', 'CT', 'GC', 'GG', 'GT', 'TC', 'TG', 'TT', 'CA'].join()} . . . GT 10|0`;
    expect(await phasesOf([at(100, '0|1'), long])).to.deep.equal(['trans']);
  });
});

for (const engine of engines) {
  describe(`beacon: substitutions in several spellings (${engine.name})`, () => {
    const protection = { datasets: { closed: { batch: 2 } } };
    const server = useOnce(() => serveWriter(engine, { settings: { protection } }));
    let token: string;
    before(async () => {
      token = await tokenWith(server, 'beacon:observe', 'beacon:cases');
      // At first: the list of datasets is read once in a while.
      for (const id of ['ds', 'closed', 'gone', 'random'])
        await server.repository.addDataset(dataset(id, { access: 'CONTROLLED' }), new Date());
    });

    const load = async (id: string, own: readonly string[], samples: string[], more: object = {}) => {
      const vcf_path = await server.file('own.vcf', vcf({ samples, records: [...own] }));
      const job = await server.ended(
        await server.send('add', { dataset_id: id, assemblyId: 'GRCh37', vcf_path, ...more }),
      );
      expect(job.error).to.equal(null);
    };
    const observe = async (id: string, allele: string, decompose = '&decompose=true') => {
      const path = `/observations?assembly=GRCh37&dataset=${id}&allele=${allele}${decompose}`;
      return ((await send(server, path, { token })).body as { observations: Json[] }).observations[0] as Json;
    };
    const decomposed = async (id: string, allele: string) => {
      const { certain = nothing, unknown = nothing } = (await observe(id, allele)).decomposed as Json;
      return counts((certain as typeof nothing).carriers, (unknown as typeof nothing).carriers);
    };

    describe('of a dataset', () => {
      before(async () => {
        await load('ds', records, names);
        const facts = { a: { sex: 'male', case: 'F' }, b: { sex: 'female' }, d: { case: 'F' } } as const;
        await server.repository.describeSamples('ds', new Map(Object.entries(facts)), new Date());
      });

      it('counts the single ones apart, as certain or unknown, and not in trans', async () => {
        const found = await observe('ds', '1-100-CA-TG');
        expect(found).to.deep.include({ carriers: 1, cases: 1, alleleCount: 1 });
        // Certain: a, d (of one case) and f; unknown: c, e and g. b has them in trans, h carries both at once, i one alone.
        expect(found.decomposed).to.deep.equal({
          certain: { carriers: 3, cases: 2 },
          unknown: { carriers: 3, cases: 3 },
        });
        expect((await observe('ds', '1-99-GCAT-GTGT')).decomposed).to.deep.equal(found.decomposed);
      });

      it('counts substitutions with a single one, which are certain', async () => {
        const found = await observe('ds', '1-100-C-T');
        expect(found).to.deep.include({ carriers: 8 });
        const certain = { carriers: 1, cases: 1 };
        expect(found.decomposed).to.deep.equal({ certain, unknown: nothing });
        expect((await observe('ds', '1-101-A-G')).decomposed).to.deep.equal({ certain, unknown: nothing });
        for (const other of ['1-100-C-G', '1-101-A-T', '1-102-A-G'])
          expect(await decomposed('ds', other), other).to.deep.equal([0, 0]);
      });

      it('reads records with several alternates, and no phase of contradictions', async () => {
        // a is in trans, b in cis; c is stated as both.
        expect(await decomposed('ds', '1-400-CA-TG')).to.deep.equal([1, 1]);
      });

      it('finds bases that are not next to each other, up to nine', async () => {
        // a is in cis, b in trans.
        expect(await decomposed('ds', '1-200-CAG-TAC')).to.deep.equal([1, 0]);
        expect(await observe('ds', '1-202-GAAAAAAAAG-CAAAAAAAAC')).to.not.have.property('decomposed');
      });

      it('counts no sample that carries what is asked for', async () => {
        expect(await observe('ds', '1-600-CA-TG')).to.deep.include({ carriers: 2 });
        expect(await decomposed('ds', '1-600-CA-TG')).to.deep.equal([0, 0]);
        expect(await observe('ds', '1-600-C-T')).to.deep.include({ carriers: 1 });
        expect(await decomposed('ds', '1-600-C-T')).to.deep.equal([1, 0]);
      });

      it('knows hemizygotes by sex, and molecules of MT by their fractions', async () => {
        // a is male, d homozygous for one; b and c may have them in trans.
        expect(await decomposed('ds', 'X-31000000-GC-AT')).to.deep.equal([2, 2]);
        // a, c and f; b, d and e.
        expect(await decomposed('ds', 'MT-3243-AG-GA')).to.deep.equal([3, 3]);
      });

      it('tells nothing without the parameter, and of other changes', async () => {
        for (const off of ['', '&decompose=false'])
          expect(await observe('ds', '1-100-CA-TG', off)).to.not.have.any.keys('decomposed', 'decomposedNote');
        expect(await observe('ds', '1-100-CA-C')).to.not.have.any.keys('decomposed', 'decomposedNote');
        const path = '/observations?assembly=GRCh37&dataset=ds&chromosome=1&position=10&type=DEL&end=90&decompose=true';
        const { observations } = (await send(server, path, { token })).body as { observations: Json[] };
        expect(observations[0]).to.not.have.any.keys('decomposed', 'decomposedNote');
        expect((await send(server, `${path}1`, { token })).status).to.equal(400);
      });
    });

    it('is not told of protected datasets, as a note says', async () => {
      await load('closed', records, names);
      const found = await observe('closed', '1-100-CA-TG');
      expect(found).to.not.have.property('decomposed');
      expect(found.decomposedNote).to.match(/^Protected and shared datasets do not tell/);
    });

    it('forgets phases of samples that are replaced or removed, and of datasets', async () => {
      const two = (genotype: string, other = genotype) => [`1 100 . C T . . . GT ${genotype}`, `1 101 . A G . . . GT ${other}`]; // biome-ignore format: one line
      const known = async () => decomposed('gone', '1-100-CA-TG');
      await load('gone', two('0|1'), ['s']);
      await load('gone', two('0|1'), ['t']);
      expect(await known()).to.deep.equal([2, 0]);
      await load('gone', two('0/1'), ['s'], { replace: true });
      expect(await known()).to.deep.equal([1, 1]);
      await load('gone', two('0|1', '1|0'), ['s'], { replace: true });
      expect(await known()).to.deep.equal([1, 0]);
      // A second file that contradicts the first.
      await load('gone', two('0|1'), ['s']);
      expect(await known()).to.deep.equal([1, 1]);
      const sent = await server.send('delete', { dataset_id: 'gone', samples: ['t'] });
      if (sent.body.job) await server.ended(sent);
      await load('gone', two('0/1'), ['t']);
      expect(await known()).to.deep.equal([0, 2]);
    });

    it('equals a model that tries every way in which the genotypes can be phased', async () => {
      const genotype = fc.constantFrom('0/0', '0/1', '0|1', '1|0', '0|1', '1|0', '1/1', '1|1');
      const call = fc.record({ genotype, set: fc.constantFrom('.', '7', '8') });
      const places = 6;
      const table = fc.array(fc.array(call, { minLength: 60, maxLength: 60 }), {
        minLength: places,
        maxLength: places,
      });
      const [rows = []] = fc.sample(table, { seed: 48, numRuns: 1 });
      const samples = Array.from({ length: 60 }, (_, i) => `s${i}`);
      const written = rows.map((calls, i) => {
        return `2 ${1000 + i} . A C . . . GT:PS ${calls.map((one) => `${one.genotype}:${one.set}`).join(' ')}`;
      });
      await load('random', written, samples);
      for (let subset = 1; subset < 2 ** places; subset++) {
        const parts = rows.map((_, i) => i).filter((i) => subset & (2 ** i));
        if (parts.length < 2) continue;
        const [first = 0, last = 0] = [parts[0], parts.at(-1)];
        const alternate = Array.from({ length: last - first + 1 }, (_, i) => (parts.includes(first + i) ? 'C' : 'A'));
        const allele = `2-${1000 + first}-${'A'.repeat(alternate.length)}-${alternate.join('')}`;
        const ways = samples.map((_, sample) => waysInCis(parts.map((i) => rows[i]?.[sample] as Call)));
        const certain = ways.filter((all) => all.length > 0 && all.every((one) => one)).length;
        const possible = ways.filter((all) => all.some((one) => one)).length;
        expect(await decomposed('random', allele), allele).to.deep.equal([certain, possible - certain]);
      }
    });
  });
}

interface Call {
  genotype: string;
  set: string;
}

/** Whether one copy has all alternates, for each way in which sets and unphased calls can be turned; none if one is not carried. */
function waysInCis(calls: readonly Call[]): boolean[] {
  if (calls.some(({ genotype }) => !genotype.includes('1'))) return [];
  const groups = calls.map(({ genotype, set }, i) => (genotype.includes('|') ? set : `unphased ${i}`));
  const turned = [...new Set(groups)];
  return Array.from({ length: 2 ** turned.length }, (_, way) =>
    [0, 1].some((copy) =>
      calls.every(({ genotype }, i) => {
        const side = (way >> turned.indexOf(groups[i] as string)) & 1 ? 1 - copy : copy;
        return genotype[2 * side] === '1';
      }),
    ),
  );
}
