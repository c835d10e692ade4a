/** A plugin that listens to the event of gene-notes. */
import { appendFile } from 'node:fs/promises';
import { definePlugin } from 'trefoil/plugin';
import { z } from 'zod';

export default definePlugin({
  name: 'note-journal',
  api: 1,
  summary: 'Keeps a journal of the genes whose notes changed',
  settings: z.strictObject({ file: z.string().default('journal.txt') }),
  contracts: [],
  register(context) {
    context.on('gene-notes/saved@1', ({ genes }) => appendFile(context.settings.file, `${genes.join(' ')}\n`));
  },
});
