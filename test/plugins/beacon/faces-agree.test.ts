/**
 * Random questions through every face that can ask them, against a naive reading of the same VCF text: all say the same of one
 * store. TEST_QUESTIONS sets about how many (`.ci/long`: 10,000).
 */
import { expect } from 'chai';
import { random } from '../../bench/support/vcf.js';
import { dealt } from '../../support/dealt.js';
import { engines } from './support/engines.js';
import { throughEveryFace } from './support/every-face.js';
import { compare } from './support/model.js';
import { serveBeacon } from './support/serve.js';

const wanted = Number(process.env.TEST_QUESTIONS ?? 75);
/** A record makes some three questions. */
const records = Math.ceil(wanted / 3);

for (const engine of dealt(engines, 'sqlite')) {
  describe(`beacon: faces over one store (${engine.name})`, function () {
    this.timeout(60_000 + 100 * wanted);

    it('agree on every question with a naive reading', async () => {
      const beacon = await serveBeacon(engine);
      try {
        const faces = await throughEveryFace(beacon);
        const { differences, hits, questions, uncalled } = await compare(faces, random(11), records);
        expect(differences).to.deep.equal([]);
        // The comparison is meaningful: every face was asked much, and most questions find alleles.
        expect(hits).to.be.within(questions / 2, questions - records / 10);
        expect(uncalled).to.be.above(questions / 100);
        expect(faces.questions.v1).to.equal(questions);
        for (const name of ['v1.1', 'v2', 'observations'] as const) {
          expect(faces.questions[name], name).to.be.above(questions / 4);
        }
      } finally {
        await beacon.close();
      }
    });
  });
}
