/** A query in other forms: parameter by parameter, as a link, as a command. */
import { coordinates } from '../../../query/positions.js';
import { isGiven, type Sent } from '../parameters.js';

/** The order in which the page shows them. */
const order = [
  'assemblyId',
  'referenceName',
  ...coordinates,
  'referenceBases',
  'alternateBases',
  'variantType',
  'mateName',
  'datasetIds',
  'includeDatasetResponses',
] as const;
export type ParameterName = (typeof order)[number];

/** All values of a parameter as text: one, unless it was repeated. */
export function textsOf(sent: Sent, name: ParameterName): string[] {
  return [sent.parameters[name]].flat().filter(isGiven).map(String);
}

/** The first value of a parameter as text; empty if there is none. */
export function firstOf(sent: Sent, name: ParameterName): string {
  return textsOf(sent, name)[0] ?? '';
}

/** The known parameters that were given, with their values as text. */
export function givenOf(sent: Sent): [ParameterName, string[]][] {
  return order
    .map((name): [ParameterName, string[]] => [name, textsOf(sent, name)])
    .filter(([, texts]) => texts.length > 0);
}

/** The length that all servers and browsers accept in an address. */
const longest = 4000;

function searchOf(sent: Sent): string {
  const pairs = givenOf(sent).flatMap(([name, texts]) => texts.map((text): [string, string] => [name, text]));
  return new URLSearchParams(pairs).toString();
}

/** The query string of the same query; undefined if it is too long for an address. */
export function linkOf(sent: Sent): string | undefined {
  const search = searchOf(sent);
  return search.length > longest ? undefined : `?${search}`;
}

/** A command that sends the same query to the API. */
export function curlOf(sent: Sent, server: string): string {
  const address = `${server}/apiv1.0/query`;
  const link = linkOf(sent);
  return link === undefined
    ? `curl --data ${quoted(searchOf(sent))} ${quoted(address)}`
    : `curl ${quoted(address + link)}`;
}

/** Any text as one word for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
