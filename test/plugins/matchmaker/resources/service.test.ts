import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { decodeText } from '../../../../core/files.js';
import type { StorageLog } from '../../../../core/storage.js';
import {
  matchmakerResources,
  type ResourceRepository,
  type StoredResource,
} from '../../../../plugins/matchmaker/contract.js';
import {
  acknowledgement,
  findings,
  type ResourceService,
  type Resources,
  resourceService,
  resourceVersions,
} from '../../../../plugins/matchmaker/resources/resources.js';
import { readResource, storedResource } from '../../../../plugins/matchmaker/resources/update.js';
import { dealt } from '../../../support/dealt.js';
import { quiet, storages } from '../../../support/storages.js';
import { useEach } from '../../../support/use.js';
import { annotation, hpoa, obo, refusal, termOf } from './support/build.js';

const loaded = new Date('2026-03-04T05:06:07.008Z');
const terms = (...more: number[]) => obo([{ id: 118, parents: [] }, ...more.map((id) => ({ id, parents: [118] }))]);
const notes = hpoa([annotation('OMIM:1', 200), annotation('OMIM:2', 201)]);

async function kept(text: string, name = 'file'): Promise<StoredResource> {
  return storedResource(await readResource(await decodeText(name, Buffer.from(text))), name, loaded);
}

for (const engine of dealt(storages, 'sqlite')) {
  describe(`matchmaker resources in use, on ${engine.name}`, () => {
    const opened = useEach(() => engine.open([matchmakerResources]));
    let repository: ResourceRepository;
    const services: ResourceService[] = [];

    beforeEach(async () => {
      repository = opened.storage.repository(matchmakerResources);
    });
    afterEach(async () => {
      for (const service of services.splice(0)) await service.close();
    });

    function service(from = repository, check = 3600, log = quiet): ResourceService {
      const made = resourceService(from, { log, check });
      services.push(made);
      return made;
    }

    it('are the excerpt until resources are loaded, and the report says so', async () => {
      const own = service();
      expect(() => own.current()).to.throw(/before they are loaded/);
      await own.begin();
      const current = own.current();
      expect(current).to.include({ revision: 0, excerpt: true });
      expect(current.ontology.resolve('HP:0001250')).to.not.equal(undefined);
      expect(current.genes.resolve('KARS')?.symbol).to.equal('KARS1');
      expect(current.lift.from).to.deep.equal([]);
      expect(resourceVersions(current)).to.deep.equal({ ontology: '2024-08-13 (excerpt)', genes: 'unknown (excerpt)' });
      const faults = findings(current).filter(({ level }) => level === 'fault');
      expect(faults.map(({ message }) => message).join('\n')).to.match(/excerpt .* not for patients/i);
    });

    it('are replaced as a whole when the stored ones change, and stay the same object until then', async () => {
      const own = service();
      await own.begin();
      const heard: Resources[] = [];
      const leave = own.onChange((resources) => heard.push(resources));
      await repository.replace([await kept(terms(200, 201), 'hp.obo'), await kept(notes, 'phenotype.hpoa')]);
      const before = own.current();
      expect(before.revision).to.equal(0);
      expect(await own.refresh()).to.equal(true);
      expect(heard).to.deep.equal([own.current()]);
      const current = own.current();
      expect(current).to.include({ revision: 1, excerpt: true }); // the genes are still those of the excerpt
      expect(current.ontology.size).to.equal(3);
      expect(current.ontology.information(termOf(current.ontology, 200))).to.be.closeTo(Math.log(2), 1e-12);
      expect(before.ontology.size, 'who still holds the old ones is not disturbed').to.be.above(100);
      expect(await own.refresh()).to.equal(false);
      expect(own.current()).to.equal(current);
      leave();
      await repository.replace([await kept(terms(200, 201, 202), 'hp.obo')]);
      expect(await own.refresh()).to.equal(true);
      expect(heard).to.have.lengthOf(1);
      expect(own.current().ontology.size).to.equal(4);
      expect(resourceVersions(own.current())).to.include({ ontology: '2026-01-02', annotations: '2026-01-03' });
      expect(acknowledgement(own.current())).to.include(
        'Human Phenotype Ontology (version 2026-01-02, annotations of 2026-01-03)',
      );
      expect(own.current().releases[0]).to.deep.include({ source: 'hp.obo', loaded, entries: 4, excerpt: false });
    });

    it('follow another process without a request', async () => {
      const other = await opened.again();
      try {
        const own = service(repository, 0.02);
        await own.begin();
        const changed = new Promise<Resources>((resolve) => own.onChange(resolve));
        const genes = 'hgnc_id\tsymbol\tensembl_gene_id\tentrez_id\tprev_symbol\talias_symbol\nHGNC:5\tA1BG\t\t\t\t\n';
        await other.repository(matchmakerResources).replace([await kept(genes)]);
        const now = await changed;
        expect(now.genes.size).to.equal(1);
        expect(own.current()).to.equal(now);
      } finally {
        await other.close();
      }
    });

    it('share one check among simultaneous callers', async () => {
      let loads = 0;
      const counted: ResourceRepository = {
        ...repository,
        load() {
          loads++;
          return repository.load();
        },
      };
      const own = service(counted);
      expect(await Promise.all([own.refresh(), own.refresh(), own.refresh()])).to.deep.equal([true, true, true]);
      expect(loads).to.equal(1);
    });

    it('stay in use if new ones cannot be read, and the log says so once', async () => {
      const said: string[] = [];
      const log: StorageLog = { ...quiet, warn: (_, message) => said.push(message) };
      const own = service(repository, 0.01, log);
      await own.begin();
      const current = own.current();
      const good = await kept(terms(200), 'hp.obo');
      await repository.replace([{ ...good, content: Uint8Array.of(1, 2, 3) }]);
      expect(await refusal(own.refresh())).to.match(/stored ontology are damaged: load them again/);
      await repository.replace([{ ...good, kind: 'genes' }]);
      expect(await refusal(own.refresh())).to.match(/damaged|cannot read the stored/);
      while (said.length === 0) await sleep(10);
      await sleep(50); // further attempts, which report nothing new
      expect(own.current()).to.equal(current);
      expect(said).to.deep.equal(['resources for matching could not be refreshed']);
      await repository.replace([
        good,
        await kept(notes),
        await kept('hgnc_id\tsymbol\tensembl_gene_id\tentrez_id\tprev_symbol\talias_symbol\nHGNC:5\tA1BG\t\t\t\t\n'),
      ]);
      while (own.current() === current) await sleep(10);
      expect(own.current()).to.include({ revision: 3, excerpt: false });
    });

    it('refuse to start with unreadable ones', async () => {
      await repository.replace([{ ...(await kept(terms(200))), kind: 'genes' }]);
      expect(await refusal(service().begin())).to.match(/This version of Trefoil cannot read the stored genes/);
    });
  });
}
