/** The requests behind the demo pages: a synthetic trio and the demo genes. */
import { basename } from 'node:path';
import { demoBuild, demoGenes, demoSamples } from '../demo/demo.js';
import type { Sent } from '../form/fields.js';
import { defaultType, type PageName } from '../form/request.js';

/** Fields that the URL of a demo page may change. */
const changeable = [
  'lang',
  'format',
  'table',
  'default_level',
  'interval_type',
  'transcripts',
  'transcript',
  'panel',
  'panel_confidence',
  'hgnc_gene_id',
  'filter',
  'sort',
  'part',
];

export function demoFields(page: PageName, query: Sent): Sent {
  const given = Object.fromEntries(
    changeable.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]])),
  );
  const samples = demoSamples.map(({ name, sex, coverageFile }) => ({
    name,
    // Without its directory: the demo folder is one of the roots.
    coverage_file_path: basename(coverageFile),
    case_name: 'demo_trio',
    analysis_date: '2026-04-23',
    sex,
  }));
  return {
    build: demoBuild,
    samples: JSON.stringify(samples),
    interval_type: defaultType,
    default_level: '20',
    completeness_thresholds: '10,15,20,30,50',
    case_display_name: 'Demo trio',
    ...genesOf(page, given),
    ...given,
  };
}

/** A panel that the URL names brings its genes. */
function genesOf(page: PageName, given: Sent): Sent {
  if (page === 'gene_overview') return { panel_name: 'Demo panel', hgnc_gene_id: 'MTHFR' };
  if (given.panel !== undefined) return {};
  return { panel_name: 'Demo panel', hgnc_gene_ids: [...demoGenes, 'LAMA1', 'PIPPI6'].join(',') };
}
