/** Notes on genes: a page, routes, a command, a job, and what other plugins use. */
import { definePlugin, defineRight, Fault, html, page, route, style } from 'trefoil/plugin';
import { z } from 'zod';
import { geneNotes } from './contract.js';

const symbol = z.string().regex(/^[A-Za-z][A-Za-z0-9-]{0,39}$/, 'expected the symbol of a gene, such as PER3');
const text = z.string().min(1).max(2000);
const shown = z.object({ gene: z.string(), text: z.string(), changed: z.iso.datetime() });

const write = defineRight({ scope: 'gene-notes:write', summary: 'Add and replace notes' });

export default definePlugin({
  name: 'gene-notes',
  api: 1,
  summary: 'What the laboratory knows about its genes',
  settings: z.strictObject({ title: z.string().default('Gene notes') }),
  contracts: [geneNotes],

  // What its API tokens may allow.
  rights: [write],
  // Loaded only if the plugin is enabled.
  stores: { [geneNotes.id]: () => import('./store.js') },

  commands: [
    {
      name: 'add',
      summary: 'add or replace a note',
      arguments: [
        { name: 'gene', description: 'the symbol', required: true },
        { name: 'text', description: 'the note', required: true },
      ],
      examples: ["add PER3 'poorly covered in exon 18'"],
      async run({ repository, announce, terminal, now }, { arguments: [gene, note] }) {
        const saved = { gene: checked(symbol, gene).toUpperCase(), text: checked(text, note), changed: now() };
        await (await repository(geneNotes)).save([saved]);
        // For other plugins, see "Events between plugins".
        await announce('gene-notes/saved@1', { genes: [saved.gene] });
        terminal.data(saved);
        terminal.print(`Noted for ${saved.gene}.`);
      },
    },
  ],

  register(context) {
    const { settings, jobs, now } = context;
    const notes = context.repository(geneNotes);

    context.route(
      route({
        method: 'GET',
        path: '/gene-notes',
        operation: 'page',
        summary: 'All notes, as a page',
        answers: { 200: { description: 'The page.', content: { 'text/html': z.string() } } },
        async handle({ nonce }) {
          // `html` escapes every value.
          const rows = (await notes.list()).map(
            ({ gene, text }) => html`<li class="card"><h2>${gene}</h2><p>${text}</p></li>`,
          );
          const body = html`<body><header><h1>${settings.title}</h1></header><main><ul class="cards">${rows}</ul></main></body>`;
          return {
            type: 'text/html',
            body: page({ title: settings.title, schemes: 'light dark', head: style(nonce), body }),
          };
        },
      }),
    );

    context.route(
      route({
        method: 'GET',
        path: '/gene-notes/:gene',
        operation: 'find',
        summary: 'The note on one gene',
        params: z.object({ gene: symbol }),
        answers: { 200: { description: 'The note.', content: { 'application/json': shown } } },
        async handle({ params }) {
          const note = await notes.find(params.gene.toUpperCase());
          if (!note) throw new Fault('not-found', `There is no note on ${params.gene}`);
          return { body: { ...note, changed: note.changed.toISOString() } };
        },
      }),
    );

    // Long work is a job: it survives a restart, and the client that queued it can follow its progress.
    jobs.handle('gene-notes.import', {
      payload: z.object({ notes: z.array(z.object({ gene: symbol, text })) }),
      async run({ notes: given }) {
        await notes.save(given.map(({ gene, text }) => ({ gene: gene.toUpperCase(), text, changed: now() })));
        await context.announce('gene-notes/saved@1', { genes: given.map(({ gene }) => gene.toUpperCase()) });
        return { saved: given.length };
      },
    });
    context.route(
      route({
        method: 'POST',
        path: '/gene-notes/import',
        operation: 'import',
        summary: 'Adds or replaces many notes',
        access: context.tokenAccess(write),
        body: {
          types: ['application/json'],
          schema: z.object({
            notes: z
              .array(z.object({ gene: symbol, text }))
              .min(1)
              .max(10_000),
          }),
        },
        answers: { 202: { description: 'Queued.', content: { 'application/json': z.object({ job: z.string() }) } } },
        async handle({ body, principal }) {
          const job = await jobs.enqueue('gene-notes.import', body, { owner: principal.owner });
          return { status: 202, body: { job: jobs.href(job) } };
        },
      }),
    );

    // For other plugins, see "Services between plugins".
    context.offer('gene-notes/notes@1', () => ({ noteOn: async (gene) => (await notes.find(gene))?.text }));

    context.link('/gene-notes', settings.title);
  },
});

/** The value, or a sentence on what is wrong with it. */
function checked(schema, value) {
  const { data, error } = schema.safeParse(value);
  if (error) throw new Fault('invalid', `"${value}": ${error.issues[0].message}`);
  return data;
}
