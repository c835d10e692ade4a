/** A query as it can be passed on: name by name, as a link, as a command. */
import { coordinates, isGiven, type Sent } from '../parameters.js';

/** In the order in which people think of them. */
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

/** All texts that were given for a parameter: one, unless it was repeated. */
export function textsOf(sent: Sent, name: ParameterName): string[] {
  return [sent.parameters[name]].flat().filter(isGiven).map(String);
}

/** The first text that was given for a parameter, or an empty one. */
export function firstOf(sent: Sent, name: ParameterName): string {
  return textsOf(sent, name)[0] ?? '';
}

/** The known parameters that were given, with their texts as they were given. */
export function givenOf(sent: Sent): [ParameterName, string[]][] {
  return order
    .map((name): [ParameterName, string[]] => [name, textsOf(sent, name)])
    .filter(([, texts]) => texts.length > 0);
}

/** Servers and browsers take longer addresses differently; this much they all take. */
const longest = 4000;

function searchOf(sent: Sent): string {
  const pairs = givenOf(sent).flatMap(([name, texts]) => texts.map((text): [string, string] => [name, text]));
  return new URLSearchParams(pairs).toString();
}

/** The query string that asks the same; undefined where an address cannot hold it. */
export function linkOf(sent: Sent): string | undefined {
  const search = searchOf(sent);
  return search.length > longest ? undefined : `?${search}`;
}

/** A command that asks the same of the programming interface. */
export function curlOf(sent: Sent, server: string): string {
  const address = `${server}/apiv1.0/query`;
  const link = linkOf(sent);
  return link === undefined
    ? `curl --data ${quoted(searchOf(sent))} ${quoted(address)}`
    : `curl ${quoted(address + link)}`;
}

/** One word for a POSIX shell, whatever the text. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Where a client reached this server: its configured address, else the host that the client named. */
export function serverOf(baseUrl: string | undefined, host: string | undefined): string {
  if (baseUrl !== undefined) return baseUrl;
  return `http://${host !== undefined && /^[A-Za-z0-9._-]+(:\d+)?$|^\[[0-9A-Fa-f:.]+\](:\d+)?$/.test(host) ? host : 'localhost'}`;
}
