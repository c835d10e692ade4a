/** Loads, deletions and counts on real files, against the results of bcftools on the same files. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { type BeaconRepository, beacon } from '../../../plugins/beacon/contract.js';
import { dealt } from '../../support/dealt.js';
import { engines } from './support/engines.js';
import { dataset, load } from './support/serve.js';
import { describeWithShared, shared } from './support/shared.js';

const now = new Date('2026-01-02T03:04:05Z');
const file = shared('test_trio.vcf.gz');
const trio = ['ADM1059A1', 'ADM1059A2', 'ADM1059A3'];
const installed = spawnSync('bcftools', ['--version']).status === 0;

/** `[chromosome, zero-based start, reference, alternate, copies by sample]` of every alternate, split by bcftools. */
type Called = [contig: string, start: number, reference: string, alternate: string, copies: Map<string, number>];

function called(): Called[] {
  const options = { maxBuffer: 1 << 28, encoding: 'utf8' as const, stdio: 'pipe' as const };
  // The file uses INFO fields that its header does not declare, which bcftools refuses: they are removed.
  const bare = gunzipSync(readFileSync(file))
    .toString()
    .replace(/^((?:[^#\t][^\t]*)(?:\t[^\t]*){6}\t)[^\t]*/gm, '$1.');
  const split = execFileSync('bcftools', ['norm', '-m-', '-Ov', '-'], { ...options, input: bare });
  const format = '%CHROM\\t%POS\\t%REF\\t%ALT[\\t%SAMPLE=%GT]\\n';
  const table = execFileSync('bcftools', ['query', '-f', format, '-'], { ...options, input: split });
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [contig = '', position = '', reference = '', alternate = '', ...genotypes] = line.split('\t');
      const copies = genotypes.map((cell): [string, number] => {
        const [sample = '', genotype = ''] = cell.split('=');
        return [sample, genotype.split(/[/|]/).filter((allele) => allele === '1').length];
      });
      return [contig, Number(position) - 1, reference, alternate, new Map(copies)];
    });
}

/** Distinct alleles that any of the samples has, their calls, and the samples. */
function counts(table: readonly Called[], samples: readonly string[]) {
  const alleles = new Set<string>();
  let calls = 0;
  for (const [contig, start, reference, alternate, copies] of table) {
    const own = samples.reduce((sum, sample) => sum + (copies.get(sample) ?? 0), 0);
    calls += own;
    if (own > 0) alleles.add([contig, start, reference, alternate].join(' '));
  }
  return { alleles: alleles.size, calls, samples: samples.length };
}

const describeOrSkip = installed
  ? describeWithShared
  : (title: string, body: () => void) => describe.skip(`${title} (bcftools is not installed)`, body);

for (const engine of dealt(engines, 'sqlite')) {
  describeOrSkip(`beacon: the real trio against bcftools (${engine.name})`, () => {
    let table: Called[];
    let repository: BeaconRepository;
    let close: () => Promise<void>;

    before(() => {
      table = called();
    });
    beforeEach(async () => {
      const opened = await engine.open([beacon]);
      repository = opened.storage.repository(beacon);
      close = async () => {
        await opened.storage.close();
        await opened.discard?.();
      };
      await repository.addDataset(dataset('trio'), now);
    });
    afterEach(() => close());

    async function agree(samples: readonly string[]): Promise<void> {
      const expected = counts(table, samples);
      const stored = await repository.dataset('trio');
      expect([stored?.alleleCount, stored?.callCount, stored?.sampleCount], samples.join()).to.deep.equal(
        Object.values(expected),
      );
      expect(await repository.recount('trio'), `recount of ${samples}`).to.deep.equal(expected);
    }

    it('agrees after every load and every deletion, down to nothing and up again', async () => {
      expect(table.length, 'records of the file').to.equal(680);
      for (const [i, sample] of trio.entries()) {
        await load(repository, 'trio', [file], [sample]);
        await agree(trio.slice(0, i + 1));
      }
      await repository.removeSamples('trio', ['ADM1059A2'], now);
      await agree(['ADM1059A1', 'ADM1059A3']);
      await repository.removeSamples('trio', ['ADM1059A1'], now);
      await agree(['ADM1059A3']);
      await repository.removeSamples('trio', ['ADM1059A3'], now);
      await agree([]);
      await load(repository, 'trio', [file]);
      await agree(trio);
      await load(repository, 'trio', [file], ['ADM1059A2']);
      await agree(trio);
      await repository.removeSamples('trio', ['ADM1059A1', 'ADM1059A3'], now);
      await agree(['ADM1059A2']);
    });

    it('agrees allele by allele', async () => {
      await load(repository, 'trio', [file]);
      for (const [contig, start, reference, alternate, copies] of table) {
        const at = { min: start, max: start };
        const query = { assembly: 'GRCh37', contig, start: at, reference, alternate } as never;
        const found = await repository.search(query, ['trio']);
        const carriers = [...copies.values()].filter((count) => count > 0);
        const calls = carriers.reduce((sum, count) => sum + count, 0);
        const hit = { dataset: 'trio', alleles: 1, calls, samples: carriers.length };
        expect(found, `${contig}:${start} ${reference}>${alternate}`).to.deep.equal(calls > 0 ? [hit] : []);
      }
    });
  });
}
