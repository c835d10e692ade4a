/** Style rules of the observation page alone. */
import { raw } from '../../../../../core/plugin.js';

export const ownSheet = raw(`
.cards > .card > h3 { margin-top: 0; }
.cards > .card > .alert { font-size: 1.15rem; }
`);
