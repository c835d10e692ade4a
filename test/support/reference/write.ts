/** `npm run reference`: writes the pages of config/reference. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { referencePages } from './pages.js';

const folder = fileURLToPath(new URL('../../../config/reference/', import.meta.url));
mkdirSync(folder, { recursive: true });
for (const [name, text] of await referencePages()) writeFileSync(`${folder}${name}`, text);
