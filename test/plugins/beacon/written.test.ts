/** Every called alternate of real files is found as written, and without the bases that it shares with REF. */
import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { dealt } from '../../support/dealt.js';
import { storages } from '../../support/storages.js';
import { useOnce } from '../../support/use.js';
import { dataset, load, post, serveBeacon } from './support/serve.js';
import { describeWithShared, shared } from './support/shared.js';

interface Called {
  line: string;
  parameters: Record<string, string | number>;
}

/** One query for each alternate that a sample of the file has; two if bases are shared. */
function calledIn(file: string): Called[] {
  const bytes = readFileSync(shared(file));
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.flatMap((line) => {
    const [chrom = '', pos = '', , ref = '', alts = '', , , info = '', , ...columns] = line.split('\t');
    const calls = columns.flatMap((column) => (column.split(':')[0] ?? '').split(/[/|]/));
    const place = { assemblyId: 'GRCh37', referenceName: chrom, start: Number(pos) - 1 };
    return alts.split(',').flatMap((alt, i): Called[] => {
      if (!calls.includes(`${i + 1}`) || alt === '*') return [];
      if (!/^[ACGTN]+$/.test(alt)) {
        const variantType = /(?:^|;)SVTYPE=([^;]+)/.exec(info)?.[1] ?? '';
        return [{ line, parameters: { ...place, referenceBases: ref, variantType } }];
      }
      const written = { ...place, referenceBases: ref, alternateBases: alt };
      let [from, left, right] = [place.start, ref, alt];
      const isLong = () => left.length > 1 && right.length > 1;
      while (isLong() && left.at(-1) === right.at(-1)) [left, right] = [left.slice(0, -1), right.slice(0, -1)];
      while (isLong() && left[0] === right[0]) [from, left, right] = [from + 1, left.slice(1), right.slice(1)];
      const short = { ...place, start: from, referenceBases: left, alternateBases: right };
      return [written, ...(left === ref ? [] : [short])].map((parameters) => ({ line, parameters }));
    });
  });
}

for (const engine of dealt(storages, 'sqlite')) {
  describeWithShared(`beacon: alternates of real files as written (${engine.name})`, () => {
    const beacon = useOnce(() => serveBeacon(engine));

    before(async () => {
      await beacon.repository.addDataset(dataset('real'), new Date());
    });

    it('are found, every one', async function () {
      this.timeout(120_000);
      const files = readdirSync(shared('')).filter((file) => /\.vcf(\.gz)?$/.test(file));
      const questions: Called[] = [];
      for (const file of files) {
        const called = calledIn(file);
        if (called.length > 0) await load(beacon.repository, 'real', [shared(file)]);
        questions.push(...called);
      }
      // 637 alleles of the trio, 19 structural ones and 6 breakends, some of them twice.
      expect(questions.length).to.be.greaterThan(660);
      const denied: string[] = [];
      for (const { line, parameters } of questions) {
        const { body } = await post(beacon.url, parameters);
        if (body.exists !== true) denied.push(`${JSON.stringify(parameters)} of ${line.slice(0, 80)}`);
      }
      expect(denied).to.deep.equal([]);
    });
  });
}
