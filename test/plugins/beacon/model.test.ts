/** Random VCF records of every form, against a naive reading: every called allele is found, with the same counts. */
import { expect } from 'chai';
import { random } from '../../bench/support/vcf.js';
import { dealt } from '../../support/dealt.js';
import { engines } from './support/engines.js';
import { compare, overHttp } from './support/model.js';
import { serveBeacon } from './support/serve.js';

/** `.ci/long` reads more of them. */
const records = Number(process.env.TEST_RECORDS ?? 150);

for (const engine of dealt(engines, 'postgres')) {
  describe(`beacon: random VCF files against a naive reading (${engine.name})`, function () {
    this.timeout(120_000 + 100 * records);

    it('agree on every query, and every called alternate is found as written and shortened', async () => {
      const beacon = await serveBeacon(engine);
      try {
        const { differences, hits, questions } = await compare(overHttp(beacon), random(1), records);
        expect(differences).to.deep.equal([]);
        // The comparison is meaningful: most queries find alleles, and some do not.
        expect(hits).to.be.within(questions / 2, questions - 40);
      } finally {
        await beacon.close();
      }
    });
  });
}
