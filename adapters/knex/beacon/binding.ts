/** beacon@1 on SQL. */
import {
  type Allele,
  alleleKey,
  type BeaconRepository,
  beacon,
  type Counts,
} from '../../../plugins/beacon/contract.js';
import { type Database, defineBinding } from '../binding.js';
import { compactNext, fragmentedDatasets } from './compact.js';
import { removeDataset, removeSamples } from './copy.js';
import { DatasetStates } from './dataset-states.js';
import {
  addBatches,
  addDataset,
  batchRows,
  datasetRows,
  findDataset,
  listBatches,
  listDatasets,
  listSamples,
  saltOfDataset,
  updateDataset,
} from './datasets.js';
import { eachAllele, nearby } from './export.js';
import { rewriteAlleles } from './forms.js';
import { fractionsOfAlleles } from './fractions.js';
import { commonSites, genotypesOf } from './genotypes.js';
import { SampleNames } from './hits.js';
import { importAlleles } from './import.js';
import { alleleOfRow, alleleSelection, type StoredAlleleRow } from './layout.js';
import { migrations, texts } from './migrations.js';
import { observeAlleles } from './observe.js';
import { bounds, portionsOfDataset, withinPortion } from './portions.js';
import { allelesOnlyIn, callsIn, published, sampleNames } from './published.js';
import { describeSamples, listSampleFacts, sampleRows } from './sample-facts.js';
import { AlleleSearch } from './search.js';
import { leftovers, sweepSegments } from './sweep.js';

function repository(database: Database): BeaconRepository {
  const names = new SampleNames();
  const alleles = new AlleleSearch(database, names);
  const states = new DatasetStates();
  return {
    datasets: () => listDatasets(database),
    dataset: (id) => findDataset(database, id),
    addDataset: (description, now) => addDataset(database, description, now),
    updateDataset: (description, now, from) => updateDataset(database, description, now, from),
    samples: (dataset) => listSamples(database, dataset),
    sampleFacts: (dataset) => listSampleFacts(database, dataset),
    salt: (dataset) => saltOfDataset(database, dataset),
    describeSamples: (dataset, changes, now) => describeSamples(database, dataset, changes, now),
    importAlleles: (request, now) => importAlleles(database, request, now),
    removeSamples: (dataset, samples, now) => removeSamples(database, dataset, samples, now),
    batches: (dataset, series) => listBatches(database, dataset, series),
    addBatches: (dataset, series, after, batches) => addBatches(database, dataset, series, after, batches),
    removeDataset: (id) => removeDataset(database, id),
    search: (query, datasets, options) => alleles.search(query, datasets, options),
    present: (query, datasets, options) => alleles.present(query, datasets, options),
    found: (query, datasets, options) => alleles.found(query, datasets, options),
    observe: (...asked) => observeAlleles(database, states, ...asked),
    fractions: (dataset, wanted, options) => fractionsOfAlleles(database, names, dataset, wanted, options),
    nearby: (dataset, question, around) => nearby(database, dataset, question, around),
    genotypes: (...asked) => genotypesOf(database, states, ...asked),
    commonSites: (dataset, most) => commonSites(database, dataset, most),
    examples: (dataset, structural, limit) => examples(database, dataset, structural, limit),
    eachAllele: (dataset, take, options) => eachAllele(database, dataset, take, options),
    recount: (dataset) => recount(database, dataset),
    fragmented: () => fragmentedDatasets(database),
    compact: (dataset, pause) => compactNext(database, dataset, pause),
    sweep: (idleSince, samples) => sweepSegments(database, idleSince, samples),
    leftovers: () => leftovers(database),
    rewriteAlleles: (dataset, rewriting, now) => rewriteAlleles(database, dataset, rewriting, now),
  };
}

async function examples(database: Database, dataset: string, structural: boolean, limit: number): Promise<Allele[]> {
  const found = new Map<string, Allele>();
  for (const portion of await portionsOfDataset(database, dataset, structural)) {
    if (found.size >= limit) break;
    for (let after = portion.first - 1; found.size < limit; ) {
      const rows = await database.query<StoredAlleleRow>(
        `select ${alleleSelection} from beacon_alleles a where a.structural = ${structural ? 1 : 0} ` +
          `and ${withinPortion(database.engine, 'a')} order by a.id limit ?`,
        [...bounds({ ...portion, first: after + 1 }), limit],
      );
      for (const allele of rows.map(alleleOfRow)) found.set(alleleKey(allele), allele);
      // Several of the rows may be of one allele.
      if (rows.length < limit) break;
      after = Number(rows.at(-1)?.id);
    }
  }
  return [...found.values()].slice(0, limit);
}

/** Everything from one state of the database, by the same counting that imports use. */
function recount(database: Database, dataset: string): Promise<Counts> {
  return database.snapshot(async (snapshot) => {
    const { segments } = await published(snapshot, dataset);
    const ids = segments.map(({ id }) => id);
    return {
      alleles: await allelesOnlyIn(snapshot, ids, dataset, { without: ids }),
      calls: await callsIn(snapshot, ids),
      samples: sampleNames(segments).size,
    };
  });
}

/** Names datasets with segments that 0.2 had marked as of 0.1, and had not rewritten yet. */
async function refusal({ read }: Database): Promise<string | undefined> {
  const waiting = await read('beacon_segments')
    .distinct('dataset')
    .where({ state: 'published', as_written: 1 })
    .orderBy('dataset');
  if (waiting.length === 0) return undefined;
  const names = waiting.map(({ dataset }) => `"${dataset}"`).join(', ');
  return (
    `Alleles of ${waiting.length === 1 ? 'dataset' : 'datasets'} ${names} are still as release 0.1 stored them, which this ` +
    'version cannot read. Run "beacon verify --mend" of Trefoil 0.2 on this database, then start this version'
  );
}

export default defineBinding({
  contract: beacon,
  migrations,
  texts,
  rows: [datasetRows, sampleRows, batchRows],
  refusal,
  repository,
});
