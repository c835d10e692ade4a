/** The pages of config/reference, as `npm run reference` writes them. Each is made from what the program itself reads. */
import { readFileSync } from 'node:fs';
import { createOutline } from '../../../core/cli/outline.js';
import type { CommandShape } from '../../../core/cli/words.js';
import { Faults } from '../../../core/config/layer.js';
import type { JsonSchema } from '../../../core/config/validate.js';
import { builtIn, builtInEnvironments, loadPlugin } from '../../../core/load.js';
import { parts, scopesFor } from '../../../core/policy/policy.js';
import { kinds, quirks } from '../../../plugins/matchmaker/exchange/node.js';
import { contractsWithPeople } from '../../core/erasures/stored-people.js';
import { storedColumns, tablesWithPeople } from './columns.js';
import { describeServer, type ServerDescription } from './server.js';

/** The text of each page by its name below config/reference. */
export async function referencePages(): Promise<Map<string, string>> {
  const server = await describeServer();
  return new Map([
    ['settings.md', await settingsPage()],
    ['environment.md', await environmentPage()],
    ['commands.md', await commandsPage()],
    ['scopes.md', scopesPage(server)],
    ['metrics.md', metricsPage(server)],
    ['routes.md', routesPage(server)],
    ['limits.md', limitsPage(server)],
    ['people.md', await peoplePage()],
    ['quirks.md', quirksPage()],
  ]);
}

