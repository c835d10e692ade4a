/** The calls of Scout, exactly as it makes them (reference §8.6), and that of cg. */

import { join } from 'node:path';
import { expect } from 'chai';
import { useFolder } from '../../support/folder.js';
import { useEach } from '../../support/use.js';
import { chromosomesOf, writeD4 } from './support/d4.js';
import { type Json, post, serveCoverage } from './support/serve.js';
import { dataFolder, demoD4, describeWithData } from './support/shared.js';

describeWithData('calls of Scout', () => {
  const folder = useFolder();
  const server = useEach(() => serveCoverage({ settings: { roots: [dataFolder, folder.path()] }, builds: ['GRCh37'] }));

  it('GET /: a message that the server is running', async () => {
    for (const accept of ['*/*', 'application/json']) {
      const answer = await fetch(`${server.url}/`, { headers: { accept } });
      expect(answer.status).to.equal(200);
      expect(((await answer.json()) as Json).message)
        .to.be.a('string')
        .and.match(/up and running/);
    }
  });

  it('POST /coverage/d4/interval/ with only a chromosome, for the copy number of the mitochondrion', async () => {
    for (const prefix of [false, true]) {
      const chromosomes = chromosomesOf('GRCh37', { prefix });
      const name = (plain: string) => (prefix ? `chr${plain === 'MT' ? 'M' : plain}` : plain);
      const path = writeD4(join(folder.path(), `${prefix}.d4`), {
        chromosomes,
        runs: [
          { chromosome: name('14'), begin: 0, end: 107349540, depth: 30 },
          { chromosome: name('MT'), begin: 0, end: 16569, depth: 4500 },
        ],
      });
      const means = [];
      for (const chromosome of ['14', prefix ? 'M' : 'MT']) {
        const { status, body } = await post(`${server.url}/coverage/d4/interval/`, {
          coverage_file_path: path,
          chromosome,
        });
        expect(status).to.equal(200);
        means.push(body.mean_coverage as number);
      }
      const [autosome = 0, mitochondrion = 0] = means;
      expect((2 * mitochondrion) / autosome).to.equal(300);
    }
  });

  it('POST /coverage/d4/genes/summary with one gene, for its badge', async () => {
    const ask = async (hgnc: number, coverage_threshold: number) => {
      const { status, body } = await post<Record<string, Json>>(`${server.url}/coverage/d4/genes/summary`, {
        build: 'GRCh37',
        samples: [
          { name: 'ADM1059A1', coverage_file_path: demoD4 },
          { name: 'ADM1059A2', coverage_file_path: demoD4 },
        ],
        hgnc_gene_ids: [hgnc],
        coverage_threshold,
        interval_type: 'genes',
      });
      expect(status).to.equal(200);
      expect(Object.keys(body)).to.deep.equal(['ADM1059A1', 'ADM1059A2']);
      return Object.values(body).map((one) => {
        expect(one.mean_coverage).to.be.a('number');
        return one.coverage_completeness_percent as number;
      });
    };
    // reference: FOLR1 has 10 to 32 reads everywhere; 6442 of its 6744 bases have at least 15.
    expect(await ask(3791, 10)).to.deep.equal([100, 100]);
    expect(await ask(3791, 15)).to.deep.equal([95.52, 95.52]);
    expect((await ask(7436, 15)).every((percent) => percent < 100)).to.equal(true);
  });
});
