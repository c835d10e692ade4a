/**
 * `import` and `import-panelapp`: drafts of panels from files or from a server of PanelApp, with everything listed that needs a
 * look.
 */
import { createHash } from 'node:crypto';
import { type Command, type CommandContext, command, counted, Fault } from '../../../core/commands.js';
import type { GeneStructures } from '../../services/coverage.js';
import { panels } from '../contract.js';
import { geneStructuresKey } from '../genes/exons.js';
import type { NamesInUse } from '../genes/gene-table.js';
import type { PanelSettings } from '../settings.js';
import type { PanelGene, PanelSource, UnmappedEntry } from '../versions/content.js';
import { panelEvent } from '../versions/lifecycle.js';
import { panelIdFault, panelIdNear } from '../versions/names.js';
import type { MeaningOf } from './bed.js';
import type { NamedLine, PanelDraft } from './drafts.js';

type ImportNames = Partial<Record<'panel' | 'version' | 'name', string>>;

interface ImportOutcome {
  panel: string;
  version: string;
  result: 'added' | 'unchanged' | 'refused';
  why?: string;
  genes: number;
  unmapped: readonly UnmappedEntry[];
  notes: readonly string[];
}

/** Adds panels one by one, and reports for each what needs a look. */
class Importer {
  readonly #context: CommandContext<PanelSettings>;
  readonly #inUse: NamesInUse;
  readonly #by: string;
  readonly outcomes: ImportOutcome[] = [];
  readonly #added: PanelGene[][] = [];

  constructor(context: CommandContext<PanelSettings>, inUse: NamesInUse, by: string) {
    this.#context = context;
    this.#inUse = inUse;
    this.#by = by;
  }

  /** The one gene of which a word is a symbol, now or formerly, or an Ensembl id; else those that it may mean. */
  readonly meaningOf = (symbol: string): ReturnType<MeaningOf> => {
    const found = this.#inUse.table.resolve({ symbol });
    return 'gene' in found ? { hgnc: found.gene.hgnc } : found;
  };