function page(title: string, introduction: string, ...sections: string[]): string {
  const made = '<!-- Made by `npm run reference`; do not edit. -->';
  return `${[`# ${title}`, made, introduction, ...sections].join('\n\n')}\n`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(inCell).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

function inCell(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replaceAll('|', '\\|')
    .replace(/(`[^`]*`)|</g, (_, quoted?: string) => quoted ?? '&lt;')
    .trim();
}

function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

const code = (text: string) => (text === '' ? '' : `\`${text}\``);

// Settings.

interface Setting {
  path: string;
  schema: JsonSchema;
}

const schema = JSON.parse(readFileSync(new URL('../../../config/schema.json', import.meta.url), 'utf8')) as JsonSchema;

/** Every setting that has a value of its own, in the order of the schema. */
function settings(): Setting[] {
  const below = (path: string, one: JsonSchema): Setting[] => {
    const { additionalProperties: further, items } = one;
    const entries = [
      ...partsOf(one).flatMap(([key, piece]) => below(path === '' ? key : `${path}.${key}`, piece)),
      ...(typeof further === 'object' && further.properties ? below(`${path}.NAME`, further) : []),
      ...(items && partsOf(items).length > 0
        ? below(`${path}[]`, items).filter((inner) => inner.path !== `${path}[]`)
        : []),
    ];
    const isSection = entries.length > 0 && !items && !one.anyOf;
    return isSection ? entries : [{ path, schema: one }, ...entries];
  };
  return below('', schema);
}

/** The settings within one, also those of its alternatives and of each adapter, once each. */
function partsOf({ properties = {}, anyOf = [], allOf = [] }: JsonSchema): [string, JsonSchema][] {
  const alternatives = [...anyOf, ...allOf.map((choice) => choice.then as JsonSchema)].flatMap(partsOf);
  const all = [...Object.entries(properties), ...alternatives];
  return all.filter(([key], at) => all.findIndex(([own]) => own === key) === at);
}

function kindOf(one: JsonSchema): string {
  const { enum: values, const: value, type, items, anyOf, minimum, maximum, exclusiveMinimum } = one;
  if (anyOf) {
    // `${NAME}` may stand for every value.
    const own = anyOf.filter(({ pattern }) => pattern !== '\\$\\{');
    return [...new Set(own.map(kindOf))].filter(Boolean).join(' or ');
  }
  if (value !== undefined) return code(String(value));
  if (Array.isArray(values)) return values.map((choice) => code(String(choice))).join(', ');
  if (type === 'array') return `list of ${items === undefined ? 'values' : kindOf(items) || 'values'}`;
  if (type !== 'number' && type !== 'integer') return type === 'string' ? 'text' : [type].flat().join(' or ');
  const to = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? '' : ` to ${maximum}`;
  const word = type === 'integer' ? 'whole number' : 'number';
  if (exclusiveMinimum !== undefined) return `${word} above ${exclusiveMinimum}${to}`;
  return minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? word : `${word} from ${minimum}${to}`;
}

const meaningOf = ({ description }: JsonSchema) => String(description ?? '');

function presetOf({ default: preset }: JsonSchema): string {
  if (preset === undefined || preset === '') return '';
  return typeof preset === 'object' && Object.keys(preset ?? {}).length === 0 ? '' : code(JSON.stringify(preset));
}

async function settingsPage(): Promise<string> {
  const variables = new Map<string, string[]>();
  for (const { name, path } of await variablesOfSettings()) variables.set(path, [...(variables.get(path) ?? []), name]);
  const groups = grouped(settings(), ({ path }) =>
    path.startsWith('plugins.') ? path.split('.').slice(0, 2).join('.') : path.replace(/[.[].*/s, ''),
  );
  const sections = [...groups].map(([group, found]) => {
    const rows = found.map(({ path, schema: one }) => [
      code(path === group ? path : path.slice(group.length).replace(/^\./, '')),
      kindOf(one),
      presetOf(one),
      [meaningOf(one), ...(variables.get(path) ?? []).map((name) => `(${name})`)].join(' '),
    ]);
    return `## ${group}\n\n${table(['setting', 'value', 'default', 'meaning'], rows)}`;
  });
  return page(
    'Settings',
    'Names are relative to the heading: `port` under `http` is `http.port`. Names in parentheses are environment variables ' +
      'that set the same. Under `storage` are the settings of both built-in adapters.',
    ...sections,
  );
}

// Environment variables.

interface Variable {
  name: string;
  path: string;
}

async function variablesOfSettings(): Promise<Variable[]> {
  const faults = new Faults();
  const named = (name: string) => ({ name, path: ['plugins', name], origin: undefined, from: [] });
  const plugins = await Promise.all(builtIn('plugin').map((name) => loadPlugin(named(name), faults)));
  faults.throwIfAny();
  const sections = [
    ...[...(await builtInEnvironments())].map(([, { variables }]) => ['storage', variables] as const),
    ...plugins.map((plugin) => [`plugins.${plugin?.name}`, plugin?.environment ?? {}] as const),
  ];
  return sections.flatMap(([section, variables]) =>
    Object.entries(variables).map(([name, path]) => ({ name, path: `${section}.${path}` })),
  );
}

/** Variables that set no setting, or several. */
const others: readonly (readonly [string, string])[] = [
  ['TREFOIL_CONFIG', 'the configuration file, as `--config`'],
  ['TREFOIL_STORAGE', 'the storage adapter, as `storage.adapter`'],
  ['MOSDEPTH_PRECISION, MOSDEPTH_Q0, MOSDEPTH_Q1, …', 'for `trefoil d4 mosdepth`, as for mosdepth'],
  ['LOG_LEVEL', '`log.level`; with `debug`, commands print the stack of an unexpected error'],
  [
    'AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN',
    'the keys of buckets with `credentials: environment`',
  ],
  [
    'AWS_PROFILE, AWS_SHARED_CREDENTIALS_FILE',
    'the profile and the file with the keys, if the variables above are not set',
  ],
  [
    'AWS_REGION, AWS_DEFAULT_REGION, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL',
    'for `trefoil d4` on `s3://`, which reads no configuration',
  ],
];

async function environmentPage(): Promise<string> {
  const own = (await variablesOfSettings()).map(({ name, path }) => [code(name), code(path)]);
  return page(
    'Environment variables',
    'A variable overrides the same setting of every file. One that is empty counts as not set.',
    table(
      ['variable', 'sets'],
      [...own, ...others.map(([names, sets]) => [names.split(', ').map(code).join(', '), sets])],
    ),
  );
}

// Commands.

async function commandsPage(): Promise<string> {
  const { core, words } = await createOutline();
  const sections = [
    section('trefoil', 'The server.', core),
    ...words.map(({ word, summary, commands }) => section(`trefoil ${word}`, `${summary}.`, commands)),
  ];
  return page(
    'Commands',
    'All but those of `trefoil d4` also take `--config FILE` and `--json`. `--help` prints this text with examples. ' +
      '`beacon` is short for `trefoil beacon`.',
    ...sections,
  );
}

function section(prefix: string, summary: string, commands: readonly CommandShape[]): string {
  const entries = commands.map((command) => {
    const inputs = (command.arguments ?? []).map(({ name, required, variadic }) => {
      const inside = variadic ? `${name}...` : name;
      return required ? `<${inside}>` : `[${inside}]`;
    });
    const title = code([prefix, command.name, ...inputs].join(' '));
    const description = inCell(command.description ?? `${command.summary}.`);
    const rows: [string, string][] = [
      ...(command.arguments ?? []).map(({ name, description: about }): [string, string] => [code(name), about ?? '']),
      ...(command.options ?? []).map(({ flags, description: about, required }): [string, string] => [
        code(flags),
        required ? `${about} (required)` : about,
      ]),
    ];
    const shown = rows.length === 0 ? [] : [table(['option', 'meaning'], rows)];
    return [`### ${title}`, description.replace(/^./, (letter) => letter.toUpperCase()), ...shown].join('\n\n');
  });
  return [`## ${prefix}`, summary, ...entries].join('\n\n');
}

// What a server with everything enabled has.

function scopesPage({ rights }: ServerDescription): string {
  const rows = rights.map((right) => [
    scopesFor(right).replaceAll('`', '').split(' or ').map(code).join(', '),
    right.summary,
    right.part ?? '',
  ]);
  return page(
    'Scopes and rights',
    'An API token has the rights of its scopes (`trefoil token add --scope …`). `PLUGIN:*` is everything of one plugin, `*` ' +
      `everything. People have rights by part (${parts.map(code).join(', ')}) of roles and tenants ([guide](../tenants.md)); ` +
      'a right without a part is for tokens only.',
    table(['scope', 'allows', 'part'], rows),
  );
}

function metricsPage({ metrics }: ServerDescription): string {
  const rows = metrics.map(({ name, type, labels, help }) => [
    code(labels.length === 0 ? name : `${name}{${labels.join(',')}}`),
    type,
    help,
  ]);
  return page(
    'Metrics',
    'What `GET /-/metrics` returns ([guide](../monitoring.md#metrics)), besides `nodejs_…` and `process_…`: event loop, memory, ' +
      'processor time and handles of the process. Those of `replica` need `storage.replica`, those of a plugin that plugin.',
    table(['metric', 'type', 'meaning'], rows),
  );
}

function routesPage({ routes }: ServerDescription): string {
  const groups = grouped(routes, ({ owner }) => owner);
  const sections = [...groups].map(([owner, own]) => {
    const rows = own.map(({ methods, path, summary, needs }) => [
      code(`${methods.join(', ')} ${path}`),
      summary,
      needs,
    ]);
    return `## ${owner}\n\n${table(['route', 'what', 'needs'], rows)}`;
  });
  return page(
    'HTTP routes',
    'Of a server with every optional part. `/docs` and `/openapi.json` of a server describe parameters, bodies and answers of ' +
      'its own. A scope in parentheses is optional and shows more; `coverage:report` is needed only if people or tenants have ' +
      'rights, or `plugins.coverage.oidc` is set.',
    ...sections,
  );
}

const limiting = /limit|overload\..*\.|(queries|loads)\.|^http\.(header|request)Timeout$/i;

function limitsPage({ lists }: ServerDescription): string {
  const chosen = settings().filter(({ path, schema: one }) => limiting.test(path) && typeof one.default === 'number');
  return page(
    'Limits',
    'What is beyond is refused with a message that names the limit.',
    `## Set by the configuration\n\n${table(
      ['setting', 'default', 'meaning'],
      chosen.map(({ path, schema: one }) => [code(path), presetOf(one), meaningOf(one)]),
    )}`,
    `## Entries of lists in requests\n\n${table(
      ['request', 'list', 'at most'],
      lists.map(({ operation, field, most }) => [code(operation), code(field), most.toLocaleString('en')]),
    )}`,
  );
}

async function peoplePage(): Promise<string> {
  return page(
    'Where people are in the database',
    'All columns that name a person or have data of one ([guide](../erasure.md)). An erasure from sharing leaves registered ' +
      'samples and kept reports. Owners, callers and contacts are among what stays.',
    table(['table', 'erased', 'stays'], tablesWithPeople(await storedColumns(contractsWithPeople))),
  );
}

function quirksPage(): string {
  return page(
    'Quirks of nodes',
    'What `trefoil matchmaker list quirk` prints: how servers of the Matchmaker Exchange depart from its specification ' +
      '([guide](../matchmaker-nodes.md#quirks)).',
    table(
      ['kind of server', 'quirks'],
      Object.entries(kinds).map(([kind, names]) => [code(kind), names.map(code).join(', ')]),
    ),
    table(
      ['quirk', 'the node …'],
      Object.entries(quirks).map(([name, does]) => [code(name), does]),
    ),
  );
}
