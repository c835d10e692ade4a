/** Reads OBO Graphs: the terms of hp.json; mondo.ts reads mondo.json. */
import { z } from 'zod';
import { fileFault, releaseDate, type TextFile } from '../../../core/files.js';
import { type Term, type TermList, termId, termNumber } from './terms.js';

const property = z.object({ pred: z.string(), val: z.string() });
const properties = z.array(property).optional();
const xrefs = z.array(z.object({ val: z.string() })).optional();
const node = z.object({
  id: z.string(),
  lbl: z.string().optional(),
  meta: z
    .object({
      deprecated: z.boolean().optional(),
      basicPropertyValues: properties,
      xrefs: z
        .array(z.object({ val: z.string(), meta: z.object({ basicPropertyValues: properties, xrefs }).optional() }))
        .optional(),
    })
    .optional(),
});
const graph = z.object({
  meta: z.object({ version: z.string().optional(), basicPropertyValues: properties }).optional(),
  nodes: z.array(node),
  edges: z.array(z.object({ sub: z.string(), pred: z.string(), obj: z.string() })),
});
const graphs = z.object({ graphs: z.array(z.unknown()).min(1) });

export type Graph = z.output<typeof graph>;

export const alternative = 'http://www.geneontology.org/formats/oboInOwl#hasAlternativeId';
export const replacement = 'http://purl.obolibrary.org/obo/IAO_0100001';

/** Reads the first graph. Throws an `unprocessable` fault with the path or line. */
export function readGraph(file: TextFile): Graph {
  const outer = check(file, graphs, parse(file), '');
  return check(file, graph, outer.graphs[0], 'graphs.0.');
}

/** The terms of HPO in a graph. Throws an `unprocessable` fault if they are not sound. */
export function termsOf(file: TextFile, about: Graph): TermList {
  const { nodes, edges } = about;
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
  const version = versionOf(about);
  return { ...(version && { version }), terms: [...terms.values()] };
}

export function versionOf({ meta }: Graph): string | undefined {
  const info = meta?.basicPropertyValues?.find(({ pred }) => pred.endsWith('owl#versionInfo'))?.val;
  return releaseDate(info) ?? releaseDate(meta?.version) ?? info;
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
