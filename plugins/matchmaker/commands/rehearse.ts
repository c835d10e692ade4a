/** `rehearse`: three temporary nodes on this machine exchange fictitious patients as real nodes would. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Command, type CommandContext, type CommandServer, counted } from '../../../core/commands.js';
import { connections } from '../../../core/outgoing.js';
import { Fault, isFault } from '../../../core/plugin.js';
import { vendorType } from '../exchange/protocol.js';
import { addClient } from './clients.js';
import { addNode, testNode } from './nodes.js';
import { listAudit } from './upkeep.js';

const siteNames = ['north', 'south', 'west'] as const;
type SiteName = (typeof siteNames)[number];

interface RehearsalSite {
  name: SiteName;
  server: CommandServer;
  /** The token of its clinic. */
  token: string;
  /** The file of its mails. */
  mail: string;
}

/** The first two pairs of the demo patients. */
const cast = {
  'north-1': 'trefoil-demo-01',
  'south-1': 'trefoil-demo-02',
  'north-2': 'trefoil-demo-05',
  'west-1': 'trefoil-demo-06',
} as const;
type PatientId = keyof typeof cast;

const feature = z.looseObject({ gene: z.looseObject({ id: z.string() }) });
const demoPatient = z.looseObject({ id: z.string(), genomicFeatures: z.array(feature) });
const demoPatients = z.array(z.looseObject({ id: z.string() }));
const issued = z.object({ token: z.string() });
const state = z.object({ state: z.string(), failure: z.string().optional() });
const nodeStates = z.array(z.object({ id: z.string(), _health: state }));
const results = z.array(z.object({ patients: z.array(z.object({ patient: z.object({ id: z.string() }) })) }));
const searched = z.object({ results, errors: z.array(z.unknown()) });
const records = z.object({ matches: z.array(z.object({ results })) });
const done = z.object({ message: z.string() });
const trail = z.array(z.object({ actor: z.string(), action: z.string() }));

/** Seconds for what another node does in the background. */
const patience = 60;

export const rehearse: Command<unknown> = {
  name: 'rehearse',
  summary: 'Show an exchange: three temporary nodes on this machine, with fictitious patients',
  description:
    'Starts three nodes with databases of their own on free ports of this machine, connects them, submits and withdraws ' +
    'patients, and prints who was told what. Your configuration, database and mail server are not used. It ends by itself ' +
    'and deletes all that it wrote; it exits with 1 if a step fails.',
  async run(context) {
    const folder = await mkdtemp(join(tmpdir(), 'trefoil-rehearsal-')).catch((cause: unknown) => {
      throw new Fault('unavailable', `A folder for temporary files cannot be made in ${tmpdir()}`, { cause });
    });
    const rehearsal = new Rehearsal(context, folder);
    try {
      await rehearsal.play();
    } catch (error) {
      // Besides faults: what the system refuses, such as space on the disk.
      const isExpected = isFault(error) || (error instanceof Error && 'syscall' in error);
      if (context.signal.aborted || !isExpected) throw error;
      const code = isFault(error) ? error.code : 'unavailable';
      throw new Fault(code, `The rehearsal failed while ${rehearsal.doing}: ${error.message}`, { cause: error });
    } finally {
      await rehearsal.stop();
      await rm(folder, { recursive: true, force: true });
    }
    rehearsal.end();
    context.terminal.data(rehearsal.steps);
    return 0;
  },
};

interface RehearsalStep extends Readonly<Record<string, unknown>> {
  /** Since the start of the rehearsal. */
  seconds: number;
  node: SiteName | 'all';
  step: 'start' | 'connect' | 'submit' | 'search' | 'mail' | 'audit' | 'withdraw' | 'end';
  /** The line for people; the other members say the same for programs. */
  text: string;
}

class Rehearsal {
  readonly steps: RehearsalStep[] = [];
  /** What is under way, for the sentence of a failure. */
  doing = '';
  readonly #context: CommandContext<unknown>;
  readonly #folder: string;
  readonly #begun = performance.now();
  readonly #sites = new Map<SiteName, RehearsalSite>();
  readonly #connections = connections();
  /** What the time line shows. */
  #mails = 0;

