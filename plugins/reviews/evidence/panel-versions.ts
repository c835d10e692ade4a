/** The versions of panels that statements name, and the newest ones. */
import type { PluginContext } from '../../../core/plugin.js';
import type { PanelOfReport, PanelsService } from '../../services/services.js';
import type { Statement } from '../contract.js';
import type { Looked } from './evidence.js';

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
