/**
 * Changes of one thing in a source, each of which breaks what some code means: what the conformance kit has to notice. A mutant
 * is a replacement of one piece of text; types do not matter, since sources are compiled without checking them.
 */
import { parse } from '@babel/parser';

/** A node of the syntax tree, as far as it is looked at. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

export interface Mutant {
  readonly operator: string;
  readonly start: number;
  readonly end: number;
  /** What comes in place of the source from `start` to `end`. */
  readonly text: string;
  /** From 1. */
  readonly line: number;
}

/** A replacement of a node, or of a part of it. */
interface Replacement {
  readonly text: string;
  readonly start?: number;
  readonly end?: number;
}

interface Site {
  readonly node: Node;
  /** From the outermost to the parent. */
  readonly parents: readonly Node[];
  readonly source: string;
}

type Operator = (site: Site) => readonly Replacement[];

const none: readonly Replacement[] = [];

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

function textOf({ source }: Site, node: unknown): string {
  return isNode(node) ? source.slice(node.start, node.end) : '';
}

/** The name of an identifier, or of the key of a property. */
function nameOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'Identifier') return String(node.name);
  return node.type === 'StringLiteral' ? String(node.value) : undefined;
}

/** `limit` of `query.limit(5)`, with what comes before the point. */
function methodOf({ type, callee }: Node): { name: string; object: Node } | undefined {
  if (type !== 'CallExpression' || !isNode(callee) || callee.type !== 'MemberExpression') return undefined;
  const name = nameOf(callee.property);
  return name !== undefined && isNode(callee.object) ? { name, object: callee.object } : undefined;
}

function argumentsOf(node: Node): readonly Node[] {
  return node.arguments as readonly Node[];
}

function propertiesOf(node: Node): readonly Node[] {
  return node.type === 'ObjectExpression' ? (node.properties as readonly Node[]) : [];
}

/** The piece of an object without one of its properties. */
function withoutProperty({ source, parents }: Site, property: Node): Replacement {
  const all = propertiesOf(parents.at(-1) as Node);
  const next = all[all.indexOf(property) + 1];
  if (next !== undefined) return { text: '', end: next.start };
  const comma = source.slice(property.end).match(/^\s*,/)?.[0].length ?? 0;
  return { text: '', end: property.end + comma };
}

/** Whether the object says which rows are meant. */
function isCondition({ parents }: Site): boolean {
  const [call, property] = [parents.at(-2), parents.at(-2)];
  if (property?.type === 'ObjectProperty' && nameOf(property.key) === 'where') return true;
  const method = call && methodOf(call)?.name;
  if (method === undefined || argumentsOf(call as Node)[0] !== parents.at(-1)) return false;
  return ['where', 'andWhere', 'whereNot', 'one', 'lock', 'change', 'remove', 'count'].includes(method);
}

/** Whether it orders keys that differ, and so never answers of equal ones: `a < b ? -1 : 1`. */
function isOrder(node: Node | undefined): boolean {
  if (node?.type !== 'ConditionalExpression') return false;
  const { consequent, alternate } = node;
  const isMinus = isNode(consequent) && consequent.type === 'UnaryExpression' && consequent.operator === '-';
  return isMinus && isNode(alternate) && alternate.type === 'NumericLiteral';
}

const chained = ['where', 'andWhere', 'whereRaw', 'whereIn', 'whereNot', 'whereNull', 'whereNotNull', 'orWhere'];
const bounds: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const wordsOfBounds: Readonly<Record<string, string>> = {
  ...{ below: 'atMost', atMost: 'below', above: 'atLeast', atLeast: 'above' },
};
const texts =
  /^(id|ids|name|label|owner|key|text|body|sample|dataset|word|path|reason|actor|asker|search|href|url|failure|assignee|worker|patient|reference|alternate)$/;
const times =
  /^(at|created|updated|made|started|due|loaded|lastUsed|expires|runAfter|leaseUntil|checked|begun|registered|retry(At|_at)|(first|last)(_seen|Seen|_success|Success|_failure|Failure))$/;