  async add(
    given: PanelDraft,
    read: Omit<PanelSource, 'kind' | 'id' | 'version' | 'signedOff' | 'read'>,
    named: ImportNames = {},
  ): Promise<void> {
    const { addDraft, contentOfDraft } = await import('./drafts.js');
    const { audit, now, repository, transaction } = this.#context;
    const { names, table } = this.#inUse;
    const panel = named.panel ?? given.id;
    if (panel === undefined) throw new Fault('invalid', `${read.name} does not name its panel: name it with --panel`);
    const version = named.version ?? given.version ?? '1.0';
    const at = now();
    const { content, notes } = contentOfDraft(
      { ...given, name: named.name ?? given.name ?? panel },
      { ...read, read: at.toISOString() },
      { table, release: names.release },
    );
    if (given.lines !== undefined) notes.push(...(await this.#misplaced(given.lines)));
    const stored = await addDraft(
      await repository(panels),
      { panel, version, content },
      {
        actor: { by: this.#by, at },
        add: (made) =>
          audit.within(transaction, async (scope, record) => {
            await scope.repository(panels).add(made);
            await record(undefined, { ...panelEvent('import', made), because: 'command line' });
          }),
      },
    );
    const outcome = { panel, version, genes: content.genes.length, unmapped: content.unmapped ?? [], notes };
    const told: ImportOutcome =
      typeof stored === 'string'
        ? { ...outcome, result: stored }
        : { ...outcome, result: 'refused', why: stored.refused };
    const near = named.panel === undefined && panelIdFault(panel) !== undefined ? panelIdNear(panel) : undefined;
    if (near !== undefined) told.why = `${told.why}; import it with --panel ${near}`;
    this.outcomes.push(told);
    if (stored === 'added') this.#added.push(content.genes);
    this.#tell(told);
    if (stored !== 'added') await this.keepSignedOff(panel, version, given.source.signedOff);
  }

  /** Adds the day on which PanelApp signed a version off, if it is stored without. */
  async keepSignedOff(panel: string, version: string, signedOff: string | undefined): Promise<void> {
    const { audit, now, repository, terminal, transaction } = this.#context;
    const stored = signedOff === undefined ? undefined : await (await repository(panels)).find(panel, version);
    if (stored === undefined || signedOff === undefined) return;
    const { keepSignedOff } = await import('./drafts.js');
    const said = await keepSignedOff(stored, signedOff, {
      actor: { by: this.#by, at: now() },
      replace: (next) =>
        audit.within(transaction, async (scope, record) => {
          const replaced = await scope.repository(panels).replace(next);
          if (replaced) await record(undefined, { ...panelEvent('edit', next), because: 'command line' });
          return replaced;
        }),
    });
    if (said !== undefined) terminal.print(`${panel}@${version}: ${said}`);
  }

  /** Of lines with places, those that are not on the gene that they name, as far as the coverage plugin knows. */
  async #misplaced(lines: readonly NamedLine[]): Promise<string[]> {
    const structures = await this.#context.find<GeneStructures>(geneStructuresKey);
    if (structures === undefined) return [];
    const { misplacedLines } = await import('./bed.js');
    return misplacedLines(structures, lines, this.#inUse.table, this.#context.signal);
  }

  /** What the coverage plugin has no coordinates for, if it is enabled, and in how many of the panels that were added. */
  async #coordinates(): Promise<{ text: string; panels: number }[]> {
    const structures =
      this.#added.length === 0 ? undefined : await this.#context.find<GeneStructures>(geneStructuresKey);
    if (structures === undefined) return [];
    const { readCoordinates } = await import('../genes/genes-in-panels.js');
    const coordinates = await readCoordinates(structures, this.#added.flat(), this.#context.signal);
    const found = new Map<string, number>();
    for (const genes of this.#added) {
      for (const { text } of coordinates.check(genes)) found.set(text, (found.get(text) ?? 0) + 1);
    }
    return [...found].map(([text, count]) => ({ text, panels: count }));
  }

  #tell({ panel, version, result, why, genes, unmapped, notes }: ImportOutcome): void {
    const { terminal } = this.#context;
    const name = `${panel}@${version}`;
    terminal.print(`${name}: ${result === 'refused' ? `refused: ${why}` : `${counted(genes, 'gene')}, ${result}`}`);
    if (result === 'unchanged') return;
    for (const note of notes) terminal.print(`  ${note}`);
    for (const { given, at, why: reason, candidates = [] } of unmapped) {
      const meant = candidates.length === 0 ? '' : `; may be ${candidates.map((id) => `HGNC:${id}`).join(', ')}`;
      terminal.print(`  ${at}: no gene for ${given}: ${reason}${meant} (blocks signing)`);
    }
  }

  /** The exit code. */
  async end(): Promise<number> {
    const { terminal } = this.#context;
    const coordinates = await this.#coordinates();
    for (const { text, panels: count } of coordinates) terminal.print(`${text} (in ${counted(count, 'panel')})`);
    const count = (result: ImportOutcome['result']) => this.outcomes.filter((one) => one.result === result).length;
    const open = this.outcomes.reduce((sum, { unmapped }) => sum + unmapped.length, 0);
    terminal.print(
      `${counted(this.outcomes.length, 'panel')}: ${count('added')} added, ${count('unchanged')} unchanged, ` +
        `${count('refused')} refused; ${open} without a gene`,
    );
    terminal.data({ panels: this.outcomes, coordinates });
    return count('refused') > 0 ? 1 : 0;
  }
}

async function importer(context: CommandContext<PanelSettings>, by: string): Promise<Importer> {
  if (!/^[^\p{Cc}]{1,200}$/u.test(by) || by.trim() === '')
    throw new Fault('invalid', '--by: expected the name of a person, of at most 200 characters');
  const { namesInUse } = await import('../genes/gene-table.js');
  return new Importer(context, await namesInUse(await context.repository(panels)), by);
}

const byOption = { flags: '--by <name>', description: 'who imports, for the history', required: true } as const;

const importFile: Command<PanelSettings> = command({
  name: 'import',
  summary:
    'Add drafts of panels from a file: PanelApp as JSON lines or its table, Scout, BED, a table or a list of genes',
  description:
    'The kind of file is recognised. Nothing is lost: entries for which no gene is certain are kept, listed, and block signing ' +
    'until they are resolved. A version that is there with the same content is left alone; with other content it is refused.',
  examples: [
    'import --file panelapp.jsonl --by "Anna Berg"',
    'import --file epilepsy.tsv --panel epilepsy --version 1.3 --by "Anna Berg"',
    'import --file kit.bed --panel kit --by "Anna Berg"',
  ],
  options: [
    { flags: '--file <file>', description: 'the file, plain or gzip', required: true },
    byOption,
    { flags: '--panel <id>', description: 'id of the panel, if the file has one panel' },
    { flags: '--version <version>', description: 'its version, such as 1.3 (default: as the file says, else 1.0)' },
    { flags: '--name <name>', description: 'its name for people (default: as the file says, else its id)' },
  ],
  async run(context, { options: { file, by, ...named } }) {
    const { readTextFile } = await import('../../../core/files.js');
    const text = await readTextFile(file, context.signal);
    const read = { name: text.name, sha256: createHash('sha256').update(text.text, 'utf8').digest('hex') };
    const adding = await importer(context, by);
    if (!/^\s*[[{]/.test(text.text)) {
      const { isBed, readBed } = await import('./bed.js');
      const { readGeneList } = await import('./gene-list.js');
      const { isPanelAppTable, readPanelAppTable } = await import('./panelapp.js');
      const isGene = (word: string) => adding.meaningOf(word).hgnc !== undefined;
      const table = isPanelAppTable(text.text) ? readPanelAppTable(text) : undefined;
      const given = table ?? (isBed(text.text) ? readBed(text, adding.meaningOf) : readGeneList(text, isGene));
      await adding.add(given, read, named);
      return adding.end();
    }
    const { readPanelApp } = await import('./panelapp.js');
    const given = jsonPanels(text).map(({ value, at }) => readPanelApp(value, at));
    if (given.length > 1 && (named.panel ?? named.version ?? named.name) !== undefined) {
      throw new Fault('invalid', `${text.name} has ${given.length} panels: --panel, --version and --name are for one`);
    }
    const progress = context.terminal.progress('Importing');
    try {
      for (const [place, panel] of given.entries()) {
        context.signal.throwIfAborted();
        await adding.add(panel, read, named);
        progress.update((place + 1) / given.length, `${place + 1} of ${given.length} panels`);
      }
    } finally {
      progress.stop();
    }
    return adding.end();
  },
});

/** The values of a JSON document (one, or a list), or of JSON lines. Throws an `unprocessable` fault with the line. */
function jsonPanels({ name, text }: { name: string; text: string }): { value: unknown; at: string }[] {
  const whole = parsedJson(text);
  if (whole !== undefined) {
    const values: unknown[] = Array.isArray(whole) ? whole : [whole];
    return values.map((value, place) => ({ value, at: values.length === 1 ? name : `${name}, panel ${place + 1}` }));
  }
  return text.split('\n').flatMap((line, place) => {
    if (line.trim() === '') return [];
    const at = `${name}, line ${place + 1}`;
    const value = parsedJson(line);
    if (value === undefined) throw new Fault('unprocessable', `${at}: not JSON`);
    return [{ value, at }];
  });
}

/** Undefined if it is not JSON. */
function parsedJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}

const importPanelApp: Command<PanelSettings> = command({
  name: 'import-panelapp',
  summary: 'Add drafts of panels from the server of PanelApp',
  description:
    'Reads the latest versions, or with --signed-off those that were signed off there. Panels whose version is there are not read ' +
    'again. Waits when the server asks for it; what was read before an interruption stays.',
  examples: ['import-panelapp --signed-off --by "Anna Berg"', 'import-panelapp 1207 1141@2.8 --by "Anna Berg"'],
  arguments: [
    { name: 'panels', description: "PanelApp's ids, with @version for an old one; all if omitted", variadic: true },
  ],
  options: [byOption, { flags: '--signed-off', description: 'versions that were signed off in PanelApp' }],
  async run(context, { options: { by, signedOff = false }, arguments: wanted }) {
    const { settings, signal, terminal, repository } = context;
    const [{ panelOfServer, panelsOfServer }, { readPanelApp }] = await Promise.all([
      import('./panelapp-server.js'),
      import('./panelapp.js'),
    ]);
    const server = { ...settings.panelApp, signal };
    const asked: { id: string; version?: string; latest?: string; signedOff?: string }[] =
      wanted.map(panelAppReference);
    if (asked.length === 0) {
      for await (const { version: latest, ...panel } of panelsOfServer(server, { signedOff }))
        asked.push({ ...panel, latest });
    }
    const adding = await importer(context, by);
    const stored = await repository(panels);
    const known = new Set((await stored.list()).map(({ panel, version }) => `${panel}@${version}`));
    const progress = terminal.progress('Importing');
    let before = 0;
    try {
      for (const [place, { id, version, latest, signedOff: day }] of asked.entries()) {
        signal.throwIfAborted();
        if (known.has(`panelapp-${id}@${version ?? latest}`)) {
          before++;
          // The list states the day of each panel; of a version that is named, only the panel does.
          const answer =
            signedOff && version !== undefined ? await panelOfServer(server, { id, version, signedOff }) : undefined;
          const stated = answer === undefined ? day : readPanelApp(answer.value, answer.name).source.signedOff;
          await adding.keepSignedOff(`panelapp-${id}`, `${version ?? latest}`, stated);
        } else {
          const { value, name, sha256 } = await panelOfServer(server, { id, version, signedOff });
          await adding.add(readPanelApp(value, name), { name, sha256 });
        }
        progress.update((place + 1) / asked.length, `${place + 1} of ${asked.length} panels`);
      }
    } finally {
      progress.stop();
    }
    if (before > 0) terminal.print(`${counted(before, 'panel')} with the version that is stored were not read again`);
    return adding.end();
  },
});

function panelAppReference(word: string): { id: string; version?: string } {
  const [, id, version] = /^(\d{1,9}|[0-9a-f]{24})(?:@(\d+(?:\.\d+)*))?$/.exec(word) ?? [];
  if (id === undefined)
    throw new Fault('invalid', `"${word}" is not a panel of PanelApp: expected an id such as 1207, or 1207@1.6`);
  return version === undefined ? { id } : { id, version };
}

export const importCommands: readonly Command<PanelSettings>[] = [importFile, importPanelApp];
