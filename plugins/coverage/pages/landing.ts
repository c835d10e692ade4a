/** The start page of the plugin: the demo, the loaded gene sets, and a form for a new report. */
import { html } from '../../../core/plugin.js';
import type { IntervalSet } from '../contract.js';
import type { Sent } from '../form/fields.js';
import { pageNames } from '../form/request.js';
import { askForm } from './form.js';
import { footer, framed, type Surroundings } from './frame.js';
import type { Offered } from './sample-rows.js';

export interface LandingPage extends Surroundings {
  sets: readonly IntervalSet[];
  demo: boolean;
  sent: Sent;
  /** The files and samples to choose from; omitted if they may not be shown. */
  offers: Offered | undefined;
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