  constructor(context: CommandContext<unknown>, folder: string) {
    this.#context = context;
    this.#folder = folder;
  }

  async play(): Promise<void> {
    for (const name of siteNames) await this.#start(name);
    for (const site of this.#sites.values()) await this.#connect(site);

    await this.#submit('south-1');
    await this.#findsNobody('south-1');
    await this.#submit('west-1');
    await this.#findsNobody('west-1');
    await this.#submit('north-1');
    await this.#isTold('north-1', 'south-1');
    await this.#isTold('south-1', 'north-1');
    await this.#submit('north-2');
    await this.#isTold('north-2', 'west-1');
    await this.#isTold('west-1', 'north-2');

    await this.#isRecorded('south-1', 'north');
    await this.#withdraw('south-1', 'north-1');
    await this.#isNotFound('south-1', 'north-1');

    this.#now('its nodes stop');
    if (!(await this.stop())) throw new Fault('internal', 'one did not stop in good order');
    // Only now, so that a mail too many is among them.
    const written = (await Promise.all([...this.#sites.values()].map(({ mail }) => mailsIn(mail)))).flat().length;
    if (written !== this.#mails)
      throw new Fault('internal', `they wrote ${counted(written, 'mail')} instead of ${this.#mails}`);
  }

  /** Returns whether all nodes stopped in good order. May be called twice. */
  async stop(): Promise<boolean> {
    this.#connections.close();
    const stopped = await Promise.all([...this.#sites.values()].map(({ server }) => server.stop()));
    return !stopped.includes(false);
  }

  end(): void {
    const all = `${counted(this.#mails, 'mail')} in all, one to each side of a match`;
    this.#tell('all', 'end', `${all}; the nodes have stopped, and nothing is left`, { mails: this.#mails });
  }

  #tell(
    node: RehearsalStep['node'],
    step: RehearsalStep['step'],
    text: string,
    facts: Readonly<Record<string, unknown>>,
  ): void {
    const seconds = Math.round((performance.now() - this.#begun) / 100) / 10;
    this.steps.push({ seconds, node, step, ...facts, text });
    this.#context.terminal.print(`${seconds.toFixed(1).padStart(5)} s  ${node.padEnd(5)}  ${text}`);
  }

  /** Says what is under way at a node, or at that of a patient. */
  #begin(of: string, doing: string): RehearsalSite {
    const site = this.#site(of);
    this.#now(`${site.name} ${doing}`);
    return site;
  }

  #now(doing: string): void {
    this.#context.signal.throwIfAborted();
    this.doing = doing;
  }

  async #start(name: SiteName): Promise<void> {
    this.#now(`${name} starts`);
    const at = (file: string) => join(this.#folder, `${name}${file}`);
    const mail = at('.mbox');
    const configuration = {
      http: { host: '127.0.0.1', port: 0 },
      storage: { adapter: 'sqlite', file: at('/trefoil.sqlite') },
      migrate: 'auto',
      demo: false,
      plugins: {
        matchmaker: {
          // Without encryption, since everything stays on this machine.
          exchange: { allowHttp: true },
          mail: { file: mail, sender: `matchmaker@${name}.example.org` },
        },
      },
    };
    const file = at('.yaml');
    // JSON is YAML.
    await writeFile(file, JSON.stringify(configuration));
    const environment = { MATCHMAKER_KEY: randomBytes(32).toString('base64url') };
    const server = await this.#context.startServer({ file, environment, log: at('.log') });
    // Before anything else may fail, so that it is stopped.
    const site = { name, server, token: '', mail };
    this.#sites.set(name, site);
    site.token = issued.parse(await server.run(addClient, { id: 'clinic' })).token;
    const text = `starts at ${server.url}, without patients; its clinic gets a token (add client)`;
    this.#tell(name, 'start', text, { url: server.url });
  }

  /** Each node sends the token that the other has issued. */
  async #connect(site: RehearsalSite): Promise<void> {
    const { name, server } = site;
    for (const other of partnersOf(site)) {
      this.#now(`${name} connects ${other}`);
      const there = this.#site(other).server;
      const { token } = issued.parse(await there.run(addClient, { id: name, scope: ['query'] }));
      await server.run(addNode, { id: other, token, matching_url: there.url });
      await server.run(testNode, { id: other });
    }
    const text = `connects ${both(site)}: a token from each (add client), which it stores (add node) and tries (test node)`;
    this.#tell(name, 'connect', text, { nodes: partnersOf(site) });
  }

  async #submit(id: PatientId): Promise<void> {
    const site = this.#begin(id, `submits ${id}`);
    const patient = await castPatient(id);
    const gene = patient.genomicFeatures[0]?.gene.id;
    await this.#request(site, 'POST', '/patient/add', done, { patient });
    const text = `its clinic submits ${id}, gene ${gene} (POST /patient/add)`;
    this.#tell(site.name, 'submit', text, { patient: id, gene });
  }

  /** For the first patient of a node, which both partners are asked about before they have a similar one. */
  async #findsNobody(id: PatientId): Promise<void> {
    const site = this.#begin(id, `asks its partners about ${id}`);
    await this.#until('both responded', async () => {
      const states = await this.#request(site, 'GET', '/nodes', nodeStates);
      const failed = states.find(({ _health }) => _health.failure !== undefined);
      if (failed) throw new Fault('unavailable', `The node "${failed.id}" ${failed._health.failure}`);
      return states.every(({ _health }) => _health.state === 'responding') || undefined;
    });
    if ((await mailsIn(site.mail)).length > 0)
      throw new Fault('internal', 'it wrote a mail, although there is no match');
    const text = `asks ${both(site)} in the background; neither has a patient with that gene, and nobody is told`;
    this.#tell(site.name, 'search', text, { patient: id, told: 0 });
  }

  async #isTold(own: PatientId, other: PatientId): Promise<void> {
    const { name, mail } = this.#begin(own, `tells its clinic of the match of ${own} with ${other}`);
    const { to, lines } = await this.#until('the mail was written', async () =>
      (await mailsIn(mail)).find(({ lines }) => lines.about === own && lines.Patient === other),
    );
    const { Score: score, 'Genes in common': genes, Address: address = '' } = lines;
    const contact = address.replace(/^mailto:/, '');
    const text = `mail to ${to}: ${own} matches ${other} of ${nameIn(other)} (${genes}, score ${score}); write to ${contact}`;
    this.#tell(name, 'mail', text, { to, patient: own, match: other, score: Number(score), genes, contact });
    this.#mails += 1;
  }

  async #isRecorded(id: PatientId, reader: SiteName): Promise<void> {
    const site = this.#begin(id, `looks up who saw ${id}`);
    const entries = trail.parse(await site.server.run(listAudit, { patient: id }));
    const seen = entries.some(({ actor, action }) => actor === reader && action === 'match');
    if (!seen) throw new Fault('internal', `its trail does not say that ${reader} saw it`);
    const text = `has on record that ${reader} saw ${id} (list audit --patient ${id})`;
    this.#tell(site.name, 'audit', text, { patient: id, reader });
  }

  async #withdraw(id: PatientId, asked: PatientId): Promise<void> {
    const [site, reader] = [this.#begin(id, `withdraws ${id}`), this.#site(asked)];
    const { message } = await this.#request(site, 'DELETE', `/patient/delete/${id}`, done);
    if (message.startsWith('ERROR')) throw new Fault('internal', message);
    this.#tell(site.name, 'withdraw', `its clinic withdraws ${id} (DELETE /patient/delete/${id})`, { patient: id });
    const { matches } = await this.#request(reader, 'GET', `/matches/${asked}`, records);
    if (!matches.some((record) => idsIn(record.results).includes(id))) {
      throw new Fault('internal', `the record of ${reader.name} lacks the match that it had`);
    }
    const text = `keeps its record of the match with ${id} (GET /matches/${asked})`;
    this.#tell(reader.name, 'search', text, { patient: asked, recorded: id });
  }

  async #isNotFound(id: PatientId, asked: PatientId): Promise<void> {
    const site = this.#begin(asked, `asks again about ${asked}`);
    const { results, errors } = await this.#request(site, 'POST', `/match/external/${asked}`, searched);
    const partners = partnersOf(site).length;
    if (errors.length > 0 || results.length !== partners) {
      throw new Fault('unavailable', `only ${results.length} of ${counted(partners, 'node')} responded in full`);
    }
    if (idsIn(results).includes(id)) throw new Fault('internal', `${id} was withdrawn, and is found nevertheless`);
    const text = `asks both again (POST /match/external/${asked}): ${id} is no longer found`;
    this.#tell(site.name, 'search', text, { patient: asked, found: idsIn(results) });
  }

  #site(of: string): RehearsalSite {
    const site = this.#sites.get(nameIn(of));
    if (site === undefined) throw new Error(`the node of ${of} has not been started`);
    return site;
  }

  async #request<Result>(
    { server, token }: RehearsalSite,
    method: string,
    path: string,
    result: z.ZodType<Result>,
    content?: object,
  ): Promise<Result> {
    const { signal } = this.#context;
    const headers = { 'X-Auth-Token': token, 'Content-Type': vendorType('1.0') };
    const body = content && Buffer.from(JSON.stringify(content));
    const response = await this.#connections.fetch(new URL(path, server.url), { method, headers, body, signal }, 'any');
    const text = await response.text();
    if (response.status !== 200) throw new Fault('unavailable', `${method} ${path} got the status ${response.status}`);
    return result.parse(JSON.parse(text));
  }

  async #until<Value>(what: string, look: () => Promise<Value | undefined>): Promise<Value> {
    const end = performance.now() + patience * 1000;
    for (;;) {
      const value = await look();
      if (value !== undefined) return value;
      if (performance.now() > end) throw new Fault('timeout', `it took more than ${patience} seconds until ${what}`);
      await sleep(100, undefined, { signal: this.#context.signal });
    }
  }
}