/** A function that changes a value, or all values in lists and plain objects. */
function everywhere(change: string): string {
  return (
    `(function all(one) { return ${change} : Array.isArray(one) ? one.map(all) : one?.constructor === Object ? ` +
    'Object.fromEntries(Object.entries(one).map(([key, member]) => [key, all(member)])) : one; })'
  );
}

const columns = /^(text|short|small|integer|generated|double|boolean|time|bytes|json|optional|person|user)$/;

/** Whether it is a member of an object whose value is one of a row, rather than a column that is declared. */
function hasValue({ node, parents }: Site): boolean {
  const value = node.value as Node;
  const isDeclared =
    parents.some(({ type, key }) => type === 'ObjectProperty' && nameOf(key) === 'columns') ||
    (value.type === 'CallExpression' && columns.test(nameOf(value.callee) ?? ''));
  return (
    parents.at(-1)?.type === 'ObjectExpression' &&
    !isDeclared &&
    nameOf(value) !== 'absent' &&
    /^(Identifier|MemberExpression|CallExpression)$/.test(value.type)
  );
}

/** Whether it is a parameter of a function around it that is declared as a number. */
function isNumber({ node, parents }: Site): boolean {
  return parents.some(({ params }) =>
    ((params ?? []) as Node[]).some((param) => {
      const type = (param.typeAnnotation as Node | undefined)?.typeAnnotation as Node | undefined;
      return type?.type === 'TSNumberKeyword' && nameOf(param) === nameOf(node.value);
    }),
  );
}

