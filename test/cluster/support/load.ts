/**
 * A small load of all kinds on one server, and what it acknowledged: patients added and deleted, searches that were
 * recorded, VCF files loaded by jobs. Every answer is compared with what was acknowledged before it was asked for.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from './client.js';

export interface LoadOptions {
  client: Client;
  /** For VCF files; the server may read it. */
  folder: string;
  token: string;
  /** How many times longer the pauses between requests are. */
  pace: number;
}

/** Alleles in each file. */
const allelesEach = 20;
const dataset = 'lab';

/** The longest time without an acknowledged write or read, in milliseconds, since a moment. */
export interface Pauses {
  writes: number;
  reads: number;
}

export class Load {
  readonly #options: LoadOptions;
  /** Acknowledged; a deleted one is in `deleted` only. What was sent and not acknowledged yet is in neither. */
  readonly added = new Set<string>();
  readonly deleted = new Set<string>();
  /** Ids of queries of acknowledged searches, and of those whose outcome is unknown. */
  readonly searched = new Set<string>();
  readonly unknown = new Set<string>();
  /** Numbers of files whose job was seen done. */
  readonly loaded = new Set<number>();
  readonly #writes: number[] = [];
  readonly #reads: number[] = [];
  #running = false;
  #loops: Promise<void>[] = [];
  #next = 0;
  #files = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  get acknowledged(): number {
    return this.added.size + 2 * this.deleted.size + this.searched.size + this.loaded.size;
  }

  async prepare(): Promise<void> {
    const { client, token } = this.#options;
    const body = { id: dataset, name: 'Lab', build: 'GRCh37', authlevel: 'public' };
    const made = await client.send('POST', '/apiv1.0/add_dataset', { token, body });
    if (!made) throw new Error(`The dataset could not be made: ${[...client.seen.errors.keys()].join('; ')}`);
  }

  start(): void {
    this.#running = true;
    this.#loops = [
      this.#loop(120, () => this.#add()),
      this.#loop(120, () => this.#add()),
      this.#loop(300, () => this.#search()),
      this.#loop(1000, () => this.#load()),
      this.#loop(60, () => this.#query()),
      this.#loop(500, () => this.#count()),
    ];
  }

  /** Resolves once everything that was begun is acknowledged. */
  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#loops);
  }

  /** How long nothing was acknowledged, at most, from a moment (performance.now) until now. */
  pausesSince(began: number): Pauses {
    return { writes: longestPause(this.#writes, began), reads: longestPause(this.#reads, began) };
  }

  /** Whether writes and reads were acknowledged that began after the moment. */
  resumedSince(began: number): boolean {
    return [this.#writes, this.#reads].every((times) => (times.at(-1) ?? 0) > began);
  }

  /** Compares the server's totals and the search for a few patients with what was acknowledged. */
  async verify(): Promise<void> {
    const { client, token } = this.#options;
    const metrics = await this.#insist(() => client.send('GET', '/metrics', { token }));
    const cases = metrics?.body?.metrics?.numberOfCases;
    if (cases !== this.added.size) client.wrong(`${cases} patients instead of ${this.added.size}`);
    const info = await this.#insist(() => client.send('GET', '/apiv1.0/info'));
    const [found] = info?.body?.datasets ?? [];
    const alleles = this.loaded.size * allelesEach;
    if (found?.variantCount !== alleles || found?.callCount !== alleles || found?.sampleCount !== this.loaded.size) {
      const { variantCount, callCount, sampleCount } = found ?? {};
      client.wrong(`${variantCount} alleles, ${callCount} calls, ${sampleCount} samples of ${this.loaded.size} files`);
    }
  }

  async #loop(pause: number, work: () => Promise<void>): Promise<void> {
    while (this.#running) {
      await work();
      await sleep(pause * this.#options.pace);
    }
  }

  /** Sends the same again until it is acknowledged, as clients do after a 503. */
  async #insist<Answer>(send: () => Promise<Answer | undefined>): Promise<Answer> {
    for (;;) {
      const answer = await send();
      if (answer !== undefined) return answer;
      await sleep(250);
    }
  }

  /** Adds a patient; every fourth is deleted again. Both may be sent again without another result. */
  async #add(): Promise<void> {
    const { client, token } = this.#options;
    const number = this.#next++;
    const id = `p${number}`;
    await this.#insist(() => client.send('POST', '/patient/add', { token, body: { patient: patient(id, number) } }));
    this.added.add(id);
    this.#writes.push(performance.now());
    if (number % 4 !== 3) return;
    this.added.delete(id);
    // A deletion whose answer was lost finds nothing when it is sent again.
    await this.#insist(() => client.send('DELETE', `/patient/delete/${id}`, { token, expect: [200, 404] }));
    this.deleted.add(id);
    this.#writes.push(performance.now());
  }

  /** Searches once with a patient like one that was added: it must be found, and the search recorded once. */
  async #search(): Promise<void> {
    const { client, token } = this.#options;
    const id = [...this.added].at(-1);
    if (id === undefined) return;
    const number = Number(id.slice(1));
    const query = `q${this.#next++}-${id}`;
    const body = { patient: patient(query, number) };
    this.unknown.add(query);
    const answer = await client.send('POST', '/match', { token, body });
    if (!answer) return;
    this.unknown.delete(query);
    this.searched.add(query);
    const found = (answer.body.results as { patient: { id: string } }[]).map((result) => result.patient.id);
    if (!found.includes(id) && this.added.has(id)) client.wrong(`the search ${query} did not find ${id}`);
  }

  /** Loads a file of one sample, and waits for the job. */
  async #load(): Promise<void> {
    const { client, folder, token } = this.#options;
    const number = this.#files++;
    const lines = Array.from(
      { length: allelesEach },
      (_, i) => `1\t${start(number) + i + 1}\t.\tA\tC\t.\tPASS\t.\tGT\t0/1`,
    );
    const header = `##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tS${number}`;
    const vcf_path = join(folder, `${number}.vcf`);
    await writeFile(vcf_path, `${header}\n${lines.join('\n')}\n`);
    const body = { dataset_id: dataset, vcf_path, assemblyId: 'GRCh37' };
    for (;;) {
      const queued = await this.#insist(() => client.send('POST', '/apiv1.0/add', { token, body, expect: [200, 202] }));
      const state = await this.#finished(queued.body.job.href);
      if (state === 'done') break;
      client.wrong(`the job of file ${number} ended as ${state}`);
    }
    this.loaded.add(number);
  }

  async #finished(href: string): Promise<string> {
    for (;;) {
      const { body } = await this.#insist(() => this.#options.client.send('GET', href, { token: this.#options.token }));
      if (!/^(queued|running)$/.test(body.state)) return body.state === 'failed' ? `failed: ${body.error}` : body.state;
      await sleep(200);
    }
  }

  /** Asks for an allele that is loaded, or for one that no file has. */
  async #query(): Promise<void> {
    const { client } = this.#options;
    const files = [...this.loaded];
    const number = files[Math.max(0, files.length - 1 - (this.#reads.length % 3))];
    if (number === undefined) return;
    const alternate = this.#reads.length % 2 === 0 ? 'C' : 'G';
    const parameters = `assemblyId=GRCh37&referenceName=1&start=${start(number) + 3}&referenceBases=A&alternateBases=${alternate}`;
    const answer = await client.send('GET', `/apiv1.0/query?${parameters}`);
    if (!answer) return;
    this.#reads.push(performance.now());
    const expected = alternate === 'C';
    if (answer.body.exists !== expected) client.wrong(`allele ${alternate} of file ${number}: ${answer.body.exists}`);
  }

  /** The totals never fall below what was acknowledged before. */
  async #count(): Promise<void> {
    const { client } = this.#options;
    const least = this.loaded.size * allelesEach;
    const answer = await client.send('GET', '/apiv1.0/info');
    const [found] = answer?.body?.datasets ?? [];
    if (answer && !(found?.callCount >= least)) client.wrong(`${found?.callCount} calls after ${least} were loaded`);
  }
}

/** Files are far from each other. */
function start(file: number): number {
  return 10_000 + file * 100;
}

/** Found by its gene, which no other has. */
function patient(id: string, number: number): object {
  return {
    id,
    contact: { name: 'A Doctor', href: 'mailto:doctor@example.org' },
    features: [{ id: 'HP:0001250', observed: 'yes' }],
    genomicFeatures: [{ gene: { id: `LOAD${number}` } }],
  };
}

function longestPause(times: readonly number[], began: number): number {
  const last = times.findLast((time) => time < began) ?? began;
  const after = times.filter((time) => time >= began);
  const marks = [Math.max(last, began), ...after, performance.now()];
  return Math.max(...marks.slice(1).map((time, i) => time - (marks[i] ?? time)));
}
