/** Style rules of the search page alone. */
import { raw } from '../../../../core/plugin.js';

export const ownSheet = raw(`
.search { display: grid; gap: .9rem 1.1rem; grid-template-columns: minmax(0, 1fr) auto auto; align-items: start; }
.search .field .hint { margin-top: .15rem; }
.search .actions { margin: 1.85rem 0 0; }
.place { font-family: ui-monospace, "SFMono-Regular", Menlo, Consolas, monospace; font-variant-numeric: tabular-nums; }
.soft.small { display: block; font-size: .8125rem; }
#answer > .alert { margin-top: .5rem; }
figure.gene { margin: 1rem 0; }
figure.gene svg { display: block; }
.gene-line { stroke: var(--edge); stroke-width: 2; }
.exon { fill: var(--accent); }
.allele { fill: var(--ink); }
.ends { display: flex; justify-content: space-between; margin: 0; font-size: .8125rem; color: var(--soft); font-variant-numeric: tabular-nums; }
figcaption { color: var(--soft); font-size: .875rem; }
thead th:nth-child(n + 3) { text-align: left; }
thead th.count { text-align: right; }
@media (max-width: 40rem) { .search { grid-template-columns: minmax(0, 1fr); } .search .actions { margin: 0; } }
@media print { .exon, .allele { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
`);
