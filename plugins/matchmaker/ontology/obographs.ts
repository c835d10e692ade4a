/** Reads hp.json (OBO Graphs). */
import { z } from 'zod';
import { fileFault, releaseDate, type TextFile } from '../../../core/files.js';
import { type Term, type TermList, termId, termNumber } from './terms.js';

const property = z.object({ pred: z.string(), val: z.string() });
const node = z.object({
  id: z.string(),
  lbl: z.string().optional(),
  meta: z.object({ deprecated: z.boolean().optional(), basicPropertyValues: z.array(property).optional() }).optional(),
});
const graph = z.object({
  meta: z.object({ version: z.string().optional(), basicPropertyValues: z.array(property).optional() }).optional(),
  nodes: z.array(node),
  edges: z.array(z.object({ sub: z.string(), pred: z.string(), obj: z.string() })),
});
const graphs = z.object({ graphs: z.array(z.unknown()).min(1) });

const alternative = 'http://www.geneontology.org/formats/oboInOwl#hasAlternativeId';
const replacement = 'http://purl.obolibrary.org/obo/IAO_0100001';

/** Reads the first graph; skips nodes of other ontologies. Throws an `unprocessable` fault with the path or line. */
export function readObographs(file: TextFile): TermList {
  const outer = check(file, graphs, parse(file), '');
  const { meta, nodes, edges } = check(file, graph, outer.graphs[0], 'graphs.0.');
  const terms = new Map<number, Term>();
  for (const { id: address, lbl, meta: about } of nodes) {
    const id = termNumber(address);
    if (id === undefined) continue;
    const obsolete = about?.deprecated === true;
    const values = about?.basicPropertyValues ?? [];
    const replacedBy = termNumber(values.find(({ pred }) => pred === replacement)?.val ?? '');
    // A node without a label is an old id, of use only if it names its replacement.
    if (lbl === undefined && !(obsolete && replacedBy !== undefined)) continue;
    if (terms.has(id)) throw fileFault(file.name, `${termId(id)} is defined twice`);
    terms.set(id, {
      id,
      name: lbl ?? '',
      obsolete,
      ...(replacedBy !== undefined && { replacedBy }),
      alternatives: values.flatMap(({ pred, val }) => (pred === alternative ? (termNumber(val) ?? []) : [])),
      parents: [],
    });
  }
  for (const { sub, pred, obj } of edges) {
    const [child, parent] = [termNumber(sub), termNumber(obj)];
    if (pred !== 'is_a' || child === undefined || parent === undefined) continue;
    const term = terms.get(child);
    if (!term) throw fileFault(file.name, `${termId(child)} has a parent, but is not among the nodes`);
    term.parents.push(parent);
  }
  const info = meta?.basicPropertyValues?.find(({ pred }) => pred.endsWith('owl#versionInfo'))?.val;
  const version = releaseDate(info) ?? releaseDate(meta?.version) ?? info;
  return { ...(version && { version }), terms: [...terms.values()] };
}

function check<Value>(file: TextFile, schema: z.ZodType<Value>, value: unknown, prefix: string): Value {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw fileFault(file.name, `not an OBO graph: ${prefix}${issue?.path.join('.')}: ${issue?.message}`);
}

function parse({ name, text }: TextFile): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const position = Number(/position (\d+)/.exec((cause as Error).message)?.[1] ?? text.length);
    const line = text.slice(0, position).split('\n').length;
    throw fileFault(name, 'not a complete JSON document', line);
  }
}
