import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { FaultCode } from '../../../../core/fault.js';
import { matchmakerResources, type ResourceRepository } from '../../../../plugins/matchmaker/contract.js';
import { updateFromFiles, updateFromNetwork } from '../../../../plugins/matchmaker/resources/update.js';
import { resourceSettings } from '../../../../plugins/matchmaker/settings.js';
import { dealt } from '../../../support/dealt.js';
import { useFolder } from '../../../support/folder.js';
import { storages } from '../../../support/storages.js';
import { useEach } from '../../../support/use.js';
import { annotation, hpoa, obo, refusal } from './support/build.js';

const terms = obo([
  { id: 118, parents: [] },
  { id: 200, parents: [118] },
]);
const newer = terms.replace('2026-01-02', '2026-09-09');
const notes = hpoa([annotation('OMIM:1', 200)]);
const genes = 'hgnc_id\tsymbol\tensembl_gene_id\tentrez_id\tprev_symbol\talias_symbol\nHGNC:5\tA1BG\t\t\t\t\n';
const there = 'chain 1 X 155270560 + 0 10 X 156040895 + 5 15 1\n10\n';
const back = 'chain 1 X 156040895 + 5 15 X 155270560 + 0 10 1\n10\n';
const diseases = 'subject_id\tpredicate_id\tobject_id\nMONDO:0007947\tskos:exactMatch\tOMIM:154700\n';
const now = new Date('2026-03-04T05:06:07.008Z');

