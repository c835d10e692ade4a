/** The variables of the programs as `config/deploy/cluster` gives them, for machines on loopback addresses. */
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const deployed = (name: string): string =>
  fileURLToPath(new URL(`../../../config/deploy/cluster/${name}`, import.meta.url));

export const names = ['one', 'two', 'three'] as const;
export type NodeName = (typeof names)[number];

/** A network of our own: all of 127.0.0.0/8 is this machine, so that every "machine" has all its usual ports. */
export interface Network {
  of(node: NodeName): string;
  proxy: string;
  /** Puts our addresses into a text with those of the examples. */
  place(text: string): string;
}

export function makeNetwork(): Network {
  const prefix = `127.${randomInt(1, 255)}.${randomInt(0, 255)}.`;
  return {
    of: (node) => `${prefix}${names.indexOf(node) + 1}`,
    proxy: `${prefix}9`,
    place: (text) => text.replaceAll('10.0.0.', prefix),
  };
}

/** The variables of a file, which is written for the machine "one", for another. */
export function variablesFor(file: string, network: Network, node: NodeName): Record<string, string> {
  const lines = readFileSync(deployed(file), 'utf8').split('\n');
  const pairs = lines.filter((line) => /^[A-Z]/.test(line)).map((line) => line.split(/=(.*)/s, 2) as [string, string]);
  return Object.fromEntries(
    pairs.map(([name, value]) => [name, network.place(listing.test(name) ? value : ownOf(value, node))]),
  );
}

/** Variables that name all machines, and are the same on each. */
const listing = /HOSTS$|CLUSTER$|^NODE_/;

function ownOf(value: string, node: NodeName): string {
  return value.replace(/^one$/, node).replaceAll('10.0.0.1', `10.0.0.${names.indexOf(node) + 1}`);
}
