/** Style rules of the observation page alone. */
import { raw } from '../../../../../core/plugin.js';

export const ownSheet = raw(`
.cards > .card > h3 { margin-top: 0; }
.cards > .card > .alert { font-size: 1.15rem; }
.cards > .card > .hint { margin-top: .75rem; }
.neighbours th:first-child { width: 60%; }
.neighbours thead th { text-align: left; }
.neighbours tbody th { font-weight: 400; font-variant-numeric: tabular-nums; }
.neighbours tbody .asked th { font-weight: 650; }
.bar { display: block; margin-top: .15rem; }
.bar .asked { fill: var(--ink); }
.bar .counted { fill: var(--accent); }
.bar .other { fill: var(--edge); }
@media (max-width: 40rem) { .neighbours tbody th:first-child { width: 100%; } .neighbours .asked td { display: none; } }
`);