/** The operators of which mutants are made, by what they do. */
const operators: Readonly<Record<string, Operator>> = {
  'drops a condition': (site) => {
    const { node, parents } = site;
    if (node.type === 'LogicalExpression' && node.operator !== '??') {
      // A member that is undefined is absent.
      const isMember =
        isNode(node.right) &&
        node.right.type === 'ObjectExpression' &&
        (/!== (undefined|null)$/.test(textOf(site, node.left)) ||
          propertiesOf(node.right).some(({ value }) => textOf(site, value) === textOf(site, node.left)));
      return [{ text: textOf(site, node.left) }, ...(isMember ? none : [{ text: textOf(site, node.right) }])];
    }
    if (node.type === 'IfStatement')
      return [{ text: 'false', start: (node.test as Node).start, end: (node.test as Node).end }];
    if (node.type === 'ObjectProperty' && isCondition(site) && propertiesOf(parents.at(-1) as Node).length > 1) {
      return [withoutProperty(site, node)];
    }
    const method = methodOf(node);
    return method && chained.includes(method.name) ? [{ text: textOf(site, method.object) }] : none;
  },

  'swaps an order': (site) => {
    const { node, parents } = site;
    if (node.type === 'StringLiteral' && node.value === 'desc') return [{ text: "'asc'" }];
    if (node.type === 'StringLiteral' && / desc\b/.test(String(node.value))) {
      return [{ text: textOf(site, node).replace(/ desc\b/, '') }];
    }
    if (node.type === 'ObjectProperty' && nameOf(node.key) === 'descending') return [withoutProperty(site, node)];
    const isComparison = node.type === 'BinaryExpression' && /^[<>]$/.test(String(node.operator));
    if (
      isComparison &&
      parents.some(({ type, params }) => type === 'ArrowFunctionExpression' && (params as Node[]).length === 2)
    ) {
      const turned = node.operator === '<' ? '>' : '<';
      return [{ text: `${textOf(site, node.left)} ${turned} ${textOf(site, node.right)}` }];
    }
    const method = methodOf(node);
    return method && /^(orderBy|orderByRaw|sort|toSorted|reverse)$/.test(method.name)
      ? [{ text: textOf(site, method.object) }]
      : none;
  },

  'is off by one at a bound': (site) => {
    const { node, parents } = site;
    if (isOrder(parents.at(-1))) return none;
    if (node.type === 'BinaryExpression' && String(node.operator) in bounds) {
      return [{ text: `${textOf(site, node.left)} ${bounds[String(node.operator)]} ${textOf(site, node.right)}` }];
    }
    if (node.type === 'StringLiteral' && String(node.value) in bounds)
      return [{ text: `'${bounds[String(node.value)]}'` }];
    if (node.type === 'ObjectProperty' && !node.shorthand && (nameOf(node.key) ?? '') in wordsOfBounds) {
      const key = node.key as Node;
      return [{ text: wordsOfBounds[nameOf(key) ?? ''] ?? '', start: key.start, end: key.end }];
    }
    const isSql = node.type === 'StringLiteral' || node.type === 'TemplateElement';
    const bound = isSql ? textOf(site, node).match(/ ([<>]=?) /) : null;
    if (bound?.index === undefined) return none;
    const start = node.start + bound.index + 1;
    return [{ text: bounds[bound[1] ?? ''] ?? '', start, end: start + (bound[1]?.length ?? 0) }];
  },

  'forgets a field': (site) => {
    const { node, parents } = site;
    if (node.type !== 'ObjectProperty' || parents.at(-1)?.type !== 'ObjectExpression' || isCondition(site)) return none;
    // Without a verb or a part of a binding nothing would run at all.
    const isDamaged = propertiesOf(parents.at(-1) as Node).some(({ key }) => nameOf(key) === 'read');
    const isPart =
      (isDamaged && /^(table|key)$/.test(nameOf(node.key) ?? '')) ||
      /Function/.test((node.value as Node).type) ||
      /^(columns|contract|migrations|rows|unique)$/.test(nameOf(node.key) ?? '');
    if (isPart) return none;
    return /^(where|limit|order|descending|without)$/.test(nameOf(node.key) ?? '')
      ? none
      : [withoutProperty(site, node)];
  },

  'changes a text': (site) => {
    const { node } = site;
    const isText = node.type === 'ObjectProperty' && !node.computed && texts.test(nameOf(node.key) ?? '');
    if (!isText || !hasValue(site) || isNumber(site)) return none;
    const key = textOf(site, node.key);
    return ['trim()', "normalize('NFC')", 'toLowerCase()'].map((change) => ({
      text: `${key}: ${everywhere(`typeof one === 'string' ? one.${change}`)}(${textOf(site, node.value)})`,
    }));
  },

  'cuts milliseconds': (site) => {
    const { node } = site;
    const isTime = node.type === 'ObjectProperty' && times.test(nameOf(node.key) ?? '');
    if (!isTime || !hasValue(site) || isCondition(site)) return none;
    const cut = everywhere(
      'one instanceof Date ? new Date(Math.floor(one / 1000) * 1000) : ' +
        "typeof one === 'number' ? Math.floor(one / 1000) * 1000 : " +
        "typeof one === 'string' ? one.replace(/\\.\\d{3}(?=Z|\\+)/, '.000')",
    );
    return [{ text: `${textOf(site, node.key)}: ${cut}(${textOf(site, node.value)})` }];
  },

  'ignores a limit': (site) => {
    const { node } = site;
    if (node.type === 'ObjectProperty' && nameOf(node.key) === 'limit') return [withoutProperty(site, node)];
    const method = methodOf(node);
    if (method?.name === 'limit') return [{ text: textOf(site, method.object) }];
    const isCut =
      method?.name === 'slice' && argumentsOf(node).length === 2 && textOf(site, argumentsOf(node)[0]) === '0';
    return isCut ? [{ text: textOf(site, method.object) }] : none;
  },

  'returns null for absent': (site) => {
    const { node, parents } = site;
    const parent = parents.at(-1);
    const isUndefined = node.type === 'Identifier' && node.name === 'undefined';
    const isResult =
      parent?.type === 'ReturnStatement' || (parent?.type === 'ConditionalExpression' && parent.test !== node);
    return isUndefined && isResult ? [{ text: 'null' }] : none;
  },

  'does half': (site) => {
    const { node } = site;
    const isAwaited =
      node.type === 'ExpressionStatement' && isNode(node.expression) && node.expression.type === 'AwaitExpression';
    return isAwaited ? [{ text: ';' }] : none;
  },

  'holds no rows': (site) => {
    const { node } = site;
    const method = methodOf(node);
    const [first, second] = node.type === 'CallExpression' ? argumentsOf(node) : [];
    if (method?.name === 'forUpdate' || method?.name === 'skipLocked') return [{ text: textOf(site, first) }];
    if (method?.name !== 'lock' || first === undefined) return none;
    const options = second === undefined ? '' : `, ...${textOf(site, second)}`;
    return [{ text: `${textOf(site, method.object)}.find({ where: ${textOf(site, first)}${options} })` }];
  },

  'has no unique values': (site) => {
    const { node } = site;
    if (node.type === 'ObjectProperty' && nameOf(node.key) === 'unique') return [withoutProperty(site, node)];
    const method = methodOf(node);
    return method?.name === 'unique' ? [{ text: textOf(site, method.object) }] : none;
  },

  'counts wrongly': ({ node, source, parents }) => {
    if (isOrder(parents.at(-1))) return none;
    if (node.type === 'UpdateExpression')
      return [{ text: source.slice((node.argument as Node).start, (node.argument as Node).end) }];
    return node.type === 'NumericLiteral' && (node.value === 0 || node.value === 1)
      ? [{ text: String(1 - Number(node.value)) }]
      : none;
  },

  'claims to have changed rows': (site) => {
    const { node, parents } = site;
    const isChange = node.type === 'BinaryExpression' && node.operator === '>' && textOf(site, node.right) === '0';
    return isChange && /^(ReturnStatement|ArrowFunctionExpression)$/.test(parents.at(-1)?.type ?? '')
      ? [{ text: 'true' }]
      : none;
  },
};

