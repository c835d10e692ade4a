/** Reads of genes that a caller aborts are cancelled in the database; a table without end shows this. */
import { expect } from 'chai';
import type { Database } from '../../../../adapters/knex/binding.js';
import { coverage, type IntervalRepository, type ReadOptions } from '../../../../plugins/coverage/contract.js';
import { select } from '../../../../plugins/coverage/measure/select.js';
import { probe, probeOptions } from '../../../adapters/storage/support/probe.js';
import { exon, gene, load, names, transcript } from '../../../conformance/coverage/build.js';
import { dealt } from '../../../support/dealt.js';
import { storages } from '../../../support/storages.js';
import { useOnce } from '../../../support/use.js';

const reason = new Error('The caller gave up');
const mthfr = gene(177000, { hgnc: 7436, symbol: 'MTHFR' });
const model = transcript(1, mthfr);

type Read = (repository: IntervalRepository, options: ReadOptions) => Promise<unknown>;

/** Each read, with the table that is endless during the read. */
const reads: readonly (readonly [name: string, table: string, read: Read])[] = [
  ['sets', 'coverage_sets', (repository, options) => repository.sets(options)],
  ['findGenes', 'coverage_genes', (repository, options) => repository.findGenes('GRCh38', ['MTHFR'], options)],
  ['findGenes', 'coverage_names', (repository, options) => repository.findGenes('GRCh38', ['MTHFR'], options)],
  [
    'transcriptsOf',
    'coverage_exons',
    (repository, options) => repository.transcriptsOf('GRCh38', [mthfr.ensembl], options),
  ],
  [
    'select',
    'coverage_transcripts',
    (repository, options) => repository.select('transcripts', 'GRCh38', { ids: [model.ensembl] }, options),
  ],
  [
    'each',
    'coverage_genes',
    (repository, options) => repository.each('genes', 'GRCh38', 1, async () => undefined, options),
  ],
  [
    'the choice of transcripts',
    'coverage_transcripts',
    (repository, options) =>
      select(repository, { build: 'GRCh38', genes: ['MTHFR'], type: 'exons', transcripts: 'all' }, options),
  ],
];

const given = (work: Promise<unknown>) => work.then(() => 'an answer').catch((error: unknown) => error);

for (const engine of dealt(storages, 'postgres')) {
  describe(`Aborted reads of genes, on ${engine.name}`, () => {
    const opened = useOnce(() => engine.open([coverage, probe], probeOptions));
    let repository: IntervalRepository;
    let database: Database;

    before(async () => {
      repository = opened.storage.repository(coverage);
      database = opened.storage.repository(probe);
      await load(repository, 'GRCh38', {
        genes: [mthfr],
        transcripts: [model],
        exons: [exon(1, model, 1)],
        names: [names(7436, 'MTHFR')],
      });
    });

    const sql = (statement: string) => database.run(async ({ write }) => void (await write.raw(statement)));

    for (const [name, table, read] of reads) {
      it(`are cancelled in the database: ${name} of ${table}`, async () => {
        const whole = await read(repository, {});
        await sql(`alter table ${table} rename to kept`);
        await sql(
          `create view ${table} as select * from kept where (with recursive n(i) as (select 1 union all select 1 from n) select count(*) from n) < 0`,
        );
        try {
          for (const when of [0, 1, 5, 100]) {
            const stop = new AbortController();
            const work = given(read(repository, { signal: stop.signal }));
            for (let turn = 0; turn < when; turn++) await new Promise((resolve) => setImmediate(resolve));
            stop.abort(reason);
            expect(await work).to.equal(reason);
          }
        } finally {
          await sql(`drop view ${table}`);
          await sql(`alter table kept rename to ${table}`);
        }
        expect(await read(repository, {})).to.deep.equal(whole);
      });
    }
  });
}
