/**
 * The start page of the plugin (the demo, the loaded gene sets, and a form for a new report), and the requests behind the demo
 * pages.
 */
import { basename } from 'node:path';
import { html } from '../../../../core/plugin.js';
import type { IntervalSet } from '../../contract.js';
import { demoBuild, demoGenes, demoSamples } from '../../demo/demo.js';
import type { FormFields } from '../form/fields.js';
import { defaultType, type PageName, pageNames } from '../form/request.js';
import { askForm, type FormChoices } from './form.js';
import { footer, framed, type PageSurroundings } from './frame.js';

interface LandingPage extends PageSurroundings {
  sets: readonly IntervalSet[];
  demo: boolean;
  sent: FormFields;
  /** The files and samples to choose from; omitted if they may not be shown. */
  offers: FormChoices | undefined;
  /** The row that was just added. */
  added?: number | undefined;
}

export function landingPage({ sets, demo, sent, offers, added, ...around }: LandingPage): string {
  const { texts, base } = around;
  const { landing } = texts;
  return framed(
    around,
    landing.title,
    html`<header class="top"><div><h1>${landing.title}</h1><p class="soft">${landing.intro}</p></div></header>
<main id="content">
<section class="block"><h2>${landing.demos}</h2>
${
  demo
    ? html`<p class="soft">${landing.demoText}</p><ul class="links">${pageNames.map((name) => html`<li><a href="${base}/${name}/demo">${texts.pages[name]}</a></li>\n`)}</ul>`
    : html`<p class="soft">${landing.noDemo}</p>`
}</section>
<section class="block"><h2>${landing.sets}</h2>
${sets.length === 0 ? html`<p class="soft">${landing.noSets}</p>` : html`<dl class="facts loaded">${sets.map(factOf)}</dl>`}</section>
<section class="block"><h2>${landing.ask}</h2>
${askForm({ ...around, page: 'report', sent, offers, added, open: true })}</section>
</main>
${footer(undefined, around, false)}`,
  );

  function factOf({ kind, build, release, loaded, rows, checksum }: IntervalSet) {
    const day = loaded.toISOString().slice(0, 10);
    const short = checksum.replace(/^(\w+:\w{12})\w*$/, '$1');
    return html`<div><dt>${build} ${texts.sets[kind]}</dt><dd>${landing.rows(rows)}, ${texts.header.set(texts.sets[kind], release, day, short)}</dd></div>\n`;
  }
}

// The requests behind the demo pages: a synthetic trio and the demo genes.

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

export function demoFields(page: PageName, query: FormFields): FormFields {
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
    ...demoGenesOf(page, given),
    ...given,
  };
}

/** A panel that the URL names brings its genes. */
function demoGenesOf(page: PageName, given: FormFields): FormFields {
  if (page === 'gene_overview') return { panel_name: 'Demo panel', hgnc_gene_id: 'MTHFR' };
  if (given.panel !== undefined) return {};
  return { panel_name: 'Demo panel', hgnc_gene_ids: [...demoGenes, 'LAMA1', 'PIPPI6'].join(',') };
}