/**
 * Damaged rows, steps of schemas, indexes, replicas and the announcements of steps, for which no case of a contract is meant: they
 * have tests of their own in test/adapters.
 */
function isTestedElsewhere(node: Node): boolean {
  const name = node.type === 'CallExpression' ? nameOf(node.callee) : nameOf(node.key ?? node.id);
  return /^(sound|isIntact|intact|blockRows|steps?|indexes|latest|damage(In|Log|dJob)|readRow|nameOfRow|cursorOf|isDocument|knownBy|wordOf002|defineContract)$/.test(
    name ?? '',
  );
}

/** All mutants of a TypeScript source, in its order. */
export function mutantsOf(source: string): Mutant[] {
  const mutants: Mutant[] = [];
  const seen = new Set<string>();
  const visit = (node: Node, parents: readonly Node[]): void => {
    // Types, imports and the words of faults mean nothing that a case could notice.
    if (isTestedElsewhere(node)) return;
    if (/^(TS(?!AsExpression|NonNull|Satisfies)|Import|Export(?:All|NamedSpecifier)|ThrowStatement)/.test(node.type))
      return;
    for (const [operator, apply] of Object.entries(operators)) {
      for (const { text, start = node.start, end = node.end } of apply({ node, parents, source })) {
        const place = `${start} ${end} ${text}`;
        if (seen.has(place) || text === source.slice(start, end)) continue;
        seen.add(place);
        mutants.push({ operator, start, end, text, line: source.slice(0, start).split('\n').length });
      }
    }
    const inner = [...parents, node];
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, inner);
    }
  };
  const { program } = parse(source, { sourceType: 'module', plugins: ['typescript'] });
  visit(program as unknown as Node, []);
  return mutants.sort((one, other) => one.start - other.start || one.end - other.end);
}

/** The source with the mutant in it. */
export function mutated(source: string, { start, end, text }: Mutant): string {
  return source.slice(0, start) + text + source.slice(end);
}