for (const engine of dealt(storages, 'postgres')) {
  describe(`matchmaker: update resources, on ${engine.name}`, () => {
    const folder = useFolder();
    const opened = useEach(() => engine.open([matchmakerResources]));
    let repository: ResourceRepository;

    beforeEach(async () => {
      repository = opened.storage.repository(matchmakerResources);
    });

    const options = () => ({ repository, now, signal: new AbortController().signal });
    const update = async (...texts: string[]) => {
      const files = await Promise.all(texts.map((text, i) => folder.write(`file${i}`, text)));
      return updateFromFiles(files, options());
    };
    const kinds = async () => (await repository.releases()).releases.map(({ kind }) => kind);

    it('stores files of all kinds in any order, and returns the resources in use', async () => {
      const { revision, replaced, resources } = await update(back, genes, notes, there, terms, diseases);
      expect(revision).to.equal(1);
      expect(replaced).to.deep.equal([...['ontology', 'annotations', 'genes', 'lift-37-38', 'lift-38-37', 'diseases']]);
      expect(await kinds()).to.deep.equal(replaced);
      expect(resources).to.include({ revision: 1, excerpt: false });
      expect(resources.lift.from).to.deep.equal(['GRCh37', 'GRCh38']);
      const { releases } = await repository.releases();
      expect(releases[0]).to.deep.equal({
        kind: 'ontology',
        version: '2026-01-02',
        source: 'file4',
        entries: 2,
        loaded: now,
      });
    });

    it('replaces one kind and keeps the others', async () => {
      await update(terms, notes, genes);
      const { revision, replaced, resources } = await update(newer);
      expect({ revision, replaced }).to.deep.equal({ revision: 2, replaced: ['ontology'] });
      expect(resources.releases.map(({ version }) => version)).to.deep.equal(['2026-09-09', '2026-01-03', undefined]);
    });

    it('changes nothing if a single file is invalid', async () => {
      await update(terms, notes);
      const before = await repository.releases();
      expect(await refusal(update(newer, genes.replace('HGNC:5', 'HGNC:x')))).to.equal(
        'file1, line 2: "HGNC:x" is not an HGNC id',
      );
      expect(await refusal(update(newer, terms), 'invalid')).to.match(
        /^file0 and file1 are both the Human Phenotype Ontology/,
      );
      expect(await refusal(update(hpoa([annotation('OMIM:1', 999)])))).to.match(/load files that belong together$/);
      expect(await refusal(updateFromFiles([`${folder.path()}/absent`], options()))).to.match(/absent: no such file$/);
      expect(await refusal(updateFromFiles([folder.path()], options()))).to.match(/a folder, not a file$/);
      expect(await repository.releases()).to.deep.equal(before);
    });

    it('requires ontology and annotations together the first time', async () => {
      expect(await refusal(update(terms))).to.match(
        /The ontology cannot be used without the disease annotations \(phenotype\.hpoa\)/,
      );
      expect(await refusal(update(notes, genes))).to.match(
        /Disease annotations cannot be used without the ontology \(hp\.obo or hp\.json\)/,
      );
      expect(await repository.revision()).to.equal(0);
      expect((await update(genes)).replaced).to.deep.equal(['genes']);
    });

    describe('from the network', () => {
      let server: Server;
      let address = '';
      let answer: RequestListener;
      const bodies: Record<string, string | Uint8Array> = {
        '/hp.obo': terms,
        '/phenotype.hpoa': notes,
        '/genes.txt': genes,
        '/there.chain.gz': gzipSync(there),
        '/back.chain.gz': gzipSync(back),
        '/mondo.sssom.tsv': diseases,
      };
      const serve: RequestListener = (request, response) => {
        response.end(bodies[request.url ?? '']);
      };

      beforeEach(async () => {
        answer = serve;
        server = createServer((request, response) => answer(request, response));
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
        address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      });
      afterEach(async () => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      });

      const settings = (timeout = 30, mappings = true) =>
        resourceSettings.parse({
          ontology: `${address}/hp.obo`,
          annotations: `${address}/phenotype.hpoa`,
          genes: `${address}/genes.txt`,
          chains: [`${address}/there.chain.gz`, `${address}/back.chain.gz`],
          diseases: mappings && `${address}/mondo.sssom.tsv`,
          timeout,
        });

      it('fetches all kinds', async () => {
        const said: string[] = [];
        const { replaced, resources } = await updateFromNetwork(settings(), {
          ...options(),
          note: (line) => said.push(line),
        });
        expect(replaced).to.have.lengthOf(6);
        expect(resources.excerpt).to.equal(false);
        expect(said).to.have.lengthOf(6);
        expect((await repository.releases()).releases[0]?.source).to.equal(`hp.obo (${new URL(address).host})`);
      });

      it('fetches no mappings of diseases if told so', async () => {
        expect((await updateFromNetwork(settings(30, false), options())).replaced).to.not.include('diseases');
      });

      it('keeps the old ones if any download fails', async () => {
        await update(newer, notes);
        const before = await repository.releases();
        const last = '/back.chain.gz';
        const failures: [handler: RequestListener, code: FaultCode, reason: RegExp][] = [
          [(_, response) => response.writeHead(503).end(), 'unavailable', /responded with status 503$/],
          [(request) => request.socket.destroy(), 'unavailable', /cannot be reached, or the connection was lost$/],
          [
            (_, response) => {
              response.writeHead(200, { 'content-length': 1000 }).write('chain');
              setImmediate(() => response.destroy());
            },
            'unavailable',
            /cannot be reached, or the connection was lost$/,
          ],
          [() => {}, 'unavailable', /was not downloaded within 1 s$/],
          [(_, response) => response.end('<html>Moved</html>'), 'unprocessable', /is not a known kind of file/],
          [(_, response) => response.end(gzipSync(back).subarray(0, 20)), 'unprocessable', /damaged or truncated/],
          [(_, response) => response.end(back.slice(0, back.indexOf('\n') + 1)), 'unprocessable', /truncated/],
        ];
        for (const [handler, code, reason] of failures) {
          answer = (request, response) => (request.url === last ? handler : serve)(request, response);
          expect(await refusal(updateFromNetwork(settings(1), options()), code)).to.match(reason);
          expect(await repository.releases()).to.deep.equal(before);
        }
      });

      it('stops when aborted', async () => {
        const stop = new AbortController();
        answer = () => stop.abort(new Error('stopped'));
        const [outcome] = await Promise.allSettled([
          updateFromNetwork(settings(), { ...options(), signal: stop.signal }),
        ]);
        expect(outcome?.status === 'rejected' && (outcome.reason as Error).message).to.equal('stopped');
        expect(await repository.revision()).to.equal(0);
      });
    });
  });
}
