/** The versions of panels that statements name, and the newest ones. */
import type { PluginContext } from '../../../core/plugin.js';
import type { PanelGeneOfReport, PanelOfReport, PanelsService } from '../../services/services.js';
import type { Statement } from '../contract.js';
import type { Looked } from './evidence.js';

/** Two versions of a panel, the statement's and the newer one, as all cases with these read them. */
export interface PanelPair {
  before: ReadonlyMap<number, PanelGeneOfReport>;
  now: ReadonlyMap<number, PanelGeneOfReport>;
  /** Of both, as the newer one has them; by HGNC id, in their order. */
  genes: ReadonlyMap<number, PanelGeneOfReport>;
  orderOf: ReadonlyMap<number, number>;
  bySymbol: ReadonlyMap<string, readonly number[]>;
  /** HGNC ids of each, by its content. */
  lists: ReadonlyMap<string, readonly number[]>;
}

const none: object = {};
const pairs = new WeakMap<object, WeakMap<object, PanelPair>>();

/** Either may be unknown. The same pair for the same objects. */
export function panelPair(before: PanelOfReport | undefined, now: PanelOfReport | undefined): PanelPair {
  const own = pairs.get(before ?? none) ?? new WeakMap<object, PanelPair>();
  pairs.set(before ?? none, own);
  const pair = own.get(now ?? none) ?? newPair(before, now);
  own.set(now ?? none, pair);
  return pair;
}

function newPair(before: PanelOfReport | undefined, now: PanelOfReport | undefined): PanelPair {
  const numbered = (version: PanelOfReport | undefined) =>
    new Map(version?.genes.map((gene) => [gene.hgnc, gene] as const));
  const [former, newer] = [numbered(before), numbered(now)];
  const genes = new Map([...former, ...newer]);
  const bySymbol = new Map<string, number[]>();
  for (const { symbol, hgnc } of [...former.values(), ...newer.values()])
    bySymbol.set(symbol, [...(bySymbol.get(symbol) ?? []), hgnc]);
  const lists = [before, now].flatMap((one) => (one ? [[one.sha256, one.genes.map(({ hgnc }) => hgnc)] as const] : []));
  const orderOf = new Map([...genes.keys()].map((hgnc, order) => [hgnc, order]));
  return { before: former, now: newer, genes, orderOf, bySymbol, lists: new Map(lists) };
}

interface PanelTools {
  tenants: Pick<NonNullable<PluginContext<unknown>['tenants']>, 'all'> | undefined;
}

/** Each version is read once. */
export class PanelVersions {
  readonly #service: PanelsService | undefined;
  readonly #tools: PanelTools;
  readonly #read = new Map<string, Promise<PanelOfReport | undefined>>();
  readonly #newer = new Map<string, Promise<PanelOfReport | undefined>>();

  constructor(service: PanelsService | undefined, tools: PanelTools) {
    this.#service = service;
    this.#tools = tools;
  }

  /** The version of a statement, and the newest one. */
  async of({
    owner,
    panel: { panel, version },
  }: Pick<Statement, 'owner' | 'panel'>): Promise<{ before: Looked<PanelOfReport>; now: Looked<PanelOfReport> }> {
    if (this.#service === undefined) return { before: { why: 'no-plugin' }, now: { why: 'no-plugin' } } as const;
    const missing = { why: 'no-panel' } as const;
    const tenant = owner === undefined ? undefined : this.#tools.tenants?.all.find(({ name }) => name === owner);
    if (owner !== undefined && !tenant?.panels.includes(panel)) return { before: missing, now: missing };
    const before = await this.#version(`${panel}@${version}`);
    const now = (await this.#newest(panel, version)) ?? before;
    return { before: before ? { value: before } : missing, now: now ? { value: now } : missing };
  }

  #version(reference: string): Promise<PanelOfReport | undefined> {
    const reading = this.#read.get(reference) ?? (this.#service as PanelsService).versionOf(reference, 'operator');
    this.#read.set(reference, reading);
    return reading;
  }

  #newest(panel: string, version: string): Promise<PanelOfReport | undefined> {
    const name = `${panel}@${version}`;
    const newest = async () => {
      const newer = await (this.#service as PanelsService).newerThan(panel, version, 'operator');
      return newer && this.#version(`${panel}@${newer.version}`);
    };
    const reading = this.#newer.get(name) ?? newest();
    this.#newer.set(name, reading);
    return reading;
  }
}