const partnersOf = ({ name }: Pick<RehearsalSite, 'name'>) => siteNames.filter((other) => other !== name);
const both = (site: RehearsalSite) => partnersOf(site).join(' and ');

const idsIn = (all: z.output<typeof results>) => all.flatMap(({ patients }) => patients.map((one) => one.patient.id));

/** The node of a patient. */
function nameIn(id: string): SiteName {
  return siteNames.find((name) => id.startsWith(name)) ?? siteNames[0];
}

/** A patient of the cast, of a clinic; not marked as a test, since tests cause no notifications. */
async function castPatient(id: PatientId): Promise<z.output<typeof demoPatient>> {
  const text = await readFile(new URL('../demo/patients.json', import.meta.url), 'utf8');
  const all = demoPatients.parse(JSON.parse(text));
  const demo = all.find((one) => one.id === cast[id]);
  const contact = { name: `Clinic of hospital ${nameIn(id)}`, href: `mailto:clinic@${nameIn(id)}.example.org` };
  return demoPatient.parse({ ...demo, id, contact, test: undefined });
}

interface ReadMail {
  to: string;
  /** Of its only match, by their titles; `about` is the submission. */
  lines: Readonly<Record<string, string>>;
}

/** The mails in the file of a node; none if nothing was written yet. */
async function mailsIn(file: string): Promise<ReadMail[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return text
    .split(/^From .*\n/m)
    .slice(1)
    .map((mail) => {
      // Quoted-printable (RFC 2045, 6.7); the names and addresses of the cast are ASCII.
      const plain = mail
        .replaceAll('=\n', '')
        .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
      const lines = [...plain.matchAll(/^ {2}([A-Z][\w -]+): (.*)$/gm)].map(([, title, value]) => [title, value]);
      const about = /^Your submission (\S+)/m.exec(plain)?.[1];
      return { to: /^To: (.*)$/m.exec(mail)?.[1] ?? '', lines: { ...Object.fromEntries(lines), about } };
    });
}
